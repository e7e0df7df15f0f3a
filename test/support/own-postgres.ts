import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { waitUntil } from './wait-until';

const FIND_PROGRAMS =
  'dirname "$(realpath "$(command -v initdb || find /usr/lib/postgresql -path "*/bin/initdb" | sort -V | tail -n 1)")"';

/** A Postgres server that a test may stop and start again on the same port and data. It trusts everybody on loopback. */
export class OwnPostgres {
  readonly connectionString: string;
  private readonly programs: string;
  private readonly folder: string;
  private readonly port: number;
  private server: ChildProcess | undefined;

  private constructor(programs: string, folder: string, port: number) {
    this.programs = programs;
    this.folder = folder;
    this.port = port;
    this.connectionString = `postgres://postgres@127.0.0.1:${port}/postgres`;
  }

  static async create(): Promise<OwnPostgres> {
    const programs = execFileSync('sh', ['-c', FIND_PROGRAMS], { encoding: 'utf8' }).trim();
    const folder = mkdtempSync(join(tmpdir(), 'holdpoint-own-postgres-'));
    const user = serverUser();
    if (user.uid !== undefined && user.gid !== undefined) {
      chownSync(folder, user.uid, user.gid);
    }
    chmodSync(folder, 0o700);
    const options = ['-D', join(folder, 'data'), '-U', 'postgres', '-A', 'trust', '--no-sync', '--locale=C'];
    execFileSync(join(programs, 'initdb'), [...options, '--encoding=UTF8'], { ...user, cwd: '/', stdio: 'ignore' });
    return new OwnPostgres(programs, folder, await freePort());
  }

  /** Resolves when the server takes connections. */
  async start(): Promise<void> {
    const settings = ['listen_addresses=127.0.0.1', `unix_socket_directories=${this.folder}`, 'fsync=off'];
    this.server = spawn(
      join(this.programs, 'postgres'),
      ['-D', join(this.folder, 'data'), '-p', String(this.port), ...settings.flatMap((setting) => ['-c', setting])],
      { ...serverUser(), cwd: '/', stdio: 'ignore' },
    );
    await waitUntil(() => this.takesConnections(), Boolean);
  }

  /** Cuts every connection and resolves when the server is gone. */
  async stop(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    if (server !== undefined && server.exitCode === null) {
      const gone = once(server, 'exit');
      server.kill('SIGINT');
      await gone;
    }
  }

  async dispose(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async takesConnections(): Promise<boolean> {
    const client = new Client({ connectionString: this.connectionString });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return true;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

/** Postgres refuses to run as root. */
function serverUser(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) {
    return {};
  }
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

async function freePort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  listener.close();
  await once(listener, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
