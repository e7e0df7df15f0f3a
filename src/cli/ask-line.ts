import { createInterface } from 'node:readline/promises';

/**
 * Asks a person at the terminal for one line, on standard error, so that results stay apart. Undefined when they leave
 * (Ctrl-D). Throws the signal's reason, and on Ctrl-C an error named AbortError.
 */
export async function askLine(question: string, signal: AbortSignal): Promise<string | undefined> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr, historySize: 0 });
  const left = new Promise<undefined>((resolve) => terminal.once('close', () => resolve(undefined)));
  terminal.on('SIGINT', () => process.emit('SIGINT'));
  try {
    return await Promise.race([terminal.question(question, { signal }), left]);
  } finally {
    terminal.close();
  }
}
