import { NativeConnection, type Worker } from '@temporalio/worker';
import { createExampleWorker } from '../../examples/child-workflow/worker';
import { asInstalledPackage } from './as-installed-package';
import type { RunningStack } from './running-stack';

/** The worker of examples/child-workflow beside a running stack, as its author starts it. */
export class ExampleWorker {
  private readonly connection: NativeConnection;
  private readonly worker: Worker;
  private readonly finished: Promise<void>;

  private constructor(connection: NativeConnection, worker: Worker) {
    this.connection = connection;
    this.worker = worker;
    this.finished = worker.run();
  }

  static async start({ temporalAddress, gateway }: RunningStack): Promise<ExampleWorker> {
    const connection = await NativeConnection.connect({ address: temporalAddress });
    const worker = await createExampleWorker(
      { connection, gatewayUrl: gateway.url },
      {
        stickyQueueScheduleToStartTimeout: 1_000,
        bundlerOptions: { webpackConfigHook: asInstalledPackage },
      },
    );
    return new ExampleWorker(connection, worker);
  }

  async stop(): Promise<void> {
    if (this.worker.getState() === 'RUNNING') {
      this.worker.shutdown();
    }
    await this.finished;
    await this.connection.close();
  }
}
