import { createContext } from 'preact';
import { useContext, useEffect, useMemo, useState } from 'preact/hooks';

/** Counts what is folded on the screen and was not opened yet. */
export class FoldCount {
  private count = 0;
  private listener: (count: number) => void = () => undefined;

  change(by: 1 | -1): void {
    this.count += by;
    this.listener(this.count);
  }

  listen(listener: (count: number) => void): void {
    this.listener = listener;
    listener(this.count);
  }
}

export const FoldContext = createContext(new FoldCount());

/** Says that something is folded here, until it is opened or gone. */
export function useFold(isFolded: boolean): void {
  const folds = useContext(FoldContext);
  useEffect(() => {
    if (!isFolded) {
      return undefined;
    }
    folds.change(1);
    return () => folds.change(-1);
  }, [folds, isFolded]);
}

/** A count of its own for one approval, and how many values are folded in it at this moment. */
export function useFoldCount(approvalId: string): { readonly folds: FoldCount; readonly folded: number } {
  const folds = useMemo(() => new FoldCount(), [approvalId]);
  const [folded, setFolded] = useState(0);
  useEffect(() => folds.listen(setFolded), [folds]);
  return { folds, folded };
}
