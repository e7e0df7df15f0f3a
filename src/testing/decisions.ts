import {
  type ApprovalKind,
  type ApprovalRecord,
  CALL_DECISIONS,
  type DecisionWord,
  OUTCOME_DECISIONS,
} from '../core/approvals';
import { HoldpointError } from '../core/errors';
import { isRecord } from '../core/json';

/** What somebody answers: `expire` = nobody does, until the question has expired. */
export type AnswerWord = DecisionWord | 'expire';

export type Answer =
  | AnswerWord
  | {
      readonly decision: AnswerWord;
      /** Text for the model. */
      readonly comment?: string;
      /** Who decides. Default: the principal of the run. */
      readonly principal?: string;
    };

/** Answers one question; undefined says that the test does not expect it. */
export type Decide = (approval: ApprovalRecord) => Answer | undefined | Promise<Answer | undefined>;

/** Answers to all questions of a run: by the name of the tool, or one function for all. */
export type Decisions = Decide | Readonly<Record<string, Answer | Decide>>;

/** An answer in its long form. */
export type FullAnswer = Exclude<Answer, string>;

/**
 * The answer to a question. Throws HoldpointError `not_as_scripted` that shows the question when there is none, or none
 * that fits: nothing is ever approved because a test forgot to say something.
 */
export async function answerTo(decisions: Decisions, approval: ApprovalRecord): Promise<FullAnswer> {
  const found = typeof decisions === 'function' ? decisions : ownMember(decisions, approval.tool);
  const answer = typeof found === 'function' ? await found(approval) : found;
  const words = wordsFor(approval.kind);
  if (answer === undefined) {
    const example = `decisions: { ${approval.tool}: '${words[0]}' }`;
    throw unexpectedQuestion(
      'The test has no answer for a question',
      approval,
      `Answer it, for example with ${example}.`,
    );
  }
  const full = typeof answer === 'string' ? { decision: answer } : answer;
  if (!isRecord(full) || !words.includes(full.decision)) {
    const given = isRecord(full) ? full.decision : full;
    throw unexpectedQuestion(`The answer ${JSON.stringify(given)} does not fit a question`, approval);
  }
  return full;
}

/** A question that a test can't go on with, shown as an approver would see it. */
export function unexpectedQuestion(fault: string, approval: ApprovalRecord, advice?: string): HoldpointError {
  const { callId, kind, preview, reason, risk, summary, tool } = approval;
  return new HoldpointError(
    'not_as_scripted',
    [
      `${fault} about ${tool}.`,
      `  call: ${callId}`,
      `  kind: ${kind} (answers: ${wordsFor(kind).join(', ')})`,
      `  summary: ${summary}`,
      `  arguments: ${JSON.stringify(approval.arguments)}`,
      `  risk: ${risk}`,
      `  reason: ${reason}`,
      ...(preview === undefined ? [] : ['  preview:', ...preview.split('\n').map((line) => `    ${line}`)]),
      ...(advice === undefined ? [] : [advice]),
    ].join('\n'),
  );
}

function wordsFor(kind: ApprovalKind): readonly AnswerWord[] {
  return kind === 'call' ? [...CALL_DECISIONS, 'expire'] : [...OUTCOME_DECISIONS, 'expire'];
}

function ownMember<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
