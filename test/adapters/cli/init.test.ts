import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PROJECT_FILES } from '../../../src/cli/init/project-files';
import { writeProject } from '../../../src/cli/init/write-project';

const ROOT_FOLDER = join(__dirname, '..', '..', '..');
const DEADLINE_MS = 120_000;

/** What the package's own entries stand for here, where it is not installed. */
const SETTINGS = {
  extends: join(ROOT_FOLDER, 'tsconfig.json'),
  compilerOptions: {
    types: ['node'],
    paths: {
      holdpoint: [join(ROOT_FOLDER, 'src', 'index.ts')],
      'holdpoint/testing': [join(ROOT_FOLDER, 'src', 'testing', 'index.ts')],
    },
  },
  include: [],
  files: Object.keys(PROJECT_FILES),
};

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdpoint-init-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function run(...parameters: readonly string[]): Promise<string> {
  const { NODE_OPTIONS: _options, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, [...parameters], { cwd: folder, env }).catch(
    (error: { stdout: string; stderr: string }) => ({ stdout: error.stdout + error.stderr }),
  );
  return stdout;
}

it('writes a configuration, an agent and a test into a folder that it makes', () => {
  const paths = writeProject(join(folder, 'new'));
  expect(paths.every((path) => existsSync(path))).toBe(true);
  expect(readdirSync(join(folder, 'new')).sort()).toEqual(['holdpoint.config.ts', 'notes.test.ts', 'notes.ts']);
});

it('overwrites nothing: when one of the files is there, none is written', () => {
  writeFileSync(join(folder, 'notes.ts'), 'mine');
  expect(() => writeProject(folder)).toThrow(expect.objectContaining({ code: 'file_exists' }));
  expect(readdirSync(folder)).toEqual(['notes.ts']);
  expect(readFileSync(join(folder, 'notes.ts'), 'utf8')).toBe('mine');
});

it.each([['mine'], [join('mine', 'new')]])('says that %s is no folder, or not in one', (name) => {
  writeFileSync(join(folder, 'mine'), 'mine');
  expect(() => writeProject(join(folder, name))).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  expect(readFileSync(join(folder, 'mine'), 'utf8')).toBe('mine');
});

describe('what it writes', () => {
  beforeEach(() => {
    writeProject(folder);
    symlinkSync(join(ROOT_FOLDER, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(SETTINGS));
  });

  it(
    'passes the compiler, and its test passes',
    async () => {
      expect(await run(join(ROOT_FOLDER, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', '.')).toBe('');
      const printed = await run('--import', 'tsx', '--test', '--test-reporter', 'tap', 'notes.test.ts');
      expect(printed).toMatch(/^# pass 2$/m);
      expect(printed).toMatch(/^# fail 0$/m);
    },
    DEADLINE_MS,
  );

  it(
    'is a project that holdpoint loads',
    async () => {
      const source = (path: string) => JSON.stringify(join(ROOT_FOLDER, 'src', path));
      const program = `
        const { parseConfig } = require(${source('config.ts')});
        const { loadProject } = require(${source('worker/load-project.ts')});
        loadProject(process.cwd() + '/holdpoint.config.ts', parseConfig({}), () => undefined).then(({ catalog }) => {
          const tools = [...catalog.tools.values()].map(({ definition }) => definition.name + ' ' + definition.effect);
          console.log([...catalog.agents.keys(), ...tools].join('\\n'));
        });`;
      expect(await run('--import', 'tsx', '-e', program)).toBe('notes\nlist_notes read\nadd_note write\n');
    },
    DEADLINE_MS,
  );
});
