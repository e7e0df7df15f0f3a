import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { contentHash, listFiles } from './content-hash.mjs';
import { runToEnd } from './run-to-end.mjs';

const ROOT_FOLDER = fileURLToPath(new URL('..', import.meta.url));
const STAMP_FILE = join(ROOT_FOLDER, 'dist', '.build-stamp');

/** What dist is made of. */
const SOURCES = [
  'src',
  'web',
  'scripts/build.mjs',
  'scripts/build-workflow-bundle.mjs',
  'scripts/build-page.mjs',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
];

/** @returns {boolean} whether dist was built from the sources as they are now */
export function isBuilt() {
  try {
    return readFileSync(STAMP_FILE, 'utf8') === contentHash(ROOT_FOLDER, SOURCES);
  } catch {
    return false;
  }
}

/** The compiler only adds and replaces: what belongs to a source that is gone has to be taken away. */
function removeOutputWithoutSource() {
  const outputFolder = join(ROOT_FOLDER, 'dist', 'src');
  for (const file of listFiles(outputFolder)) {
    const stem = relative(outputFolder, file).replace(/(\.d\.ts|\.js)(\.map)?$/, '');
    if (listFiles(join(ROOT_FOLDER, 'src', `${stem}.ts`)).length === 0) rmSync(file);
  }
}

async function build() {
  // Taken before the build: a source that changes meanwhile makes the result stale, as it should.
  const hash = contentHash(ROOT_FOLDER, SOURCES);
  rmSync(STAMP_FILE, { force: true });
  const steps = [
    ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'],
    ['scripts/build-workflow-bundle.mjs'],
    ['scripts/build-page.mjs'],
  ];
  for (const step of steps) {
    const { exitCode } = await runToEnd(process.execPath, step, { cwd: ROOT_FOLDER, stdio: 'inherit' });
    if (exitCode !== 0) process.exit(exitCode);
  }
  removeOutputWithoutSource();
  mkdirSync(join(ROOT_FOLDER, 'dist'), { recursive: true });
  writeFileSync(STAMP_FILE, hash);
}

const isAsked = process.argv[1] === fileURLToPath(import.meta.url);
if (isAsked && !(process.argv.includes('--if-stale') && isBuilt())) await build();
