import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isBuilt } from './build.mjs';
import { install, isInstalled } from './install.mjs';
import { runToEnd } from './run-to-end.mjs';
import { withSetupLock } from './setup-lock.mjs';

const ROOT_FOLDER = fileURLToPath(new URL('..', import.meta.url));
const LOCK_FILE = join(ROOT_FOLDER, '.setup-lock');

/**
 * What can be asked for. `program` is loaded into this process instead of being started as a child: then there is
 * one process to signal, and its exit code is ours.
 */
const TARGETS = {
  dev: { program: 'dist/src/cli/main.js', parameters: ['dev'], needsBuild: true },
  stop: { program: 'dist/src/cli/main.js', parameters: ['stop'], needsBuild: true },
  bench: { program: 'scripts/bench.mjs', parameters: [], needsBuild: true },
  test: { program: 'node_modules/jest/bin/jest.js', parameters: [], needsBuild: true },
  verify: { program: 'scripts/verify.mjs', parameters: [], needsBuild: false },
};

function say(text) {
  process.stderr.write(`holdpoint: ${text}\n`);
}

function fail(text) {
  say(text);
  process.exit(1);
}

async function setUp(needsBuild) {
  if (!isInstalled()) {
    say('installing dependencies (once, about half a minute)');
    const exitCode = await install();
    if (exitCode !== 0) fail(`installing dependencies failed: npm ci ended with code ${exitCode}`);
  }
  if (needsBuild && !isBuilt()) {
    say('building');
    const { exitCode } = await runToEnd(process.execPath, ['scripts/build.mjs'], {
      cwd: ROOT_FOLDER,
      stdio: ['ignore', 2, 2],
    });
    if (exitCode !== 0) fail(`building failed with code ${exitCode}`);
  }
}

/**
 * Installs and builds what is missing, then becomes the program.
 * @param {string | undefined} name a key of TARGETS
 * @param {readonly string[]} extraParameters handed on to the program
 */
export async function start(name, extraParameters) {
  const target = Object.hasOwn(TARGETS, name ?? '') ? TARGETS[name] : undefined;
  if (target === undefined) return fail(`run.mjs knows ${Object.keys(TARGETS).join(', ')}, not ${name}`);
  if (!isInstalled() || (target.needsBuild && !isBuilt())) {
    try {
      await withSetupLock(
        LOCK_FILE,
        () => say(`another process sets this folder up, waiting (${LOCK_FILE})`),
        () => setUp(target.needsBuild),
      );
    } catch (error) {
      return fail(`cannot set up ${ROOT_FOLDER}: ${error.message}`);
    }
  }
  const program = join(ROOT_FOLDER, target.program);
  process.argv = [process.execPath, program, ...target.parameters, ...extraParameters];
  if (program.endsWith('.mjs')) await import(program);
  else createRequire(import.meta.url)(program);
}
