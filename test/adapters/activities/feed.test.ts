import { DEFAULT_TIMING } from '../../../src/activities/activity-dependencies';
import type { Chunk } from '../../../src/core/chunks';
import { HoldpointError } from '../../../src/core/errors';
import type { FeedEvent } from '../../../src/core/ports/feed';
import {
  type ActivityWorld,
  createActivityWorld,
  failureOf,
  first,
  readTool,
  toolInput,
  writeTool,
} from '../../support/activities/activity-world';
import { calls, says } from '../../support/activities/scripted-model';
import { approvedWrite } from '../../support/activities/writes';

let world: ActivityWorld;

beforeEach(async () => {
  world = await createActivityWorld();
});

afterEach(async () => {
  await world.close();
});

type EventOf<Type extends FeedEvent['type']> = Extract<FeedEvent, { readonly type: Type }>;

function eventsOf<Type extends FeedEvent['type']>(type: Type): readonly EventOf<Type>[] {
  return world.feedEvents.filter((event): event is EventOf<Type> => event.type === type);
}

/** Names of steps, `+` as they begin or are renewed, `-` as they end. */
function steps(): readonly string[] {
  return eventsOf('step').map(({ step, status }) => `${status === undefined ? '-' : '+'}${step}`);
}

const modelInput = {
  v: 1,
  turn: 1,
  round: 1,
  limitMs: 60_000,
  messages: [{ messageId: 'm1', mode: 'followup' }],
} as const;

test('a reply is published as it is streamed, in fragments people read, numbered from 0 without gaps', async () => {
  await world.open();
  const spoken: readonly Chunk[] = [
    { type: 'reasoning-delta', index: 0, text: 'hm' },
    { type: 'block-raw', index: 0, raw: { signature: 'secret' } },
    { type: 'text-delta', index: 1, text: 'I will ' },
    { type: 'text-delta', index: 1, text: 'look' },
    { type: 'tool-call-delta', index: 2, providerCallId: 'p', name: 'look', argumentsText: '{"text":"x"}' },
  ];
  world.model.add([...spoken, ...calls().slice(-2)]);
  await world.callModel({}, { attempt: 3 });

  const published = eventsOf('chunk');
  expect(published.map(({ chunk }) => chunk)).toEqual(spoken.filter(({ type }) => type !== 'block-raw'));
  expect(published.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
  expect(first(published)).toMatchObject({ ...world.key, turn: 1, round: 1, attempt: 3 });
});

test('fragments are published before the model has said the next one', async () => {
  await world.open();
  const heard: number[] = [];
  world.model.add(async function* () {
    for (const chunk of says('word')) {
      yield chunk;
      heard.push(eventsOf('chunk').length);
    }
  });
  await world.callModel();

  expect(heard[0]).toBe(1);
});

test('an attempt that failed is over, and the next one begins its fragments at 0', async () => {
  await world.open();
  world.model.add(says('all of it').slice(0, 1), says('again'));
  await failureOf(world.callModel({}, { attempt: 1 }));
  await world.callModel({}, { attempt: 2 });

  expect(eventsOf('chunk').map(({ attempt, index }) => [attempt, index])).toEqual([
    [1, 0],
    [2, 0],
  ]);
  expect(steps()).toEqual(['+t1.r1', '-t1.r1', '+t1.r1', '-t1.r1']);
});

test('the commit of a reply is published after its fragments, and before its step is over', async () => {
  await world.open();
  world.model.add(says('done'));
  await world.callModel();

  const types = world.feedEvents.map((event) => (event.type === 'step' ? event.step : event.type));
  expect(types.slice(-4)).toEqual(['t1.r1', 'chunk', 'committed', 't1.r1']);
  expect(steps()).toEqual(['+t1.r1', '-t1.r1']);
});

test('a model call and a tool call say what runs, and which of how many rounds', async () => {
  await world.open();
  world.useTools([readTool()], { roundsPerTurn: 7 });
  world.model.add(calls(['look', { text: 'x' }]));
  const plan = first((await world.callModel()).calls);
  await world.callTool(plan);

  expect(steps()).toEqual(['+t1.r1', '-t1.r1', `+${plan.callId}`, `-${plan.callId}`]);
  const told = eventsOf('step').flatMap(({ status }) => (status === undefined ? [] : [status]));
  expect(told).toEqual([
    { turn: 1, round: 1, maxRounds: 7, tool: null, text: 'Asking the model' },
    { turn: 1, round: 1, maxRounds: 7, tool: 'look', text: 'Running look' },
  ]);
});

test('a stored reply that is only returned is no step', async () => {
  await world.open();
  world.model.add(says('done'));
  await world.callModel();
  world.feedEvents.length = 0;
  await world.callModel({}, { attempt: 2 });

  expect(world.feedEvents).toEqual([]);
});

test('a step says again with every heartbeat that it runs', async () => {
  await world.open();
  const renewed = new Promise<void>((resolve) => {
    const publish = (event: FeedEvent): void => {
      world.feedEvents.push(event);
      if (steps().length === 3) {
        resolve();
      }
    };
    world.use({ feed: { publish }, timing: { ...DEFAULT_TIMING, heartbeatMs: 10 } });
  });
  world.model.add(async function* () {
    await renewed;
    yield* says('done');
  });
  await world.callModel();

  expect(steps().slice(0, 3)).toEqual(['+t1.r1', '+t1.r1', '+t1.r1']);
  expect(steps().at(-1)).toBe('-t1.r1');
});

describe('a model call that is cut short is over', () => {
  const endings: readonly (readonly [string, (attempt: ReturnType<typeof begin>) => void])[] = [
    ['its turn was cancelled', ({ environment }) => environment.cancel('CANCELLED')],
    ['Temporal gave it up', ({ environment }) => environment.cancel('TIMED_OUT')],
    ['the worker stops', () => world.stopping.abort()],
  ];

  function begin() {
    return world.start(({ callModel }) => callModel(modelInput));
  }

  test.each(endings)('because %s', async (_why, end) => {
    await world.open();
    world.model.add(async function* (): AsyncGenerator<Chunk> {
      yield { type: 'text-delta', index: 0, text: 'I was about to' };
      end(attempt);
      await new Promise(() => undefined);
    });
    const attempt = begin();
    await failureOf(attempt.result);

    expect(steps()).toEqual(['+t1.r1', '-t1.r1']);
  });

  test('because the model failed', async () => {
    await world.open();
    world.model.add(new HoldpointError('model_auth', 'no key'));
    await failureOf(world.callModel());

    expect(steps()).toEqual(['+t1.r1', '-t1.r1']);
  });
});

describe('a tool call is over', () => {
  async function plannedRead(tool: ReturnType<typeof readTool>) {
    await world.open();
    world.useTools([tool]);
    world.model.add(calls(['look', { text: 'x' }]));
    const plan = first((await world.callModel()).calls);
    world.feedEvents.length = 0;
    return plan;
  }

  test('when its tool throws', async () => {
    const plan = await plannedRead(
      readTool({
        execute: async () => {
          throw new Error('broken');
        },
      }),
    );
    await world.callTool(plan);

    expect(steps()).toEqual([`+${plan.callId}`, `-${plan.callId}`]);
  });

  test.each(['CANCELLED', 'WORKER_SHUTDOWN'] as const)('when it is ended as %s', async (reason) => {
    let begun = (): void => undefined;
    const started = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const plan = await plannedRead(
      readTool({
        execute: () => {
          begun();
          return new Promise(() => undefined);
        },
      }),
    );
    const attempt = world.start((activities) => activities.default(toolInput(plan)), { activityType: 'tool.look' });
    await started;
    attempt.environment.cancel(reason);
    await attempt.result.catch(() => undefined);

    expect(steps()).toEqual([`+${plan.callId}`, `-${plan.callId}`]);
  });

  test('when the store can not be asked', async () => {
    const plan = await plannedRead(readTool());
    const { store } = world;
    world.use({
      store: {
        ...store,
        append: () => Promise.reject(new HoldpointError('store_unavailable', 'down')),
      },
    });
    await failureOf(world.callTool(plan));

    expect(steps()).toEqual([`+${plan.callId}`, `-${plan.callId}`]);
  });
});

test('a feed that throws fails no attempt', async () => {
  world.use({
    feed: {
      publish: () => {
        throw new Error('no feed today');
      },
    },
  });
  await world.open();
  const plan = await approvedWrite(world, writeTool());

  expect(await world.callTool(plan)).toMatchObject({ status: 'success' });
});
