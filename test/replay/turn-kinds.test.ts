import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EffectActivities, SessionActivities } from '../../src/core/activity-contracts';
import { CALL_DECISIONS, OUTCOME_DECISIONS } from '../../src/core/approvals';
import { MESSAGE_MODES, TURN_OUTCOMES } from '../../src/core/sessions';
import { CANCEL_TURN_SIGNAL, CLOSE_SIGNAL, DECIDE_SIGNAL, MESSAGE_SIGNAL } from '../../src/workflows/agent-session-api';
import { historyText } from './history-text';
import { TURN_KINDS, type TurnKind } from './turn-kinds';

const HISTORIES_FOLDER = join(__dirname, 'histories');
const files = readdirSync(HISTORIES_FOLDER);

/** Outcomes that are in the contract while nothing ends a turn that way yet. */
const NOT_YET: readonly string[] = ['loop_detected', 'budget_exceeded'];

/** The compiler keeps this list complete. */
const ACTIVITIES: Readonly<Record<keyof SessionActivities | keyof EffectActivities, true>> = {
  openSession: true,
  settleApproval: true,
  storeMessages: true,
  endTurn: true,
  closeSession: true,
  callModel: true,
  settleCall: true,
};

/** Recordings of one kind, of every version. */
function recordingsOf(kind: string): readonly string[] {
  return files.filter((file) => file.replace(/^v\d+-/, '') === `${kind}.json`);
}

function textOf(file: string): string {
  return historyText(readFileSync(join(HISTORIES_FOLDER, file), 'utf8'));
}

const newestTexts = Object.keys(TURN_KINDS).flatMap((kind) => recordingsOf(kind).slice(-1).map(textOf));

test.each(Object.keys(TURN_KINDS) as TurnKind[])('%s is recorded, and its newest history shows it', (kind) => {
  const [newest] = recordingsOf(kind).slice(-1);
  expect(newest).toBeDefined();
  const text = textOf(String(newest));
  expect(TURN_KINDS[kind].filter((mark) => !text.includes(mark))).toEqual([]);
});

test.each([
  ...TURN_OUTCOMES.filter((outcome) => !NOT_YET.includes(outcome)).map((outcome) => `"outcome":"${outcome}"`),
  ...MESSAGE_MODES.map((mode) => `"mode":"${mode}"`),
  ...[...CALL_DECISIONS, ...OUTCOME_DECISIONS].map((decision) => `"decision":"${decision}"`),
  ...[MESSAGE_SIGNAL, DECIDE_SIGNAL, CANCEL_TURN_SIGNAL, CLOSE_SIGNAL].map((name) => `"signalName":"${name}"`),
  ...Object.keys(ACTIVITIES),
])('some kind of turn shows %s', (mark) => {
  expect(newestTexts.some((text) => text.includes(mark))).toBe(true);
});

test.each(NOT_YET)('nothing ends a turn as %s yet; once something does, it is a kind of its own', (outcome) => {
  const workflows = join(__dirname, '..', '..', 'src', 'workflows');
  const sources = readdirSync(workflows).map((file) => readFileSync(join(workflows, file), 'utf8'));
  expect(sources.some((source) => source.includes(`'${outcome}'`))).toBe(false);
});
