import { type IssueList, quote, refuse } from '../model-builder/issue-list.ts';
import { type Budget, type FbxArray, FbxNode, type FbxValue } from './node.ts';
import { checkVersion, MAX_DEPTH } from './parse-binary.ts';

/** Returns true if a file looks like ASCII FBX: its first comment says so, or its first record is the header's. */
export function isAscii(bytes: Uint8Array): boolean {
  const head = new TextDecoder().decode(bytes.subarray(0, 4096));
  return /^\uFEFF?\s*;\s*FBX\b/.test(head) || /^\uFEFF?(?:\s|;[^\n]*\n)*FBXHeaderExtension\s*:/.test(head);
}

/** Reads the records of an ASCII file. @throws ManipleError FILE_TRUNCATED, FBX_INVALID, FBX_VERSION, FBX_LIMIT */
export function parseAscii(bytes: Uint8Array, budget: Budget, issues: IssueList): { root: FbxNode; version: number } {
  if (bytes.length > budget.limits.jsonBytes) budget.over('bytes of text', bytes.length, budget.limits.jsonBytes);
  const text = new TextDecoder().decode(bytes);
  const given = /^\uFEFF?\s*;\s*FBX\s+(\d+)\.(\d+)\.(\d+)/.exec(text.slice(0, 4096));
  // the layout of older versions is another one
  if (given) checkVersion(1000 * Number(given[1]) + 100 * Number(given[2]) + 10 * Number(given[3]));
  const root = new FbxNode('', []);
  new TextReader(text, budget).readInto(root, 0);
  const version = root.child('FBXHeaderExtension')?.child('FBXVersion')?.number(0);
  if (version === undefined) issues.error('FBX_INVALID', '/FBXHeaderExtension', 'the file does not say its FBXVersion');
  else checkVersion(version);
  // text may end between these two, and nothing else says so
  for (const name of ['Objects', 'Connections']) {
    if (!root.child(name)) refuse('FILE_TRUNCATED', `+${bytes.length}`, `the file has no ${name}`, TRY_AGAIN);
  }
  return { root, version: version ?? 0 };
}

const TRY_AGAIN = 'Download or export it again.';
const [TAB, SPACE, COMMA, MINUS, POINT, COLON, SEMICOLON, BYTE_ORDER_MARK] = [
  9, 0x20, 0x2c, 0x2d, 0x2e, 0x3a, 0x3b, 0xfeff,
];
const NUMBER = /[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])/y;
/** Words that are printed for NaN and infinity. */
const NOT_A_NUMBER = /[+-]?(?:nan|inf|1\.#\w+)(?:\([^)]*\))?/iy;
class TextReader {
  #at = 0;

  constructor(
    readonly text: string,
    readonly budget: Budget,
  ) {}

  /** Reads records up to the brace that ends the parent, or to the end of the text. */
  readInto(parent: FbxNode, depth: number): void {
    if (depth > MAX_DEPTH) {
      refuse('FBX_LIMIT', `+${this.#at}`, `records are nested deeper than ${MAX_DEPTH}`, 'Export it again.');
    }
    const { text } = this;
    for (;;) {
      this.#skipSpace();
      const start = this.#at;
      if (this.#at >= text.length) {
        if (depth > 0) this.#truncated();
        return;
      }
      if (this.text[this.#at] === '}') {
        if (depth === 0) this.#broken();
        this.#at++;
        return;
      }
      const name = this.#word();
      this.#skipBlanks();
      if (name === '' || text.charCodeAt(this.#at++) !== COLON) return this.#broken(start);
      const values = this.#values();
      this.budget.addNode(values.length);
      const node = new FbxNode(name, values);
      parent.add(node);
      if (this.text[this.#at] !== '{') continue;
      this.#at++;
      this.readInto(node, depth + 1);
    }
  }

  /** Reads values between commas. The next character is not a space then. */
  #values(): FbxValue[] {
    const values: FbxValue[] = [];
    for (let isFirst = true; ; isFirst = false) {
      // a line without values ends there, and a comma may continue on the next one
      if (isFirst) this.#skipBlanks();
      else this.#skipSpace();
      const value = this.#value();
      if (value !== undefined) values.push(value);
      this.#skipSpace();
      if (this.text[this.#at] !== ',') return values;
      this.#at++;
    }
  }

  #value(): FbxValue | undefined {
    const letter = this.text[this.#at];
    if (letter === '"') return this.#string();
    if (letter === '*') return this.#array();
    const number = isNumeric(this.text.charCodeAt(this.#at)) ? this.#match(NUMBER)?.[0] : undefined;
    if (number !== undefined) {
      const value = Number(number);
      return Number.isSafeInteger(value) || !/^[+-]?\d{1,20}$/.test(number) ? value : BigInt(number);
    }
    if (this.#match(NOT_A_NUMBER)) return NaN;
    const from = this.#at;
    const word = this.#word();
    // `Content: , "…"` has nothing before its first comma, and `Name: {` no values
    if (word === '') return undefined;
    if (this.text.charCodeAt(this.#at) !== COLON) return word;
    this.#at = from;
    return undefined;
  }

  /** A name or a bare word; empty before anything else. */
  #word(): string {
    const { text } = this;
    const from = this.#at;
    while (isWordPart(text.charCodeAt(this.#at))) this.#at++;
    return text.slice(from, this.#at);
  }

  #string(): string {
    const end = this.text.indexOf('"', this.#at + 1);
    if (end < 0) this.#truncated();
    const value = this.text.slice(this.#at + 1, end);
    this.#at = end + 1;
    return value.replaceAll('&quot;', '"').replaceAll('&lf;', '\n').replaceAll('&cr;', '\r');
  }

  /** `*3 { a: 1,2,3 }` */
  #array(): FbxArray {
    const start = this.#at++;
    const length = Number(this.#match(NUMBER)?.[0] ?? NaN);
    if (!(length >= 0 && Number.isSafeInteger(length))) this.#broken(start);
    this.#skipSpace();
    if (this.text[this.#at++] !== '{') this.#broken(start);
    this.#skipSpace();
    if (this.#word() === 'a') {
      this.#skipBlanks();
      if (this.text.charCodeAt(this.#at++) !== COLON) this.#broken(start);
    }
    const end = this.text.indexOf('}', this.#at);
    if (end < 0) this.#truncated();
    this.budget.addBytes(8 * length);
    const numbers = new Float64Array(length);
    const count = readNumbers(this.text, this.#at, end, numbers);
    this.#at = end + 1;
    if (count !== length) {
      refuse('FBX_INVALID', `+${start}`, `an array has ${count} numbers, ${length} are declared`, 'Export it again.');
    }
    return { length, decode: () => numbers };
  }

  /** Skips spaces of a line. */
  #skipBlanks(): void {
    const { text } = this;
    for (; this.#at < text.length; this.#at++) {
      const code = text.charCodeAt(this.#at);
      if (code !== SPACE && code !== TAB) return;
    }
  }

  /** Skips spaces, line ends and comments. */
  #skipSpace(): void {
    const { text } = this;
    for (; this.#at < text.length; this.#at++) {
      const code = text.charCodeAt(this.#at);
      if (code === SEMICOLON) {
        const end = text.indexOf('\n', this.#at);
        this.#at = end < 0 ? text.length : end;
      } else if (code > SPACE && code !== BYTE_ORDER_MARK) return;
    }
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.text);
    if (!found) return undefined;
    this.#at = pattern.lastIndex;
    return found;
  }

  #truncated(): never {
    return refuse('FILE_TRUNCATED', `+${this.#at}`, 'the text ends inside a record', TRY_AGAIN);
  }

  #broken(at = this.#at): never {
    const found = this.text.slice(at, at + 40).split('\n')[0];
    return refuse('FBX_INVALID', `+${at}`, `${quote(found)} is not a record`, 'Export it again.');
  }
}

function isWordPart(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    isDigit(code) ||
    code === 0x5f ||
    code === MINUS ||
    code === 0x7c
  );
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isNumeric(code: number): boolean {
  return isDigit(code) || code === MINUS || code === 0x2b || code === POINT;
}

/** Powers of ten that doubles have exactly. */
const POWERS = Float64Array.from({ length: 23 }, (_, i) => Number(`1e${i}`));
/** Digits of a decimal that are exact in a double. */
const EXACT_DIGITS = 15;

/**
 * Reads numbers between commas, as many as `out` has room for, and returns how many there are. Other words become NaN.
 * Plain decimals of up to 15 digits are a quotient of two exact doubles, so they are rounded once, as they have to be.
 */
function readNumbers(text: string, from: number, to: number, out: Float64Array): number {
  let count = 0;
  for (let at = from; at < to; at++) {
    while (at < to && text.charCodeAt(at) <= SPACE) at++;
    const start = at;
    let [mantissa, digits, decimals] = [0, 0, -1];
    const isNegative = text.charCodeAt(at) === MINUS;
    if (isNegative) at++;
    for (; at < to; at++) {
      const code = text.charCodeAt(at);
      if (isDigit(code)) {
        mantissa = 10 * mantissa + code - 0x30;
        digits++;
        if (decimals >= 0) decimals++;
      } else if (code === POINT && decimals < 0) decimals = 0;
      else break;
    }
    while (at < to && text.charCodeAt(at) <= SPACE) at++;
    const isPlain = digits > 0 && digits <= EXACT_DIGITS && (at >= to || text.charCodeAt(at) === COMMA);
    if (isPlain) {
      const value = decimals > 0 ? mantissa / POWERS[decimals]! : mantissa;
      out[count++] = isNegative ? -value : value;
      continue;
    }
    while (at < to && text.charCodeAt(at) !== COMMA) at++;
    const word = text.slice(start, Math.min(at, start + 64)).trim();
    // an empty list, or a comma after the last number
    if (word === '' && at >= to) break;
    out[count++] = word === '' ? NaN : Number(word);
  }
  return count;
}
