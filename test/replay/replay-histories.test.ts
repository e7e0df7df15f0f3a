import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';

const HISTORIES_FOLDER = join(__dirname, 'histories');
const BUNDLE_PATH = join(__dirname, '..', '..', 'dist', 'workflow-bundle.js');
const CONVERTER_PATH = join(__dirname, '..', '..', 'src', 'workflows', 'payload-converter.ts');

const files = readdirSync(HISTORIES_FOLDER).filter((file) => file.endsWith('.json'));

beforeAll(() => {
  // The rejected history below is reported by the core as an error, which a green run need not show.
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { filter: 'OFF', forward: {} } },
  });
});

test('there are recorded histories to replay', () => {
  expect(files.length).toBeGreaterThan(0);
});

/** Replays a history, given as JSON text, on the bundle of this version. */
function replay(text: string): Promise<void> {
  const history = historyFromJSON(JSON.parse(text));
  const workflowId = history.events?.[0]?.workflowExecutionStartedEventAttributes?.workflowId ?? '';
  return Worker.runReplayHistory(
    { workflowBundle: { codePath: BUNDLE_PATH }, dataConverter: { payloadConverterPath: CONVERTER_PATH } },
    history,
    workflowId,
  );
}

function read(file: string): string {
  return readFileSync(join(HISTORIES_FOLDER, file), 'utf8');
}

/** Recorded by scripts/record-histories.ts; a run that was recorded must stay replayable by every later version. */
test.each(files)('%s replays as it was recorded', async (file) => {
  await expect(replay(read(file))).resolves.toBeUndefined();
});

test('a history of other code is rejected', async () => {
  const text = read(String(files[0])).replaceAll('"callModel"', '"askModel"');
  await expect(replay(text)).rejects.toThrow('TMPRL1100');
});
