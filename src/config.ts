import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { isAbsolute, resolve } from 'node:path';
import { DAY_MS } from './core/durations';
import { HoldpointError } from './core/errors';

/** What a process gets from its surroundings. An empty or blank value counts as not set. */
type Environment = Readonly<Record<string, string | undefined>>;

const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The settings of one process, frozen. Only composition roots hold it; everything else is given values. */
export interface HoldpointConfig {
  /** `HOLDPOINT_PORT`: port of the gateway on 127.0.0.1; 0 = any free one. Default 8400. */
  readonly port: number;
  /** `HOLDPOINT_HOME`: state folder, absolute. Default `.holdpoint` in the project's folder. */
  readonly homeFolder: string;
  /** `HOLDPOINT_WORKSPACE`: folder the built-in agent works on, absolute. Default the working folder. */
  readonly workspaceFolder: string;
  /** `HOLDPOINT_TEMPORAL_PORT`: port for the Temporal server that `dev` starts. Undefined (or 0) = a free one. */
  readonly temporalPort: number | undefined;
  /** `TEMPORAL_ADDRESS`: a server that runs already, `host:port`. Undefined = `dev` starts its own. */
  readonly temporalAddress: string | undefined;
  /** `TEMPORAL_NAMESPACE`. Default `default`. */
  readonly temporalNamespace: string;
  /** `HOLDPOINT_TASK_QUEUE`. Default `holdpoint`. */
  readonly taskQueue: string;
  /** `HOLDPOINT_MODEL`: `<api>:<model>`; `mock` alone means `mock:workspace`, which is also the default. */
  readonly model: string;
  /** False when `HOLDPOINT_MODEL` was not set, so that `dev` can say what it took. */
  readonly isModelSet: boolean;
  /** `HOLDPOINT_APPROVAL_EXPIRY_MS`: how long a question of the built-in agent stays open. Undefined = its own limit. */
  readonly approvalExpiryMs: number | undefined;
  /** `HOLDPOINT_LOG_LEVEL`. Default `info`. */
  readonly logLevel: LogLevel;
}

const DEFAULT_PORT = 8_400;
const MAX_PORT = 65_535;
const DEFAULT_MODEL = 'mock:workspace';
const MAX_APPROVAL_EXPIRY_MS = 365 * DAY_MS;

const MODEL_PATTERN = /^[a-z][a-z0-9-]{0,49}:[^\s\p{Cc}]{1,200}$/u;
/** A host name, an IPv4 address or an IPv6 address in brackets, with or without a port; no scheme, no credentials. */
const ADDRESS_PATTERN = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,252})|\[[0-9A-Fa-f:.]{2,45}\])(?::([0-9]{1,5}))?$/;
const NAMESPACE_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$/;
const TASK_QUEUE_PATTERN = /^[^\s/\p{Cc}][^\p{Cc}]{0,199}$/u;

/**
 * Reads the settings of holdpoint from an environment. Reads nothing else and changes nothing.
 *
 * @param environment `process.env` in a composition root.
 * @param workingFolder Relative folders start here. Default: the process's own.
 * @param projectFolder Folder of the project's configuration, which also holds the state folder, so that a start from
 *   one of its subfolders is the same project. Default: the working folder, for a project without one.
 * Throws `invalid_config` with every fault in it, one a line, each naming the variable, what is expected and the value
 * (cut when long, since a key may have been pasted into the wrong variable).
 */
export function parseConfig(
  environment: Environment,
  workingFolder: string = process.cwd(),
  projectFolder: string = workingFolder,
): HoldpointConfig {
  const { faults, read } = settingsOf(environment);
  const portRange = `a whole number from 0 to ${MAX_PORT}`;
  const port = read('HOLDPOINT_PORT', (text) => wholeNumber(text, 0, MAX_PORT), portRange) ?? DEFAULT_PORT;
  const temporalPort =
    read('HOLDPOINT_TEMPORAL_PORT', (text) => wholeNumber(text, 0, MAX_PORT), portRange) || undefined;
  if (temporalPort !== undefined && temporalPort === port) {
    faults.push(`HOLDPOINT_TEMPORAL_PORT: expected another port than HOLDPOINT_PORT, got ${temporalPort}`);
  }
  const folder = (name: string, fallback: string) =>
    resolve(workingFolder, read(name, (text) => (text.includes('\0') ? undefined : text), 'a folder') ?? fallback);
  const model = read('HOLDPOINT_MODEL', modelName, '<api>:<model>, for example mock:workspace');
  const config: HoldpointConfig = {
    port,
    homeFolder: folder('HOLDPOINT_HOME', resolve(projectFolder, '.holdpoint')),
    workspaceFolder: folder('HOLDPOINT_WORKSPACE', '.'),
    temporalPort,
    temporalAddress: read('TEMPORAL_ADDRESS', address, 'host:port'),
    temporalNamespace:
      read('TEMPORAL_NAMESPACE', matching(NAMESPACE_PATTERN), 'letters, digits, ".", "_" and "-"') ?? 'default',
    taskQueue:
      read('HOLDPOINT_TASK_QUEUE', matching(TASK_QUEUE_PATTERN), 'at most 200 printable characters, no leading "/"') ??
      'holdpoint',
    model: model ?? DEFAULT_MODEL,
    isModelSet: model !== undefined,
    approvalExpiryMs: read(
      'HOLDPOINT_APPROVAL_EXPIRY_MS',
      (text) => wholeNumber(text, 1, MAX_APPROVAL_EXPIRY_MS),
      `milliseconds, a whole number from 1 to ${MAX_APPROVAL_EXPIRY_MS}`,
    ),
    logLevel:
      read(
        'HOLDPOINT_LOG_LEVEL',
        (text) => LOG_LEVELS.find((level) => level === text),
        `one of ${LOG_LEVELS.join(', ')}`,
      ) ?? 'info',
  };
  throwFaults(faults);
  return Object.freeze(config);
}

/** Where a store lies: a SQLite file, absolute, or a Postgres database. */
export type StoreAddress =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly connectionString: string };

/** The settings of a worker or a gateway outside `dev`. */
export interface ServiceConfig extends HoldpointConfig {
  /** `HOLDPOINT_STORE`, or the content of the file that `HOLDPOINT_STORE_FILE` names. */
  readonly store: StoreAddress;
  /** `HOLDPOINT_HOST`: address the gateway listens on. Default 127.0.0.1. */
  readonly host: string;
  /**
   * `HOLDPOINT_ALLOWED_HOSTS`: what callers write into `Host`, besides the names of this machine; lower case, with or
   * without a port. Needed when the gateway listens on more than loopback.
   */
  readonly allowedHosts: readonly string[];
}

const NO_AUTHENTICATION = [
  'HOLDPOINT_UNSAFE_NO_AUTH: there is no authentication yet, so whoever reaches gateway, Temporal or store can start',
  'sessions and approve writes; set it to 1 where nobody else can reach them',
].join(' ');

/**
 * Reads the settings of a worker or a gateway outside `dev`; see `parseConfig`. Reads the file that
 * `HOLDPOINT_STORE_FILE` names, too. Throws `invalid_config` as `parseConfig` does, also without a store, without
 * `HOLDPOINT_UNSAFE_NO_AUTH=1`, and for a gateway that others can reach but whose names are not said.
 */
export function parseServiceConfig(environment: Environment, workingFolder: string = process.cwd()): ServiceConfig {
  const settings = settingsOf(environment);
  const { faults, read } = settings;
  const config = collecting(faults, () => parseConfig(environment, workingFolder));
  const store = collecting(faults, () => parseStoreAddress(environment, workingFolder));
  const isUnsafe = read('HOLDPOINT_UNSAFE_NO_AUTH', (text) => (text === '1' ? true : undefined), '1');
  if (isUnsafe === undefined) {
    faults.push(NO_AUTHENTICATION);
  }
  const host = read('HOLDPOINT_HOST', hostAddress, 'localhost or an IP address') ?? '127.0.0.1';
  const names = 'Host names with or without a port, with commas between them';
  const allowedHosts = read('HOLDPOINT_ALLOWED_HOSTS', hostNames, names) ?? [];
  if (!isLoopback(host) && allowedHosts.length === 0) {
    faults.push(`HOLDPOINT_ALLOWED_HOSTS: expected the names callers use, since HOLDPOINT_HOST is ${host}`);
  }
  throwFaults(faults);
  return Object.freeze({ ...(config as HoldpointConfig), store: store as StoreAddress, host, allowedHosts });
}

/**
 * Reads `HOLDPOINT_STORE`, or the file that `HOLDPOINT_STORE_FILE` names: `sqlite:<path>` or `postgres://…`. Throws
 * `invalid_config`, without the value, which holds a password.
 */
export function parseStoreAddress(environment: Environment, workingFolder: string = process.cwd()): StoreAddress {
  const { faults, read } = settingsOf(environment);
  const expected = 'sqlite:<path> or postgres://<user>:<password>@<host>/<database>';
  const parse = (text: string) => storeAddress(text, workingFolder);
  const file = read('HOLDPOINT_STORE_FILE', (text) => text, 'a file');
  const direct = read('HOLDPOINT_STORE', parse, expected, hiddenValue);
  if (file !== undefined && environment['HOLDPOINT_STORE']?.trim()) {
    faults.push('HOLDPOINT_STORE: expected to be set alone, but HOLDPOINT_STORE_FILE is set, too');
  }
  const content = file === undefined ? undefined : readSecret(resolve(workingFolder, file), faults);
  const address = content === undefined ? direct : parse(content);
  if (address === undefined && faults.length === 0) {
    faults.push(
      `HOLDPOINT_STORE: expected ${expected}, got ${content === undefined ? 'nothing' : 'a file without it'}`,
    );
  }
  throwFaults(faults);
  return address as StoreAddress;
}

/** Reads variables one by one and keeps every fault. */
function settingsOf(environment: Environment) {
  const faults: string[] = [];
  const read = <Value>(
    name: string,
    parse: (text: string) => Value | undefined,
    expected: string,
    shown: (text: string) => string = shownValue,
  ) => {
    const text = environment[name]?.trim();
    if (text === undefined || text === '') {
      return undefined;
    }
    const value = parse(text);
    if (value === undefined) {
      faults.push(`${name}: expected ${expected}, got ${shown(text)}`);
    }
    return value;
  };
  return { faults, read };
}

function throwFaults(faults: readonly string[]): void {
  if (faults.length > 0) {
    throw new HoldpointError('invalid_config', faults.join('\n'), { faults: faults.length });
  }
}

/** What `parse` returns; undefined when it threw, and its faults are with the others. */
function collecting<Value>(faults: string[], parse: () => Value): Value | undefined {
  try {
    return parse();
  } catch (error) {
    faults.push(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

function readSecret(path: string, faults: string[]): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    faults.push(`HOLDPOINT_STORE_FILE: expected a file that can be read, got ${JSON.stringify(path)} (${code})`);
    return undefined;
  }
}

function storeAddress(text: string, workingFolder: string): StoreAddress | undefined {
  const path = /^sqlite:(?!\/\/)([^\0]+)$/.exec(text)?.[1];
  if (path !== undefined) {
    return { kind: 'sqlite', path: resolve(workingFolder, path) };
  }
  const isPostgres = /^postgres(?:ql)?:\/\/./.test(text) && URL.canParse(text);
  return isPostgres ? { kind: 'postgres', connectionString: text } : undefined;
}

function hostAddress(text: string): string | undefined {
  return text === 'localhost' || isIP(text) !== 0 ? text : undefined;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function hostNames(text: string): readonly string[] | undefined {
  const names = text.split(',').map((name) => name.trim().toLowerCase());
  return names.every((name) => address(name) !== undefined) ? names : undefined;
}

function wholeNumber(text: string, min: number, max: number): number | undefined {
  const value = /^[0-9]{1,15}$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : undefined;
}

function matching(pattern: RegExp): (text: string) => string | undefined {
  return (text) => (pattern.test(text) ? text : undefined);
}

function modelName(text: string): string | undefined {
  if (text === 'mock') {
    return DEFAULT_MODEL;
  }
  return MODEL_PATTERN.test(text) ? text : undefined;
}

function address(text: string): string | undefined {
  const match = ADDRESS_PATTERN.exec(text);
  const port = match?.[1];
  return match && (port === undefined || wholeNumber(port, 1, MAX_PORT) !== undefined) ? text : undefined;
}

const SHOWN_CHARACTERS = 24;
const SHOWN_START = 6;

/** A value as an error may show it: quoted, long ones cut to their start, what stands before an `@` left out. */
function shownValue(text: string): string {
  const withoutCredentials = text.replace(/^[^@]*@/, '***@');
  if (withoutCredentials.length > SHOWN_CHARACTERS && !isAbsolute(withoutCredentials)) {
    return `${JSON.stringify(withoutCredentials.slice(0, SHOWN_START))}... (${text.length} characters)`;
  }
  return JSON.stringify(withoutCredentials);
}

/** A value that may hold a password. */
function hiddenValue(text: string): string {
  return `${text.length} characters that are not shown`;
}
