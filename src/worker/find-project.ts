import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { HoldpointError } from '../core/errors';
import { findConfig } from '../definitions/find-config';

/** Where a project lies. */
export interface ProjectPlace {
  /** Its configuration, absolute; undefined = it has none, and the built-in agent runs. */
  readonly configPath: string | undefined;
  /** Folder of the configuration, else the working folder. */
  readonly folder: string;
}

/**
 * The project that a command is for: that of the file it names, else that of the nearest configuration above the working
 * folder. Loads nothing. Throws HoldpointError `invalid_config` when the file is not there, or one folder holds two.
 *
 * @param configFile What `--config` was given; relative to the working folder.
 */
export function findProject(configFile: string | undefined, workingFolder: string = process.cwd()): ProjectPlace {
  const configPath = configFile === undefined ? findConfig(workingFolder) : resolve(workingFolder, configFile);
  if (configFile !== undefined && !statSync(configPath ?? '', { throwIfNoEntry: false })?.isFile()) {
    throw new HoldpointError(
      'invalid_config',
      `--config: expected a file that exists, got ${JSON.stringify(configFile)}`,
    );
  }
  return { configPath, folder: configPath === undefined ? workingFolder : dirname(configPath) };
}
