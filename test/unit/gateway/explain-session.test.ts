import type { PendingActivity, Poller, RunPicture } from '../../../src/core/run-picture';
import type { SessionFacts } from '../../../src/core/session-facts';
import type { SessionView } from '../../../src/core/sessions';
import { explainSession, type TemporalAnswers } from '../../../src/gateway/explain-session';

const NOW = '2026-03-01T10:00:00.000Z';
const EARLIER = '2026-03-01T09:59:00.000Z';
const LATER = '2026-03-01T10:05:00.000Z';

function facts({ session, ...changes }: Partial<Omit<SessionFacts, 'session'>> & { session?: Partial<SessionView> }) {
  return {
    session: {
      sessionId: 's1',
      agent: 'workspace',
      mode: 'conversation',
      status: 'running',
      turn: 2,
      round: 1,
      lastTurn: { turn: 1, outcome: 'completed' },
      openApprovals: [],
      usage: { inputTokens: 0, outputTokens: 0 },
      lastSeq: 9,
      createdAt: EARLIER,
      ...session,
    },
    storeTime: NOW,
    isStopped: false,
    questions: [],
    answers: [],
    messages: { count: 0, undelivered: 0, oldestAt: null },
    retries: [],
    begun: [],
    lastEntries: [{ seq: 9, type: 'turn.started', turn: 2, round: null, at: EARLIER }],
    ...changes,
  } satisfies SessionFacts;
}

const IDLE = { status: 'idle', turn: null, round: null } as const;
const POLLER: Poller = { identity: 'worker-1', lastAccessAt: EARLIER };

function temporal(run: Partial<RunPicture> | undefined = {}, pollers: readonly Poller[] = [POLLER]): TemporalAnswers {
  const running = {
    status: 'RUNNING',
    runId: 'run-1',
    taskQueue: 'holdpoint',
    startedAt: EARLIER,
    historyEvents: 20,
    activities: [],
    workflowTask: null,
  };
  return { run: { ...running, ...run }, pollers };
}

function activity(changes: Partial<PendingActivity>): PendingActivity {
  return {
    type: 'callModel',
    isStarted: true,
    attempt: 1,
    scheduledAt: EARLIER,
    startedAt: EARLIER,
    heartbeatAt: EARLIER,
    nextAttemptAt: null,
    failedBy: null,
    ...changes,
  };
}

function question(changes: Partial<SessionFacts['questions'][number]> = {}) {
  return {
    approvalId: 'ap_1',
    kind: 'call',
    turn: 2,
    callId: 't2-r1-c1',
    tool: 'refund_order',
    summary: 'Refund \u001b[31m5',
    requestedAt: EARLIER,
    expiresAt: LATER,
    ...changes,
  } as const;
}

function explain(about: Parameters<typeof facts>[0], answers: TemporalAnswers | null = temporal()) {
  return explainSession(facts(about), answers, Date.parse(NOW));
}

const kindsOf = (about: Parameters<typeof facts>[0], answers: TemporalAnswers | null = temporal()) =>
  explain(about, answers).waitsFor.map(({ kind }) => kind);

test('a session at rest waits for its next message, whatever Temporal and its workers do', () => {
  expect(kindsOf({ session: IDLE })).toEqual(['message']);
  expect(kindsOf({ session: { ...IDLE, status: 'closed' } }, temporal({ status: 'COMPLETED' }, []))).toEqual([
    'message',
  ]);
  const { summary, temporal: told } = explain({ session: IDLE }, null);
  expect(summary).toBe(
    'Session s1 is idle; turn 1 ended as completed. Nothing is under way. Temporal does not answer this gateway.',
  );
  expect(told).toBeNull();
});

test('a blocked session waits for its repair, and nothing that seems to run is told', () => {
  const session = { status: 'blocked', blockedCode: 'log_behind' } as const;
  const explained = explain({ session }, temporal({ activities: [activity({})] }));
  expect(explained.waitsFor).toHaveLength(1);
  expect(explained.waitsFor[0]).toMatchObject({ kind: 'repair', code: 'log_behind' });
  expect(explained.summary).toContain('is blocked in turn 2, round 1. It is blocked (log_behind): the store lacks');
  expect(explained.waitsFor[0]?.advice).toContain('POST /v1/sessions/s1/repair');
});

test('a question says since when and until when it is asked, and the words of the model stay out of the sentences', () => {
  const about = { session: { status: 'waiting_for_approval' }, questions: [question()] } as const;
  const explained = explain(about);
  expect(explained.waitsFor).toEqual([
    {
      kind: 'decision',
      text: 'A person has to decide whether refund_order (t2-r1-c1) may run.',
      advice: 'Answer approve or reject: POST /v1/approvals/ap_1/decisions.',
      since: EARLIER,
      until: LATER,
      approvalId: 'ap_1',
      tool: 'refund_order',
      callId: 't2-r1-c1',
      question: 'Refund \u001b[31m5',
    },
  ]);
  expect(explained.summary).toBe(
    'Session s1 waits for a person in turn 2, round 1. A person has to decide whether refund_order (t2-r1-c1) may run.',
  );
});

test('an outcome that nobody knows is asked of a person, and one of an ended turn holds nothing up', () => {
  const explained = explain({ session: IDLE, questions: [question({ kind: 'outcome', turn: 1 })] });
  expect(explained.waitsFor.map(({ kind }) => kind)).toEqual(['decision', 'message']);
  expect(explained.waitsFor[0]?.text).toContain('may or may not have happened');
  expect(explained.waitsFor[0]?.text).toContain('holds nothing up');
  expect(explained.waitsFor[0]?.advice).toContain('applied, run_again or abandon');
});

test('a question whose time is over waits for its workflow, and one that has an answer waits for nobody to decide', () => {
  expect(explain({ questions: [question({ expiresAt: EARLIER })] }).waitsFor[0]?.text).toContain('time for it is over');
  const answer = { approvalId: 'ap_1', decisionId: 'd_1', at: NOW, isDelivered: false };
  expect(explain({ questions: [question()], answers: [answer] }, temporal({}, [])).waitsFor).toMatchObject([
    { kind: 'worker' },
    { kind: 'answer', since: NOW, approvalId: 'ap_1', text: expect.stringContaining('Temporal was not told') },
  ]);
});

test('without a worker that polls it says so, and since when; one that was killed counts a little longer', () => {
  const explained = explain({}, temporal({}, [{ identity: 'old', lastAccessAt: '2026-03-01T09:57:00.000Z' }]));
  expect(explained.waitsFor).toMatchObject([{ kind: 'worker', since: '2026-03-01T09:57:00.000Z' }]);
  expect(explained.temporal?.pollers).toEqual([]);
  expect(kindsOf({}, temporal({ activities: [activity({ isStarted: false })] }, []))).toEqual(['worker']);
  expect(explain({}, temporal({ activities: [activity({ isStarted: false })] })).waitsFor).toMatchObject([
    { kind: 'worker', text: 'A worker has to take the model call.' },
  ]);
});

test('a model call that runs or is tried again says which attempt, and why the one before failed', () => {
  expect(
    explain({}, temporal({ activities: [activity({ attempt: 2, failedBy: 'model_overloaded' })] })).waitsFor,
  ).toEqual([
    expect.objectContaining({
      kind: 'model',
      text: 'Attempt 2 of the model call runs.',
      since: EARLIER,
      attempt: 2,
      code: 'model_overloaded',
    }),
  ]);
  const waiting = activity({ isStarted: false, attempt: 3, failedBy: 'model_rate_limit', nextAttemptAt: LATER });
  expect(explain({}, temporal({ activities: [waiting] })).waitsFor).toMatchObject([
    { kind: 'model', until: LATER, attempt: 3, code: 'model_rate_limit', text: expect.stringContaining('Attempt 2') },
  ]);
});

test('a call that can not reach the store waits for the store', () => {
  const waiting = activity({ type: 'tool.pay', isStarted: false, attempt: 2, failedBy: 'store_unavailable' });
  expect(explain({}, temporal({ activities: [waiting] })).waitsFor).toMatchObject([{ kind: 'store', tool: 'pay' }]);
});

test('a write that has begun holds a lease, and may or may not have happened when that is over', () => {
  const write = { callId: 't2-r1-c1', tool: 'pay', try: 1, startedAt: EARLIER, leaseUntil: LATER };
  const running = temporal({ activities: [activity({ type: 'tool.pay' })] });
  expect(explain({ begun: [write] }, running).waitsFor).toMatchObject([
    { kind: 'tool', tool: 'pay', attempt: 1 },
    { kind: 'lease', tool: 'pay', callId: 't2-r1-c1', since: EARLIER, until: LATER, attempt: 1 },
  ]);
  const [lease] = explain({ begun: [{ ...write, leaseUntil: EARLIER }] }).waitsFor;
  expect(lease?.text).toContain('may or may not have happened');
});

test('while Temporal does not answer, the log says what it knows', () => {
  const retries = [
    { attempt: 1, code: 'model_timeout', at: EARLIER },
    { attempt: 2, code: 'model_rate_limit', at: NOW },
  ];
  const explained = explain({ retries }, null);
  expect(explained.waitsFor).toMatchObject([
    { kind: 'temporal' },
    {
      kind: 'model',
      since: NOW,
      attempt: 3,
      code: 'model_rate_limit',
      text: expect.stringContaining('failed 2 times'),
    },
  ]);
  expect(explained.summary.match(/Temporal does not answer/g)).toHaveLength(1);
});

test('what was never handed to Temporal waits for its delivery', () => {
  const messages = { count: 2, undelivered: 2, oldestAt: EARLIER };
  const about = { session: { ...IDLE, status: 'running', lastTurn: null }, messages } as const;
  const explained = explain(about, { run: undefined, pollers: [POLLER] });
  expect(explained.waitsFor).toMatchObject([{ kind: 'delivery', since: EARLIER }]);
  expect(explained.summary).toContain('Session s1 is about to begin a turn. 2 messages are stored');
  expect(explained.temporal).toEqual({ status: 'NOT_FOUND', runId: null, run: null, pollers: ['worker-1'] });
});

test('a workflow that does not run, though there is something to do, is told with how it ended', () => {
  expect(explain({}, { run: undefined, pollers: [POLLER] }).waitsFor).toMatchObject([{ kind: 'workflow' }]);
  expect(explain({}, temporal({ status: 'FAILED' })).waitsFor).toMatchObject([
    { kind: 'workflow', text: 'Its workflow does not run (FAILED).' },
  ]);
  expect(kindsOf({}, temporal({ status: 'TERMINATED', activities: [activity({})] }))).toEqual(['operator']);
  expect(kindsOf({ isStopped: true }, temporal({ status: 'TERMINATED' }))).toEqual(['operator']);
});

test('a workflow task that fails again and again is told, and one that is under way is no trouble', () => {
  const failing = temporal({ workflowTask: { scheduledAt: EARLIER, attempt: 4 } });
  expect(explain({}, failing).waitsFor).toMatchObject([
    { kind: 'workflow', attempt: 4, text: expect.stringContaining('failed 3 times') },
  ]);
  expect(explain({}, temporal({ workflowTask: { scheduledAt: EARLIER, attempt: 1 } })).waitsFor).toMatchObject([
    { kind: 'workflow', text: 'Its workflow is between two steps.', since: EARLIER },
  ]);
});

test('the summary says the first three things, how many more there are, and what waits for its turn', () => {
  const questions = [1, 2, 3, 4, 5].map((index) => question({ approvalId: `ap_${index}`, callId: `t2-r1-c${index}` }));
  const explained = explain({ questions, messages: { count: 2, undelivered: 0, oldestAt: EARLIER } });
  expect(explained.waitsFor).toHaveLength(5);
  expect(explained.summary).toContain('(t2-r1-c3) may run. It waits for 2 more. Messages that wait for their turn: 2.');
});
