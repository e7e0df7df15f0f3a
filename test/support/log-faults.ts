import { verifyChain } from '../../src/digests/verify-chain';
import { chainOfRows } from './chain-of-rows';
import { sqliteRows } from './sqlite-rows';

/**
 * Faults of a session whose turns are over, read past all of our own code: a broken chain, calls that have not exactly
 * one result, and questions about calls that nobody will ever settle. Empty when all is well.
 */
export function logFaults(storePath: string, sessionId: string): readonly string[] {
  const rows = sqliteRows(storePath, `select * from entries where session = '${sessionId}' order by seq`);
  const chain = verifyChain(chainOfRows(rows));
  const faults = chain === undefined ? [] : [`${sessionId}: ${chain.fault} at ${chain.seq}`];
  const calls = rows
    .filter((row) => row['type'] === 'model.reply')
    .flatMap((row) => JSON.parse(String(row['data'])).calls as { callId: string }[]);
  for (const { callId } of calls) {
    const results = rows.filter((row) => row['type'] === 'tool.result' && row['call_id'] === callId);
    if (results.length !== 1) {
      faults.push(`${sessionId}: ${callId} has ${results.length} results`);
    }
  }
  const open = sqliteRows(
    storePath,
    `select approval_id from approvals where session = '${sessionId}' and kind = 'call' and status = 'pending'`,
  );
  return [...faults, ...open.map((row) => `${sessionId}: ${row['approval_id']} is still pending`)];
}
