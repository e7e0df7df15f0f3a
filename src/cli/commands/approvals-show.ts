import { Command } from 'commander';
import { type GatewayOptions, onGateway, withGatewayOptions } from '../on-gateway';
import { printApproval } from '../print-approval';

/** `holdpoint approvals show`: everything a person decides on. */
export function approvalsShowCommand(): Command {
  return withGatewayOptions(new Command('show'))
    .description('show a question with its exact arguments, what they would change, and its digest')
    .argument('<approval>', 'id of the approval')
    .action((approvalId: string, options: GatewayOptions) =>
      onGateway(options, async ({ client, output, isJson, signal }) => {
        const approval = await client.readApproval(approvalId, { signal });
        if (isJson) {
          output.json(approval);
        } else {
          printApproval(output.print, output.style, approval);
        }
        return undefined;
      }),
    );
}
