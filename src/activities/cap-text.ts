/** A text cut to a number of bytes. */
export interface CappedText {
  readonly text: string;
  readonly isCut: boolean;
  /** UTF-8 bytes of the whole text. */
  readonly sizeBytes: number;
}

/**
 * Cuts a well-formed text to at most `maxBytes` of UTF-8, never inside a character; what was cut ends with a marker that
 * counts as part of the text.
 */
export function capText(text: string, maxBytes: number): CappedText {
  const sizeBytes = Buffer.byteLength(text);
  if (sizeBytes <= maxBytes) {
    return { text, isCut: false, sizeBytes };
  }
  const marker = `\n[cut: the whole output has ${sizeBytes} bytes]`;
  const headBytes = maxBytes - marker.length;
  const shown = headBytes < 0 ? marker.trimStart().slice(0, maxBytes) : `${headOf(text, headBytes)}${marker}`;
  return { text: shown, isCut: true, sizeBytes };
}

/** The longest start of a text that fits into `maxBytes` of UTF-8. */
function headOf(text: string, maxBytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return text.slice(0, read);
}
