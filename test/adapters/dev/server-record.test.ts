import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  databaseId,
  findFolderServers,
  type ServerRecord,
  serverArguments,
  writeServerRecord,
} from '../../../src/dev/server-record';
import { openStateFolder, type StateFolder } from '../../../src/dev/state-folder';
import { takeOverServer } from '../../../src/dev/take-over-server';
import { temporaryFolders } from '../../support/dev/temporary-folders';

const newFolder = temporaryFolders();
const PORT = 7233;
let processes: ChildProcess[] = [];

afterEach(async () => {
  await Promise.all(
    processes.map(async (child) => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }),
  );
  processes = [];
});

/** A process with the command line of a server of this folder; it serves nothing. */
async function startProcess(args: readonly string[]): Promise<{ pid: number; commandLine: string }> {
  const all = ['-e', 'setInterval(() => undefined, 60_000)', '--', ...args];
  const child = spawn(process.execPath, all, { stdio: 'ignore' });
  processes.push(child);
  await once(child, 'spawn');
  return { pid: child.pid ?? 0, commandLine: [process.execPath, ...all].join(' ') };
}

async function folderWithServer(): Promise<{ folder: StateFolder; record: ServerRecord }> {
  const folder = openStateFolder(newFolder());
  writeFileSync(folder.temporalDatabase, 'a database');
  const server = await startProcess(serverArguments(folder, PORT, 'default'));
  const startedAt = new Date().toISOString();
  const record = { ...server, port: PORT, namespace: 'default', startedAt, databaseId: databaseId(folder) };
  writeServerRecord(folder, record);
  return { folder, record };
}

describe('the servers of a state folder', () => {
  it('are the recorded one, with its record', async () => {
    const { folder, record } = await folderWithServer();
    expect(findFolderServers(folder)).toEqual([{ pid: record.pid, record }]);
  });

  it('are found after the folder was moved, and not in a copy of the folder', async () => {
    const { folder, record } = await folderWithServer();
    const copy = join(newFolder(), 'copy');
    cpSync(folder.path, copy, { recursive: true });
    expect(findFolderServers(openStateFolder(copy))).toEqual([]);
    const moved = join(newFolder(), 'moved');
    renameSync(folder.path, moved);
    expect(findFolderServers(openStateFolder(moved))).toEqual([{ pid: record.pid, record }]);
  });

  it.each<[string, (folder: StateFolder) => void]>([
    ['there is no record', (folder) => rmSync(folder.serverFile)],
    ['the record is half a file', (folder) => writeFileSync(folder.serverFile, '{"pid": 1')],
    ['the record has a pid that is no process id', (folder) => writeFileSync(folder.serverFile, '{"pid": -1}')],
    ['the database was deleted', (folder) => rmSync(folder.temporalDatabase)],
    [
      'the database was replaced',
      (folder) => {
        writeFileSync(`${folder.temporalDatabase}.new`, 'another database');
        renameSync(`${folder.temporalDatabase}.new`, folder.temporalDatabase);
      },
    ],
  ])('are found by their command line, without a record, when %s', async (_name, change) => {
    const { folder, record } = await folderWithServer();
    change(folder);
    expect(findFolderServers(folder)).toEqual([{ pid: record.pid, record: null }]);
  });

  it('include a second one on the same database', async () => {
    const { folder, record } = await folderWithServer();
    const second = await startProcess(serverArguments(folder, PORT + 1, 'default'));
    expect(findFolderServers(folder)).toEqual([
      { pid: record.pid, record },
      { pid: second.pid, record: null },
    ]);
    const options = { folder, port: 0, namespace: 'default', signal: new AbortController().signal };
    expect(await takeOverServer(options)).toBeNull();
  });

  it('do not include a foreign process that got the recorded id, nor the server of another folder', async () => {
    const { folder, record } = await folderWithServer();
    const other = openStateFolder(join(newFolder(), 'temporal.db --ip 127.0.0.1'));
    const foreign = await startProcess(serverArguments(other, PORT, 'default'));
    writeServerRecord(folder, { ...record, pid: foreign.pid });
    expect(findFolderServers(folder).map(({ pid }) => pid)).toEqual([record.pid]);
  });

  it.each([
    ['port', { port: PORT + 1, namespace: 'default' }],
    ['namespace', { port: 0, namespace: 'orders' }],
  ])('are not taken over when another %s is wanted', async (_name, wanted) => {
    const { folder } = await folderWithServer();
    expect(await takeOverServer({ folder, ...wanted, signal: new AbortController().signal })).toBeNull();
  });
});
