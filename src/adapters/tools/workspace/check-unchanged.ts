import { ToolRefused } from '../../../core/tool-refused';
import type { HeldFolder } from './held-folder';
import { isSameFile, type Place } from './locate';

/**
 * The last look before a file is replaced or removed: whoever changed it since it was read would lose that change. What
 * somebody does between this look and the step itself can't be seen.
 * Throws ToolRefused when the place is not what it was, or a folder on the way was swapped.
 *
 * @param folder Where the file lies, held open.
 */
export async function checkUnchanged(folder: HeldFolder, { name, stats }: Place): Promise<void> {
  const now = await folder.look(name);
  const isSame =
    stats === undefined || now === undefined
      ? stats === now
      : // The time of the last change of any kind: it can't be set back, and it also sees a new mode or another link.
        isSameFile(stats, now) && stats.size === now.size && stats.ctimeNs === now.ctimeNs && now.nlink === 1n;
  if (!isSame) {
    throw new ToolRefused(`${folder.shown(name)} changed meanwhile. It was left alone; look at it again.`);
  }
  await folder.checkInPlace();
}
