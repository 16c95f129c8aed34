/** Text for terminals, in columns of one character each. */

/** Columns of the output. Infinity if it is not a terminal and `COLUMNS` is not set. */
export function columnsOf({ isTTY, columns }: Partial<NodeJS.WriteStream>): number {
  const wanted = Number(process.env.COLUMNS);
  return isTTY && columns ? columns : wanted > 0 ? wanted : Infinity;
}

/**
 * Text of at most `columns` columns. Longer text has … in place of its middle, because names differ most often at their
 * ends.
 */
export function cutMiddle(text: string, columns: number): string {
  const letters = Array.from(text);
  if (letters.length <= columns) return text;
  const kept = Math.max(0, columns - 1);
  const end = Math.floor(kept / 2);
  return `${letters.slice(0, kept - end).join('')}…${end === 0 ? '' : letters.slice(-end).join('')}`;
}

/**
 * Breaks text at spaces, into lines of at most `columns` columns. A longer word stays whole.
 * @param first What the first line begins with; the others are indented by as many spaces.
 */
export function wrap(first: string, text: string, columns: number): string[] {
  const indent = ' '.repeat(first.length);
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const word of text.split(' ')) {
    const longer = isEmpty ? `${line}${word}` : `${line} ${word}`;
    const isFull = !isEmpty && longer.length > columns;
    if (isFull) lines.push(line);
    line = isFull ? `${indent}${word}` : longer;
    isEmpty = false;
  }
  return [...lines, line];
}

export interface TableOptions {
  readonly columns?: number;
  /** Indices of columns to leave out where the table is too wide, the first first. */
  readonly spare?: readonly number[];
}

/** Narrower, names in the first column say nothing. */
const NARROWEST_NAME = 12;
const GAP = '  ';

/**
 * Lines of a table. The first row has the titles. Cells are padded to the widest of their column, numbers to the right.
 * If the table is too wide, spare columns are left out, then the first is cut in the middle.
 */
export function tableLines(
  rows: readonly (readonly (string | number)[])[],
  { columns = Infinity, spare = [] }: TableOptions = {},
): string[] {
  let cells = rows.map((row) => row.map(String));
  let left = [...spare];
  while (left.length > 0 && widthOf(cells) > columns) {
    const [out, ...others] = left;
    cells = cells.map((row) => row.filter((_, c) => c !== out));
    left = others.map((c) => (c > out! ? c - 1 : c));
  }
  const room = Math.max(NARROWEST_NAME, widthsOf(cells)[0]! - Math.max(0, widthOf(cells) - columns));
  cells = cells.map(([name = '', ...others]) => [cutMiddle(name, room), ...others]);
  const widths = widthsOf(cells);
  const isNumber = widths.map((_, c) => cells.slice(1).every((row) => /^[-−\d.]|^$/.test(row[c]!)));
  return cells.map((row) =>
    row
      .map((cell, c) => (isNumber[c] ? cell.padStart(widths[c]!) : cell.padEnd(widths[c]!)))
      .join(GAP)
      .trimEnd(),
  );
}

function widthsOf(cells: readonly (readonly string[])[]): number[] {
  return (cells[0] ?? ['']).map((_, c) => cells.reduce((most, row) => Math.max(most, row[c]!.length), 0));
}

function widthOf(cells: readonly (readonly string[])[]): number {
  const widths = widthsOf(cells);
  return widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));
}
