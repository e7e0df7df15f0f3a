import { z } from 'zod';
import { type Limits, limitRange } from '../limits';

/** Limits a session asks for. Whether they narrow those of its agent is checked apart. */
export const sessionLimits = z.strictObject({
  roundsPerTurn: limit('roundsPerTurn'),
  activeMsPerTurn: limit('activeMsPerTurn'),
  modelCallMs: limit('modelCallMs'),
  callsPerTurn: limit('callsPerTurn'),
  resultCharactersPerTurn: limit('resultCharactersPerTurn'),
  resultBytes: limit('resultBytes'),
  approvalExpiryMs: limit('approvalExpiryMs'),
  grantUseMs: limit('grantUseMs'),
  idleMs: limit('idleMs'),
} satisfies Record<keyof Limits, z.ZodType<number | undefined>>);

function limit(name: keyof Limits) {
  const [smallest, largest] = limitRange(name);
  return z.int().min(smallest).max(largest).exactOptional();
}
