import type { PackProgress } from '../character/pack/index.ts';
import { styleText } from 'node:util';
import { formatIssue, issuesOf, type Issue } from '../errors.ts';
import { groupIssues, type IssueGroup } from './issue-groups.ts';
import { columnsOf, tableLines, wrap, type TableOptions } from './text-layout.ts';

/** Exit codes of every subcommand. */
export const EXIT_OK = 0;
export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;

/** A line of JSON. NaN and infinities have no place in it: they would come out as null unnoticed, so throw. */
export function jsonLine(value: unknown): string {
  const json = JSON.stringify(value, (key, inner: unknown) => {
    if (typeof inner === 'number' && !Number.isFinite(inner)) throw new TypeError(`${key} is ${inner}`);
    return inner;
  });
  return `${json}\n`;
}

/** The same in pieces, one per element of a list that may be longer than a text can be. */
export function jsonPieces<K extends string>(value: Readonly<Record<K, readonly unknown[]>>, list: K): Buffer[] {
  const { [list]: elements, ...rest } = value;
  const pieces = elements.map((element, i) => Buffer.from(`${i === 0 ? '' : ','}${jsonLine(element).trimEnd()}`));
  const end = jsonLine(rest).slice(1);
  return [Buffer.from(`{"${list}":[`), ...pieces, Buffer.from(end === '}\n' ? `]${end}` : `],${end}`)];
}

export function printJson(value: unknown): void {
  process.stdout.write(jsonLine(value));
}

/** Control characters, which terminals obey, and those that end a line or turn its direction. */
const UNSAFE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** Text with names from files, as a terminal may show it: one line that moves no cursor and hides nothing. */
export function visible(text: string): string {
  return text.replace(UNSAFE, (c) => (c === '\n' ? '\\n' : `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`));
}

/** How a part of a line looks on a terminal: `styleText` of Node knows the names. */
export type Style = Parameters<typeof styleText>[0];

/** A part of a line: as it is, or with a style. */
export type Span = string | readonly [style: Style, text: string];

/** Prints one line for people. */
export function print(...spans: readonly Span[]): void {
  write(process.stdout, spans);
}

export function printError(...spans: readonly Span[]): void {
  write(process.stderr, spans);
}

/** Styles are for terminals, unless NO_COLOR is set. */
function write(stream: NodeJS.WriteStream, spans: readonly Span[]): void {
  const texts = spans.map((span) => {
    if (typeof span === 'string') return visible(span);
    return stream.isTTY ? styleText(span[0], visible(span[1]), { stream }) : visible(span[1]);
  });
  stream.write(`${texts.join('')}\n`);
}

/** Reports what was thrown and returns the exit code: on stdout as JSON with --json, otherwise on stderr. */
export function reportFailure(thrown: unknown, json: boolean): number {
  const issues = issuesOf(thrown);
  if (json) printJson({ errors: issues });
  else
    groupIssues(issues)
      .flatMap((group) => groupLines(group).lines)
      .forEach((line) => printError(line));
  if (process.env.MANIPLE_DEBUG && thrown instanceof Error) {
    for (const line of String(thrown.stack).split('\n')) printError(line);
  }
  return exitCodeOf(issues);
}

/** The exit code of a subcommand that failed with these issues. */
export function exitCodeOf(issues: readonly Issue[]): number {
  return issues.some(({ code }) => code === 'USAGE') ? EXIT_USAGE : EXIT_FAILED;
}

const SEVERITY_STYLES = { error: 'red', warning: 'yellow', info: 'cyan' } as const satisfies Record<string, Style>;

/** Lists repairs and warnings for people, by kind. */
export function printIssues(issues: readonly Issue[]): void {
  const columns = columnsOf(process.stdout);
  for (const { severity, lines } of groupIssues(issues).map(groupLines)) {
    const [first, ...others] = lines.flatMap((line, i) => wrap(i === 0 ? `${severity}: ` : '  ', line.trim(), columns));
    print([SEVERITY_STYLES[severity], `${severity}:`], first!.slice(severity.length + 1));
    for (const line of others) print(line);
  }
}

/** Places of one kind of issue that are named; `--json` has all. */
const PLACES = 3;

/** Lines for a kind of issue. A single issue takes one line. */
function groupLines({ code, severity, message, suggestion, places }: IssueGroup) {
  const { path } = places[0]!;
  const advice = suggestion === undefined ? {} : { suggestion };
  if (places.length === 1) return { severity, lines: [formatIssue({ code, severity, path, message, ...advice })] };
  const title = `${code}, ${places.length} times: ${message}${suggestion === undefined ? '' : ` ${suggestion}`}`;
  const named = places.slice(0, PLACES).map((place) => {
    const values = place.values.length === 0 ? '' : ` (${place.values.join(', ')})`;
    return `  at ${place.path || 'the file'}${values}`;
  });
  const rest = places.length - named.length;
  return { severity, lines: [title, ...named, ...(rest > 0 ? [`  and ${rest} more; --json lists each`] : [])] };
}

/** A line of progress on stderr, rewritten in place. Silent if stderr is not a terminal. */
export class Progress {
  readonly #shown = process.stderr.isTTY;
  #last = 0;

  /** A callback for `packCharacter` that shows its progress. @param file Its name, printed first. */
  packing(file = ''): (progress: PackProgress) => void {
    const start = file && `${file}: `;
    return ({ done, total }) => this.update(`${start}packing clip ${done + 1} of ${total}`);
  }

  update(text: string): void {
    const now = performance.now();
    if (!this.#shown || now - this.#last < 50) return;
    this.#last = now;
    process.stderr.write(`\r\x1b[2K${visible(text)}`);
  }

  /** Removes the line. */
  done(): void {
    if (this.#shown && this.#last > 0) process.stderr.write('\r\x1b[2K');
    this.#last = 0;
  }
}

/** Prints a table. The first row has the titles. */
export function printTable(
  rows: readonly (readonly (string | number)[])[],
  options: TableOptions & { readonly indent?: string } = {},
): void {
  const { indent = '' } = options;
  const cells = rows.map((row) => row.map((cell) => visible(String(cell))));
  tableLines(cells, options).forEach((line, row) => print(indent, row === 0 ? ['dim', line] : line));
}

export function bytes(count: number): string {
  if (count < 1024) return `${count} B`;
  return count < 1024 ** 2 ? `${(count / 1024).toFixed(1)} KiB` : `${(count / 1024 ** 2).toFixed(1)} MiB`;
}

/** Formats milliseconds for people. */
export function duration(time: number): string {
  const seconds = Math.round(time / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
