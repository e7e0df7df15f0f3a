import type { FastifyReply } from 'fastify';
import { HoldpointError } from '../core/errors';
import type { DecisionAnswer } from '../core/http-answers';
import { approvalDetail } from './approval-view';
import { sendProblem } from './problem-details';
import type { SubmittedDecision } from './submit-decision';

/**
 * Answers a decision: 200 when it counts, 202 when nobody has settled it yet, else a problem whose code is the outcome.
 * Each of them carries outcome, decision id and the stored approval.
 */
export function sendDecision(reply: FastifyReply, decisionId: string, submitted: SubmittedDecision): FastifyReply {
  const { outcome, approval, reason } = submitted;
  const answer: DecisionAnswer = { outcome, decisionId, approval: approvalDetail(approval) };
  switch (outcome) {
    case null:
      return reply.code(202).send(answer);
    case 'taken':
    case 'recorded':
      return reply.code(200).send(answer);
    default:
      return sendProblem(reply, new HoldpointError(outcome, reason ?? refusalText(outcome, submitted)), answer);
  }
}

type Refusal = Exclude<SubmittedDecision['outcome'], 'taken' | 'recorded' | null>;

function refusalText(outcome: Refusal, { approval }: SubmittedDecision): string {
  switch (outcome) {
    case 'already_decided':
      return `The approval is ${approval.status} already; this decision was not used.`;
    case 'expired':
      return `The approval expired at ${approval.expiresAt}; nothing will run.`;
    case 'cancelled':
      return 'The turn was cancelled; nothing will run.';
    case 'superseded':
      return 'The question was replaced by a new one, because what it was about has changed.';
    case 'digest_mismatch':
      return 'argumentsDigest belongs to other arguments than the stored ones; look at the approval again.';
    case 'not_allowed':
      return 'This principal may not decide this approval.';
    case 'invalid':
      return 'The decision does not fit this approval.';
    case 'invalid_signature':
      return 'The signature of the decision is not valid.';
    case 'unknown_approval':
      return 'There is no such approval.';
  }
}
