import type { ApprovalRecord } from '../../../src/core/approvals';
import { expectProblem } from './expect-problem';
import { type Answer, type GatewayUnderTest, openGatewayUnderTest } from './gateway-under-test';
import { type Question, StandInWorker } from './stand-in-worker';

/** A gateway with one session, `mine`, whose worker asks and settles as a test says. */
export class ApprovalDesk {
  readonly gateway: GatewayUnderTest;
  readonly worker: StandInWorker;

  private constructor(gateway: GatewayUnderTest) {
    this.gateway = gateway;
    this.worker = new StandInWorker(gateway.store, 'mine');
  }

  /** @param folder Empty folder for the store. */
  static async open(folder: string): Promise<ApprovalDesk> {
    const gateway = await openGatewayUnderTest({ folder, outcomeTimeoutMs: 300 });
    const body = { agent: 'workspace', message: { content: 'write a.txt: hello' }, sessionId: 'mine' };
    expect((await gateway.post('/v1/sessions', body)).status).toBe(201);
    return new ApprovalDesk(gateway);
  }

  /** A pending approval whose decisions a worker settles as soon as it hears of them. */
  async askWithWorker(question: Question = {}): Promise<ApprovalRecord> {
    const approval = await this.worker.ask(question);
    this.gateway.sessions.react = async ({ signal, payload }) => {
      if (signal === 'decide') {
        await this.worker.settle(String(payload['approvalId']));
      }
    };
    return approval;
  }

  decide({ approvalId }: ApprovalRecord, body: object, headers: Record<string, string> = {}): Promise<Answer> {
    return this.gateway.post(`/v1/approvals/${approvalId}/decisions`, body, headers);
  }

  approve(approval: ApprovalRecord, more: object = {}): Promise<Answer> {
    return this.decide(approval, { decision: 'approve', argumentsDigest: approval.argumentsDigest, ...more });
  }
}

/** Checks a decision that was refused: a problem that also says what became of it. */
export function expectRefusal(answer: Answer, status: number, outcome: string, approvalStatus: string): void {
  const { outcome: told, decisionId, approval, ...problem } = answer.json ?? {};
  expectProblem({ ...answer, json: problem }, status, outcome);
  expect(told).toBe(outcome);
  expect(decisionId).toEqual(expect.any(String));
  expect(approval).toMatchObject({ status: approvalStatus });
}
