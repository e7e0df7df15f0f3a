import { type Entry, isEntry } from '../../core/entries';

/** One start of a write. */
export interface Try {
  readonly callId: string;
  readonly try: number;
  readonly attemptToken: string;
  /** ISO time by the store's clock. */
  readonly leaseUntil: string;
  /** True when the attempt that began it knows that its body never ran. */
  readonly isNotRun: boolean;
}

/** The tries among some entries, in the order they began. */
export function triesOf(entries: readonly Entry[]): readonly Try[] {
  const notRun = new Set<string>();
  for (const entry of entries) {
    if (isEntry(entry, 'tool.not_run')) {
      notRun.add(`${entry.callId} ${entry.data.try}`);
    }
  }
  return entries.flatMap((entry) => {
    if (!isEntry(entry, 'tool.started') || entry.callId === undefined) {
      return [];
    }
    const { callId } = entry;
    const { attemptToken, leaseUntil } = entry.data;
    return {
      callId,
      try: entry.data.try,
      attemptToken,
      leaseUntil,
      isNotRun: notRun.has(`${callId} ${entry.data.try}`),
    };
  });
}

/** The try that counts: the one that began last. */
export function latestTry(tries: readonly Try[]): Try | undefined {
  return tries.reduce<Try | undefined>((latest, next) => (latest && latest.try > next.try ? latest : next), undefined);
}
