import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { createJiti } from 'jiti';
import { SECOND_MS } from '../core/durations';
import { HoldpointError, isHoldpointError } from '../core/errors';
import { hideSecrets } from '../core/hide-secrets';
import { isRecord } from '../core/json';
import { configFaults, type ProjectConfig } from './define-config';

export interface LoadConfigOptions {
  /**
   * Modules that imports of the project are answered with: name to absolute file. It makes `import … from 'holdpoint'`
   * the copy that runs, so that a project never meets two.
   */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Longest time the modules may take to load, in milliseconds. Default 10,000. */
  readonly timeoutMs?: number;
  /**
   * Hears the absolute path of each file before it is translated, also of one that then breaks. Modules that Node can
   * load as they are (plain JavaScript) are not translated, and not heard of.
   */
  readonly onTranslate?: (path: string) => void;
}

const DEFAULT_TIMEOUT_MS = 10 * SECOND_MS;
const OWN_FOLDER = dirname(__dirname);
/** A place in a file, as stacks print it, at the end of a line. */
const PLACE = /(?:^\s*|at (?:async )?|\()((?:file:\/\/)?\/[^():]+:\d+(?::\d+)?)\)?$/;
const MAX_LINE_CHARACTERS = 500;

/**
 * Loads the configuration at an absolute path: TypeScript, CommonJS or ES modules, as they are. Each call evaluates the
 * project's files anew.
 *
 * Throws HoldpointError `invalid_config` that names the file and either every fault in it or where its code broke: it
 * throws, imports what is not there, can't be parsed, exports nothing, or does not come to an end. Code that blocks the
 * process can't be stopped from inside it.
 */
export async function loadConfig(path: string, options: LoadConfigOptions = {}): Promise<ProjectConfig> {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) {
    throw new HoldpointError('invalid_config', `${path}: expected a configuration, but there is no such file`);
  }
  const exported = await importWithin(path, options);
  const faults = configFaults(exported);
  if (faults.length > 0) {
    throw new HoldpointError('invalid_config', faults.map((fault) => `${path}: ${fault}`).join('\n'));
  }
  return exported as ProjectConfig;
}

async function importWithin(path: string, options: LoadConfigOptions) {
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const loader = loaderOf(path, options);
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    const text = `it was not loaded within ${timeoutMs} ms; something at its top level does not end`;
    timer = setTimeout(() => reject(new Error(text)), timeoutMs);
  });
  try {
    const module = await Promise.race([loader.import(path), timeout]);
    return isRecord(module) && 'default' in module ? module['default'] : module;
  } catch (error) {
    throw loadFault(path, error);
  } finally {
    clearTimeout(timer);
  }
}

function loaderOf(path: string, { aliases, onTranslate }: LoadConfigOptions) {
  const settings = {
    alias: { ...aliases },
    fsCache: false,
    interopDefault: false,
    moduleCache: false,
    sourceMaps: true,
  };
  // The loader has no event for a file, but takes another translator; a second loader's is the usual one.
  const translator = createJiti(path, settings);
  return createJiti(path, {
    ...settings,
    transform: (file) => {
      if (file.filename !== undefined) {
        onTranslate?.(file.filename);
      }
      return { code: translator.transform(file) };
    },
  });
}

/** Says where in the project's own files the code broke; errors of ours name each fault on a line of its own. */
function loadFault(path: string, error: unknown): HoldpointError {
  // Read without instanceof: the project's code may have a realm of its own.
  const { message, stack } = isRecord(error) ? error : { message: error, stack: undefined };
  const text = isHoldpointError(error) ? error.message : hideSecrets(String(message).slice(0, 4 * MAX_LINE_CHARACTERS));
  const lines = text.split('\n');
  const place = placeIn(String(stack));
  const where = place === undefined ? path : `${path} (at ${place})`;
  return new HoldpointError(
    'invalid_config',
    (isHoldpointError(error) ? lines : lines.slice(0, 1))
      .map((line) => `${where}: ${line.slice(0, MAX_LINE_CHARACTERS).trimEnd()}`)
      .join('\n'),
    {},
    { cause: error },
  );
}

function placeIn(stack: string): string | undefined {
  const places = stack.split('\n').flatMap((line) => PLACE.exec(line.trimEnd())?.[1] ?? []);
  return places.find((place) => !place.includes('/node_modules/') && !place.startsWith(OWN_FOLDER));
}
