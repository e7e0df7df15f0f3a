import { padded, widthOf, wrapLine } from './wrap-text';

const GAP = '  ';
/** The last column is not wrapped into a strip narrower than this. */
const MIN_LAST_COLUMNS = 16;

/**
 * A table as lines, its columns as wide as their widest cell. Nothing is cut: the last column is wrapped to what is left
 * of `columns`; without `columns` each row is one line.
 *
 * @param rows Cells that a terminal may be given; as many in each row as there are headings.
 */
export function tableLines(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  columns: number | undefined,
): readonly string[] {
  const widths = headings.map((heading, index) =>
    Math.max(widthOf(heading), ...rows.map((row) => widthOf(row[index] ?? ''))),
  );
  return [headings, ...rows].flatMap((row) => rowLines(row, widths, columns));
}

function rowLines(row: readonly string[], widths: readonly number[], columns: number | undefined): readonly string[] {
  const start = row
    .slice(0, -1)
    .map((cell, index) => padded(cell, widths[index] ?? 0) + GAP)
    .join('');
  const startWidth = widthOf(start);
  const last = row.at(-1) ?? '';
  if (columns === undefined || columns - startWidth < MIN_LAST_COLUMNS) {
    return [(start + last).trimEnd()];
  }
  return wrapLine(last, columns - startWidth).map((part, index) =>
    (index === 0 ? start + part : ' '.repeat(startWidth) + part).trimEnd(),
  );
}
