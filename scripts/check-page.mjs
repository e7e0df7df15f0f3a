import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { buildPage } from './build-page.mjs';
import { listFiles } from './content-hash.mjs';

const ROOT_FOLDER = fileURLToPath(new URL('..', import.meta.url));
/** Script and style of the inbox together, compressed. */
const MAX_KILOBYTES = 70;

/** Every way from text to elements. The browser refuses them too, since the page demands trusted types and has none. */
const HTML_SINKS =
  /\b(innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|createContextualFragment|DOMParser|srcdoc|setHTML\w*|parseHTML\w*|document\.write\w*|eval|new Function)\b/g;

const faults = [];
const sources = listFiles(join(ROOT_FOLDER, 'web')).filter((file) => /\.tsx?$/.test(file));
for (const file of sources) {
  for (const [sink] of readFileSync(file, 'utf8').matchAll(HTML_SINKS)) {
    faults.push(`${relative(ROOT_FOLDER, file)}: ${sink} makes elements of text; the page shows text as text`);
  }
}
if (sources.length === 0) faults.push('the page has no sources');

const folder = await buildPage();
const bytes = ['page.js', 'page.css'].reduce((sum, name) => sum + gzipSync(readFileSync(join(folder, name))).length, 0);
const kilobytes = Math.ceil(bytes / 1024);
if (kilobytes > MAX_KILOBYTES)
  faults.push(`the page has ${kilobytes} KB compressed, at most ${MAX_KILOBYTES} are allowed`);

for (const fault of faults) process.stderr.write(`${fault}\n`);
process.stdout.write(
  `${sources.length} files of the page checked, ${kilobytes} KB compressed, ${faults.length} faults\n`,
);
process.exit(faults.length > 0 ? 1 : 0);
