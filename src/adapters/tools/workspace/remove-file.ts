import { unlink } from 'node:fs/promises';
import { checkUnchanged } from './check-unchanged';
import type { Place } from './locate';
import { syncChange } from './sync-change';

/** Removes a file in one step. Throws ToolRefused, and removes nothing, when it changed since it was looked at. */
export async function removeFile(place: Place): Promise<void> {
  await checkUnchanged(place.held, place);
  await unlink(place.held.entry(place.name));
  await syncChange(place.held);
}
