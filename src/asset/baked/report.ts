import { error, ManipleError, type Issue, type IssueCode } from '../../errors.ts';

/** Problems kept word for word: a hostile file can have one per vertex. */
const KEPT = 40;

/** Collects what is wrong with a file, to throw it all at once. Bounded: past 40 problems only their count grows. */
export class Report {
  readonly #prefix: string;
  readonly #issues: Issue[] = [];
  #count = 0;

  /** @param name What paths begin with: the file's name, when it is known. */
  constructor(name: string | undefined) {
    this.#prefix = name === undefined ? '' : `${name}:`;
  }

  add(code: IssueCode, path: string, message: string, suggestion?: string): void {
    this.#count++;
    if (this.#issues.length < KEPT) this.#issues.push(error(code, this.#prefix + path, message, suggestion));
  }

  /** The usual case: bytes that no `writeBaked` would leave at this place. */
  corrupt(path: string, message: string): void {
    this.add('BAKED_CORRUPT', path, message, 'Bake the character again from its source.');
  }

  get failed(): boolean {
    return this.#count > 0;
  }

  /** @throws ManipleError with everything that was added, if anything was */
  throwIfFailed(): void {
    if (!this.failed) return;
    const more = this.#count - this.#issues.length;
    const rest = more > 0 ? [error('BAKED_CORRUPT', this.#prefix, `${more} more problems.`)] : [];
    throw new ManipleError([...this.#issues, ...rest]);
  }
}
