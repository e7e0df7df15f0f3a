import type { ApprovalView } from '../core/http-answers';
import type { CommandContext } from './on-gateway';

/** Answered questions that are remembered, so that a repeat is known; a watcher may run for months. */
const MAX_REMEMBERED = 1_000;

/**
 * Yields each question that waits for a decision, and each that is asked or answered from now on, once for every status
 * it has. After a cut of the connection the list is read again, so that nothing is missed; questions that were answered
 * meanwhile come with their answer. Ends only by the signal, whose reason it throws.
 */
export async function* approvalChanges({
  client,
  signal,
}: Pick<CommandContext, 'client' | 'signal'>): AsyncGenerator<ApprovalView, void, undefined> {
  const open = new Set<string>();
  const answered = new Map<string, string>();
  const isNews = ({ approvalId, status }: ApprovalView) => {
    const isNew = status === 'pending' ? !open.has(approvalId) : answered.get(approvalId) !== status;
    if (status === 'pending') {
      open.add(approvalId);
    } else {
      open.delete(approvalId);
      remember(answered, approvalId, status);
    }
    return isNew;
  };
  for await (const event of client.watchApprovals({ signal })) {
    if (event.type === 'approval' && isNews(event.data)) {
      yield event.data;
    } else if (event.type === 'hello') {
      const pending = await allPending(client, signal);
      const pendingIds = new Set(pending.map(({ approvalId }) => approvalId));
      for (const approvalId of [...open].filter((id) => !pendingIds.has(id))) {
        const approval = await client.readApproval(approvalId, { signal });
        if (isNews(approval)) {
          yield approval;
        }
      }
      yield* pending.filter(isNews);
    }
  }
}

function remember(answered: Map<string, string>, approvalId: string, status: string): void {
  answered.set(approvalId, status);
  const [oldest] = answered.keys();
  if (answered.size > MAX_REMEMBERED && oldest !== undefined) {
    answered.delete(oldest);
  }
}

async function allPending(client: CommandContext['client'], signal: AbortSignal): Promise<readonly ApprovalView[]> {
  const all: ApprovalView[] = [];
  for (let after: string | undefined; ; ) {
    const page = await client.listApprovals(
      { status: 'pending', ...(after === undefined ? {} : { after }) },
      { signal },
    );
    all.push(...page.approvals);
    if (page.nextAfter === null) {
      return all;
    }
    after = page.nextAfter;
  }
}
