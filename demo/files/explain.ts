import type { IssueCode } from '../../src/errors.ts';

/** The error reference's entry for a code. */
export interface Explanation {
  readonly when: string;
  readonly what: string;
}

let table: Promise<ReadonlyMap<string, Explanation>> | undefined;

/** Fetches the reference on the first call. */
export async function explain(code: IssueCode): Promise<Explanation | undefined> {
  table ??= import('../../docs/errors.md?raw').then(({ default: text }) => readTables(text));
  return (await table).get(code);
}

/** Rows of `docs/errors.md`: code, severity, when, what to do. */
export function readTables(text: string): Map<string, Explanation> {
  const found = new Map<string, Explanation>();
  for (const line of text.split('\n')) {
    const [, code, , when, what] = line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
    const name = /^`([A-Z_]+)`$/.exec(code ?? '')?.[1];
    if (name !== undefined && when !== undefined && what !== undefined)
      found.set(name, { when: plain(when), what: plain(what) });
  }
  return found;
}

function plain(markdown: string): string {
  return markdown.replaceAll(/`([^`]*)`/g, '$1').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
}
