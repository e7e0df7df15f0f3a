import { text } from 'node:stream/consumers';
import { HoldpointError } from '../core/errors';

/** The message that a command was given: its words, or what comes on standard input for a single `-`. */
export async function readMessage(words: readonly string[]): Promise<string> {
  const message = words.length === 1 && words[0] === '-' ? await text(process.stdin) : words.join(' ');
  if (message.trim() === '') {
    throw new HoldpointError('invalid_request', 'expected a message, got none');
  }
  return message;
}
