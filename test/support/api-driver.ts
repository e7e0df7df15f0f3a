import { type Answer, sendRequest } from './gateway/gateway-under-test';

const DEADLINE_MS = 60_000;
const PAUSE_MS = 25;

/** A pending approval as HTTP shows it. */
export interface Pending {
  readonly approvalId: string;
  readonly sessionId: string;
  readonly callId: string;
  readonly kind: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly argumentsDigest: string;
  readonly preview?: string;
  readonly expiresAt: string;
}

/** An entry as HTTP shows it. */
export interface WireEntry {
  readonly seq: number;
  readonly key: string;
  readonly type: string;
  readonly callId?: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Drives sessions over HTTP, as another service would. */
export abstract class ApiDriver {
  /** Agent of the sessions it starts. */
  protected readonly agent: string;

  constructor(agent = 'workspace') {
    this.agent = agent;
  }

  /** Where the gateway is at this moment. */
  protected abstract baseUrl(): string;

  /** What to show when something did not happen in time. */
  protected explain(): string {
    return '';
  }

  get(path: string): Promise<Answer> {
    return sendRequest(this.port(), 'GET', path);
  }

  post(path: string, body: unknown): Promise<Answer> {
    return sendRequest(this.port(), 'POST', path, { body });
  }

  async startSession(content: string, sessionId?: string): Promise<string> {
    const answer = await this.post('/v1/sessions', {
      agent: this.agent,
      message: { content },
      ...(sessionId === undefined ? {} : { sessionId }),
    });
    if (answer.status !== 201) {
      throw new Error(`The session was not created: ${answer.text}`);
    }
    return String(answer.json?.['sessionId']);
  }

  send(sessionId: string, content: string): Promise<Answer> {
    return this.post(`/v1/sessions/${sessionId}/messages`, { content });
  }

  /** Asks until the answer is as wished; fails with the last one after a deadline. A gateway that is gone is asked again. */
  async until(
    path: string,
    isDone: (json: Readonly<Record<string, unknown>>) => boolean,
    deadlineMs = DEADLINE_MS,
  ): Promise<Readonly<Record<string, unknown>>> {
    const endMs = Date.now() + deadlineMs;
    for (;;) {
      const { json = {}, text } = await this.get(path).catch((error: unknown) => ({ json: {}, text: String(error) }));
      if (isDone(json)) {
        return json;
      }
      if (Date.now() > endMs) {
        throw new Error(`${path} did not get there: ${text}\n${this.explain()}`);
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  /** Resolves with the session when its turn is over and nothing else runs. */
  untilTurnEnded(
    sessionId: string,
    turn: number,
    deadlineMs = DEADLINE_MS,
  ): Promise<Readonly<Record<string, unknown>>> {
    return this.until(
      `/v1/sessions/${sessionId}`,
      (json) => {
        const last = json['lastTurn'] as { readonly turn: number } | null | undefined;
        return json['status'] !== 'running' && (last?.turn ?? 0) >= turn;
      },
      deadlineMs,
    );
  }

  /** The pending approvals of a session, once there are as many as expected, in the order of their calls. */
  async pending(sessionId: string, count = 1): Promise<readonly Pending[]> {
    const mine = (json: Readonly<Record<string, unknown>>) =>
      ((json['approvals'] ?? []) as Pending[]).filter((approval) => approval.sessionId === sessionId);
    const json = await this.until('/v1/approvals?status=pending', (answer) => mine(answer).length === count);
    return mine(json).sort((left, right) => left.callId.localeCompare(right.callId));
  }

  decide(approval: Pending, decision: string, more: object = {}): Promise<Answer> {
    const { approvalId, argumentsDigest } = approval;
    return this.post(`/v1/approvals/${approvalId}/decisions`, { decision, argumentsDigest, ...more });
  }

  /** The log of a session as HTTP shows it. */
  async wireEntries(sessionId: string): Promise<readonly WireEntry[]> {
    const { json } = await this.get(`/v1/sessions/${sessionId}/entries?after=0`);
    return (json?.['entries'] ?? []) as WireEntry[];
  }

  private port(): number {
    return Number(new URL(this.baseUrl()).port);
  }
}

/** How many entries there are of each type. */
export function countByType(entries: readonly { readonly type: string }[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { type } of entries) {
    counts[type] = (counts[type] ?? 0) + 1;
  }
  return counts;
}
