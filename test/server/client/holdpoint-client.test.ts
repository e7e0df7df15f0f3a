import { createServer, request, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { createHoldpointClient, type HoldpointClient } from '../../../src/client/holdpoint-client';
import type { ApprovalDetail, EntryView } from '../../../src/core/http-answers';
import { RunningStack } from '../../support/running-stack';

let stack: RunningStack;
let client: HoldpointClient;

beforeAll(async () => {
  stack = await RunningStack.start();
  client = createHoldpointClient({ baseUrl: stack.gateway.url });
});

afterAll(async () => {
  await stack.stop();
});

/** Reads entries until one of the given type comes. */
async function entriesUntil(from: HoldpointClient, sessionId: string, type: string, after = 0): Promise<EntryView[]> {
  const entries: EntryView[] = [];
  for await (const event of from.watchSession(sessionId, { after })) {
    if (event.type === 'entry') {
      entries.push(event.data);
      if (event.data.type === type) {
        break;
      }
    }
  }
  return entries;
}

async function untilAsked(sessionId: string): Promise<ApprovalDetail> {
  const entry = (await entriesUntil(client, sessionId, 'approval.requested')).at(-1);
  return client.readApproval(String(entry?.data['approvalId']));
}

describe('sessions', () => {
  it('starts one, follows its log to the end of the turn, and reads the same from pages', async () => {
    const { sessionId } = await client.startSession({ agent: 'workspace', message: 'list' });
    const watched = await entriesUntil(client, sessionId, 'turn.ended');
    const page = await client.listEntries(sessionId);
    expect(watched).toEqual(page.entries.slice(0, watched.length));
    expect(await client.readSession(sessionId)).toMatchObject({ status: 'idle', lastTurn: { outcome: 'completed' } });
    expect((await client.listEntries(sessionId, { after: 2, limit: 1 })).entries.map(({ seq }) => seq)).toEqual([3]);
  });

  it('starts one with mode, limits and metadata, and shows them', async () => {
    const options = { mode: 'task', limits: { roundsPerTurn: 2 }, metadata: { ticket: '7' } } as const;
    const { sessionId } = await client.startSession({ agent: 'workspace', message: 'list', ...options });
    expect(await client.readSession(sessionId)).toMatchObject(options);
    const widening = { agent: 'workspace', message: 'list', limits: { roundsPerTurn: 41 } };
    await expect(client.startSession(widening)).rejects.toMatchObject({ code: 'invalid_start' });
  });

  it('makes one session of a start that is repeated with its id', async () => {
    const start = { agent: 'workspace', message: 'hello', sessionId: 'started-twice' };
    expect(await client.startSession(start)).toEqual(await client.startSession(start));
    await entriesUntil(client, 'started-twice', 'turn.ended');
    expect(
      (await client.listEntries('started-twice')).entries.filter(({ type }) => type === 'user.message'),
    ).toHaveLength(1);
  });

  it('sends messages, and cancels the open turn', async () => {
    const { sessionId } = await client.startSession({ agent: 'workspace', message: 'write c.txt: x' });
    await untilAsked(sessionId);
    expect(await client.cancelTurn(sessionId)).toEqual({ sessionId, turn: 1 });
    const ended = (await entriesUntil(client, sessionId, 'turn.ended')).at(-1);
    expect(ended?.data).toMatchObject({ outcome: 'cancelled' });
    await client.sendMessage(sessionId, { content: 'hello again' });
    const next = await entriesUntil(client, sessionId, 'turn.ended', ended?.seq);
    expect(next.at(-1)).toMatchObject({ turn: 2, data: { outcome: 'completed' } });
  });

  it.each([
    ['unknown_session', () => client.readSession('nobody')],
    ['unknown_session', () => client.readSession('../approvals')],
    ['unknown_session', () => client.readSession('..')],
    ['unknown_session', () => client.explainSession('.')],
    ['unknown_approval', () => client.readApproval('..')],
    ['unknown_agent', () => client.startSession({ agent: 'nobody', message: 'x' })],
    ['invalid_request', () => client.sendMessage('started-twice', { content: ' ' })],
    ['unknown_approval', () => client.decide('nobody', { decision: 'reject' })],
    ['unknown_session', () => client.watchSession('nobody').next()],
  ])('throws %s with the code of the problem', async (code, ask) => {
    await expect(ask()).rejects.toMatchObject({ name: 'HoldpointError', code });
  });
});

describe('decisions', () => {
  it('says what became of each, also of those that were not used', async () => {
    const { sessionId } = await client.startSession({ agent: 'workspace', message: 'write d.txt: x' });
    const { approvalId, argumentsDigest } = await untilAsked(sessionId);
    expect((await client.listApprovals({ status: 'pending' })).approvals.map((one) => one.approvalId)).toContain(
      approvalId,
    );
    const outcomes = [
      await client.decide(approvalId, { decision: 'approve', argumentsDigest: 'other' }),
      await client.decide(approvalId, { decision: 'approve', argumentsDigest, decisionId: 'mine' }),
      await client.decide(approvalId, { decision: 'approve', argumentsDigest, decisionId: 'mine' }),
      await client.decide(approvalId, { decision: 'reject' }),
    ];
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['digest_mismatch', 'taken', 'taken', 'already_decided']);
    expect(outcomes.at(-1)?.approval).toMatchObject({ status: 'approved' });
    await entriesUntil(client, sessionId, 'turn.ended');
  });

  it('hears of questions as they are asked and answered', async () => {
    const heard: string[] = [];
    for await (const event of client.watchApprovals()) {
      if (event.type === 'hello') {
        await client.startSession({ agent: 'workspace', message: 'write w.txt: x', sessionId: 'watched' });
      } else if (event.type === 'approval' && event.data.sessionId === 'watched') {
        heard.push(event.data.status);
        if (event.data.status !== 'pending') {
          break;
        }
        await client.decide(event.data.approvalId, { decision: 'reject', comment: 'no' });
      }
    }
    expect(heard).toEqual(['pending', 'rejected']);
  });
});

describe('run', () => {
  it('starts a session, hands its questions on, and returns how the turn ended and what was said', async () => {
    const asked: string[] = [];
    const outcome = await client.run({
      agent: 'workspace',
      message: 'write r.txt: x',
      onApproval: async ({ approvalId, argumentsDigest, summary }) => {
        asked.push(summary);
        await client.decide(approvalId, { decision: 'approve', argumentsDigest });
      },
    });
    expect(asked).toEqual(['Write r.txt (1 byte)']);
    expect(outcome).toMatchObject({ outcome: 'completed', text: expect.stringMatching(/\S/) });
    expect((await client.listEntries(outcome.sessionId, { after: outcome.lastSeq - 1 })).entries[0]?.type).toBe(
      'turn.ended',
    );
    await expect(client.sendMessage(outcome.sessionId, { content: 'more' })).rejects.toMatchObject({
      code: 'session_closed',
    });
    await stack.workflow(outcome.sessionId).result();
  });

  it('goes on where a caller that died left it', async () => {
    const input = { agent: 'workspace', message: 'write again.txt: x', sessionId: 'run-again' };
    const dying = new AbortController();
    const first = client.run({ ...input, onApproval: () => dying.abort(new Error('died')) }, { signal: dying.signal });
    await expect(first).rejects.toThrow('died');
    const second = await client.run({
      ...input,
      onApproval: async ({ approvalId }) => {
        await client.decide(approvalId, { decision: 'reject' });
      },
    });
    expect(second).toMatchObject({ sessionId: 'run-again', outcome: 'completed' });
  });
});

describe('a connection that is cut', () => {
  /** A way to the gateway that can be cut. */
  async function cuttableWay(): Promise<{ url: string; cut: () => number; close: () => Promise<void> }> {
    const sockets = new Set<Socket>();
    const server: Server = createServer((incoming, answer) => {
      const { host, hostname, port } = new URL(stack.gateway.url);
      const { method, url: path, headers } = incoming;
      const onward = request({ hostname, port, method, path, headers: { ...headers, host } }, (reply) => {
        answer.writeHead(reply.statusCode ?? 502, reply.headers);
        reply.on('error', () => answer.destroy()).pipe(answer);
      });
      answer.on('close', () => onward.destroy());
      incoming.pipe(onward.on('error', () => answer.destroy()));
    });
    server.on('connection', (socket) => {
      sockets.add(socket.on('close', () => sockets.delete(socket)));
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    return {
      url: `http://127.0.0.1:${port}`,
      cut: () => {
        const open = sockets.size;
        for (const socket of sockets) {
          socket.destroy();
        }
        return open;
      },
      close: async () => {
        for (const socket of sockets) {
          socket.destroy();
        }
        await new Promise((resolve) => {
          server.close(resolve);
        });
      },
    };
  }

  it('loses and doubles no entry', async () => {
    const way = await cuttableWay();
    const cut = createHoldpointClient({ baseUrl: way.url });
    const { sessionId } = await client.startSession({ agent: 'workspace', message: 'repeat list' });
    const seqs: number[] = [];
    let cuts = 0;
    for await (const event of cut.watchSession(sessionId)) {
      if (event.type === 'entry') {
        seqs.push(event.data.seq);
        if (event.data.type === 'turn.ended') {
          break;
        }
        cuts += seqs.length % 15 === 0 ? way.cut() : 0;
      }
    }
    await way.close();
    const { lastSeq } = await client.readSession(sessionId);
    expect(cuts).toBeGreaterThanOrEqual(3);
    expect(seqs).toEqual(Array.from({ length: lastSeq }, (_value, index) => index + 1));
  });

  it('says so when no gateway answers', async () => {
    const way = await cuttableWay();
    await way.close();
    const nobody = createHoldpointClient({ baseUrl: way.url, tries: 2 });
    await expect(nobody.readSession('any')).rejects.toMatchObject({ code: 'gateway_unreachable' });
  });

  it('ends with the reason of its signal', async () => {
    const stop = new AbortController();
    const events = client.watchSession('started-twice', { signal: stop.signal });
    await events.next();
    stop.abort(new Error('enough'));
    await expect(async () => {
      for (;;) {
        await events.next();
      }
    }).rejects.toThrow('enough');
  });
});
