import { HoldpointError } from '../core/errors';
import type { ApprovalDetail } from '../core/http-answers';
import { askLine } from './ask-line';
import type { CommandContext } from './on-gateway';
import { printApproval } from './print-approval';
import { foreignLine } from './text/foreign-text';
import { decidedText } from './text/outcome-text';
import { createStyle } from './text/style';

/**
 * Shows a question and asks a person at the terminal whether it is approved. Returns the digest of what was shown. Throws
 * HoldpointError `invalid_request` where nobody can be asked, `already_decided` when it is no longer open, and
 * `not_allowed` when the person does not approve.
 */
export async function confirmApproval(context: CommandContext, approvalId: string): Promise<string> {
  const { client, output, isJson, signal } = context;
  if (isJson || !process.stdin.isTTY || !process.stderr.isTTY) {
    const text = `nobody can be asked here. Look at it with \`holdpoint approvals show ${foreignLine(approvalId)}\`, then give --digest`;
    throw new HoldpointError('invalid_request', text);
  }
  const approval = await client.readApproval(approvalId, { signal });
  if (approval.status !== 'pending') {
    throw new HoldpointError('already_decided', decidedText({ approval }, Date.now()));
  }
  // On standard error: a result on standard output may go elsewhere, and a person has to see this.
  const style = createStyle({ isTerminal: true, environment: process.env });
  printApproval((line) => output.note(line), style, approval);
  const answer = await askLine(approvalQuestion(approval), signal);
  if (!isApproval(approval, answer)) {
    throw new HoldpointError('not_allowed', 'you did not approve; nothing was decided');
  }
  return approval.argumentsDigest;
}

/** What a person is asked. Enter alone never approves. */
function approvalQuestion({ tool, risk }: Pick<ApprovalDetail, 'tool' | 'risk'>): string {
  return risk === 'high' ? `Type ${foreignLine(tool)} to approve: ` : 'Type a to approve: ';
}

/** True for the one answer that approves: the name of the tool where the risk is high, else the letter. */
export function isApproval({ tool, risk }: Pick<ApprovalDetail, 'tool' | 'risk'>, answer: string | undefined): boolean {
  return answer?.trim() === (risk === 'high' ? tool : 'a');
}
