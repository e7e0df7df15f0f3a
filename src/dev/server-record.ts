import { rmSync, statSync } from 'node:fs';
import { listCommandLines, readCommandLine } from './process-command-line';
import { readJsonFile } from './read-json-file';
import type { StateFolder } from './state-folder';
import { writeJsonFile } from './write-json-file';

/** What `server.json` says about the Temporal server of a state folder. */
export interface ServerRecord {
  readonly pid: number;
  readonly port: number;
  readonly namespace: string;
  /** As the operating system showed it; some installations put a script in front that replaces itself. */
  readonly commandLine: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** Names the database file itself, whatever its path; null until the server has made the file. */
  readonly databaseId: string | null;
}

/** A server process that uses the database of a state folder. */
export interface FolderServer {
  readonly pid: number;
  /** Its record, when `server.json` vouches for it: only then its port and its open database file are known. */
  readonly record: ServerRecord | null;
}

/**
 * The arguments a server is started with. The database comes right after the fixed words: that is how a process is
 * known as the server of a folder, so change the order only together with `servesDatabase`.
 */
export function serverArguments(folder: StateFolder, port: number, namespace: string): readonly string[] {
  return [
    ...['server', 'start-dev', '--headless', '--db-filename', folder.temporalDatabase],
    ...['--ip', '127.0.0.1', '--port', String(port), '--namespace', namespace, '--log-level', 'warn'],
    // Otherwise the server asks its vendor for newer versions.
    ...['--dynamic-config-value', 'frontend.enableServerVersionCheck=false'],
  ];
}

function servesDatabase(commandLine: string, folder: StateFolder): boolean {
  return commandLine.includes(` server start-dev --headless --db-filename ${folder.temporalDatabase} --ip `);
}

/** Names the folder's database file independent of its path (device and inode); null when there is none. */
export function databaseId(folder: StateFolder): string | null {
  const status = statSync(folder.temporalDatabase, { throwIfNoEntry: false });
  return status === undefined ? null : `${status.dev}:${status.ino}`;
}

export function writeServerRecord(folder: StateFolder, record: ServerRecord): void {
  writeJsonFile(folder.serverFile, record);
}

export function removeServerRecord(folder: StateFolder): void {
  rmSync(folder.serverFile, { force: true });
}

/**
 * All live servers on the folder's database. A process counts only by its own command line: it names this folder's
 * database, or it is word for word the recorded one and the recorded file is still this file (the folder was moved).
 * So a process that merely got a recorded id, or the server of the folder that this one was copied from, never counts.
 * The list of all processes is searched too, for a server whose record was lost.
 */
export function findFolderServers(folder: StateFolder): readonly FolderServer[] {
  const record = readServerRecord(folder);
  const recorded = record === null ? null : checkRecord(folder, record);
  const others = listCommandLines()
    .filter(({ pid, commandLine }) => pid !== recorded?.pid && servesDatabase(commandLine, folder))
    .map(({ pid }) => ({ pid, record: null }));
  return recorded === null ? others : [recorded, ...others];
}

function checkRecord(folder: StateFolder, record: ServerRecord): FolderServer | null {
  const commandLine = readCommandLine(record.pid);
  if (commandLine === null) {
    return null;
  }
  const sameFile = record.databaseId !== null && record.databaseId === databaseId(folder);
  const sameProcess = commandLine === record.commandLine;
  if (sameFile && sameProcess) {
    return { pid: record.pid, record };
  }
  return servesDatabase(commandLine, folder) ? { pid: record.pid, record: null } : null;
}

function readServerRecord(folder: StateFolder): ServerRecord | null {
  const value = readJsonFile(folder.serverFile);
  if (value === null) {
    return null;
  }
  const { pid, port, namespace, commandLine, startedAt, databaseId: id } = value;
  return isNumberAbove(1, pid) &&
    isNumberAbove(0, port) &&
    typeof namespace === 'string' &&
    typeof commandLine === 'string' &&
    typeof startedAt === 'string' &&
    (typeof id === 'string' || id === null)
    ? { pid, port, namespace, commandLine, startedAt, databaseId: id }
    : null;
}

function isNumberAbove(minimum: number, value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > minimum;
}
