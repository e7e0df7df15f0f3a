import { chatAnswer, chatQuestion } from '../../../src/cli/chat/chat-questions';
import { isApproval } from '../../../src/cli/confirm-approval';
import type { ApprovalDetail } from '../../../src/core/http-answers';

function question(more: Partial<ApprovalDetail>): ApprovalDetail {
  return { kind: 'call', tool: 'refund', risk: 'medium', ...more } as ApprovalDetail;
}

const medium = question({});
const high = question({ risk: 'high' });
const outcome = question({ kind: 'outcome' });

it.each([[''], [' '], ['y'], ['yes'], ['A'], ['aa'], ['approve'], ['\u0000a']])('%j decides nothing', (line) => {
  for (const approval of [medium, high, outcome]) {
    expect(chatAnswer(approval, line)).toEqual({ kind: 'nothing' });
    expect(isApproval(approval, line)).toBe(false);
  }
});

it('a approves and r rejects, unless the risk is high', () => {
  expect(chatAnswer(medium, 'a')).toEqual({ kind: 'decide', decision: 'approve' });
  expect(chatAnswer(medium, ' r ')).toEqual({ kind: 'decide', decision: 'reject' });
  expect(chatAnswer(high, 'a')).toEqual({ kind: 'nothing' });
  expect(chatAnswer(high, 'r')).toEqual({ kind: 'decide', decision: 'reject' });
});

it("only the tool's name approves where the risk is high", () => {
  expect(chatAnswer(high, 'refund')).toEqual({ kind: 'decide', decision: 'approve' });
  expect(chatAnswer(medium, 'refund')).toEqual({ kind: 'nothing' });
  expect(chatQuestion(high)).toContain('type refund to approve');
});

it('a tool that is named like an answer can not be approved by it', () => {
  expect(chatAnswer(question({ risk: 'high', tool: 'r' }), 'r')).toEqual({ kind: 'decide', decision: 'reject' });
  expect(chatAnswer(question({ risk: 'high', tool: 'l' }), 'l')).toEqual({ kind: 'later' });
});

it('a question about an outcome takes its own words in full', () => {
  expect(chatAnswer(outcome, 'a')).toEqual({ kind: 'nothing' });
  expect(chatAnswer(outcome, 'r')).toEqual({ kind: 'nothing' });
  expect(chatAnswer(outcome, 'run_again')).toEqual({ kind: 'decide', decision: 'run_again' });
});

it('leaving the prompt approves nothing', () => {
  expect(isApproval(medium, undefined)).toBe(false);
  expect(isApproval(high, undefined)).toBe(false);
});
