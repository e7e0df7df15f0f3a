const DEADLINE_MS = 60_000;
const PAUSE_MS = 50;

/** Looks until what it sees is as wished, and returns it; fails with the last look after a deadline of 60 s. */
export async function waitUntil<Seen>(
  look: () => Promise<Seen> | Seen,
  isDone: (seen: Seen) => boolean,
  deadlineMs = DEADLINE_MS,
): Promise<Seen> {
  const endMs = Date.now() + deadlineMs;
  for (;;) {
    const seen = await look();
    if (isDone(seen)) {
      return seen;
    }
    if (Date.now() > endMs) {
      throw new Error(`It did not get there: ${JSON.stringify(seen)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
