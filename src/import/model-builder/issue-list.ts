import { error, type Issue, type IssueCode, ManipleError, warning } from '../../errors.ts';

/** How many issues of one code are kept word for word; a broken file can have one per vertex. */
const KEPT_PER_CODE = 20;

/**
 * Collects the issues of an import. Bounded: past a limit per code only the count grows. Messages are given as clauses
 * and end up as sentences.
 */
export class IssueList {
  readonly #kept: Issue[] = [];
  readonly #counts = new Map<IssueCode, number>();
  #hasErrors = false;

  /** @param most Issues of one code that are kept. */
  constructor(readonly most = KEPT_PER_CODE) {}

  add(issue: Issue): void {
    const count = (this.#counts.get(issue.code) ?? 0) + 1;
    this.#counts.set(issue.code, count);
    const isFirstError = issue.severity === 'error' && !this.#hasErrors;
    if (issue.severity === 'error') this.#hasErrors = true;
    if (count <= this.most || isFirstError) this.#kept.push(issue);
  }

  error(code: IssueCode, path: string, message: string, suggestion?: string): void {
    this.add(error(code, path, sentence(message), suggestion));
  }

  warn(code: IssueCode, path: string, message: string, suggestion?: string): void {
    this.add(warning(code, path, sentence(message), suggestion));
  }

  info(code: IssueCode, path: string, message: string, suggestion?: string): void {
    this.add({ ...warning(code, path, sentence(message), suggestion), severity: 'info' });
  }

  get hasErrors(): boolean {
    return this.#hasErrors;
  }

  /** Everything found, errors first, with a last line for each code that had more than were kept. */
  list(): Issue[] {
    const rest: Issue[] = [];
    for (const [code, count] of this.#counts) {
      const kept = this.#kept.filter((issue) => issue.code === code).length;
      if (count > kept) rest.push({ code, severity: 'info', path: '', message: `${count - kept} more like this.` });
    }
    const all = [...this.#kept, ...rest];
    return [...all.filter((issue) => issue.severity === 'error'), ...all.filter((issue) => issue.severity !== 'error')];
  }

  /** Ends a phase: whatever errors it found are thrown together. */
  throwIfErrors(): void {
    if (this.hasErrors) throw new ManipleError(this.list());
  }
}

/** Begins a clause with a capital letter, unless a name is first, and ends it with a full stop if nothing ends it yet. */
export function sentence(clause: string): string {
  const text = clause.replace(/^[a-z](?=[a-z-]*'?s? )/, (letter) => letter.toUpperCase());
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** Ends the import with one error. */
export function refuse(code: IssueCode, path: string, message: string, suggestion?: string): never {
  throw new ManipleError(error(code, path, sentence(message), suggestion));
}

/** Text from a file, short enough for a message. */
export function quote(text: unknown): string {
  const plain = String(text);
  return `"${plain.length > 80 ? `${plain.slice(0, 77)}…` : plain}"`;
}

export { pointer } from '../../forms/rules.ts';
