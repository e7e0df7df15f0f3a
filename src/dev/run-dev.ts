import { relative } from 'node:path';
import type { HoldpointConfig } from '../config';
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
 *
 * @param configFile What `--config` was given.
 */
export async function runDev(environment: Environment, configFile: string | undefined): Promise<void> {
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
  const dev = await startDev({ environment, configFile, report: say, signal: stopped.signal });
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

function nextSteps({ url, config, configPath, agents }: RunningDev): string {
  const home = relative(process.cwd(), config.homeFolder) || '.';
  const [agent = ''] = agents;
  const what =
    configPath === undefined
      ? builtInAgent(config)
      : `${agents.length === 1 ? 'agent' : 'agents'} ${agents.join(', ')} from ${relative(process.cwd(), configPath)}; changes are loaded at once`;
  const message = configPath === undefined ? 'write hello.txt: hello' : 'hello';
  return `
${what}
state and logs are in ${home}

Start a session${configPath === undefined ? ' that wants to write a file' : ''}:
  curl -s ${url}/v1/sessions -H 'content-type: application/json' \\
    -d '{"agent":"${agent}","message":{"content":"${message}"}}'

See what waits for a decision: open ${url} in a browser, or go on here:
  curl -s '${url}/v1/approvals?status=pending'

Approve it, with the approvalId and argumentsDigest shown there:
  curl -s ${url}/v1/approvals/APPROVAL_ID/decisions -H 'content-type: application/json' \\
    -d '{"decision":"approve","argumentsDigest":"DIGEST"}'

Ctrl-C stops everything; sessions go on at the next start.
`;
}

function builtInAgent(config: HoldpointConfig): string {
  const model = config.isModelSet
    ? `model ${config.model}`
    : 'model mock (for now there is no other); it knows: list, read FILE, write FILE: TEXT, copy FILE to FILE';
  return `agent workspace works on ${config.workspaceFolder}\n${model}`;
}
