import { HoldpointError } from '../core/errors';
import { MAX_MESSAGE_BYTES } from '../core/sessions';

const ENVELOPE_BYTES = 65_536;
/** JSON may write one byte of text with six (`\u0000`). */
const ESCAPED_BYTE = 6;

/** Body limit of the routes that take a message: a message of full size fits, however it is escaped. */
export const MESSAGE_BODY_BYTES = ESCAPED_BYTE * MAX_MESSAGE_BYTES + ENVELOPE_BYTES;

/** Throws `body_too_large` for a text of more than 1 MiB of UTF-8. */
export function checkMessageSize(content: string): void {
  const sizeBytes = Buffer.byteLength(content, 'utf8');
  if (sizeBytes > MAX_MESSAGE_BYTES) {
    throw new HoldpointError(
      'body_too_large',
      `The message has ${sizeBytes} bytes of UTF-8; at most ${MAX_MESSAGE_BYTES} are taken.`,
    );
  }
}
