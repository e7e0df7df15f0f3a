import { type IPty, spawn } from '@lydell/node-pty';
import { Terminal } from '@xterm/headless';
import { waitUntil } from '../wait-until';
import { cliCommand, cliEnvironment } from './run-cli';

export interface TerminalOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
}

/** `holdpoint` on a pseudo-terminal, with a screen that shows what a person would see. */
export class TerminalProcess {
  /** Every byte it wrote. */
  written = '';
  private readonly pty: IPty;
  private readonly terminal: Terminal;
  private drawn: Promise<void> = Promise.resolve();
  private readonly ended: Promise<number>;

  constructor(parameters: readonly string[], { environment, columns = 100, rows = 30 }: TerminalOptions = {}) {
    this.terminal = new Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 1_000 });
    this.pty = spawn(process.execPath, [...cliCommand(parameters)], {
      cols: columns,
      rows,
      name: 'xterm-256color',
      env: cliEnvironment({ ...environment, TERM: 'xterm-256color' }),
    });
    this.pty.onData((bytes) => {
      this.written += bytes;
      const before = this.drawn;
      this.drawn = new Promise((resolve) => {
        void before.then(() => this.terminal.write(bytes, resolve));
      });
    });
    this.ended = new Promise((resolve) => {
      this.pty.onExit(({ exitCode }) => resolve(exitCode));
    });
  }

  /** What stands on the screen, without spaces at the ends of lines, and what has left it at the top. */
  async screen(): Promise<string> {
    await this.drawn;
    const { active } = this.terminal.buffer;
    const lines = Array.from({ length: active.length }, (_, row) => active.getLine(row)?.translateToString(true) ?? '');
    return lines.join('\n').trimEnd();
  }

  /** Resolves with the screen once it shows the text; fails with it after a minute. */
  shows(text: string | RegExp): Promise<string> {
    return waitUntil(
      () => this.screen(),
      (screen) => (typeof text === 'string' ? screen.includes(text) : text.test(screen)),
    );
  }

  /** Presses keys; `\r` is Enter, `\u0003` Ctrl-C, `\u0004` Ctrl-D. */
  type(keys: string): void {
    this.pty.write(keys);
  }

  resize(columns: number, rows: number): void {
    this.terminal.resize(columns, rows);
    this.pty.resize(columns, rows);
  }

  /** Its exit code, once it has ended. */
  end(): Promise<number> {
    return this.ended;
  }

  /** Ends it where a test has not. */
  kill(): void {
    try {
      this.pty.kill('SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}
