import { momentText } from '../../core/display/time-text';
import type { SessionView } from '../../core/sessions';
import { foreignLine } from './foreign-text';
import type { Style } from './style';

/** Where a session stands, as lines that a terminal may be given. */
export function sessionLines(session: SessionView, style: Style): readonly string[] {
  const { sessionId, agent, status, blockedCode, turn, round, lastTurn, openApprovals, usage, lastSeq } = session;
  const fact = (label: string, text: string) => `${label.padEnd(11)}${foreignLine(text)}`;
  return [
    `${style('strong', foreignLine(sessionId))}  ${status}${blockedCode === undefined ? '' : ` (${blockedCode})`}`,
    fact('agent', agent),
    fact('started', momentText(session.createdAt, Date.now())),
    ...(turn === null ? [] : [fact('turn', `${turn}, round ${round ?? 1}`)]),
    ...(lastTurn === null
      ? []
      : [fact('last turn', `${lastTurn.turn} ${lastTurn.outcome} ${lastTurn.code ?? ''}`.trim())]),
    fact('tokens', `${usage.inputTokens} in, ${usage.outputTokens} out`),
    fact('entries', String(lastSeq)),
    ...openApprovals.map((approvalId) => fact('waits for', `holdpoint approvals show ${approvalId}`)),
  ];
}
