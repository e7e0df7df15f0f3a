/** Runs once before the projects that load the workflow bundle. */
module.exports = async () => {
  const { buildWorkflowBundle } = await import('../../scripts/build-workflow-bundle.mjs');
  await buildWorkflowBundle();
};
