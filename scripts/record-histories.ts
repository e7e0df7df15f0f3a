/**
 * Records the histories that test/replay replays: plays every kind of turn on a real Temporal server and writes each
 * run's history. Existing files are left alone: an old history must stay replayable, so a new recording has a new prefix.
 *
 *   npx tsx scripts/record-histories.ts PREFIX [KIND ...]
 *
 * for example `v3`, or `v3 steered-turn`. Takes some minutes: leases, outages and time limits are real. Build first.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { ANSWERS_AND_DECISIONS } from '../test/replay/recording/answers-and-decisions';
import { LIMITS_AND_FAILURES } from '../test/replay/recording/limits-and-failures';
import { MESSAGES_AND_CANCELS } from '../test/replay/recording/messages-and-cancels';
import { IDLE_SESSIONS, RUNS_AND_ENDS } from '../test/replay/recording/runs-and-ends';
import { TASKS } from '../test/replay/recording/tasks';
import { TROUBLES_OF_THE_STORE } from '../test/replay/recording/troubles-of-the-store';
import type { ScenarioGroup } from '../test/replay/recording/turn-scenario';
import { EXPIRED_QUESTIONS, UNKNOWN_OUTCOMES } from '../test/replay/recording/unknown-outcomes';
import { TURN_KINDS } from '../test/replay/turn-kinds';
import { Gate, gatedTools } from '../test/support/gated-tools';
import { RunningStack } from '../test/support/running-stack';
import { untilAtRest } from '../test/support/session-runs';

const HISTORIES_FOLDER = join(__dirname, '..', 'test', 'replay', 'histories');
const TOOL_TIMEOUT_MS = 60_000;

const GROUPS: readonly ScenarioGroup[] = [
  ANSWERS_AND_DECISIONS,
  MESSAGES_AND_CANCELS,
  UNKNOWN_OUTCOMES,
  EXPIRED_QUESTIONS,
  LIMITS_AND_FAILURES,
  RUNS_AND_ENDS,
  IDLE_SESSIONS,
  TROUBLES_OF_THE_STORE,
  TASKS,
];

/** The names of processes and of the machine they ran on mean nothing to a replay. */
function withoutMachine(json: string): string {
  const history: unknown = JSON.parse(json, (key, value: unknown) => (key === 'identity' ? 'recorded' : value));
  return JSON.stringify(history).replaceAll(hostname(), 'recorded');
}

async function recordGroup(
  { options, scenarios }: ScenarioGroup,
  fileOf: (kind: string) => string,
  kinds: readonly string[],
): Promise<void> {
  const wanted = Object.entries(scenarios).filter(([kind]) => kinds.includes(kind));
  if (wanted.length === 0) {
    return;
  }
  const { toolTimeoutMs = TOOL_TIMEOUT_MS, ...stackOptions } = options;
  const gate = new Gate();
  const stack = await RunningStack.start({ ...stackOptions, tools: gatedTools(gate, toolTimeoutMs) });
  try {
    for (const [kind, play] of wanted) {
      const { sessionId, runId } = await play(stack, gate);
      const { status } = await stack.workflow(sessionId).describe();
      if (status.name === 'RUNNING') {
        await untilAtRest(stack.connection, `default/${sessionId}`);
      }
      const history = await stack.workflow(sessionId, runId).fetchHistory();
      writeFileSync(fileOf(kind), `${withoutMachine(historyToJSON(history))}\n`);
      process.stdout.write(`${fileOf(kind)}\n`);
    }
  } finally {
    await stack.stop();
  }
}

async function record(prefix: string, kinds: readonly string[]): Promise<void> {
  const fileOf = (kind: string) => join(HISTORIES_FOLDER, `${prefix}-${kind}.json`);
  const played = GROUPS.flatMap(({ scenarios }) => Object.keys(scenarios));
  for (const kind of kinds) {
    if (!played.includes(kind)) {
      throw new Error(`no scenario plays ${kind}`);
    }
    if (existsSync(fileOf(kind))) {
      throw new Error(`${fileOf(kind)} exists; recorded histories are never replaced`);
    }
  }
  for (const group of GROUPS) {
    await recordGroup(group, fileOf, kinds);
  }
}

const [prefix, ...named] = process.argv.slice(2);
if (prefix === undefined) {
  process.stderr.write('usage: npx tsx scripts/record-histories.ts PREFIX [KIND ...]\n');
  process.exitCode = 1;
} else {
  void record(prefix, named.length > 0 ? named : Object.keys(TURN_KINDS));
}
