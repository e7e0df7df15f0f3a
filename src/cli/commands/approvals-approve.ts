import { Command } from 'commander';
import { confirmApproval } from '../confirm-approval';
import { decideAndTell } from '../decide-and-tell';
import { type GatewayOptions, onGateway, withGatewayOptions } from '../on-gateway';

interface ApproveOptions extends GatewayOptions {
  readonly digest?: string;
  readonly comment?: string;
}

/**
 * `holdpoint approvals approve`: lets a call run with exactly the arguments that were looked at. Without `--digest` it
 * shows the question and asks; where nobody can be asked, the digest is needed, so that nothing is approved unseen.
 */
export function approvalsApproveCommand(): Command {
  return withGatewayOptions(new Command('approve'))
    .description('let a call run with exactly the arguments you looked at')
    .argument('<approval>', 'id of the approval')
    .option('--digest <digest>', 'digest of what you looked at, as `approvals show` prints it; asks nothing')
    .option('--comment <text>', 'kept with the decision')
    .action((approvalId: string, { digest, comment, ...options }: ApproveOptions) =>
      onGateway(options, async (context) => {
        const argumentsDigest = digest ?? (await confirmApproval(context, approvalId));
        return decideAndTell(context, approvalId, {
          decision: 'approve',
          argumentsDigest,
          ...(comment === undefined ? {} : { comment }),
        });
      }),
    );
}
