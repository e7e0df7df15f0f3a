import { fileURLToPath } from 'node:url';
import { runToEnd } from './run-to-end.mjs';

const ROOT_FOLDER = fileURLToPath(new URL('..', import.meta.url));

/** Each is a script of its own in package.json. They do not depend on each other, so they run side by side. */
const CHECKS = ['style', 'types', 'promises', 'imports', 'unused', 'dependencies', 'page'];

const TEST_PROJECTS = ['unit', 'bundle', 'replay'];

function runNpmScript(name) {
  const npm = process.env.npm_execpath;
  const options = { cwd: ROOT_FOLDER, stdio: ['ignore', 'pipe', 'pipe'] };
  const parameters = ['run', '--silent', name];
  return npm?.endsWith('.js')
    ? runToEnd(process.execPath, [npm, ...parameters], options)
    : runToEnd('npm', parameters, options);
}

async function check(name) {
  const startedMs = performance.now();
  const { exitCode, output } = await runNpmScript(`check:${name}`);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  process.stdout.write(`${exitCode === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)\n`);
  if (exitCode !== 0) process.stdout.write(output);
  return { name, exitCode };
}

const results = await Promise.all(CHECKS.map(check));
const jestParameters = ['node_modules/jest/bin/jest.js', '--selectProjects', ...TEST_PROJECTS];
const jest = await runToEnd(process.execPath, jestParameters, { cwd: ROOT_FOLDER, stdio: 'inherit' });
const failed = results.filter(({ exitCode }) => exitCode !== 0).map(({ name }) => name);
if (failed.length > 0) process.stderr.write(`failed checks: ${failed.join(', ')}\n`);
process.exit(failed.length > 0 ? 1 : jest.exitCode);
