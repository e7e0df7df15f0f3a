import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';

const HISTORIES_FOLDER = join(__dirname, 'histories');
const BUNDLE_PATH = join(__dirname, '..', '..', 'dist', 'workflow-bundle.js');
const CONVERTER_PATH = join(__dirname, '..', '..', 'src', 'workflows', 'payload-converter.ts');

const files = readdirSync(HISTORIES_FOLDER).filter((file) => file.endsWith('.json'));

beforeAll(() => {
  Runtime.install({ logger: new DefaultLogger('WARN') });
});

test('there are recorded histories to replay', () => {
  expect(files.length).toBeGreaterThan(0);
});

/** Recorded by scripts/record-histories.ts; a run that was recorded must stay replayable by every later version. */
test.each(files)('%s replays as it was recorded', async (file) => {
  const history = historyFromJSON(JSON.parse(readFileSync(join(HISTORIES_FOLDER, file), 'utf8')));
  const replay = Worker.runReplayHistory(
    { workflowBundle: { codePath: BUNDLE_PATH }, dataConverter: { payloadConverterPath: CONVERTER_PATH } },
    history,
    'default/recorded',
  );
  await expect(replay).resolves.toBeUndefined();
});

test('a history of other code is rejected', async () => {
  const [file] = files;
  const text = readFileSync(join(HISTORIES_FOLDER, String(file)), 'utf8').replaceAll('"callModel"', '"askModel"');
  const replay = Worker.runReplayHistory(
    { workflowBundle: { codePath: BUNDLE_PATH }, dataConverter: { payloadConverterPath: CONVERTER_PATH } },
    historyFromJSON(JSON.parse(text)),
    'default/recorded',
  );
  await expect(replay).rejects.toThrow('TMPRL1100');
});
