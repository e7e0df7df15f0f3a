import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { contentHash } from './content-hash.mjs';

const ROOT_FOLDER = fileURLToPath(new URL('..', import.meta.url));
const BUNDLE_FILE = join(ROOT_FOLDER, 'dist', 'workflow-bundle.js');
const STAMP_FILE = join(ROOT_FOLDER, 'dist', '.workflow-bundle-stamp');

/** Everything the bundle is made of: the two rooms that workflow code may import, and the versions of its packages. */
const SOURCES = ['src/core', 'src/workflows', 'package-lock.json', 'scripts/build-workflow-bundle.mjs'];

/** Written beside the target and renamed, so that a reader never sees half a file. */
function writeWhole(file, content) {
  const temporaryFile = `${file}.${process.pid}`;
  writeFileSync(temporaryFile, content);
  renameSync(temporaryFile, file);
}

function isFresh(hash) {
  try {
    readFileSync(BUNDLE_FILE);
    return readFileSync(STAMP_FILE, 'utf8') === hash;
  } catch {
    return false;
  }
}

/**
 * Writes dist/workflow-bundle.js from src/workflows/index.ts. Does nothing when the bundle there was made of the same
 * sources.
 * @returns {Promise<string>} the path of the bundle
 */
export async function buildWorkflowBundle() {
  const hash = contentHash(ROOT_FOLDER, SOURCES);
  if (isFresh(hash)) return BUNDLE_FILE;

  const { bundleWorkflowCode, DefaultLogger } = await import('@temporalio/worker');
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(ROOT_FOLDER, 'src/workflows/index.ts'),
    payloadConverterPath: join(ROOT_FOLDER, 'src/workflows/payload-converter.ts'),
    logger: new DefaultLogger('WARN'),
  });
  mkdirSync(join(ROOT_FOLDER, 'dist'), { recursive: true });
  writeWhole(BUNDLE_FILE, code);
  writeWhole(STAMP_FILE, hash);
  return BUNDLE_FILE;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildWorkflowBundle();
