import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { useFold } from './fold-count';
import { Parts } from './foreign';
import { sizeText } from './size-text';
import { FOLDED, FULL_PAGE, type PageLimit, type TextLine, textPage } from './text-page';

export interface PagedTextProps {
  readonly text: string;
  /** What is shown before anybody asks for more. Default: four lines or 400 characters. */
  readonly folded?: PageLimit;
  /** How a line looks; it gets its place in the text. Default: as it is. */
  readonly renderLine?: (line: TextLine, index: number) => VNode;
}

/**
 * Foreign text of any length. A long one is folded with its true size; on demand it opens in pages, so that all of it
 * can be read and none of it makes the page slow.
 */
export function PagedText({ text, folded = FOLDED, renderLine = plainLine }: PagedTextProps): VNode {
  const [pages, setPages] = useState(0);
  const { lines, nextStart } = useMemo(() => linesOfPages(text, pages, folded), [text, pages, folded]);
  const shown = useMemo(() => <div class="lines">{lines.map(renderLine)}</div>, [lines, renderLine]);
  const isFolded = pages === 0 && nextStart !== null;
  useFold(isFolded);
  return (
    <div class="paged">
      {shown}
      {nextStart !== null && (
        <button type="button" class="more" onClick={() => setPages(pages + 1)}>
          {isFolded ? `Show all (${sizeText(text)})` : `Show more (${leftText(text, nextStart)} left)`}
        </button>
      )}
    </div>
  );
}

/** A line of text; where a line break follows, it says so, so that a wrapped line is not taken for two. */
export function plainLine(line: TextLine, index: number): VNode {
  return (
    <div key={index} class={line.hasBreak ? 'line has-break' : 'line'}>
      <bdi dir="auto">
        <Parts parts={line.parts} />
      </bdi>
    </div>
  );
}

function linesOfPages(text: string, pages: number, folded: PageLimit) {
  if (pages === 0) {
    return textPage(text, 0, folded);
  }
  const lines: TextLine[] = [];
  let start: number | null = 0;
  for (let page = 0; page < pages && start !== null; page += 1) {
    const next = textPage(text, start, FULL_PAGE);
    lines.push(...next.lines);
    start = next.nextStart;
  }
  return { lines, nextStart: start };
}

function leftText(text: string, start: number): string {
  return `${Math.ceil((text.length - start) / 1024).toLocaleString('en-US')} thousand characters`;
}
