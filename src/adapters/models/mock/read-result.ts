/** The header line of `read_file` for a whole file; for a part of one it names lines. */
const WHOLE_FILE = /^\[.*, ([\d,]+) bytes?\]\n/;

/**
 * The exact content in a result of `read_file`, or undefined when the result does not hold the whole file: some lines of
 * it, or a result that was cut on its way. The header says how many bytes there have to be.
 */
export function contentOfRead(text: string): string | undefined {
  const header = WHOLE_FILE.exec(text);
  const size = header?.[1];
  if (header === null || size === undefined) {
    return undefined;
  }
  const content = text.slice(header[0].length);
  return Buffer.byteLength(content) === Number(size.replaceAll(',', '')) ? content : undefined;
}
