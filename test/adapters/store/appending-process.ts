/**
 * A process of its own that appends messages to a session, one after the other, and prints each sequence once the store
 * has acknowledged it. Arguments: settings, fence (both JSON), a prefix for the message ids, how many.
 */
import { openStore, type StoreSettings } from '../../../src/adapters/store/open-store';
import type { RunFence } from '../../../src/core/ports/worker-store';
import { AT, userMessage } from './session-under-test';

async function main([settings, fence, prefix, count]: readonly string[]): Promise<void> {
  const store = await openStore(JSON.parse(settings ?? '') as StoreSettings, { migrate: false });
  for (let index = 1; index <= Number(count); index += 1) {
    const entry = userMessage(`${prefix}-${index}`, {}, 'x'.repeat(2_000));
    const { last } = await store.append(JSON.parse(fence ?? '') as RunFence, { entries: [entry], at: AT });
    process.stdout.write(`${last[0]}\n`);
  }
  await store.close();
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${String((error as { code?: unknown }).code)} ${String(error)}\n`);
  process.exitCode = 1;
});
