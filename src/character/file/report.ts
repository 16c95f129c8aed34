import { error, ManipleError, type Issue, type IssueCode } from '../../errors.ts';

/** Problems kept word for word: a hostile file can have one per vertex. */
const KEPT = 40;

/** Collects the problems of a file, to throw them all at once. Bounded: after 40 problems only their count grows. */
export class Report {
  readonly #prefix: string;
  readonly #found: { readonly issues: Issue[]; count: number };

  /**
   * @param name Prefix of paths: the file's name, when it is known.
   * @param outer The report that this one is part of, and the prefix of the part's paths.
   */
  constructor(name: string | undefined, outer?: { readonly report: Report; readonly part: string }) {
    this.#prefix = outer ? `${outer.report.#prefix}${outer.part}/` : name === undefined ? '' : `${name}:`;
    this.#found = outer ? outer.report.#found : { issues: [], count: 0 };
  }

  /** The same report for a part of the file. The part's name becomes a prefix of paths. */
  within(part: string): Report {
    return new Report(undefined, { report: this, part });
  }

  add(code: IssueCode, path: string, message: string, suggestion?: string): void {
    const { issues } = this.#found;
    this.#found.count++;
    if (issues.length < KEPT) issues.push(error(this.coded(code), this.#prefix + path, message, suggestion));
  }

  /** The code that replaces a code of baked files, in reports of other files. */
  protected coded(code: IssueCode): IssueCode {
    return code;
  }

  /** The usual case: bytes that `writeBaked` would never write at this place. */
  corrupt(path: string, message: string): void {
    this.add('BAKED_CORRUPT', path, message, 'Bake the character again from its source.');
  }

  get failed(): boolean {
    return this.#found.count > 0;
  }

  /** @throws ManipleError with everything that was added, if anything was */
  throwIfFailed(): void {
    if (!this.failed) return;
    const { issues, count } = this.#found;
    const more = count - issues.length;
    const rest = more > 0 ? [error(this.coded('BAKED_CORRUPT'), this.#prefix, `${more} more problems.`)] : [];
    throw new ManipleError([...issues, ...rest]);
  }
}
