import { Command, Option } from 'commander';
import { momentText } from '../../core/display/time-text';
import type { SessionStatus, SessionView } from '../../core/sessions';
import { countFrom } from '../number-from';
import { type GatewayOptions, onGateway, withGatewayOptions } from '../on-gateway';
import { foreignLine } from '../text/foreign-text';
import { tableLines } from '../text/table';

const STATUSES: readonly SessionStatus[] = ['idle', 'running', 'waiting_for_approval', 'blocked', 'closed'];
const DEFAULT_LIMIT = 50;

interface ListOptions extends GatewayOptions {
  readonly status?: SessionStatus;
  readonly agent?: string;
  readonly limit: number;
  readonly after?: string;
}

/** `holdpoint sessions list`: the newest sessions. */
export function sessionsListCommand(): Command {
  return withGatewayOptions(new Command('list'))
    .description('list sessions, newest first')
    .addOption(new Option('--status <status>', 'only those of this status').choices(STATUSES))
    .option('--agent <agent>', 'only those of this agent')
    .addOption(new Option('--limit <count>', 'how many').argParser(countFrom).default(DEFAULT_LIMIT))
    .option('--after <place>', 'where the page before has ended')
    .action(({ status, agent, limit, after, ...options }: ListOptions) =>
      onGateway(options, async ({ client, output, isJson, signal }) => {
        const page = {
          limit,
          ...(status === undefined ? {} : { status }),
          ...(agent === undefined ? {} : { agent }),
          ...(after === undefined ? {} : { after }),
        };
        const { sessions, nextAfter } = await client.listSessions(page, { signal });
        if (isJson) {
          output.json({ sessions, nextAfter });
          return undefined;
        }
        if (sessions.length === 0) {
          output.note('No session matches.');
          return undefined;
        }
        const nowMs = Date.now();
        for (const line of tableLines(
          HEADINGS,
          sessions.map((session) => row(session, nowMs)),
          output.columns(),
        )) {
          output.print(line);
        }
        if (nextAfter !== null) {
          output.note(`There are more: --after ${foreignLine(nextAfter)}`);
        }
        return undefined;
      }),
    );
}

const HEADINGS = ['session', 'agent', 'status', 'turn', 'waits', 'started'] as const;

function row(session: SessionView, nowMs: number): readonly string[] {
  const { sessionId, agent, status, turn, lastTurn, openApprovals, createdAt } = session;
  const turnText = turn === null ? (lastTurn === null ? '' : `${lastTurn.turn} ${lastTurn.outcome}`) : String(turn);
  const cells = [sessionId, agent, status, turnText, openApprovals.length === 0 ? '' : String(openApprovals.length)];
  return [...cells, momentText(createdAt, nowMs)].map(foreignLine);
}
