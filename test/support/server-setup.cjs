const { join } = require('node:path');
const { build } = require('esbuild');

const ROOT_FOLDER = join(__dirname, '..', '..');

/** The command line as one file, so that each of its many runs starts at once. Packages are those of the project. */
async function buildCommandLine() {
  await build({
    entryPoints: [join(ROOT_FOLDER, 'src', 'cli', 'main.ts')],
    outfile: join(ROOT_FOLDER, '.test-build', 'cli.js'),
    bundle: true,
    platform: 'node',
    packages: 'external',
    logLevel: 'warning',
  });
}

/** Runs once before the projects that run everything in one process: they load the workflow bundle and the page. */
module.exports = async () => {
  const { buildWorkflowBundle } = await import('../../scripts/build-workflow-bundle.mjs');
  const { buildPage } = await import('../../scripts/build-page.mjs');
  await buildWorkflowBundle();
  await buildPage();
  await buildCommandLine();
};
