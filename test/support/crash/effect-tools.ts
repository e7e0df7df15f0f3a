import {
  appendFileSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { defineTool, type ToolDefinition } from '../../../src/definitions/define-tool';
import type { Trap } from './trap';

/** The world the tools act on: a folder that counts what really happened, whoever believes what. */
export class EffectTarget {
  private readonly logFile: string;
  private readonly keysFolder: string;

  constructor(folder: string) {
    mkdirSync(join(folder, 'keys'), { recursive: true });
    this.logFile = join(folder, 'effects.log');
    this.keysFolder = join(folder, 'keys');
  }

  /** An effect that happens each time it is asked for. */
  add(name: string, key: string): void {
    const file = openSync(this.logFile, 'a');
    appendFileSync(file, `${name} ${key}\n`);
    fsyncSync(file);
    closeSync(file);
  }

  /** An effect that ignores a repeat under the same key, as a good payment service does. */
  addOnce(name: string, key: string): void {
    try {
      closeSync(openSync(join(this.keysFolder, `${name} ${key}`), 'wx'));
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'EEXIST') {
        throw error;
      }
    }
  }

  has(key: string): boolean {
    return existsSync(this.logFile) && readFileSync(this.logFile, 'utf8').includes(key);
  }

  /** How often each effect happened, by its name. */
  counts(): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {};
    const lines = existsSync(this.logFile) ? readFileSync(this.logFile, 'utf8').trim().split('\n') : [];
    for (const line of [...lines, ...readdirSync(this.keysFolder)]) {
      const name = line.split(' ')[0] ?? '';
      counts[name] = (counts[name] ?? 0) + 1;
    }
    return counts;
  }
}

const PARAMETERS = z.strictObject({ name: z.string(), beforeMs: z.number().int(), afterMs: z.number().int() });
const TIMEOUT_MS = 4_000;

/** Three kinds of writes: one that can be verified, one that can't, and one whose target knows idempotency keys. */
export function effectTools(target: EffectTarget, trap: Trap): readonly ToolDefinition[] {
  const act = async (
    { name, beforeMs, afterMs }: z.infer<typeof PARAMETERS>,
    effect: (name: string) => void,
  ): Promise<string> => {
    await sleep(beforeMs);
    await trap.at('in-body');
    effect(name);
    await trap.at('after-effect');
    await sleep(afterMs);
    return `did ${name}`;
  };
  const common = { parameters: PARAMETERS, effect: 'write', timeoutMs: TIMEOUT_MS } as const;
  return [
    defineTool({
      ...common,
      name: 'pay_verified',
      description: 'A write that can be verified.',
      idempotent: false,
      verify: async (_args, { idempotencyKey }) => (target.has(idempotencyKey) ? 'applied' : 'not_applied'),
      execute: (args, { idempotencyKey }) => act(args, (name) => target.add(name, idempotencyKey)),
    }),
    defineTool({
      ...common,
      name: 'pay_blind',
      description: 'A write nobody can verify.',
      idempotent: false,
      execute: (args, { idempotencyKey }) => act(args, (name) => target.add(name, idempotencyKey)),
    }),
    defineTool({
      ...common,
      name: 'pay_once',
      description: 'A write whose target ignores repeats.',
      idempotent: true,
      execute: (args, { idempotencyKey }) => act(args, (name) => target.addOnce(name, idempotencyKey)),
    }),
  ];
}
