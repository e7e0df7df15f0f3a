/**
 * The text of UTF-8 bytes, byte for byte (a byte order mark stays). Undefined for what is no text: a NUL in it, or bytes
 * that are not UTF-8. With `mayBeCut` an unfinished character at the end is left out.
 */
export function textOfBytes(bytes: Uint8Array, options: { readonly mayBeCut: boolean }): string | undefined {
  if (bytes.includes(0)) {
    return undefined;
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: options.mayBeCut });
  } catch {
    return undefined;
  }
}

/** A number of bytes as people read it: `1,234 bytes`. */
export function shownBytes(bytes: number | bigint): string {
  return `${bytes.toLocaleString('en-US')} ${BigInt(bytes) === 1n ? 'byte' : 'bytes'}`;
}
