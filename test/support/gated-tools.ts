import { z } from 'zod';
import { defineTool, type ToolDefinition } from '../../src/definitions/define-tool';

/** Holds the bodies of tools at a point that tests wait for, and counts the effects that really happened. */
export class Gate {
  private readonly doors = new Map<string, Door>();
  private readonly effects: string[] = [];
  private readonly keys = new Set<string>();

  /** Resolves when a body with this name has begun. */
  reached(name: string): Promise<void> {
    return this.door(name).reached;
  }

  /** Lets every body with this name go on, also those that come later. */
  open(name: string): void {
    this.door(name).open();
  }

  /** How often each effect happened, by its name. */
  counts(): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const name of this.effects) {
      counts[name] = (counts[name] ?? 0) + 1;
    }
    return counts;
  }

  /** Waits at the door, or until the signal fires; then it rejects with the signal's reason. */
  async pass(name: string, signal: AbortSignal): Promise<void> {
    const door = this.door(name);
    door.reach();
    await Promise.race([
      door.opened,
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    ]);
  }

  add(name: string, key: string): void {
    this.effects.push(name);
    this.keys.add(key);
  }

  has(key: string): boolean {
    return this.keys.has(key);
  }

  private door(name: string): Door {
    const door = this.doors.get(name) ?? newDoor();
    this.doors.set(name, door);
    return door;
  }
}

interface Door {
  readonly reached: Promise<void>;
  readonly reach: () => void;
  readonly opened: Promise<void>;
  readonly open: () => void;
}

function newDoor(): Door {
  const [reached, reach] = signalled();
  const [opened, open] = signalled();
  return { reached, reach, opened, open };
}

function signalled(): readonly [Promise<void>, () => void] {
  let done: () => void = () => undefined;
  const promise = new Promise<void>((resolve) => {
    done = resolve;
  });
  return [promise, done];
}

const PARAMETERS = z.strictObject({ name: z.string() });
/** A lease is 10 s longer: what waits for one in a test waits that long. */
const TIMEOUT_MS = 8_000;

/** A read and two kinds of writes that wait at their gate before they do anything, and stop when they are told to. */
export function gatedTools(gate: Gate, timeoutMs = TIMEOUT_MS): readonly ToolDefinition[] {
  const common = { parameters: PARAMETERS, timeoutMs } as const;
  return [
    defineTool({
      ...common,
      name: 'look',
      description: 'A read.',
      effect: 'read',
      execute: async ({ name }, { signal }) => {
        await gate.pass(name, signal);
        return `saw ${name}`;
      },
    }),
    defineTool({
      ...common,
      name: 'pay_blind',
      description: 'A write nobody can verify.',
      effect: 'write',
      idempotent: false,
      execute: async ({ name }, { idempotencyKey, signal }) => {
        await gate.pass(name, signal);
        gate.add(name, idempotencyKey);
        return `paid ${name}`;
      },
    }),
    defineTool({
      ...common,
      name: 'pay_verified',
      description: 'A write that can be verified.',
      effect: 'write',
      idempotent: false,
      verify: async (_args, { idempotencyKey }) => (gate.has(idempotencyKey) ? 'applied' : 'not_applied'),
      execute: async ({ name }, { idempotencyKey, signal }) => {
        await gate.pass(name, signal);
        gate.add(name, idempotencyKey);
        return `paid ${name}`;
      },
    }),
  ];
}
