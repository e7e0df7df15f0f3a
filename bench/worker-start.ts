/**
 * How long a worker takes until it polls, with the bundle that the build made and with one that it makes at its start, as
 * a worker with `workflowsPath` does. The library is loaded before either.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { createMockModel } from '../src/adapters/models/mock/mock-model';
import { openMemoryStore } from '../src/adapters/store/open-store';
import { buildCatalog } from '../src/definitions/build-catalog';
import { startWorker } from '../src/worker/start-worker';
import { workspaceAgent } from '../src/worker/workspace-agent';
import { OwnTemporalServer } from '../test/support/own-temporal-server';
import { silentLogger } from '../test/support/silent-logger';
import { inPairs, pairedValues } from './support/paired';
import { report } from './support/report';

const ROOT_FOLDER = join(__dirname, '..');

async function startMs(address: string, folder: string, bundlePath: string): Promise<number> {
  const store = await openMemoryStore(() => Date.now());
  const startedMs = performance.now();
  const worker = await startWorker({
    temporal: { address, namespace: 'default', taskQueue: 'worker-start' },
    tenant: 'default',
    store,
    catalog: buildCatalog({
      agents: [workspaceAgent({ root: folder, protectedFolders: [], approvalExpiryMs: undefined })],
      defaultModel: 'mock:workspace',
    }),
    adapters: [createMockModel()],
    logger: silentLogger,
    bundlePath,
    isDevelopment: true,
  });
  const tookMs = performance.now() - startedMs;
  worker.shutdown();
  await worker.finished;
  await store.close();
  return tookMs;
}

/** Makes a bundle and returns how long that took. */
async function bundleMs(bundlePath: string): Promise<number> {
  const startedMs = performance.now();
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(ROOT_FOLDER, 'dist/src/workflows/index.js'),
    payloadConverterPath: join(ROOT_FOLDER, 'dist/src/workflows/payload-converter.js'),
    logger: new DefaultLogger('ERROR'),
  });
  writeFileSync(bundlePath, code);
  return performance.now() - startedMs;
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-bench-'));
  const temporal = await OwnTemporalServer.start(folder);
  const { address } = temporal.server;
  const made = join(folder, 'made-at-start.js');
  const built = join(ROOT_FOLDER, 'dist/workflow-bundle.js');
  try {
    // The first worker of a process loads more than itself.
    await startMs(address, folder, built);
    const pairs = await inPairs(
      () => startMs(address, folder, built),
      async () => (await bundleMs(made)) + (await startMs(address, folder, made)),
    );
    report({ name: 'worker-start/polling', unit: 'ms', ...pairedValues('bundling at start', pairs) });
  } finally {
    await temporal.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

void main();
