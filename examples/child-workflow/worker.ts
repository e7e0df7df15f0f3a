import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { createAnnounceSession } from 'holdpoint/temporal';

/** What the worker speaks to. */
interface ExampleWorkerSettings {
  /** To the Temporal server that holdpoint uses, too. Whoever opened it closes it. */
  readonly connection: NativeConnection;
  /** Where holdpoint's gateway listens. */
  readonly gatewayUrl: string;
}

/** Starts nothing of holdpoint: this worker runs your workflow, a worker of holdpoint runs the agent. */
export async function createExampleWorker(
  { connection, gatewayUrl }: ExampleWorkerSettings,
  more: Partial<WorkerOptions> = {},
): Promise<Worker> {
  return Worker.create({
    connection,
    taskQueue: 'notes',
    workflowsPath: require.resolve('./write-notes'),
    activities: { announceSession: createAnnounceSession({ gatewayUrl }) },
    ...more,
  });
}

async function run(): Promise<void> {
  const { TEMPORAL_ADDRESS = '127.0.0.1:7233', HOLDPOINT_URL = 'http://127.0.0.1:8400' } = process.env;
  const connection = await NativeConnection.connect({ address: TEMPORAL_ADDRESS });
  const worker = await createExampleWorker({ connection, gatewayUrl: HOLDPOINT_URL });
  await worker.run();
  await connection.close();
}

if (require.main === module) {
  run().catch((error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exitCode = 1;
  });
}
