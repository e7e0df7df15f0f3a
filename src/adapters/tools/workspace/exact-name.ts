import type { BigIntStats } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { ToolRefused } from '../../../core/tool-refused';
import { type HeldFolder, isSameFile } from './held-folder';

/**
 * Throws ToolRefused when the file system took a name for another one: in other letters (`README` for `readme`),
 * composed differently, or a short form of it. Such a name could reach what is protected under its true name, and an
 * approver would read another name than the one that is changed.
 *
 * @param seen What lies under the name.
 */
export async function checkExactName(folder: HeldFolder, name: string, seen: BigIntStats): Promise<void> {
  if ((await isForgiving(folder, name, seen)) && !(await hasName(folder, name))) {
    throw new ToolRefused(`${folder.shown(name)} is written differently on the disk. Use the name list_files shows.`);
  }
}

/** True when the same name in other letters reaches the same file. Spares most folders from being read whole. */
async function isForgiving(folder: HeldFolder, name: string, seen: BigIntStats): Promise<boolean> {
  const upper = name.toUpperCase();
  const other = upper === name ? name.toLowerCase() : upper;
  if (other === name) {
    return false;
  }
  // Whatever stops this look (nothing there, too long in these letters), the other name does not reach the file.
  const there = await lstat(folder.entry(other), { bigint: true }).catch(() => undefined);
  return there !== undefined && isSameFile(there, seen);
}

async function hasName(folder: HeldFolder, name: string): Promise<boolean> {
  for await (const entry of await opendir(folder.path)) {
    // Some file systems store every name decomposed and find it composed.
    if (entry.name.normalize('NFC') === name) {
      return true;
    }
  }
  return false;
}
