/** JSON that one page may hold, in bytes. What stands beside it in an answer is small and not counted. */
const MAX_PAGE_BYTES = 8 * 1_048_576;

/**
 * How many rows from the front fit into one page, given the bytes of JSON in each; one at least where there are any.
 * @param maxBytes A smaller page than the largest there is.
 */
export function pageLength(sizes: readonly number[], maxBytes = MAX_PAGE_BYTES): number {
  const limitBytes = Math.min(maxBytes, MAX_PAGE_BYTES);
  let bytes = 0;
  const beyond = sizes.findIndex((size, index) => {
    bytes += size;
    return index > 0 && bytes > limitBytes;
  });
  return beyond === -1 ? sizes.length : beyond;
}
