import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ApprovalDetail, ApprovalList } from '../../core/http-answers';
import { isId } from '../../core/ids';
import { decisionRequest } from '../../core/schemas/decision-request';
import { listApprovalsQuery } from '../../core/schemas/list-approvals-query';
import { digestOf } from '../../digests/digest-of';
import { approvalCursor, placeOfCursor } from '../approval-cursor';
import { approvalDetail, approvalView } from '../approval-view';
import { sendDecision } from '../decision-answer';
import type { GatewayContext } from '../gateway-context';
import { parseRequest } from '../parse-request';
import { unknownApproval } from '../problem-details';
import { randomId } from '../random-id';
import { readIdempotencyKey } from '../read-idempotency-key';
import { submitDecision } from '../submit-decision';

type ApprovalRequest = FastifyRequest<{ Params: { approvalId: string } }>;

const APPROVALS = '/v1/approvals';

/** Routes under `/v1/approvals`. */
export function addApprovalRoutes(server: FastifyInstance, context: GatewayContext): void {
  server.get(APPROVALS, (request) => listApprovals(context, request));
  server.get(`${APPROVALS}/:approvalId`, (request: ApprovalRequest) => readApproval(context, request));
  server.post(`${APPROVALS}/:approvalId/decisions`, (request: ApprovalRequest, reply) =>
    decide(context, request, reply),
  );
}

async function listApprovals({ store, tenant }: GatewayContext, request: FastifyRequest): Promise<ApprovalList> {
  const { status, after, limit } = parseRequest(listApprovalsQuery, request.query);
  const { approvals, next } = await store.listApprovals(tenant, {
    limit,
    ...(status === undefined ? {} : { status }),
    ...(after === undefined ? {} : { after: placeOfCursor(after) }),
  });
  return { approvals: approvals.map(approvalView), nextAfter: next && approvalCursor(next) };
}

async function readApproval({ store, tenant }: GatewayContext, request: ApprovalRequest): Promise<ApprovalDetail> {
  const record = await store.readApproval(tenant, approvalIdOf(request));
  if (record === undefined) {
    throw unknownApproval();
  }
  return approvalDetail(record);
}

async function decide(context: GatewayContext, request: ApprovalRequest, reply: FastifyReply): Promise<FastifyReply> {
  const approvalId = approvalIdOf(request);
  const idempotencyKey = readIdempotencyKey(request);
  const body = parseRequest(decisionRequest, request.body);
  const decisionId = body.decisionId ?? decisionIdFor(context, approvalId, idempotencyKey);
  const submitted = await submitDecision(context, approvalId, { ...body, decisionId });
  return sendDecision(reply, decisionId, submitted);
}

/** Without a key each request is a decision of its own: deciding twice must be seen, not taken for a repeat. */
function decisionIdFor({ tenant }: GatewayContext, approvalId: string, idempotencyKey: string | undefined): string {
  return idempotencyKey === undefined
    ? randomId('d')
    : `d_${digestOf(['holdpoint.decision-request.v1', tenant, approvalId, idempotencyKey]).slice(0, 22)}`;
}

function approvalIdOf(request: ApprovalRequest): string {
  const { approvalId } = request.params;
  if (!isId(approvalId)) {
    throw unknownApproval();
  }
  return approvalId;
}
