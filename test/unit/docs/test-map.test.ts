import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT_FOLDER, readProjectFile } from './project-files';

interface Proof {
  /** As the map names it. */
  readonly name: string;
  /** Titles of tests in that file, in quotes behind it. */
  readonly titles: readonly string[];
}

/** Names of tests in the tables: a path below `test`, with or without its ending, then the titles that are meant. */
function proofs(): readonly Proof[] {
  const rows = readProjectFile('docs/test-map.md')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('|--'));
  const cells = rows.map((row) => row.split(' | ')[1] ?? '');
  return cells.flatMap((cell) =>
    [...cell.matchAll(/`((?:test\/)?(?:unit|bundle|replay|adapters|server|crash|support)[\w./-]*)`([^`]*)/g)].map(
      ([, name, behind]) => ({
        name: String(name),
        titles: [...String(behind).matchAll(/"([^"]+)"/g)].map(([, title]) => String(title)),
      }),
    ),
  );
}

function fileOf({ name }: Proof): string | undefined {
  const path = name.startsWith('test/') ? name : `test/${name}`;
  return [path, `${path}.test.ts`].find((candidate) => existsSync(join(ROOT_FOLDER, candidate)));
}

test('every test that the map names is there', () => {
  const all = proofs();
  expect(all.length).toBeGreaterThan(40);
  expect(all.filter((proof) => fileOf(proof) === undefined).map(({ name }) => name)).toEqual([]);
});

test('every title that the map quotes is that of a test in the file it names', () => {
  const faulty = proofs().flatMap((proof) => {
    const file = fileOf(proof);
    if (file === undefined || statSync(join(ROOT_FOLDER, file)).isDirectory()) {
      return proof.titles;
    }
    const text = readFileSync(join(ROOT_FOLDER, file), 'utf8').replaceAll("\\'", "'");
    return proof.titles.filter((title) => !text.includes(title));
  });
  expect(faulty).toEqual([]);
});
