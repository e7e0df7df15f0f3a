import { Argument, Command } from 'commander';
import { OUTCOME_DECISIONS } from '../../core/approvals';
import { HoldpointError } from '../../core/errors';
import { decideAndTell } from '../decide-and-tell';
import { type GatewayOptions, onGateway, withGatewayOptions } from '../on-gateway';

interface AnswerOptions extends GatewayOptions {
  readonly digest?: string;
  readonly comment?: string;
}

/** `holdpoint approvals answer`: says what became of a write that nobody knows the outcome of. */
export function approvalsAnswerCommand(): Command {
  return withGatewayOptions(new Command('answer'))
    .description('say what became of a write that began and gave no result')
    .argument('<approval>', 'id of the approval')
    .addArgument(
      new Argument('<answer>', 'it was applied; run it again, once; or abandon it').choices(OUTCOME_DECISIONS),
    )
    .option('--digest <digest>', 'digest of what you looked at, as `approvals show` prints it; abandon needs none')
    .option('--comment <text>', 'kept with the decision')
    .action((approvalId: string, answer: (typeof OUTCOME_DECISIONS)[number], given: AnswerOptions) =>
      onGateway(given, async (context) => {
        const { digest, comment } = given;
        if (digest === undefined && answer !== 'abandon') {
          const text = 'give --digest with the digest of what you looked at, as `holdpoint approvals show` prints it';
          throw new HoldpointError('invalid_request', text);
        }
        return decideAndTell(context, approvalId, {
          decision: answer,
          ...(digest === undefined ? {} : { argumentsDigest: digest }),
          ...(comment === undefined ? {} : { comment }),
        });
      }),
    );
}
