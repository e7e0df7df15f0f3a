import { acquireFolderLock, type FolderLock } from '../../src/dev/folder-lock';
import { startTemporalServer, type TemporalServer } from '../../src/dev/start-temporal-server';
import { temporalExecutable } from './dev/temporal-executable';

/** A development server in a state folder of its own, started by the code that users run. */
export class OwnTemporalServer {
  readonly server: TemporalServer;
  private readonly lock: FolderLock;

  private constructor(server: TemporalServer, lock: FolderLock) {
    this.server = server;
    this.lock = lock;
  }

  /** @param port Default: a free one. */
  static async start(folder: string, port?: number): Promise<OwnTemporalServer> {
    const lock = await acquireFolderLock(folder);
    const server = await startTemporalServer({
      executable: await temporalExecutable(),
      folder: lock.folder,
      environment: process.env,
      ...(port === undefined ? {} : { port }),
      onEvent: () => undefined,
    });
    return new OwnTemporalServer(server, lock);
  }

  async stop(): Promise<void> {
    await this.server.stop();
    this.lock.release();
  }
}
