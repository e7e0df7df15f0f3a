import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workspaceTools } from '../../src/adapters/tools/workspace/workspace-tools';
import type { JsonObject } from '../../src/core/json';
import { isToolRefused } from '../../src/core/tool-refused';
import type { ToolContext, ToolDefinition } from '../../src/definitions/define-tool';

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** What a call of a tool gave: its output, or the words of its refusal. */
export interface ToolAnswer {
  readonly output?: unknown;
  readonly refused?: string;
}

/** A tool that works on the files of a workspace. */
export type WorkspaceToolName =
  | 'list_files'
  | 'read_file'
  | 'search_files'
  | 'write_file'
  | 'edit_file'
  | 'delete_file';

/** A real folder in the temporary folder of the system, with the workspace tools on it. */
export interface WorkspaceFolder {
  readonly root: string;
  readonly tools: Readonly<Record<WorkspaceToolName, ToolDefinition>>;
  /** Runs a tool as the runner would: arguments checked first. */
  run(tool: WorkspaceToolName, args: JsonObject, context?: Partial<ToolContext>): Promise<ToolAnswer>;
  /** Names of unfinished files anywhere in the folder. */
  leftovers(): readonly string[];
  remove(): void;
}

/** A context with everything a workspace tool looks at. */
export function toolContext(context: Partial<ToolContext> = {}): ToolContext {
  return {
    tenant: 'default',
    sessionId: 's-1',
    callId: 't1-r1-c1',
    principal: undefined,
    subject: undefined,
    idempotencyKey: 'key-1',
    approvedPrecondition: undefined,
    signal: new AbortController().signal,
    logger: silent,
    ...context,
  };
}

/** Makes a folder; `protectedFolders` are relative to it. */
export function createWorkspaceFolder(protectedFolders: readonly string[] = []): WorkspaceFolder {
  const root = mkdtempSync(join(tmpdir(), 'holdpoint-workspace-'));
  return workspaceFolderAt(
    root,
    protectedFolders.map((folder) => join(root, folder)),
  );
}

/** The tools on a folder that is there already. */
export function workspaceFolderAt(root: string, protectedFolders: readonly string[] = []): WorkspaceFolder {
  const tools = Object.fromEntries(
    workspaceTools({ root, protectedFolders }).map((tool) => [tool.name, tool]),
  ) as Readonly<Record<WorkspaceToolName, ToolDefinition>>;
  return {
    root,
    tools,
    async run(name, args, context) {
      const tool = tools[name];
      const parsed = tool.parse(args);
      if (!parsed.ok) {
        throw new Error(parsed.violations.join('; '));
      }
      return answerOf(() => tool.execute(parsed.args, toolContext(context)));
    },
    leftovers: () => {
      const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
      return names.filter((name) => name.includes('.holdpoint-'));
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** The answer of one function of a tool; any error but a refusal is thrown. */
export async function answerOf(run: () => Promise<unknown>): Promise<ToolAnswer> {
  try {
    return { output: await run() };
  } catch (error) {
    if (isToolRefused(error)) {
      return { refused: error.message };
    }
    throw error;
  }
}
