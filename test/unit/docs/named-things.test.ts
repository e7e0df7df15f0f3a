import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isErrorCode } from '../../../src/core/errors';
import { markdownFiles, projectFiles, ROOT_FOLDER, readProjectFile } from './project-files';

/** Folders and files that documents name as paths of the project. */
const PATH = /`((?:src|test|scripts|docs|bench|web|examples)\/[\w./-]*|\.ci\/run)`/g;
/** A part of a path that stands for any name. */
const PLACEHOLDER = /\/[XY](\/|$)/;
/** Groups of entry types; `tool` is left out, since activities have such names too. */
const ENTRY_TYPE = /`((?:session|turn|user|request|model|policy|approval|context|summary)\.[a-z_]+)`/g;

/** Records stay as they were written; the changelog speaks of what there was. */
const currentDocuments = markdownFiles().filter(
  (path) => !path.startsWith('docs/decisions/') && path !== 'CHANGELOG.md',
);

function named(path: string, pattern: RegExp): readonly string[] {
  return [...readProjectFile(path).matchAll(pattern)].map(([, name]) => String(name));
}

/** The folder that a document speaks of: an example is a project of its own. */
function folderOf(path: string): string {
  return /^examples\/[^/]+/.exec(path)?.[0] ?? '.';
}

function scriptsIn(folder: string): readonly string[] {
  const { scripts } = JSON.parse(readProjectFile(join(folder, 'package.json'))) as { scripts: Record<string, string> };
  return Object.keys(scripts);
}

const entryTypes = [...readProjectFile('src/core/entries.ts').matchAll(/^ {2}readonly '([a-z_.]+)'/gm)].map(
  ([, type]) => String(type),
);

test.each(currentDocuments)('%s names npm scripts that there are', (path) => {
  const names = named(path, /\bnpm (?:run )?((?<=run )[a-z][a-z:-]+|start\b|test\b|stop\b)/g);
  const scripts = scriptsIn(folderOf(path));
  expect(names.filter((name) => !scripts.includes(name))).toEqual([]);
});

test.each(currentDocuments)('%s names files that there are', (path) => {
  const names = named(path, PATH).filter((name) => !PLACEHOLDER.test(name));
  expect(names.filter((name) => !existsSync(join(ROOT_FOLDER, folderOf(path), name)))).toEqual([]);
});

test.each(currentDocuments)('%s names entry types that there are', (path) => {
  const names = named(path, ENTRY_TYPE).filter((name) => !/\.(ts|md|json|db|log|sh)$/.test(name));
  expect(entryTypes.length).toBeGreaterThan(10);
  expect(names.filter((name) => !entryTypes.includes(name))).toEqual([]);
});

test.each(currentDocuments)('%s names error codes of models that there are', (path) => {
  expect(named(path, /`(model_[a-z_]+)`/g).filter((name) => !isErrorCode(name))).toEqual([]);
});

test("README's table says what the mock model understands, as its source does", () => {
  const source = readProjectFile('src/adapters/models/mock/mock-patterns.ts');
  const rows = [...source.matchAll(/^ \* (\| `.+\|)$/gm)].map(([, row]) => String(row));
  const readme = readProjectFile('README.md');
  expect(rows.length).toBeGreaterThan(5);
  expect(rows.filter((row) => !readme.includes(row))).toEqual([]);
});

test('decision records are numbered one by one, under their own number, and say what they are', () => {
  const records = projectFiles().filter((path) => path.startsWith('docs/decisions/'));
  const numbers = records.map((path) => Number(/^docs\/decisions\/(\d{4})-[a-z0-9-]+\.md$/.exec(path)?.[1]));
  expect(new Set(numbers).size).toBe(records.length);
  for (const [index, path] of records.entries()) {
    const [heading, , status] = readProjectFile(path).split('\n');
    expect(heading).toMatch(new RegExp(`^# ${numbers[index]}\\. \\S`));
    expect(status).toMatch(/^(Accepted|Superseded by \d+|Rejected)\b/);
  }
});

test('no file names the folder it was written in or the home of who wrote it', () => {
  const places = [ROOT_FOLDER, homedir()].filter((place) => place.length > 4).map((place) => `${place}/`);
  const isText = (path: string) => !/\.(png|ico|woff2|tgz)$/.test(path);
  const faulty = projectFiles()
    .filter((path) => isText(path) && existsSync(join(ROOT_FOLDER, path)))
    .filter((path) => places.some((place) => readProjectFile(path).includes(place)));
  expect(faulty).toEqual([]);
});
