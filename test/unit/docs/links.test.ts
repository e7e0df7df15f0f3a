import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { markdownFiles, ROOT_FOLDER, readProjectFile } from './project-files';

/** A heading as the target of a link, the way GitHub derives it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}

function withoutCode(text: string): string {
  return text.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '');
}

function anchorsOf(path: string): readonly string[] {
  const headings = readProjectFile(path)
    .replace(/^```[\s\S]*?^```/gm, '')
    .matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, heading]) => anchorOf(String(heading)));
}

/** Links and images of a file that lead nowhere. */
function brokenLinks(path: string): readonly string[] {
  const links = [...withoutCode(readProjectFile(path)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => String(link));
  return links
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? path : join(dirname(path), file);
      if (!existsSync(join(ROOT_FOLDER, target))) {
        return true;
      }
      return anchor !== undefined && !anchorsOf(target).includes(anchor);
    });
}

test.each(markdownFiles())('every link of %s leads somewhere', (path) => {
  expect(brokenLinks(path)).toEqual([]);
});
