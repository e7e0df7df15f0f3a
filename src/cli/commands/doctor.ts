import { Command } from 'commander';
import { errorCodeOf } from '../../core/errors';
import { adviceFor } from '../advice';
import { EXIT_CODES } from '../exit-codes';
import { type CommandContext, type GatewayOptions, onGateway, withGatewayOptions } from '../on-gateway';
import { foreignLine, foreignLines } from '../text/foreign-text';

interface DoctorOptions extends GatewayOptions {
  readonly config?: string;
}

/** One line of the report; `fault` needs somebody's hand. */
interface Line {
  readonly subject: string;
  readonly state: 'ok' | 'fault';
  readonly found: string;
  readonly next: string;
}

/** `holdpoint doctor`: what `holdpoint dev` would find on this machine and do about it, and how the gateway is. */
export function doctorCommand(): Command {
  return withGatewayOptions(new Command('doctor'))
    .option('--config <file>', 'the configuration; default: the nearest holdpoint.config.{ts,js,mjs} upward from here')
    .action((options: DoctorOptions) =>
      onGateway(options, async (context) => {
        // Loaded here, since the other commands need nothing of it.
        const { lookAround } = require('../../dev/look-around') as typeof import('../../dev/look-around');
        const lines: readonly Line[] = [...(await lookAround(process.env, options.config)), await gatewayLine(context)];
        const { output } = context;
        if (context.isJson) {
          output.json({ findings: lines });
        } else {
          for (const { subject, state, found, next } of lines) {
            const [first = '', ...more] = foreignLines(found);
            output.print(
              `${output.style(state === 'ok' ? 'good' : 'bad', state.padEnd(6))}${subject.padEnd(9)} ${first}`,
            );
            for (const line of [...more, next]) {
              output.print(`${' '.repeat(16)}${foreignLine(line)}`);
            }
          }
        }
        return lines.some(({ state }) => state === 'fault') ? EXIT_CODES.failed : EXIT_CODES.done;
      }),
    );
}

async function gatewayLine({ client, signal }: CommandContext): Promise<Line> {
  try {
    const { status, store, temporal, worker } = await client.readReadiness({ signal });
    const found = `store ${store}, Temporal ${temporal}, worker ${worker}`;
    return status === 'ok'
      ? { subject: 'gateway', state: 'ok', found, next: 'everything answers' }
      : { subject: 'gateway', state: 'fault', found, next: 'messages and decisions are kept until all of it is back' };
  } catch (error) {
    signal.throwIfAborted();
    const found = error instanceof Error ? error.message : String(error);
    return errorCodeOf(error) === 'gateway_unreachable'
      ? { subject: 'gateway', state: 'ok', found, next: '`holdpoint dev` starts one; --url names another' }
      : { subject: 'gateway', state: 'fault', found, next: adviceFor(errorCodeOf(error)) ?? 'see its log' };
  }
}
