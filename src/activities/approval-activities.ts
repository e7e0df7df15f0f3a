import type { ApprovalSettled, SessionActivities, SettleApprovalInput } from '../core/activity-contracts';
import type { ActivityDependencies } from './activity-dependencies';
import { runLocalStep } from './local-step';
import { isoNow, type SessionLog } from './session-log';

/** Makes the local activity that hands decisions to the store, the only place that takes one. */
export function createApprovalActivities(
  dependencies: ActivityDependencies,
): Pick<SessionActivities, 'settleApproval'> {
  return {
    settleApproval: (input) =>
      runLocalStep(dependencies, input.last, (log) => settleApproval(dependencies, log, input)),
  };
}

async function settleApproval(
  dependencies: ActivityDependencies,
  log: SessionLog,
  { approvalId, candidates, expiredAt, withdraw, now }: SettleApprovalInput,
): Promise<ApprovalSettled> {
  const at = await isoNow(dependencies);
  const settled = await log.write((store, fence) =>
    store.settleApproval(fence, {
      approvalId,
      candidates,
      now,
      at,
      ...(expiredAt === undefined ? {} : { expiredAt }),
      ...(withdraw === true ? { withdraw } : {}),
    }),
  );
  const { outcome, approval, decision, answered, last } = settled;
  return {
    v: 1,
    status: 'settled',
    outcome,
    ...(approval === undefined ? {} : { approval }),
    ...(decision === undefined ? {} : { decision }),
    ...(answered ? { answered } : {}),
    ...(last === undefined ? {} : { last }),
  };
}
