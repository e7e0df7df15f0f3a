/**
 * Gateway and worker in one process that is made to be killed; the Temporal server lives elsewhere. Settings come by
 * environment, see crash-process. SIGTERM stops it in order: what has begun is finished.
 */
import { join } from 'node:path';
import { createMockModel } from '../../../src/adapters/models/mock/mock-model';
import { openStore } from '../../../src/adapters/store/open-store';
import { buildCatalog } from '../../../src/definitions/build-catalog';
import { defineAgent } from '../../../src/definitions/define-agent';
import { startGateway } from '../../../src/gateway/main';
import { createLogger } from '../../../src/telemetry/create-logger';
import { startWorker } from '../../../src/worker/start-worker';
import { EffectTarget, effectTools } from './effect-tools';
import { Trap } from './trap';
import { trappedStore } from './trapped-store';

const BUNDLE_PATH = join(__dirname, '..', '..', '..', 'dist', 'workflow-bundle.js');

function setting(name: string): string {
  return process.env[name] ?? '';
}

async function main(): Promise<void> {
  const folder = setting('CRASH_FOLDER');
  const trap = new Trap(setting('CRASH_TRAP'));
  const logger = createLogger({ level: 'warn', destination: 2 });
  const store = await openStore({ kind: 'sqlite', path: join(folder, 'holdpoint.db') }, { migrate: true });
  const temporal = { address: setting('CRASH_TEMPORAL'), namespace: 'default', taskQueue: setting('CRASH_TASK_QUEUE') };
  const agent = defineAgent({
    name: 'payer',
    system: 'You pay.',
    ...(setting('CRASH_ACTIVE_MS') === '' ? {} : { limits: { activeMsPerTurn: Number(setting('CRASH_ACTIVE_MS')) } }),
    tools: [...effectTools(new EffectTarget(join(folder, 'target')), trap)],
  });
  const worker = await startWorker({
    temporal,
    tenant: 'default',
    store: trappedStore(store, trap),
    catalog: buildCatalog({ agents: [agent], defaultModel: 'mock:workspace' }),
    adapters: [createMockModel()],
    logger,
    bundlePath: BUNDLE_PATH,
    isDevelopment: true,
    sweep: { everyMs: 1_000, olderThanMs: 2_000 },
  });
  const gateway = await startGateway({ store, temporal, port: 0, logger });
  process.on('SIGTERM', () => worker.shutdown());
  process.stdout.write(`ready at ${gateway.url}\n`);
  await worker.finished;
  await gateway.close();
  await store.close();
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(1);
  },
);
