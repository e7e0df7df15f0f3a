import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { HoldpointError } from '../core/errors';
import { isRecord } from '../core/json';

/** What says where the gateway is. */
export interface AddressSources {
  /** What `--url` was given. */
  readonly flag: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingFolder: string;
}

export interface GatewayAddress {
  readonly url: string;
  /** Where it comes from, for people. */
  readonly source: string;
}

const DEFAULT_URL = 'http://127.0.0.1:8400';
const STATE_FOLDER = '.holdpoint';

/**
 * Where the gateway is: `--url`, else HOLDPOINT_URL, else what a running `holdpoint dev` announces in its state folder
 * (HOLDPOINT_HOME, else the nearest `.holdpoint` upward), else http://127.0.0.1:8400. Throws HoldpointError
 * `invalid_request` for a text that is no address.
 */
export function gatewayAddress({ flag, environment, workingFolder }: AddressSources): GatewayAddress {
  const named = environment['HOLDPOINT_URL']?.trim();
  if (flag !== undefined) {
    return { url: checked(flag, '--url'), source: '--url' };
  }
  if (named) {
    return { url: checked(named, 'HOLDPOINT_URL'), source: 'HOLDPOINT_URL' };
  }
  return announcedAddress(environment, workingFolder) ?? { url: DEFAULT_URL, source: 'the default' };
}

function checked(text: string, source: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new HoldpointError('invalid_request', `${source}: expected an address such as ${DEFAULT_URL}, got ${text}`);
  }
  return text;
}

function announcedAddress(
  environment: AddressSources['environment'],
  workingFolder: string,
): GatewayAddress | undefined {
  const home = environment['HOLDPOINT_HOME']?.trim();
  const folders = home ? [resolve(workingFolder, home)] : stateFoldersUpward(workingFolder);
  for (const folder of folders) {
    const url = announcedIn(folder);
    if (url !== undefined) {
      return { url, source: folder };
    }
  }
  return undefined;
}

function stateFoldersUpward(workingFolder: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = resolve(workingFolder); ; folder = dirname(folder)) {
    folders.push(join(folder, STATE_FOLDER));
    if (folder === dirname(folder)) {
      return folders;
    }
  }
}

function announcedIn(folder: string): string | undefined {
  try {
    const owner: unknown = JSON.parse(readFileSync(join(folder, 'owner.json'), 'utf8'));
    const { url, pid } = isRecord(owner) ? owner : {};
    return typeof url === 'string' && URL.canParse(url) && typeof pid === 'number' && isRunning(pid) ? url : undefined;
  } catch {
    return undefined;
  }
}

/** A holdpoint that was killed leaves its announcement behind. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
