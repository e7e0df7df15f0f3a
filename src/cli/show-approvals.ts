import { durationText } from '../core/display/time-text';
import { SECOND_MS } from '../core/durations';
import type { ApprovalView } from '../core/http-answers';
import { approvalChanges } from './approval-changes';
import type { CommandContext } from './on-gateway';
import { ScreenLines } from './screen-lines';
import { riskText } from './text/approval-lines';
import { foreignLine } from './text/foreign-text';
import type { Style } from './text/style';
import { wrapLine } from './text/wrap-text';

/** How long a question stays on the screen once it is answered. */
const ANSWERED_MS = 10 * SECOND_MS;
/** Changes are gathered for this long: at most ten drawings in a second. */
const GATHER_MS = 100;
const DEFAULT_COLUMNS = 80;
const INDENT = '  ';

interface Shown {
  readonly approval: ApprovalView;
  /** When it leaves the screen; undefined while it is open. */
  readonly leavesAtMs: number | undefined;
}

/**
 * Shows on the terminal what waits for a decision, until the signal fires, whose reason it throws. Only lines that
 * changed are drawn. A question that is answered stays for ten seconds with its answer.
 */
export async function showApprovals(context: CommandContext): Promise<void> {
  const { output } = context;
  const shown = new Map<string, Shown>();
  const screen = new ScreenLines(output.write);
  let timer: NodeJS.Timeout | undefined;
  const draw = () => {
    timer = undefined;
    const nowMs = Date.now();
    for (const [approvalId, { leavesAtMs = Number.POSITIVE_INFINITY }] of shown) {
      if (leavesAtMs <= nowMs) {
        shown.delete(approvalId);
      }
    }
    screen.draw(
      screenLines(
        [...shown.values()].map(({ approval }) => approval),
        context,
        nowMs,
      ),
    );
  };
  const drawSoon = () => {
    timer ??= setTimeout(draw, GATHER_MS);
  };
  const redraw = () => {
    screen.forget();
    drawSoon();
  };
  const clock = setInterval(drawSoon, SECOND_MS);
  process.stdout.on('resize', redraw);
  screen.open();
  drawSoon();
  try {
    for await (const approval of approvalChanges(context)) {
      const leavesAtMs = approval.status === 'pending' ? undefined : Date.now() + ANSWERED_MS;
      shown.set(approval.approvalId, { approval, leavesAtMs });
      drawSoon();
    }
  } finally {
    process.stdout.off('resize', redraw);
    clearInterval(clock);
    clearTimeout(timer);
    screen.close();
  }
}

function screenLines(approvals: readonly ApprovalView[], { output }: CommandContext, nowMs: number): readonly string[] {
  const columns = Math.max(1, (output.columns() ?? DEFAULT_COLUMNS) - 1);
  const wrapped = (lines: readonly string[]) => lines.flatMap((line) => wrapLine(line, columns, INDENT));
  const open = approvals.filter(({ status }) => status === 'pending').length;
  const head = wrapped([
    output.style('strong', `${open} ${open === 1 ? 'question waits' : 'questions wait'} for a decision`),
    '',
  ]);
  const foot = wrapped([output.style('quiet', 'Look at one: holdpoint approvals show ID. Ctrl-C leaves.')]);
  const body = wrapped(approvals.flatMap((approval) => questionLines(approval, output.style, nowMs)));
  const room = Math.max(0, output.rows() - head.length - foot.length);
  const fitting = body.length > room ? [...body.slice(0, room - 1), 'There are more.'] : body;
  return [...head, ...fitting, ...foot];
}

function questionLines(approval: ApprovalView, style: Style, nowMs: number): readonly string[] {
  const { approvalId, tool, status, summary, sessionId, expiresAt } = approval;
  const left = status === 'pending' ? `expires in ${durationText(Date.parse(expiresAt) - nowMs)}` : '';
  return [
    `${style('strong', foreignLine(tool))}  ${riskText(approval, style)}  ${status}  ${left}`.trimEnd(),
    `${INDENT}${foreignLine(summary)}`,
    `${INDENT}${foreignLine(approvalId)}  session ${foreignLine(sessionId)}`,
    '',
  ];
}
