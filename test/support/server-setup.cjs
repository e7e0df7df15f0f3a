/** Runs once before the projects that run everything in one process: they load the workflow bundle and the page. */
module.exports = async () => {
  const { buildWorkflowBundle } = await import('../../scripts/build-workflow-bundle.mjs');
  const { buildPage } = await import('../../scripts/build-page.mjs');
  await buildWorkflowBundle();
  await buildPage();
};
