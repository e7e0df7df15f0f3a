import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { contentHash, listFiles } from './content-hash.mjs';

const ROOT_FOLDER = fileURLToPath(new URL('..', import.meta.url));
const SOURCE_FOLDER = join(ROOT_FOLDER, 'web');
const PAGE_FOLDER = join(ROOT_FOLDER, 'dist', 'web');
const STAMP_FILE = join(ROOT_FOLDER, 'dist', '.page-stamp');

/** Everything the page is made of. Of src it takes types only, and they leave no trace. */
const SOURCES = ['web', 'package-lock.json', 'scripts/build-page.mjs'];

const COPIED = ['index.html', 'icon.svg'];
const BUILT = ['page.js', 'page.css'];

/** Written beside the target and renamed, so that a reader never sees half a file. */
function writeWhole(file, write) {
  const temporaryFile = `${file}.${process.pid}`;
  write(temporaryFile);
  renameSync(temporaryFile, file);
}

function isFresh(hash) {
  const files = listFiles(PAGE_FOLDER).map((file) => relative(PAGE_FOLDER, file));
  const isWhole = files.join() === [...COPIED, ...BUILT].sort().join();
  try {
    return isWhole && readFileSync(STAMP_FILE, 'utf8') === hash;
  } catch {
    return false;
  }
}

/**
 * Writes the page into dist/web, and takes away whatever else is there. Does nothing when the page there was made of the
 * same sources.
 * @returns {Promise<string>} the folder
 */
export async function buildPage() {
  const hash = contentHash(ROOT_FOLDER, SOURCES);
  if (isFresh(hash)) return PAGE_FOLDER;

  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: ['main.tsx', 'styles/page.css'].map((name) => ({ in: join(SOURCE_FOLDER, name), out: 'page' })),
    outdir: PAGE_FOLDER,
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2023',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'warning',
    write: false,
  });
  mkdirSync(PAGE_FOLDER, { recursive: true });
  for (const { path, contents } of outputFiles) writeWhole(path, (file) => writeFileSync(file, contents));
  for (const name of COPIED)
    writeWhole(join(PAGE_FOLDER, name), (file) => copyFileSync(join(SOURCE_FOLDER, name), file));
  for (const file of listFiles(PAGE_FOLDER)) {
    if (![...COPIED, ...BUILT].includes(relative(PAGE_FOLDER, file))) rmSync(file);
  }
  writeWhole(STAMP_FILE, (file) => writeFileSync(file, hash));
  return PAGE_FOLDER;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildPage();
