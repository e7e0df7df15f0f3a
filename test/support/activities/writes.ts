import type { SessionStore } from '../../../src/core/ports/session-store';
import type { CallPlan } from '../../../src/core/tools';
import type { ToolDefinition } from '../../../src/definitions/define-tool';
import { type ActivityWorld, at, first } from './activity-world';
import { calls } from './scripted-model';

/** Past every lease of a tool with a time limit of a second. */
const AFTER_LEASE_MS = 12_000;

/** A write that a person has approved. */
export async function approvedWrite(world: ActivityWorld, tool: ToolDefinition): Promise<CallPlan> {
  world.useTools([tool]);
  world.model.add(calls(['change', { text: 'a' }]));
  const plan = first((await world.callModel()).calls);
  expect(await world.decide(plan.approvalId ?? '', 'approve')).toBe('taken');
  return plan;
}

/** An approved write whose first attempt began and then died with its worker. */
export async function lostWrite(world: ActivityWorld, tool: ToolDefinition): Promise<CallPlan> {
  const plan = await approvedWrite(world, tool);
  await loseTry(world, plan, plan.approvalId ?? '');
  return plan;
}

/** A try that begins and is never heard of again. */
export async function loseTry(
  world: ActivityWorld,
  plan: CallPlan,
  approvalId: string,
  afterTry?: number,
): Promise<void> {
  const outcome = await world.store.beginTry(
    { ...world.key, runId: world.runId },
    {
      turn: 1,
      callId: plan.callId,
      tool: plan.tool,
      attemptToken: `lost-${approvalId}`,
      timeoutMs: plan.timeoutMs ?? 0,
      idempotencyKey: 'key',
      approvalId,
      ...(afterTry === undefined ? {} : { afterTry }),
      at: at(),
    },
  );
  expect(outcome.status).toBe('begun');
}

/** Lets the store's clock pass every lease. */
export function passLeases(world: ActivityWorld): void {
  world.use({ store: later(world.store, () => AFTER_LEASE_MS) });
}

/** The same, until the next try begins: its own lease lies in the future again. */
export function passLeasesOnce(world: ActivityWorld): void {
  let aheadMs = AFTER_LEASE_MS;
  const ahead = later(world.store, () => aheadMs);
  world.use({
    store: {
      ...ahead,
      beginTry: async (fence, input) => {
        const outcome = await ahead.beginTry(fence, input);
        aheadMs = outcome.status === 'begun' ? 0 : aheadMs;
        return outcome;
      },
    },
  });
}

/** Resolves when the log holds this many tries. */
export async function triesBegun(world: ActivityWorld, count: number): Promise<void> {
  while ((await world.entriesOf('tool.started')).length < count) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function later(store: SessionStore, aheadMs: () => number): SessionStore {
  return {
    ...store,
    clockMs: async () => (await store.clockMs()) + aheadMs(),
    beginTry: async (fence, input) => {
      const outcome = await store.beginTry(fence, input);
      return outcome.status === 'busy' ? { ...outcome, storeNowMs: outcome.storeNowMs + aheadMs() } : outcome;
    },
  };
}
