import { describeBothStores } from './both-stores';
import { AT, entriesOf, logOf, message, opening, sessionInTurn, userMessage } from './session-under-test';

describeBothStores('append of messages', (database) => {
  const store = () => database().store;

  it('makes each message a batch of its own and takes its inbox row', async () => {
    const fence = await sessionInTurn(store());
    await store().putMessage({ ...fence, message: message('m2'), at: AT });
    const entries = [userMessage('m2', { turn: 1, round: 2 }), userMessage('m3', { turn: 1, round: 2 })] as const;
    const appended = await store().append(fence, { entries, takes: ['m2', 'm3'], at: AT });
    expect('entries' in appended && appended.entries.map(({ seq, batch }) => [seq, batch])).toEqual([
      [4, 4],
      [5, 5],
    ]);
    const rows = await database().query(
      `select id, taken_seq from inbox where session = '${fence.sessionId}' order by position`,
    );
    expect(rows).toEqual([
      { id: 'm1', taken_seq: 2 },
      { id: 'm2', taken_seq: 4 },
    ]);
  });

  it('skips a known message and writes the rest', async () => {
    const fence = await sessionInTurn(store());
    await store().append(fence, { entries: [userMessage('m2', { turn: 1, round: 2 }, 'first')], at: AT });
    const entries = [
      userMessage('m2', { turn: 1, round: 3 }, 'changed'),
      userMessage('m3', { turn: 1, round: 3 }),
    ] as const;
    const appended = await store().append(fence, { entries, at: AT });
    expect(appended.status).toBe('written');
    expect('entries' in appended && appended.entries.map(({ key, round }) => [key, round])).toEqual([
      ['m/m2', 2],
      ['m/m3', 3],
    ]);
    expect((await entriesOf(store(), fence, 'user.message')).map(({ data }) => data.content)).toEqual([
      'hello',
      'first',
      'hello',
    ]);
  });

  it('goes on with the stored batch when the message opened the same turn before', async () => {
    const fence = await sessionInTurn(store());
    const again = await store().append(fence, { entries: opening(1, 'm1'), at: AT });
    expect(again.status).toBe('existing');
    expect('entries' in again && again.entries.map(({ key }) => key)).toEqual(['m/m1', 't1.turn']);
    expect((await logOf(store(), fence)).length).toBe(3);
  });

  it('opens no turn with a message of another turn, whatever it says now', async () => {
    const fence = await sessionInTurn(store());
    await store().append(fence, { entries: [userMessage('m2', { turn: 1, round: 2 })], at: AT });
    const byOpening = await store().append(fence, { entries: opening(2, 'm1', 'forged'), at: AT });
    expect(byOpening.status).toBe('existing');
    expect('entries' in byOpening && byOpening.entries.map(({ key }) => key)).toEqual(['m/m1', 't1.turn']);
    const bySteering = await store().append(fence, { entries: opening(2, 'm2', 'forged'), at: AT });
    expect('entries' in bySteering && bySteering.entries.map(({ key }) => key)).toEqual(['m/m2']);
    expect((await logOf(store(), fence)).length).toBe(4);
  });
});
