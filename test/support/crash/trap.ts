/** Moments in the life of a call or a reply at which a process can be made to die or to freeze. */
export const TRAP_POINTS = [
  'before-reply',
  'after-reply',
  'before-begin',
  'after-begin',
  'in-body',
  'after-effect',
  'before-result',
  'after-result',
] as const;
export type TrapPoint = (typeof TRAP_POINTS)[number];

/** Stops this process, with a signal, at the moment when as many as `count` have arrived at one point. */
export class Trap {
  private readonly point: string | undefined;
  private readonly count: number;
  private readonly signal: NodeJS.Signals;
  private arrived = 0;
  private release: (() => void) | undefined;
  private readonly released: Promise<void>;

  /** @param setting `POINT:COUNT:SIGNAL`, or empty for a trap that does nothing. */
  constructor(setting: string) {
    const [point, count, signal] = setting.split(':');
    this.point = point;
    this.count = Number(count);
    this.signal = signal as NodeJS.Signals;
    this.released = new Promise((resolve) => {
      this.release = resolve;
    });
  }

  /** Waits at the point until all have arrived; then the process gets its signal. After a freeze all go on. */
  async at(point: TrapPoint): Promise<void> {
    if (point !== this.point || this.arrived >= this.count) {
      return;
    }
    this.arrived += 1;
    if (this.arrived < this.count) {
      return this.released;
    }
    process.stdout.write(`trapped at ${point}\n`);
    // The line has to leave before the process stops.
    await new Promise((resolve) => setImmediate(resolve));
    process.kill(process.pid, this.signal);
    await new Promise((resolve) => setImmediate(resolve));
    this.release?.();
  }
}
