import { temporaryFolders } from '../../support/dev/temporary-folders';
import { expectProblem } from '../../support/gateway/expect-problem';
import { type GatewayUnderTest, openGatewayUnderTest } from '../../support/gateway/gateway-under-test';
import { AT, newKey, question, reply, requested, sessionInTurn } from '../store/session-under-test';

const newFolder = temporaryFolders();
let gateway: GatewayUnderTest;

beforeEach(async () => {
  gateway = await openGatewayUnderTest({ folder: newFolder() });
});

afterEach(() => gateway.close());

interface Page {
  readonly approvals: readonly { readonly approvalId: string; readonly sessionId: string; readonly callId: string }[];
  readonly nextAfter: string | null;
}

it('shows each of 600 open questions exactly once, oldest first, in a chain of pages', async () => {
  const asked: string[] = [];
  for (let second = 0; second < 10; second += 1) {
    asked.push(...(await askRound(60, `2026-03-01T10:00:0${second}.000Z`)));
  }
  const { pages, approvals } = await chain('status=pending');
  expect(pages).toEqual([500, 100]);
  expect(approvals.map(({ approvalId }) => approvalId)).toEqual(asked);
  expect((await chain('limit=250')).pages).toEqual([250, 250, 100]);
});

it('shows three writes of one round in the order of their calls', async () => {
  const asked = await askRound(3, AT);
  expect((await chain('limit=1')).approvals.map(({ approvalId }) => approvalId)).toEqual(asked);
});

it('pages through two sessions that asked in the same millisecond', async () => {
  const asked = [await askRound(3, AT), await askRound(3, AT)].sort().flat();
  for (const limit of [1, 2, 5]) {
    expect((await chain(`limit=${limit}`)).approvals.map(({ approvalId }) => approvalId)).toEqual(asked);
  }
});

it('ends a page early when its questions are long', async () => {
  await askRound(4, AT, 'x'.repeat(3 * 1_048_576));
  expect((await chain('')).pages).toEqual([2, 2]);
});

it('makes cursors that fit into a query string as they are, and are good for any status', async () => {
  await askRound(2, AT);
  const { nextAfter } = await page('limit=1');
  expect(nextAfter).toMatch(/^[\w-]+$/);
  expect((await page(`status=approved&after=${nextAfter}`)).approvals).toEqual([]);
});

describe('a cursor nobody was given', () => {
  const cursorOf = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const good = [AT, 's_1', 4];

  it.each([
    ['empty', ''],
    ['no base64url', '***'],
    ['no JSON', Buffer.from('hello').toString('base64url')],
    ['a number', '7'],
    ['padded', `${cursorOf(good)}=`],
    ['cut', cursorOf(good).slice(0, -1)],
    ['no list', cursorOf({ requestedAt: AT })],
    ['null', cursorOf(null)],
    ['too few parts', cursorOf(good.slice(0, 2))],
    ['too many parts', cursorOf([...good, 1])],
    ['NUL in the time', cursorOf(['2026\u0000', 's_1', 4])],
    ['no time', cursorOf(['yesterday', 's_1', 4])],
    ['no session id', cursorOf([AT, '../s', 4])],
    ['no whole number', cursorOf([AT, 's_1', 1.5])],
    ['too large a number', cursorOf([AT, 's_1', 2 ** 53])],
    ['text for the number', cursorOf([AT, 's_1', '4'])],
  ])('is refused: %s', async (_name, cursor) => {
    const answer = await gateway.get(`/v1/approvals?after=${encodeURIComponent(cursor)}`);
    expectProblem(answer, 400, 'invalid_request');
    expect(answer.json?.['detail']).toContain('after');
  });

  it('is refused when it comes twice', async () => {
    const twice = `after=${cursorOf(good)}&after=${cursorOf(good)}`;
    expectProblem(await gateway.get(`/v1/approvals?${twice}`), 400, 'invalid_request');
  });

  it('is taken when it only names a place where nothing is', async () => {
    expect(await page(`after=${cursorOf(good)}`)).toEqual({ approvals: [], nextAfter: null });
  });
});

/** A new session whose first round asks questions; returns their ids in the order of the calls. */
async function askRound(count: number, requestedAt: string, preview = '+ text'): Promise<readonly string[]> {
  const fence = await sessionInTurn(gateway.store, newKey());
  const approvals = Array.from({ length: count }, (_, index) => {
    return { ...question(fence, { ordinal: index + 1 }), requestedAt, preview };
  });
  await gateway.store.append(fence, { entries: [reply(1, 1), ...approvals.map(requested)], approvals, at: AT });
  return approvals.map(({ approvalId }) => approvalId);
}

async function page(query: string): Promise<Page> {
  const answer = await gateway.get(`/v1/approvals?${query}`);
  expect(answer.status).toBe(200);
  return answer.json as unknown as Page;
}

/** Every page from the first to the last. */
async function chain(query: string) {
  const approvals: Page['approvals'][number][] = [];
  const pages: number[] = [];
  let after = '';
  for (;;) {
    const { approvals: more, nextAfter } = await page(`${query}${after}`);
    approvals.push(...more);
    pages.push(more.length);
    if (nextAfter === null) {
      return { approvals, pages };
    }
    after = `&after=${nextAfter}`;
  }
}
