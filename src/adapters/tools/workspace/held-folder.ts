import { type BigIntStats, constants, existsSync } from 'node:fs';
import { type FileHandle, lstat, open, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ToolRefused } from '../../../core/tool-refused';
import { fileErrorCode } from './explain-file-error';
import { quotePath } from './workspace-path';

/** Without O_NONBLOCK, opening a pipe that took a folder's place could wait for a writer. */
const FOLDER_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** The folder the tools work in, and folders in it that they never enter. */
export interface Workspace {
  /** Absolute. May itself be a symbolic link: whoever starts the worker chose it. */
  readonly root: string;
  /** Absolute; compared by identity, not by name. */
  readonly protectedFolders: readonly string[];
}

/** One folder on the way from the workspace down, as it was when it was opened. */
interface Step {
  readonly name: string;
  readonly absolutePath: string;
  readonly stats: BigIntStats;
}

type IsProtected = (stats: BigIntStats) => boolean;

/**
 * A folder of the workspace that is held open while a tool works in it.
 *
 * On Linux its `path` goes through the open descriptor (`/proc/self/fd/N`): whoever swaps the folder, or one above it,
 * for a link changes nothing for the tool, which goes on in the folder that was looked at. Use only `path` and
 * `entry(name)` for calls of node:fs, and open what `entry` names with O_NOFOLLOW: the last name is not held.
 *
 * Elsewhere `path` is the plain path, and `checkInPlace` says afterwards whether a folder on the way was swapped. That
 * leaves a gap for somebody who swaps a folder and swaps it back in between.
 */
export class HeldFolder {
  /** For calls of node:fs, never for messages. */
  readonly path: string;
  /** Names from the workspace down; empty for the workspace itself. */
  readonly segments: readonly string[];
  /** What it was when it was opened. */
  readonly stats: BigIntStats;
  private readonly handle: FileHandle;
  private readonly absolutePath: string;
  /** From the workspace down to this folder. */
  private readonly steps: readonly Step[];
  private readonly isProtected: IsProtected;

  private constructor(handle: FileHandle, step: Step, isProtected: IsProtected, above?: HeldFolder) {
    this.handle = handle;
    this.absolutePath = step.absolutePath;
    this.stats = step.stats;
    this.steps = [...(above?.steps ?? []), step];
    this.segments = above === undefined ? [] : [...above.segments, step.name];
    this.isProtected = isProtected;
    this.path = hasDescriptorPaths() ? `/proc/self/fd/${handle.fd}` : step.absolutePath;
  }

  /**
   * Opens the workspace itself. Throws ToolRefused when it is not there, and when it is a protected folder or lies in one.
   * Close what you get.
   */
  static async openRoot(workspace: Workspace): Promise<HeldFolder> {
    const isProtected = await protectedIdentities(workspace.protectedFolders);
    try {
      const absolutePath = await realpath(workspace.root);
      await checkOutside(absolutePath, isProtected);
      const handle = await open(absolutePath, FOLDER_FLAGS);
      const stats = await handle.stat({ bigint: true });
      return new HeldFolder(handle, { name: '', absolutePath, stats }, isProtected);
    } catch (error) {
      if (fileErrorCode(error) === 'ENOENT' || fileErrorCode(error) === 'ENOTDIR') {
        throw new ToolRefused('The workspace folder is not there.', { cause: error });
      }
      throw error;
    }
  }

  /** Where the workspace really lies, links resolved; never for messages. */
  get rootPath(): string {
    return this.steps[0]?.absolutePath ?? this.absolutePath;
  }

  /** The path of one name in the folder, for calls of node:fs, never for messages. */
  entry(name: string): string {
    return join(this.path, name);
  }

  /** The path of one name in the folder as messages quote it. */
  shown(name: string): string {
    return quotePath([...this.segments, name].join('/'));
  }

  /**
   * Looks at one name without following links; undefined when there is nothing. Throws ToolRefused for a symbolic link
   * and for a protected folder.
   */
  async look(name: string): Promise<BigIntStats | undefined> {
    const stats = await lstatOrUndefined(this.entry(name));
    if (stats?.isSymbolicLink() === true) {
      throw new ToolRefused(`${this.shown(name)} is a symbolic link; links are not followed.`);
    }
    if (stats !== undefined && this.isProtected(stats)) {
      throw new ToolRefused(`${this.shown(name)} is protected: it holds the state of this program.`);
    }
    return stats;
  }

  /**
   * Opens a folder in this one: looked at first, opened without following links, and compared by descriptor. Throws
   * ToolRefused when it is missing, no folder, a link, protected, or swapped meanwhile. Close what you get; this folder
   * may be closed before it.
   *
   * @param seen What `look` has just returned for the name; left out, it is looked at here.
   */
  async enter(name: string, seen?: BigIntStats): Promise<HeldFolder> {
    const before = seen ?? (await this.look(name));
    if (before === undefined) {
      throw new ToolRefused(`${this.shown(name)} does not exist.`);
    }
    if (!before.isDirectory()) {
      throw new ToolRefused(`${this.shown(name)} is not a folder.`);
    }
    const handle = await open(this.entry(name), FOLDER_FLAGS);
    try {
      const stats = await handle.stat({ bigint: true });
      if (!isSameFile(before, stats)) {
        throw new ToolRefused(`${this.shown(name)} was replaced while it was opened. Try again.`);
      }
      const absolutePath = join(this.absolutePath, name);
      return new HeldFolder(handle, { name, absolutePath, stats }, this.isProtected, this);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /**
   * Where folders are addressed by plain paths: throws ToolRefused when a folder on the way is not the one that was
   * opened. Call it after a file was opened and before its content is used, and just before a change is made. Where
   * they are addressed by descriptor there is nothing to find out.
   */
  async checkInPlace(): Promise<void> {
    if (hasDescriptorPaths()) {
      return;
    }
    for (const { absolutePath, stats } of this.steps) {
      const now = await lstatOrUndefined(absolutePath);
      if (now === undefined || !isSameFile(stats, now)) {
        const shown = quotePath(this.segments.join('/') || '.');
        throw new ToolRefused(`A folder on the way to ${shown} was replaced meanwhile. Try again.`);
      }
    }
  }

  /** Makes what was done in the folder (files made, renamed, removed) last through a power failure. */
  async sync(): Promise<void> {
    await this.handle.sync();
  }

  async close(): Promise<void> {
    await this.handle.close();
  }
}

/** True when two looks saw the same file, however it is named now. */
export function isSameFile(left: BigIntStats, right: BigIntStats): boolean {
  return left.dev === right.dev && left.ino === right.ino;
}

function hasDescriptorPaths(): boolean {
  return process.platform === 'linux' && existsSync('/proc/self/fd');
}

function lstatOrUndefined(path: string): Promise<BigIntStats | undefined> {
  return lstat(path, { bigint: true }).catch(undefinedWhenMissing);
}

function statOrUndefined(path: string): Promise<BigIntStats | undefined> {
  return stat(path, { bigint: true }).catch(undefinedWhenMissing);
}

function undefinedWhenMissing(error: unknown): undefined {
  if (fileErrorCode(error) === 'ENOENT') {
    return undefined;
  }
  throw error;
}

/** A path of a model goes only down from the workspace; what lies above it is looked at here. */
async function checkOutside(absolutePath: string, isProtected: IsProtected): Promise<void> {
  for (let path = absolutePath, below = ''; path !== below; below = path, path = dirname(path)) {
    if (isProtected(await lstat(path, { bigint: true }))) {
      throw new ToolRefused('The workspace lies in a folder that holds the state of this program.');
    }
  }
}

/** A folder that is not there protects nothing; one that can't be looked at must not be taken for such a one. */
async function protectedIdentities(folders: readonly string[]): Promise<IsProtected> {
  const looks = await Promise.all(folders.map(statOrUndefined));
  const identities = looks.flatMap((stats) => stats ?? []);
  return (stats) => identities.some((identity) => isSameFile(identity, stats));
}
