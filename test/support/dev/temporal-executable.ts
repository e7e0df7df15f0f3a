import { findTemporalServer } from '../../../src/dev/find-temporal-server';

/** The `temporal` binary that users of this machine would run; fetched on first use. */
export async function temporalExecutable(): Promise<string> {
  const environment = { ...process.env, TEMPORAL_ADDRESS: '' };
  const source = await findTemporalServer({ environment, report: (line) => process.stderr.write(`${line}\n`) });
  if (source.kind !== 'binary') {
    throw new Error('an address was not asked for');
  }
  return source.executable;
}
