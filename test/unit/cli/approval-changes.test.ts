import { approvalChanges } from '../../../src/cli/approval-changes';
import type { HoldpointClient } from '../../../src/client/holdpoint-client';
import type { ApprovalDetail, ApprovalStreamEvents } from '../../../src/core/http-answers';

type Event = { type: keyof ApprovalStreamEvents; data: unknown };

const hello: Event = { type: 'hello', data: { serverTime: '2026-01-01T00:00:00.000Z' } };

function approval(approvalId: string, status: string): ApprovalDetail {
  return { approvalId, status } as ApprovalDetail;
}

function told(approvalId: string, status: string): Event {
  return { type: 'approval', data: approval(approvalId, status) };
}

/** What a watcher hears of a stream, while the list has one page for each `hello`. */
async function heard(events: readonly Event[], lists: (readonly ApprovalDetail[])[]): Promise<readonly string[]> {
  const client = {
    async *watchApprovals() {
      yield* events;
    },
    listApprovals: async () => ({ approvals: lists.shift() ?? [], nextAfter: null }),
    readApproval: async (approvalId: string) => approval(approvalId, 'expired'),
  } as unknown as HoldpointClient;
  const changes: string[] = [];
  for await (const { approvalId, status } of approvalChanges({ client, signal: new AbortController().signal })) {
    changes.push(`${approvalId} ${status}`);
  }
  return changes;
}

it('tells each question once for every status it has, however often the stream says so', async () => {
  const events = [
    hello,
    ...['pending', 'pending', 'approved', 'approved', 'superseded'].map((status) => told('a', status)),
  ];
  expect(await heard(events, [[approval('a', 'pending')]])).toEqual(['a pending', 'a approved', 'a superseded']);
});

it('reads the list again after a cut: what is new is told, and what was answered meanwhile', async () => {
  const lists = [
    [approval('a', 'pending'), approval('b', 'pending')],
    [approval('b', 'pending'), approval('c', 'pending')],
  ];
  expect(await heard([hello, hello, told('a', 'expired')], lists)).toEqual([
    'a pending',
    'b pending',
    'a expired',
    'c pending',
  ]);
});
