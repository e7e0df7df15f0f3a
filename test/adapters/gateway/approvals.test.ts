import { temporaryFolders } from '../../support/dev/temporary-folders';
import { ApprovalDesk } from '../../support/gateway/approval-desk';

const newFolder = temporaryFolders();
let desk: ApprovalDesk;

beforeEach(async () => {
  desk = await ApprovalDesk.open(newFolder());
});

afterEach(() => desk.gateway.close());

describe('GET /v1/approvals', () => {
  it('lists open questions with all that is needed to decide', async () => {
    expect((await desk.gateway.get('/v1/approvals?status=pending')).json).toEqual({ approvals: [], nextAfter: null });
    const { approvalId, requestedAt, expiresAt } = await desk.worker.ask();
    expect((await desk.gateway.get('/v1/approvals?status=pending')).json).toEqual({
      approvals: [
        {
          approvalId,
          kind: 'call',
          sessionId: 'mine',
          turn: 1,
          round: 1,
          callId: 't1-r1-c1',
          tool: 'write_file',
          summary: 'write a.txt',
          arguments: { path: 'a.txt', content: 'hello' },
          preview: '+hello',
          argumentsDigest: 'digest-mine',
          risk: 'medium',
          reason: 'writes wait for a human',
          requestedAt,
          expiresAt,
          status: 'pending',
        },
      ],
      nextAfter: null,
    });
    expect((await desk.gateway.get('/v1/sessions/mine')).json).toMatchObject({
      status: 'waiting_for_approval',
      openApprovals: [approvalId],
    });
  });

  it('lists by status, or all', async () => {
    const approval = await desk.askWithWorker();
    await desk.decide(approval, { decision: 'reject' });
    expect((await desk.gateway.get('/v1/approvals?status=pending')).json).toEqual({ approvals: [], nextAfter: null });
    for (const query of ['', '?status=rejected', '?limit=1']) {
      expect((await desk.gateway.get(`/v1/approvals${query}`)).json).toMatchObject({
        approvals: [{ status: 'rejected' }],
      });
    }
  });
});

it('shows one approval with its decisions and their outcomes', async () => {
  const approval = await desk.askWithWorker();
  await desk.approve(approval, { argumentsDigest: 'other', decisionId: 'd-wrong' });
  await desk.approve(approval, { comment: 'fine', decisionId: 'd-right' });
  const answer = await desk.gateway.get(`/v1/approvals/${approval.approvalId}`);
  expect(answer.status).toBe(200);
  expect(answer.json).toMatchObject({
    approvalId: approval.approvalId,
    status: 'approved',
    approversNeeded: 1,
    decisions: [
      { decisionId: 'd-wrong', decision: 'approve', outcome: 'digest_mismatch', principal: 'local' },
      {
        decisionId: 'd-right',
        decision: 'approve',
        outcome: 'taken',
        principal: 'local',
        provenance: 'authenticated',
        comment: 'fine',
        decidedAt: expect.any(String),
      },
    ],
  });
  expect(answer.text).not.toContain('usedBy');
});
