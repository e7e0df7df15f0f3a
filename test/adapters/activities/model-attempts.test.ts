import { DEFAULT_TIMING } from '../../../src/activities/activity-dependencies';
import type { Chunk } from '../../../src/core/chunks';
import { HoldpointError } from '../../../src/core/errors';
import { type ActivityWorld, createActivityWorld, failureOf } from '../../support/activities/activity-world';
import { says } from '../../support/activities/scripted-model';

let world: ActivityWorld;

beforeEach(async () => {
  world = await createActivityWorld();
});

afterEach(async () => {
  await world.close();
});

test('a failed attempt is recorded and retried; the fifth one ends it', async () => {
  await world.open();
  const overloaded = new HoldpointError('model_overloaded', 'full, says token=abcdefgh12345678', {
    retryAfterMs: 7_000,
  });
  world.model.add(overloaded, overloaded, overloaded, overloaded, overloaded);

  const failures = [];
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    failures.push(await failureOf(world.callModel({}, { attempt })));
  }

  expect(failures.map(({ retryable }) => retryable)).toEqual([true, true, true, true, false]);
  expect(new Set(failures.map(({ code }) => code))).toEqual(new Set(['model_overloaded']));
  const retries = await world.entriesOf('model.retry');
  expect(retries.map(({ data }) => data.attempt)).toEqual([1, 2, 3, 4, 5]);
  expect(retries[0]?.data.detail).toContain('token=(hidden)');
});

test('a class of errors that a repeat cannot help ends the first attempt', async () => {
  await world.open();
  world.model.add(new HoldpointError('model_auth', 'no key'));

  expect(await failureOf(world.callModel())).toEqual({ code: 'model_auth', retryable: false, message: 'model_auth' });
});

test('a stream that was cut is a failed attempt, however complete it looks', async () => {
  await world.open();
  world.model.add(says('all of it').slice(0, 2), says('all of it'));

  expect(await failureOf(world.callModel())).toMatchObject({ code: 'model_stream_cut', retryable: true });
  await world.callModel({}, { attempt: 2 });

  expect(await world.entriesOf('model.reply')).toHaveLength(1);
});

test('twenty attempts that were lost without a word end the turn', async () => {
  await world.open();
  expect(await failureOf(world.callModel({}, { attempt: 21 }))).toMatchObject({
    code: 'worker_lost',
    retryable: false,
  });
});

test('time that failed attempts have used counts against what the turn has left', async () => {
  await world.open();
  world.model.add(async function* (signal) {
    await new Promise((resolve) => {
      signal.addEventListener('abort', resolve, { once: true });
    });
    yield* says('too late');
  });

  expect(await failureOf(world.callModel({ limitMs: 30 }))).toMatchObject({
    code: 'active_time_over',
    retryable: false,
  });
  expect(await world.entriesOf('model.reply')).toHaveLength(0);
});

test('a silent model is given up, also when its adapter ignores the signal', async () => {
  await world.open();
  world.use({ timing: { ...DEFAULT_TIMING, modelIdleMs: 30 } });
  world.model.add(async function* (): AsyncGenerator<Chunk> {
    yield { type: 'text-delta', index: 0, text: 'Well' };
    await new Promise(() => undefined);
  });

  expect(await failureOf(world.callModel())).toMatchObject({ code: 'model_timeout', retryable: true });
});

test('a slow model that keeps talking is not given up', async () => {
  await world.open();
  world.use({ timing: { ...DEFAULT_TIMING, modelIdleMs: 200 } });
  world.model.add(async function* (): AsyncGenerator<Chunk> {
    for (let index = 0; index < 6; index += 1) {
      await new Promise((resolve) => setTimeout(resolve, 60));
      yield { type: 'text-delta', index: 0, text: 'word ' };
    }
    yield { type: 'finish', reason: 'stop' };
  });

  expect(await world.callModel()).toMatchObject({ finish: 'stop' });
});

test('a cancelled turn keeps what was said; a worker that stops, a timeout and a pause keep nothing', async () => {
  await world.open();
  for (const [attempt, reason] of ['WORKER_SHUTDOWN', 'TIMED_OUT', 'PAUSED', 'CANCELLED'].entries()) {
    let begun = (): void => undefined;
    const started = new Promise<void>((resolve) => {
      begun = resolve;
    });
    world.model.add(async function* (): AsyncGenerator<Chunk> {
      yield { type: 'text-delta', index: 0, text: 'I was about to' };
      begun();
      await new Promise(() => undefined);
    });
    const { result, environment } = world.start(
      ({ callModel }) =>
        callModel({
          v: 1,
          turn: 1,
          round: 1,
          limitMs: 60_000,
          messages: [{ messageId: 'm1', mode: 'followup' }],
        }),
      { attempt: attempt + 1 },
    );
    await started;
    environment.cancel(reason as 'CANCELLED');

    expect(await failureOf(result)).toMatchObject({ code: reason });
    expect(await world.entriesOf('model.partial')).toHaveLength(reason === 'CANCELLED' ? 1 : 0);
  }
  expect((await world.entriesOf('model.partial'))[0]?.data.blocks).toEqual([{ type: 'text', text: 'I was about to' }]);
});

test('a worker that stops gives the round back', async () => {
  await world.open();
  world.model.add(async function* (): AsyncGenerator<Chunk> {
    world.stopping.abort();
    yield { type: 'text-delta', index: 0, text: 'x' };
    await new Promise(() => undefined);
  });

  expect(await failureOf(world.callModel())).toMatchObject({ code: 'worker_stopping', retryable: true });
  expect(await world.entriesOf('model.retry')).toHaveLength(0);
});

test('a reply that comes after its turn has ended is not stored', async () => {
  await world.open();
  world.model.add(async function* () {
    await world.run(({ endTurn }) =>
      endTurn({ v: 1, turn: 1, outcome: 'cancelled', rounds: 1, calls: 0, activeMs: 0 }),
    );
    yield* says('late');
  });

  expect(await failureOf(world.callModel())).toMatchObject({ code: 'call_aborted', retryable: false });
  expect(await world.entriesOf('model.reply')).toHaveLength(0);
});
