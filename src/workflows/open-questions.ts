import type { Question, SessionState } from './agent-session-state';

/** Questions somebody may still answer: held calls of the open turn, and `outcome` questions of ended ones. */
export function openQuestions(state: SessionState): readonly Question[] {
  const held = (state.turn?.calls ?? []).flatMap((call) =>
    call.step === 'held' && call.approvalId !== undefined && call.kind !== undefined && call.expiresAtMs !== undefined
      ? [{ approvalId: call.approvalId, kind: call.kind, expiresAtMs: call.expiresAtMs }]
      : [],
  );
  return [...held, ...state.questions];
}
