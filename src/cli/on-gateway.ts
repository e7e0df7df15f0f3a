import { type Command, Option } from 'commander';
import { createHoldpointClient, type HoldpointClient } from '../client/holdpoint-client';
import { EXIT_CODES, type ExitCode } from './exit-codes';
import { gatewayAddress } from './gateway-address';
import { createOutput, type Output } from './output';
import { reportFailure } from './report-failure';
import { foreignLine } from './text/foreign-text';

/** Options that every command which speaks to the gateway has. */
export interface GatewayOptions {
  readonly url?: string;
  readonly json?: true;
}

/** What such a command works with. */
export interface CommandContext {
  readonly client: HoldpointClient;
  readonly output: Output;
  readonly isJson: boolean;
  /** Fires on Ctrl-C and when nobody reads what is written any longer. */
  readonly signal: AbortSignal;
}

/** A gateway that restarts is back within these tries; one that is not there is told soon. */
const TRIES = 3;

/** Adds the options of a command that speaks to the gateway. */
export function withGatewayOptions(command: Command): Command {
  return command
    .addOption(new Option('--url <address>', 'address of the gateway; default: see docs/cli.md'))
    .addOption(new Option('--json', 'print JSON: one document, or one line for each event'));
}

/**
 * Runs a command and sets the exit code of the process: what it returns (default 0), 130 after Ctrl-C, else that of its
 * error, which is told on standard error.
 */
export async function onGateway(
  options: GatewayOptions,
  work: (context: CommandContext) => Promise<ExitCode | undefined>,
): Promise<void> {
  const interruption = new AbortController();
  const isJson = options.json === true;
  const interrupt = () => interruption.abort(new Error('interrupted'));
  process.on('SIGINT', interrupt);
  process.stdout.on('error', interrupt);
  try {
    const output = createOutput(process);
    const { url } = gatewayAddress({ flag: options.url, environment: process.env, workingFolder: process.cwd() });
    const client = createHoldpointClient({ baseUrl: url, tries: TRIES, fetch: tellingOfCuts(output) });
    process.exitCode = (await work({ client, output, isJson, signal: interruption.signal })) ?? EXIT_CODES.done;
  } catch (error) {
    if (interruption.signal.aborted) {
      process.exitCode = EXIT_CODES.interrupted;
    } else {
      reportFailure(error, isJson);
    }
  } finally {
    process.off('SIGINT', interrupt);
  }
}

/** Says once when a gateway that has answered is gone, and once when it is back: watchers wait for it in silence. */
function tellingOfCuts({ note }: Output): typeof fetch {
  let state: 'unknown' | 'up' | 'down' = 'unknown';
  return async (input, init) => {
    try {
      const response = await fetch(input, init);
      if (state === 'down') {
        note('The gateway answers again.');
      }
      state = 'up';
      return response;
    } catch (error) {
      if (state === 'up' && init?.signal?.aborted !== true) {
        note(`The gateway at ${foreignLine(new URL(String(input)).host)} does not answer; trying again.`);
        state = 'down';
      }
      throw error;
    }
  };
}
