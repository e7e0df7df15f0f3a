import { Client, type WorkflowHandle } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { RunningStack, type StackOptions } from '../../test/support/running-stack';

export interface BareActivities {
  empty(): Promise<void>;
}

const TASK_QUEUE = 'bare';

/** A worker for the bare workflows, on the server that holdpoint is measured on. */
export class BareWorker {
  private readonly client: Client;
  private readonly close: () => Promise<void>;
  private readonly started: number[];
  private count = 0;

  private constructor(client: Client, started: number[], close: () => Promise<void>) {
    this.client = client;
    this.started = started;
    this.close = close;
  }

  static async start(address: string): Promise<BareWorker> {
    const connection = await NativeConnection.connect({ address });
    const started: number[] = [];
    const activities: BareActivities = {
      empty: async () => {
        started.push(Date.now());
      },
    };
    const worker = await Worker.create({
      connection,
      taskQueue: TASK_QUEUE,
      workflowsPath: require.resolve('./bare-workflow'),
      activities: { ...activities },
    });
    const running = worker.run();
    return new BareWorker(new Client({ connection }), started, async () => {
      worker.shutdown();
      await running;
      await connection.close();
    });
  }

  /** When the newest activity started, in milliseconds since 1970. */
  lastStartMs(): number {
    return this.started.at(-1) ?? Number.NaN;
  }

  /** A workflow that waits for the signal `go`, and then runs so many activities. */
  startWorkflow(activities: number): Promise<WorkflowHandle> {
    this.count += 1;
    const workflowId = `bare-${this.count}`;
    return this.client.workflow.start('bareActivities', { taskQueue: TASK_QUEUE, workflowId, args: [activities] });
  }

  async stop(): Promise<void> {
    await this.close();
  }
}

/** Starts holdpoint and a bare worker on one server, measures, and stops both. */
export async function onStackAndBareWorker(
  options: StackOptions,
  measure: (stack: RunningStack, bare: BareWorker) => Promise<void>,
): Promise<void> {
  const stack = await RunningStack.start(options);
  try {
    const bare = await BareWorker.start(stack.temporalAddress);
    try {
      await measure(stack, bare);
    } finally {
      await bare.stop();
    }
  } finally {
    await stack.stop();
  }
}
