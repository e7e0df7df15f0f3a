import { type ActivityWorld, createActivityWorld } from '../../support/activities/activity-world';
import { says } from '../../support/activities/scripted-model';

let world: ActivityWorld;

beforeEach(async () => {
  world = await createActivityWorld();
});

afterEach(async () => {
  await world.close();
});

const store = (content: string, principal?: string) =>
  world.run(({ storeMessages }) =>
    storeMessages({
      v: 1,
      messages: [{ messageId: 's1', mode: 'followup', content, ...(principal === undefined ? {} : { principal }) }],
    }),
  );

test('a text from a signal waits in the store, and Temporal is told nothing of it', async () => {
  await world.open();
  const stored = await store('the text \ud800', 'cron');

  expect(stored).toMatchObject({ v: 1, status: 'stored', last: [1, expect.any(String)] });
  expect(world.handedOver.join('\n')).not.toContain('the text');
  expect(await world.store.readInboxMessage(world.key, 's1')).toMatchObject({
    content: 'the text \ufffd',
    principal: 'cron',
    provenance: 'request',
  });
});

test('a turn opened by a reference to it has the text, and who is said to have sent it', async () => {
  await world.open();
  await store('the text', 'cron');
  world.model.add(says('done'));
  await world.callModel({ messages: [{ messageId: 's1', mode: 'followup' }] });

  expect((await world.entriesOf('user.message')).map(({ data }) => data)).toEqual([
    { messageId: 's1', mode: 'followup', content: 'the text', principal: 'cron', provenance: 'request' },
  ]);
});

test('a session with more messages than it is told of knows that there are more', async () => {
  await world.open();
  const messages = Array.from({ length: 600 }, (_, index) => ({
    messageId: `s${index}`,
    mode: 'followup' as const,
    content: 'x',
  }));
  await world.run(({ storeMessages }) => storeMessages({ v: 1, messages }));

  const opened = await world.run(({ openSession }) => openSession({ v: 1, agent: 'tester' }));
  expect(opened).toMatchObject({ status: 'opened', more: true });
  expect('inbox' in opened && opened.inbox.length).toBe(500);
});
