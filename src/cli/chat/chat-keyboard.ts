import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const CONTROL_C = 0x03;

/** What a person answered, or that they pressed Ctrl-C, or left with Ctrl-D. */
export type Answer =
  | { readonly kind: 'line'; readonly line: string }
  | { readonly kind: 'interrupt' }
  | { readonly kind: 'end' };

/**
 * The keyboard of a chat. Between two questions keys do nothing and are not shown, apart from Ctrl-C: what was typed for
 * something else must never answer a question that came up meanwhile.
 */
export class ChatKeyboard {
  private readonly input: NodeJS.ReadStream;
  private readonly output: NodeJS.WriteStream;
  private readonly onInterrupt: () => void;
  private readonly swallow = (keys: Buffer) => {
    for (const key of keys) {
      if (key === CONTROL_C) {
        this.onInterrupt();
      }
    }
  };

  /** @param onInterrupt Hears of Ctrl-C between two questions. */
  constructor(input: NodeJS.ReadStream, output: NodeJS.WriteStream, onInterrupt: () => void) {
    this.input = input;
    this.output = output;
    this.onInterrupt = onInterrupt;
  }

  /** Takes the keyboard; it is given back by `close`. */
  open(): void {
    this.input.setRawMode(true);
    this.input.on('data', this.swallow);
    this.input.resume();
  }

  close(): void {
    this.input.off('data', this.swallow);
    this.input.setRawMode(false);
    this.input.pause();
  }

  /**
   * Asks for one line. Throws the signal's reason.
   *
   * @param steadyMs How long what stands on the screen has to stand there before a key counts.
   */
  async ask(question: string, signal: AbortSignal, steadyMs = 0): Promise<Answer> {
    await sleep(steadyMs, undefined, { signal });
    signal.throwIfAborted();
    this.input.off('data', this.swallow);
    const terminal = createInterface({ input: this.input, output: this.output, historySize: 0 });
    try {
      return await new Promise<Answer>((resolve, reject) => {
        terminal.once('SIGINT', () => resolve({ kind: 'interrupt' }));
        terminal.once('close', () => resolve({ kind: 'end' }));
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        terminal.question(question, (line) => resolve({ kind: 'line', line }));
      });
    } finally {
      terminal.close();
      this.open();
    }
  }
}
