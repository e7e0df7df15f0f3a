import type { DecisionRecord } from '../../core/approvals';
import { firstChangedLine, kindOfLine, type LineKind } from '../../core/display/difference-lines';
import { durationText, momentText } from '../../core/display/time-text';
import { countHidden } from '../../core/display/visible-text';
import type { ApprovalDetail, ApprovalView } from '../../core/http-answers';
import { isRecord, type JsonValue } from '../../core/json';
import { foreignLine, foreignLines } from './foreign-text';
import type { Style, Tone } from './style';

/** Before each line of a foreign text, so that nobody takes it for one of ours. */
const EDGE = '  | ';
const LABEL_COLUMNS = 11;
const LINE_TONES: Readonly<Partial<Record<LineKind, Tone>>> = { added: 'good', removed: 'bad', place: 'quiet' };

/**
 * A question as a person decides on it: what would run with which exact arguments, and what that would change. Nothing
 * is left out or cut; what can't be seen is marked.
 */
export function approvalLines(approval: ApprovalView | ApprovalDetail, style: Style, nowMs: number): readonly string[] {
  const { approvalId, kind, sessionId, turn, round, callId, tool, summary, preview, argumentsDigest } = approval;
  const fact = (label: string, text: string) => `${label.padEnd(LABEL_COLUMNS)}${foreignLine(text)}`;
  const hidden = countHidden(JSON.stringify(approval.arguments) + (preview ?? '') + summary);
  return [
    `${style('strong', foreignLine(tool))}  ${riskText(approval, style)}  ${approval.status}`,
    `${EDGE}${foreignLine(summary)}`,
    ...(kind === 'outcome'
      ? [style('warning', 'It began and gave no result: nobody knows whether it happened. What became of it?')]
      : []),
    fact('approval', approvalId),
    fact('session', `${sessionId}, turn ${turn}, round ${round}, call ${callId}`),
    fact('why asked', approval.reason),
    fact('asked', momentText(approval.requestedAt, nowMs)),
    fact('expires', expiryText(approval, nowMs)),
    'arguments',
    ...argumentLines(approval.arguments),
    ...(preview === undefined ? [] : ['preview', ...previewLines(preview, style)]),
    fact('digest', argumentsDigest),
    ...('decisions' in approval ? approval.decisions.flatMap((decision) => decisionLines(decision, nowMs)) : []),
    ...(hidden > 0 ? [style('warning', hiddenText(hidden))] : []),
  ];
}

/** The risk as a word; a colour only adds to it. */
export function riskText({ risk }: Pick<ApprovalView, 'risk'>, style: Style): string {
  return style(risk === 'high' ? 'bad' : risk === 'medium' ? 'warning' : 'quiet', `${risk} risk`);
}

/** When it expires, and how long that is from now. */
function expiryText({ expiresAt, status }: ApprovalView, nowMs: number): string {
  const moment = momentText(expiresAt, nowMs);
  return status === 'pending' ? `in ${durationText(Date.parse(expiresAt) - nowMs)}, at ${moment}` : moment;
}

function hiddenText(count: number): string {
  return count === 1
    ? '1 character that can not be seen is shown as a mark.'
    : `${count} characters that can not be seen are shown as marks.`;
}

function argumentLines(value: JsonValue): readonly string[] {
  return isRecord(value) && Object.keys(value).length > 0
    ? Object.entries(value as Readonly<Record<string, JsonValue>>).flatMap(([key, member]) => memberLines(key, member))
    : [`${EDGE}${foreignLine(JSON.stringify(value))}`];
}

function memberLines(key: string, value: JsonValue): readonly string[] {
  const name = `  ${foreignLine(key)}:`;
  const lines = typeof value === 'string' ? foreignLines(value) : foreignLines(JSON.stringify(value, null, 2));
  const [only] = lines;
  if (lines.length === 1 && !(typeof value === 'string' && value.endsWith('\n'))) {
    return [`${name} ${typeof value === 'string' ? JSON.stringify(only) : only}`];
  }
  const count = typeof value === 'string' ? ` ${lines.length} ${lines.length === 1 ? 'line' : 'lines'}` : '';
  const end = typeof value === 'string' && !value.endsWith('\n') ? [`${EDGE}(no line break at the end)`] : [];
  return [`${name}${count}`, ...lines.map((line) => EDGE + line), ...end];
}

function previewLines(preview: string, style: Style): readonly string[] {
  const firstChanged = firstChangedLine(preview) ?? Number.POSITIVE_INFINITY;
  return foreignLines(preview).map((line, index) => {
    const tone = index < firstChanged ? undefined : LINE_TONES[kindOfLine(line)];
    return EDGE + (tone === undefined ? line : style(tone, line));
  });
}

function decisionLines({ decision, outcome, principal, comment, at }: DecisionRecord, nowMs: number): string[] {
  const head = `decided    ${foreignLine(decision)} by ${foreignLine(principal)}, ${momentText(at, nowMs)}: ${outcome}`;
  return [head, ...(comment === undefined ? [] : foreignLines(comment).map((line) => EDGE + line))];
}
