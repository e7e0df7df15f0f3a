import { Command, Option } from 'commander';
import type { ApprovalStatus } from '../../core/approvals';
import { countFrom } from '../number-from';
import { type GatewayOptions, onGateway, withGatewayOptions } from '../on-gateway';
import { APPROVAL_HEADINGS, approvalRow } from '../text/approval-row';
import { foreignLine } from '../text/foreign-text';
import { tableLines } from '../text/table';

const STATUSES: readonly (ApprovalStatus | 'all')[] = [
  'pending',
  'approved',
  'rejected',
  'expired',
  'cancelled',
  'superseded',
  'all',
];
const DEFAULT_LIMIT = 50;

interface ListOptions extends GatewayOptions {
  readonly status: ApprovalStatus | 'all';
  readonly limit: number;
  readonly after?: string;
}

/** `holdpoint approvals list`: questions in the order they were asked. */
export function approvalsListCommand(): Command {
  return withGatewayOptions(new Command('list'))
    .description('list what waits for a decision, in the order it was asked')
    .addOption(new Option('--status <status>', 'those of this status').choices(STATUSES).default('pending'))
    .addOption(new Option('--limit <count>', 'how many').argParser(countFrom).default(DEFAULT_LIMIT))
    .option('--after <place>', 'where the page before has ended')
    .action(({ status, limit, after, ...options }: ListOptions) =>
      onGateway(options, async ({ client, output, isJson, signal }) => {
        const page = {
          limit,
          ...(status === 'all' ? {} : { status }),
          ...(after === undefined ? {} : { after }),
        };
        const { approvals, nextAfter } = await client.listApprovals(page, { signal });
        if (isJson) {
          output.json({ approvals, nextAfter });
          return undefined;
        }
        if (approvals.length === 0) {
          output.note(status === 'pending' ? 'Nothing waits for a decision.' : 'No question matches.');
          return undefined;
        }
        const nowMs = Date.now();
        const rows = approvals.map((approval) => approvalRow(approval, nowMs));
        for (const line of tableLines(APPROVAL_HEADINGS, rows, output.columns())) {
          output.print(line);
        }
        if (nextAfter !== null) {
          output.note(`There are more: --after ${foreignLine(nextAfter)}`);
        }
        return undefined;
      }),
    );
}
