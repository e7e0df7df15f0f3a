import { Command } from 'commander';
import { approvalChanges } from '../approval-changes';
import { type CommandContext, type GatewayOptions, onGateway, withGatewayOptions } from '../on-gateway';
import { showApprovals } from '../show-approvals';
import { approvalRow } from '../text/approval-row';

/** `holdpoint approvals watch`: what waits for a decision, live, until Ctrl-C. */
export function approvalsWatchCommand(): Command {
  return withGatewayOptions(new Command('watch'))
    .description(
      'follow what waits for a decision, until Ctrl-C: a live list on a terminal, else a line for each change',
    )
    .action((options: GatewayOptions) =>
      onGateway(options, async (context) => {
        // A gateway that is not there is told at once; later cuts are waited out.
        await context.client.listApprovals({ limit: 1 }, { signal: context.signal });
        await (context.output.isTerminal && !context.isJson ? showApprovals(context) : printChanges(context));
        return undefined;
      }),
    );
}

async function printChanges(context: CommandContext): Promise<void> {
  const { output, isJson } = context;
  for await (const approval of approvalChanges(context)) {
    if (isJson) {
      output.json({ event: 'approval', data: approval });
    } else {
      output.print(approvalRow(approval, Date.now()).join('  '));
    }
  }
}
