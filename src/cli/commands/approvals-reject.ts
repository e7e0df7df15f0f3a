import { Command } from 'commander';
import { HoldpointError } from '../../core/errors';
import { decideAndTell } from '../decide-and-tell';
import { type GatewayOptions, onGateway, withGatewayOptions } from '../on-gateway';

interface RejectOptions extends GatewayOptions {
  readonly comment?: string;
}

/** `holdpoint approvals reject`: a call does not run, and the agent is told why. */
export function approvalsRejectCommand(): Command {
  return withGatewayOptions(new Command('reject'))
    .description('keep a call from running')
    .argument('<approval>', 'id of the approval')
    .option('--comment <text>', 'the reason, sent to the agent; needed when the risk is high')
    .action((approvalId: string, { comment, ...options }: RejectOptions) =>
      onGateway(options, async (context) => {
        if (
          comment === undefined &&
          (await context.client.readApproval(approvalId, { signal: context.signal })).risk === 'high'
        ) {
          throw new HoldpointError('invalid_request', 'the risk is high: give the reason with --comment');
        }
        return decideAndTell(context, approvalId, {
          decision: 'reject',
          ...(comment === undefined ? {} : { comment }),
        });
      }),
    );
}
