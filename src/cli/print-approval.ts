import type { ApprovalDetail } from '../core/http-answers';
import type { Output } from './output';
import { approvalLines } from './text/approval-lines';
import type { Style } from './text/style';

/** Before what follows of a wrapped line, so that it can't be taken for a line of its own. */
const INDENT = '  . ';

/** Prints a question as a person decides on it. */
export function printApproval(print: Output['print'], style: Style, approval: ApprovalDetail): void {
  for (const line of approvalLines(approval, style, Date.now())) {
    print(line, INDENT);
  }
}
