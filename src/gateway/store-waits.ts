import type { Wait } from '../core/session-explanation';
import type { BegunWrite, OpenQuestion, SessionFacts, StoredAnswer } from '../core/session-facts';

const BLOCKED_BECAUSE: Readonly<Record<string, string>> = {
  log_behind: 'the store lacks entries that Temporal has seen, as one does that was restored from an older copy',
  log_conflict: 'the log holds something else than what the workflow wrote',
  log_format_newer: 'the log was written by a newer holdpoint',
};

/** What an operator has to repair first. */
export function repairWaits({ session: { sessionId, blockedCode } }: SessionFacts): readonly Wait[] {
  if (blockedCode === undefined) {
    return [];
  }
  const because = BLOCKED_BECAUSE[blockedCode] ?? 'log and workflow disagree';
  return [
    {
      kind: 'repair',
      text: `It is blocked (${blockedCode}): ${because}. Nothing runs, and messages queue.`,
      advice: `Find out why, then POST /v1/sessions/${sessionId}/repair, which takes the store as it is.`,
      since: null,
      code: blockedCode,
    },
  ];
}

/** Messages that are stored and that Temporal has not been told of. */
export function deliveryWaits({ messages }: SessionFacts): readonly Wait[] {
  if (messages.undelivered === 0) {
    return [];
  }
  return [
    {
      kind: 'delivery',
      text: `${counted(messages.undelivered, 'message is', 'messages are')} stored, and Temporal was not told of it yet.`,
      advice: 'A worker delivers what is stored within a minute, once it runs and Temporal answers.',
      since: messages.oldestAt,
    },
  ];
}

/** The questions that are open, and the answers that nobody has taken. */
export function questionWaits({ session, questions, answers }: SessionFacts, nowMs: number): readonly Wait[] {
  return questions.map((question) => {
    const answer = answers.find(({ approvalId }) => approvalId === question.approvalId);
    const { approvalId, tool, callId, summary } = question;
    const about = { approvalId, tool, callId, question: summary, until: question.expiresAt };
    return answer === undefined
      ? { ...decisionWait(question, session.turn, nowMs), ...about }
      : { ...answerWait(question, answer), ...about };
  });
}

function decisionWait(question: OpenQuestion, openTurn: number | null, nowMs: number): Wait {
  const call = `${question.tool} (${question.callId})`;
  const asks =
    question.kind === 'call'
      ? `A person has to decide whether ${call} may run`
      : `A person has to say what became of ${call}, which may or may not have happened`;
  const isOver = Date.parse(question.expiresAt) <= nowMs;
  const expiry = isOver ? '; the time for it is over, and it expires as soon as its workflow runs' : '';
  const holdsUp = question.turn === openTurn ? '' : ' Its turn is over, so it holds nothing up.';
  const words = question.kind === 'call' ? 'approve or reject' : 'applied, run_again or abandon';
  return {
    kind: 'decision',
    text: `${asks}${expiry}.${holdsUp}`,
    advice: `Answer ${words}: POST /v1/approvals/${question.approvalId}/decisions.`,
    since: question.requestedAt,
  };
}

function answerWait({ tool, callId }: OpenQuestion, { at, isDelivered }: StoredAnswer): Wait {
  return {
    kind: 'answer',
    text: `A decision about ${tool} (${callId}) is stored and was not taken yet${isDelivered ? '' : ', and Temporal was not told of it'}.`,
    advice: 'A worker takes it within a minute, once it runs and Temporal answers.',
    since: at,
  };
}

/** Writes that have begun, and of which nobody knows yet whether they happened. */
export function leaseWaits({ begun, storeTime }: SessionFacts): readonly Wait[] {
  return begun.map((write) => leaseWait(write, storeTime));
}

function leaseWait({ tool, callId, startedAt, leaseUntil, try: attempt }: BegunWrite, storeTime: string): Wait {
  const isOver = leaseUntil <= storeTime;
  return {
    kind: 'lease',
    text: isOver
      ? `The write ${tool} (${callId}) has begun and said nothing until its lease was over: it may or may not have happened.`
      : `The write ${tool} (${callId}) has begun; until it ends or its lease is over, no other attempt may act.`,
    advice: isOver
      ? 'A worker asks the tool whether it happened, or else a person.'
      : 'It goes on with the result; after the lease a worker finds out what happened.',
    since: startedAt,
    until: leaseUntil,
    tool,
    callId,
    attempt,
  };
}

/** For example `1 message is`. */
function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
