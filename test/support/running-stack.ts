import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { createMemoryFeed, type MemoryFeed } from '../../src/adapters/feed/memory/memory-feed';
import { createMockModel } from '../../src/adapters/models/mock/mock-model';
import { openStore } from '../../src/adapters/store/open-store';
import { workspaceTools } from '../../src/adapters/tools/workspace/workspace-tools';
import type { Entry } from '../../src/core/entries';
import type { SessionKey } from '../../src/core/ids';
import type { Limits } from '../../src/core/limits';
import type { Clock } from '../../src/core/ports/clock';
import type { Logger } from '../../src/core/ports/logger';
import type { ModelAdapter } from '../../src/core/ports/model-adapter';
import type { SessionStore } from '../../src/core/ports/session-store';
import { buildCatalog } from '../../src/definitions/build-catalog';
import { defineAgent } from '../../src/definitions/define-agent';
import type { ToolDefinition } from '../../src/definitions/define-tool';
import { type Gateway, startGateway } from '../../src/gateway/main';
import { type RunningWorker, startWorker } from '../../src/worker/start-worker';
import { ApiDriver } from './api-driver';
import { temporalExecutable } from './dev/temporal-executable';
import { OwnTemporalServer } from './own-temporal-server';
import { silentLogger } from './silent-logger';

const BUNDLE_PATH = join(__dirname, '..', '..', 'dist', 'workflow-bundle.js');
const TASK_QUEUE = 'holdpoint';

export interface StackOptions {
  /** Tools of the agent besides those of the workspace; the mock model calls them with `call TOOL JSON`. */
  readonly tools?: readonly ToolDefinition[];
  readonly limits?: Partial<Limits>;
  /** A server that runs already, for example one that skips time. Default: a development server of its own. */
  readonly temporalAddress?: string;
  readonly clock?: Clock;
  readonly sweep?: { readonly everyMs: number; readonly olderThanMs: number };
  /** Folder of the store's file; the caller removes it. Default: a temporary one. */
  readonly storeFolder?: string;
  /** What worker and gateway get to see of the store. Default: the store itself. */
  readonly wrapStore?: (store: SessionStore) => SessionStore;
  /** Default: the mock model. */
  readonly model?: ModelAdapter;
  /** System prompt of the agent. */
  readonly system?: string;
  /** Gets the lines of worker and gateway. Default: they are dropped. */
  readonly logger?: Logger;
}

/** Name of the agent whose sessions a stack starts. */
const AGENT = 'workspace';

/** Everything holdpoint is, in this process, on a real Temporal server and a real SQLite file. */
export class RunningStack extends ApiDriver {
  readonly workspaceFolder: string;
  readonly storePath: string;
  readonly temporalAddress: string;
  readonly store: SessionStore;
  readonly connection: Connection;
  readonly gateway: Gateway;
  /** What the worker says goes to the gateway by it. */
  readonly feed: MemoryFeed;
  private worker: RunningWorker;
  private readonly undo: (() => Promise<void> | void)[];
  private readonly startAnotherWorker: (agentName: string) => Promise<RunningWorker>;

  private constructor(
    parts: Pick<
      RunningStack,
      'workspaceFolder' | 'storePath' | 'temporalAddress' | 'store' | 'connection' | 'gateway' | 'feed'
    >,
    worker: RunningWorker,
    undo: (() => Promise<void> | void)[],
    startAnotherWorker: (agentName: string) => Promise<RunningWorker>,
  ) {
    super();
    this.workspaceFolder = parts.workspaceFolder;
    this.storePath = parts.storePath;
    this.temporalAddress = parts.temporalAddress;
    this.store = parts.store;
    this.connection = parts.connection;
    this.gateway = parts.gateway;
    this.feed = parts.feed;
    this.worker = worker;
    this.undo = undo;
    this.startAnotherWorker = startAnotherWorker;
  }

  static async start(options: StackOptions = {}): Promise<RunningStack> {
    const folder = mkdtempSync(join(tmpdir(), 'holdpoint-stack-'));
    const undo: (() => Promise<void> | void)[] = [() => rmSync(folder, { recursive: true, force: true })];
    const workspaceFolder = mkdtempSync(join(folder, 'workspace-'));
    const temporalAddress = options.temporalAddress ?? (await startServer(join(folder, 'state'), undo));
    const connection = await Connection.connect({ address: temporalAddress });
    undo.push(() => connection.close());
    const storePath = join(options.storeFolder ?? folder, 'holdpoint.db');
    const opened = await openStore({ kind: 'sqlite', path: storePath }, { migrate: true });
    undo.push(() => opened.close());
    const store = options.wrapStore?.(opened) ?? opened;
    const { logger = silentLogger } = options;
    const temporal = { address: temporalAddress, namespace: 'default', taskQueue: TASK_QUEUE };
    const agentNamed = (name: string) =>
      defineAgent({
        name,
        system: options.system ?? 'You help with tests.',
        tools: [...workspaceTools({ root: workspaceFolder }), ...(options.tools ?? [])],
        limits: { roundsPerTurn: 40, activeMsPerTurn: 600_000, ...options.limits },
      });
    const feed = createMemoryFeed();
    const startOne = (agentName: string) =>
      startWorker({
        temporal,
        tenant: 'default',
        store,
        catalog: buildCatalog({ agents: [agentNamed(agentName)], defaultModel: 'mock:workspace' }),
        adapters: [options.model ?? createMockModel()],
        logger,
        feed,
        bundlePath: BUNDLE_PATH,
        isDevelopment: true,
        ...(options.clock === undefined ? {} : { clock: options.clock }),
        ...(options.sweep === undefined ? {} : { sweep: options.sweep }),
      });
    const worker = await startOne(AGENT);
    const gateway = await startGateway({ store, temporal, port: 0, logger, feed });
    undo.push(() => gateway.close());
    return new RunningStack(
      { workspaceFolder, storePath, temporalAddress, store, connection, gateway, feed },
      worker,
      undo,
      startOne,
    );
  }

  async stop(): Promise<void> {
    await this.stopWorker();
    for (let step = this.undo.pop(); step !== undefined; step = this.undo.pop()) {
      await step();
    }
  }

  async stopWorker(): Promise<void> {
    this.worker.shutdown();
    await this.worker.finished;
  }

  /** Starts the next worker; with the name of another agent, one that does not have the sessions' own. */
  async startWorker(agentName: string = AGENT): Promise<void> {
    this.worker = await this.startAnotherWorker(agentName);
  }

  protected override baseUrl(): string {
    return this.gateway.url;
  }

  /** The newest run of a session, or the named one. */
  workflow(sessionId: string, runId?: string): WorkflowHandle {
    return new Client({ connection: this.connection }).workflow.getHandle(`default/${sessionId}`, runId);
  }

  /** Runs the `temporal` command-line tool, as somebody in any language would talk to a session. */
  async temporalTool(...parameters: readonly string[]): Promise<string> {
    const executable = await temporalExecutable();
    const { stdout } = await promisify(execFile)(executable, [...parameters, '--address', this.temporalAddress]);
    return stdout;
  }

  entries(sessionId: string): Promise<readonly Entry[]> {
    return this.store.readEntries({ tenant: 'default', sessionId } as SessionKey, 0, 1_000);
  }
}

async function startServer(folder: string, undo: (() => Promise<void> | void)[]): Promise<string> {
  const temporal = await OwnTemporalServer.start(folder);
  undo.push(() => temporal.stop());
  return temporal.server.address;
}
