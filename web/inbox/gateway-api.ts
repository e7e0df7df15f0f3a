import type { DecisionWord } from '../../src/core/approvals';
import type { ApprovalDetail, ApprovalList, ApprovalView, DecisionAnswer, Problem } from '../../src/core/http-answers';
import type { SessionView } from '../../src/core/sessions';

/** Why a request brought nothing. `code` is the gateway's, or `connection_lost` when there was no answer. */
export class ApiFault extends Error {
  readonly code: string;

  constructor(code: string, detail: string) {
    super(detail);
    this.code = code;
  }
}

export interface NewDecision {
  readonly decisionId: string;
  readonly decision: DecisionWord;
  readonly argumentsDigest: string;
  readonly comment?: string;
}

const PAGE = 100;
/** Longer than the gateway waits for an outcome. */
const ANSWER_TIMEOUT_MS = 30_000;

/** Every question that is open. Throws `ApiFault`. */
export async function listPending(): Promise<readonly ApprovalView[]> {
  const approvals: ApprovalView[] = [];
  let after: string | null = '';
  while (after !== null) {
    const place: string = after === '' ? '' : `&after=${encodeURIComponent(after)}`;
    const page: ApprovalList = await ask(`/v1/approvals?status=pending&limit=${PAGE}${place}`);
    approvals.push(...page.approvals);
    after = page.nextAfter;
  }
  return approvals;
}

/** One question with everything that is known about it. Throws `ApiFault`. */
export function readApproval(approvalId: string): Promise<ApprovalDetail> {
  return ask(`/v1/approvals/${encodeURIComponent(approvalId)}`);
}

/** Throws `ApiFault`. */
export function readSession(sessionId: string): Promise<SessionView> {
  return ask(`/v1/sessions/${encodeURIComponent(sessionId)}`);
}

/** Sends a decision, once. A refusal that says what became of it is an answer too. Throws `ApiFault`. */
export function sendDecision(approvalId: string, decision: NewDecision): Promise<DecisionAnswer> {
  return ask(`/v1/approvals/${encodeURIComponent(approvalId)}/decisions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(decision),
  });
}

async function ask<Answer extends object>(path: string, init: RequestInit = {}): Promise<Answer> {
  let status: number;
  let body: Answer | Problem | (Answer & Problem);
  try {
    const response = await fetch(path, { ...init, signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
    status = response.status;
    body = (await response.json()) as Answer | Problem;
  } catch {
    throw new ApiFault('connection_lost', 'There was no answer.');
  }
  if (status < 400 || 'outcome' in body) {
    return body as Answer;
  }
  const { code, detail } = body as Problem;
  throw new ApiFault(code, detail);
}
