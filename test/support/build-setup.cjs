const { execFileSync } = require('node:child_process');
const { join } = require('node:path');

const ROOT_FOLDER = join(__dirname, '..', '..');

/** Runs once before the projects that start the built program: they must not meet an old one. */
module.exports = async () => {
  const { isBuilt } = await import('../../scripts/build.mjs');
  if (!isBuilt()) execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: ROOT_FOLDER, stdio: 'inherit' });
};
