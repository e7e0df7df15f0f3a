/** Waits; ends early, without an error, when `signal` fires. */
export function pause(durationMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve();
      return;
    }
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, durationMs);
    signal?.addEventListener('abort', done, { once: true });
  });
}
