import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CliOptions, CliProcess } from '../../support/cli/run-cli';
import { shellBlocks } from '../../support/docs/shell-blocks';
import { RunningStack } from '../../support/running-stack';
import { waitUntil } from '../../support/wait-until';

const DOCUMENT = join(__dirname, '..', '..', '..', 'docs', 'cli.md');
/** Goes on until somebody ends it. */
const ENDLESS = / watch( |$)/;
/** What is run by another test, since it needs a shell. */
const RUN_ELSEWHERE = ['source <(holdpoint completion bash)'];

let stack: RunningStack;
let workingFolder: string;

beforeAll(async () => {
  stack = await RunningStack.start();
  workingFolder = mkdtempSync(join(tmpdir(), 'holdpoint-documented-'));
});

afterAll(async () => {
  rmSync(workingFolder, { recursive: true, force: true });
  await stack.stop();
});

function wordsOf(command: string): readonly string[] {
  return [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

/** What a person would copy from the question that waits. */
async function filledIn(command: string): Promise<string> {
  if (!command.includes('APPROVAL_ID')) {
    return command;
  }
  const { approvals } = (await stack.until(
    '/v1/approvals?status=pending',
    (json) => Array.isArray(json['approvals']) && json['approvals'].length > 0,
  )) as unknown as { approvals: readonly { approvalId: string; argumentsDigest: string }[] };
  const [{ approvalId = '', argumentsDigest = '' } = {}] = approvals;
  return command.replace('APPROVAL_ID', approvalId).replace('DIGEST', argumentsDigest);
}

test('every command of docs/cli.md, typed one after another, does what it says', async () => {
  const commands = shellBlocks(readFileSync(DOCUMENT, 'utf8')).flatMap((block) => block.commands);
  const environment = { HOLDPOINT_URL: stack.gateway.url, HOLDPOINT_PORT: '0', HOLDPOINT_HOME: '' };
  const options: CliOptions = { environment, workingFolder };
  const codes: Record<string, number | null> = {};
  for (const command of commands.filter((one) => !RUN_ELSEWHERE.includes(one))) {
    const [program, ...parameters] = wordsOf(await filledIn(command));
    expect(program).toBe('holdpoint');
    const running = new CliProcess(parameters, options);
    if (ENDLESS.test(command)) {
      // Something to see for those who watch.
      await stack.startSession('write seen.txt: x');
      await waitUntil(
        () => running.stdout,
        (text) => text !== '',
      );
      running.child.kill('SIGINT');
    }
    codes[command] = (await running.end()).exitCode;
  }
  const expected = Object.keys(codes).map((command) => [command, ENDLESS.test(command) ? 130 : 0]);
  expect(Object.keys(codes).length).toBeGreaterThan(15);
  expect(codes).toEqual(Object.fromEntries(expected));
}, 120_000);
