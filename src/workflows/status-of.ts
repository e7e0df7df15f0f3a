import type { AgentSessionStatus } from './agent-session-api';
import type { SessionState } from './agent-session-state';

/** What the `status` query answers: where the session stands, without any text. */
export function statusOf(state: SessionState): AgentSessionStatus {
  const held = (state.turn?.calls ?? []).flatMap((call) =>
    call.step === 'held' && call.approvalId !== undefined && call.kind !== undefined
      ? [
          {
            approvalId: call.approvalId,
            kind: call.kind,
            tool: call.tool,
            ...(call.risk === undefined ? {} : { risk: call.risk }),
            argumentsDigest: call.argumentsDigest,
            expiresAt: new Date(call.expiresAtMs ?? 0).toISOString(),
          },
        ]
      : [],
  );
  const asked = state.questions.map((question) => ({
    approvalId: question.approvalId,
    kind: question.kind,
    expiresAt: new Date(question.expiresAtMs).toISOString(),
  }));
  return {
    phase: state.phase,
    ...(state.blockedCode === undefined ? {} : { blockedCode: state.blockedCode }),
    turn: state.turn?.number ?? null,
    round: state.turn?.round ?? null,
    openApprovals: [...held, ...asked],
    queuedMessages: state.queue.length,
    droppedSignals: state.droppedSignals,
  };
}
