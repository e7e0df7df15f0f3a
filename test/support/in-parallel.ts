/** Does something for 0 to `count - 1`, at most `parallel` at a time; fails with the first failure. */
export async function inParallel(
  count: number,
  parallel: number,
  work: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      await work(index);
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
}
