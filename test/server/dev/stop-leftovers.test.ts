import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { acquireFolderLock } from '../../../src/dev/folder-lock';
import { readCommandLine } from '../../../src/dev/process-command-line';
import { processIsRunning } from '../../../src/dev/process-is-running';
import { stopLeftovers } from '../../../src/dev/stop-leftovers';
import { startScript } from '../../support/dev/script-process';
import { temporaryFolders } from '../../support/dev/temporary-folders';

const newFolder = temporaryFolders();

describe('ending what a kill left behind', () => {
  it('refuses while a live holdpoint holds the folder, then ends the server of the killed one, and no copy of it', async () => {
    const folder = newFolder();
    const script = startScript('run-temporal-server', [folder]);
    const { pid } = JSON.parse(await script.firstLine) as { pid: number };
    await expect(stopLeftovers(folder)).rejects.toMatchObject({ code: 'folder_in_use', details: { pid: script.pid } });
    await script.kill();

    const copy = join(newFolder(), 'copy');
    cpSync(folder, copy, { recursive: true });
    expect(await stopLeftovers(copy)).toEqual([]);
    expect(processIsRunning(pid)).toBe(true);

    expect(await stopLeftovers(folder)).toEqual([pid]);
    expect(processIsRunning(pid)).toBe(false);
    expect(existsSync(join(folder, 'server.json'))).toBe(false);
    expect(existsSync(join(folder, 'owner.json'))).toBe(false);
    expect(await stopLeftovers(folder)).toEqual([]);
  });

  it('never ends a foreign process that has the recorded id', async () => {
    const folder = newFolder();
    const foreign = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 60_000)'], { stdio: 'ignore' });
    await once(foreign, 'spawn');
    const pid = foreign.pid ?? 0;
    const record = { pid, port: 7233, namespace: 'default', startedAt: new Date().toISOString(), databaseId: null };
    // Even a record that knows the foreign command line does not make it a server of this folder.
    const commandLine = readCommandLine(pid);
    writeFileSync(join(folder, 'server.json'), JSON.stringify({ ...record, commandLine }));
    expect(await stopLeftovers(folder)).toEqual([]);
    expect(processIsRunning(pid)).toBe(true);
    foreign.kill('SIGKILL');
    await once(foreign, 'exit');
  });

  it('does nothing where there is no folder, and makes none', async () => {
    const folder = join(newFolder(), '.holdpoint');
    expect(await stopLeftovers(folder)).toEqual([]);
    expect(existsSync(folder)).toBe(false);
  });

  it('leaves the folder free', async () => {
    const folder = newFolder();
    await stopLeftovers(folder);
    const lock = await acquireFolderLock(folder);
    expect(readFileSync(join(folder, 'owner.json'), 'utf8')).toContain(String(process.pid));
    lock.release();
  });
});
