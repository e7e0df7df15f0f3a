import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type HoldpointConfig, parseConfig } from '../config';
import { SECOND_MS } from '../core/durations';
import { findProject } from '../worker/find-project';
import { binaryCacheFolder, cachedBinaryPath, checkCachedBinary } from './binary-cache';
import { pinForPlatform, TEMPORAL_CLI_PINS } from './binary-pins';
import { failureReason } from './failure-reason';
import { checkTemporalOnPath } from './find-temporal-server';
import { processIsRunning } from './process-is-running';
import { readJsonFile } from './read-json-file';
import type { Environment } from './run-command';
import { tryPort } from './try-port';
import { waitForTemporal } from './wait-for-temporal';

const TEMPORAL_TIMEOUT_MS = 3 * SECOND_MS;
const MINIMUM_NODE = [20, 20] as const;

/** One thing that `holdpoint dev` needs: what is there, and what a start would do about it. */
export interface Finding {
  readonly subject: 'node' | 'settings' | 'config' | 'temporal' | 'state' | 'store' | 'port';
  /** `fault`: a start would fail. */
  readonly state: 'ok' | 'fault';
  readonly found: string;
  /** What a start would do, or what to do about a fault. */
  readonly next: string;
}

/**
 * Looks at what `holdpoint dev` would meet on this machine. It changes nothing: it makes no folder, fetches nothing and
 * loads no code of a project.
 */
export async function lookAround(
  environment: Environment,
  configFile: string | undefined,
): Promise<readonly Finding[]> {
  const project = attempt(() => findProject(configFile));
  const folder = project.ok ? project.value.folder : process.cwd();
  const settings = attempt(() => parseConfig(environment, process.cwd(), folder));
  const findings: Finding[] = [
    nodeFinding(),
    settings.ok
      ? { subject: 'settings', state: 'ok', found: 'every variable can be read', next: 'they are used as they are' }
      : { subject: 'settings', state: 'fault', found: settings.reason, next: 'set them right' },
    project.ok
      ? configFinding(project.value.configPath)
      : { subject: 'config', state: 'fault', found: project.reason, next: 'keep one of them, or name it by --config' },
  ];
  if (!settings.ok) {
    return findings;
  }
  const config = settings.value;
  const holder = holderOf(config.homeFolder);
  return [
    ...findings,
    await temporalFinding(environment, config),
    stateFinding(config, holder),
    storeFinding(config),
    await portFinding(config, holder),
  ];
}

function nodeFinding(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isNew = major > MINIMUM_NODE[0] || (major === MINIMUM_NODE[0] && minor >= MINIMUM_NODE[1]);
  const found = `Node ${process.versions.node} on ${process.platform} ${process.arch}`;
  return isNew
    ? { subject: 'node', state: 'ok', found, next: 'it is new enough' }
    : { subject: 'node', state: 'fault', found, next: `install Node ${MINIMUM_NODE.join('.')} or newer` };
}

function configFinding(configPath: string | undefined): Finding {
  return configPath === undefined
    ? {
        subject: 'config',
        state: 'ok',
        found: 'no holdpoint.config.ts here or above',
        next: 'the built-in agent workspace runs; `holdpoint init` writes a configuration',
      }
    : { subject: 'config', state: 'ok', found: configPath, next: 'the worker loads it; it was not loaded now' };
}

async function temporalFinding(environment: Environment, config: HoldpointConfig): Promise<Finding> {
  const { temporalAddress: address, temporalNamespace: namespace } = config;
  if (address !== undefined) {
    return waitForTemporal({ address, namespace, timeoutMs: TEMPORAL_TIMEOUT_MS }).then(
      (): Finding => ({ subject: 'temporal', state: 'ok', found: `a server at ${address}`, next: 'it is used' }),
      (error: unknown): Finding => ({
        subject: 'temporal',
        state: 'fault',
        found: failureReason(error),
        next: 'start that server, or unset TEMPORAL_ADDRESS so that dev starts one of its own',
      }),
    );
  }
  const onPath = await checkTemporalOnPath(environment);
  if (onPath.usable) {
    return { subject: 'temporal', state: 'ok', found: onPath.executable, next: 'a server of it is started' };
  }
  const pin = pinForPlatform(TEMPORAL_CLI_PINS);
  if (pin === null) {
    const found = `temporal on PATH: ${onPath.reason}, and none to fetch for this platform`;
    return { subject: 'temporal', state: 'fault', found, next: 'install the temporal command-line tool' };
  }
  const cache = binaryCacheFolder(environment);
  const cached = await checkCachedBinary(cache, pin);
  return cached === 'valid'
    ? { subject: 'temporal', state: 'ok', found: cachedBinaryPath(cache, pin), next: 'a server of it is started' }
    : {
        subject: 'temporal',
        state: 'ok',
        found: `temporal on PATH: ${onPath.reason}; cached binary: ${cached}`,
        next: `${pin.fileName} ${pin.version} (${pin.downloadMegabytes} MB) is fetched into ${cache}`,
      };
}

interface Holder {
  readonly pid: number;
  readonly url: string | undefined;
}

function holderOf(homeFolder: string): Holder | undefined {
  const { pid, url } = readJsonFile(join(homeFolder, 'owner.json')) ?? {};
  return typeof pid === 'number' && processIsRunning(pid)
    ? { pid, url: typeof url === 'string' ? url : undefined }
    : undefined;
}

function stateFinding({ homeFolder }: HoldpointConfig, holder: Holder | undefined): Finding {
  if (holder !== undefined) {
    const found = `${homeFolder}, in use by process ${holder.pid}${holder.url === undefined ? '' : ` at ${holder.url}`}`;
    return { subject: 'state', state: 'ok', found, next: 'holdpoint runs; a second start is refused' };
  }
  return existsSync(homeFolder)
    ? { subject: 'state', state: 'ok', found: homeFolder, next: 'sessions in it go on' }
    : { subject: 'state', state: 'ok', found: `no ${homeFolder} yet`, next: 'it is made' };
}

function storeFinding({ homeFolder }: HoldpointConfig): Finding {
  const path = resolve(homeFolder, 'holdpoint.db');
  const status = statSync(path, { throwIfNoEntry: false });
  return status === undefined
    ? { subject: 'store', state: 'ok', found: `no ${path} yet`, next: 'it is made' }
    : {
        subject: 'store',
        state: 'ok',
        found: `${path}, ${Math.ceil(status.size / 1024)} KB, last written ${status.mtime.toISOString()}`,
        next: 'it is opened, and brought to the tables of this version',
      };
}

async function portFinding({ port }: HoldpointConfig, holder: Holder | undefined): Promise<Finding> {
  if (holder !== undefined) {
    return {
      subject: 'port',
      state: 'ok',
      found: holder.url ?? 'not announced yet',
      next: 'it is in use by holdpoint',
    };
  }
  const next = port === 0 ? 'a free one is taken' : 'the gateway listens there';
  return tryPort(port).then(
    (): Finding => ({ subject: 'port', state: 'ok', found: `127.0.0.1:${port} is free`, next }),
    (error: unknown): Finding => ({
      subject: 'port',
      state: 'fault',
      found: `127.0.0.1:${port}: ${failureReason(error)}`,
      next: 'set HOLDPOINT_PORT to another port, or end what listens there',
    }),
  );
}

type Attempt<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly reason: string };

function attempt<Value>(work: () => Value): Attempt<Value> {
  try {
    return { ok: true, value: work() };
  } catch (error) {
    return { ok: false, reason: failureReason(error) };
  }
}
