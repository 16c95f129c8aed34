import { quoted } from '../../errors.ts';
import { refuse } from '../model-builder/issue-list.ts';
import { isUsable, MAX_MAGNITUDE } from '../model-builder/limits.ts';

const [TAB, LINE_FEED, RETURN, SPACE] = [9, 10, 13, 32];

/** The words of a BVH file, one after another. Errors name the line. */
export class Tokens {
  #at = 0;
  #start = 0;

  constructor(readonly text: string) {}

  /** The next word, or "" at the end of the file. */
  next(): string {
    const { text } = this;
    let at = this.#at;
    while (at < text.length && isSpace(text.charCodeAt(at))) at++;
    this.#start = at;
    while (at < text.length && !isSpace(text.charCodeAt(at))) at++;
    this.#at = at;
    return text.slice(this.#start, at);
  }

  /** The rest of the line up to an opening brace: a name, which may contain spaces. */
  name(): string {
    const { text } = this;
    const line = /[^\r\n{]*/y;
    line.lastIndex = this.#at;
    const [rest] = line.exec(text)!;
    this.#start = this.#at;
    this.#at += rest.length;
    return rest.trim();
  }

  /** Takes a word that has to be the next. Upper and lower case are the same. */
  expect(word: string): void {
    const token = this.next();
    if (token.toUpperCase() !== word) this.unexpected(token, `“${word}”`);
  }

  /** The next word as a number of usable size. */
  number(meaning: string): number {
    const token = this.next();
    const value = Number(token);
    if (token === '' || !isUsable(value)) this.unexpected(token, `${meaning}: a number within ${MAX_MAGNITUDE}`);
    return value;
  }

  /** The next word as a count. */
  count(meaning: string): number {
    const token = this.next();
    const value = Number(token);
    if (token === '' || !Number.isSafeInteger(value) || value < 0) this.unexpected(token, `${meaning}: a whole number`);
    return value;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.text.length;
  }

  /** Refuses the last word. */
  unexpected(token: string, expected: string): never {
    if (token === '') {
      refuse('FILE_TRUNCATED', this.place, `the file ends where it needs ${expected}`, 'Download or export it again.');
    }
    return refuse('BVH_INVALID', this.place, `Expected ${expected}, got ${quoted(token)}.`);
  }

  /** The line of the last word, as `line 12`. */
  get place(): string {
    let line = 1;
    for (let at = this.text.indexOf('\n'); at >= 0 && at < this.#start; at = this.text.indexOf('\n', at + 1)) line++;
    return `line ${line}`;
  }
}

function isSpace(code: number): boolean {
  return code === SPACE || code === TAB || code === LINE_FEED || code === RETURN || code === 0xfeff;
}
