import { relative } from 'node:path';
import { SECOND_MS } from '../core/durations';
import { HoldpointError } from '../core/errors';
import type { Environment } from './run-command';
import { type RunningDev, startDev } from './start-dev';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** One Ctrl-C may arrive twice: from the terminal, and handed on by npm. */
const SAME_SIGNAL_MS = SECOND_MS;

/**
 * Runs `holdpoint dev` in the foreground: starts everything, says where it is and what to type, and stops everything in
 * order on Ctrl-C. A second Ctrl-C does not wait. Throws what `startDev` throws.
 */
export async function runDev(environment: Environment): Promise<void> {
  const stopped = new AbortController();
  let stoppedAtMs = 0;
  for (const signal of STOP_SIGNALS) {
    process.on(signal, () => {
      if (!stopped.signal.aborted) {
        stoppedAtMs = performance.now();
        stopped.abort(new HoldpointError('start_interrupted', 'stopped while starting'));
        say('stopping');
      } else if (performance.now() - stoppedAtMs > SAME_SIGNAL_MS) {
        process.exit(1);
      }
    });
  }
  const dev = await startDev({ environment, report: say, signal: stopped.signal });
  say(`holdpoint ready at ${dev.url}`);
  process.stdout.write(nextSteps(dev));
  await new Promise<void>((resolve) => {
    stopped.signal.addEventListener('abort', () => resolve(), { once: true });
    if (stopped.signal.aborted) {
      resolve();
    }
  });
  await dev.stop();
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function nextSteps({ url, config }: RunningDev): string {
  const home = relative(process.cwd(), config.homeFolder) || '.';
  const model = config.isModelSet
    ? `model ${config.model}`
    : 'model mock (for now there is no other); it knows: list, read FILE, write FILE: TEXT, copy FILE to FILE';
  return `
agent workspace works on ${config.workspaceFolder}
${model}
state and logs are in ${home}

Start a session that wants to write a file:
  curl -s ${url}/v1/sessions -H 'content-type: application/json' \\
    -d '{"agent":"workspace","message":{"content":"write hello.txt: hello"}}'

See what waits for a decision: open ${url} in a browser, or go on here:
  curl -s '${url}/v1/approvals?status=pending'

Approve it, with the approvalId and argumentsDigest shown there:
  curl -s ${url}/v1/approvals/APPROVAL_ID/decisions -H 'content-type: application/json' \\
    -d '{"decision":"approve","argumentsDigest":"DIGEST"}'

Ctrl-C stops everything; sessions go on at the next start.
`;
}
