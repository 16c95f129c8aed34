import { isAlias, isMap as isYamlMap, isScalar, isSeq, parseDocument } from 'yaml';
import { isMap, refuseSize, refuseText, setKey, UNITY_LIMITS, type UnityValue } from './fields.ts';

/** A line, or the rest of it after a dash. */
interface Line {
  indent: number;
  /** Offset of its first character that is not blank. `end` is after its last. */
  start: number;
  end: number;
  /** Where the next line starts. */
  next: number;
}

const SPACE = 0x20;
const DASH = 0x2d;
const COLON = 0x3a;
/** Begins of values that are more than plain text, apart from brackets. */
const UNUSUAL_START = /^["'&*!|>%@`#\]},]|^[?-](?:\s|$)/;
const FLAT_FLOW = /^[[{][^[\]{}"'#&*!|>%@`?]*[\]}]$/;

/**
 * Reads the block structure that Unity writes: maps and lists by indentation, plain scalars, flat flow collections,
 * wrapped or not. Everything else goes to a whole YAML reader, value by value. Reads documents of one file; their total
 * size is limited. Time and memory are in proportion to the text.
 */
export class BlockReader {
  readonly #unusual = new UnusualReader();
  #values = 0;
  #limit = 0;
  #line: Line | undefined;

  constructor(readonly text: string) {}

  /** Reads the value between two offsets of a document. Both are starts of lines. */
  read(start: number, end: number): UnityValue {
    this.#limit = end;
    this.#line = this.#lineAt(start);
    if (!this.#line) return '';
    const value = this.#readBlock(0);
    if (this.#line) refuseText(this.#whereOf(this.#line), 'this line belongs to nothing above it');
    return value;
  }

  #whereOf({ start }: Line): string {
    let number = 1;
    for (let at = this.text.indexOf('\n'); at >= 0 && at < start; at = this.text.indexOf('\n', at + 1)) number++;
    return `line ${number}`;
  }

  /** The first line from `start` on that holds anything. */
  #lineAt(start: number): Line | undefined {
    for (let at = start; at < this.#limit;) {
      const newline = this.text.indexOf('\n', at);
      const isLast = newline < 0 || newline >= this.#limit;
      const next = isLast ? this.#limit : newline + 1;
      let end = isLast ? this.#limit : newline;
      let from = at;
      while (from < end && this.text.charCodeAt(from) === SPACE) from++;
      while (end > from && isBlank(this.text.charCodeAt(end - 1))) end--;
      if (from < end) return { indent: from - at, start: from, end, next };
      at = next;
    }
    return undefined;
  }

  #advance(): void {
    this.#line = this.#lineAt(this.#line!.next);
  }

  #counted<T extends UnityValue>(value: T): T {
    if (++this.#values > UNITY_LIMITS.values) refuseSize('', `there are over ${UNITY_LIMITS.values} values`);
    return value;
  }

  #readBlock(depth: number): UnityValue {
    const here = this.#line!;
    if (depth > UNITY_LIMITS.depth) {
      refuseSize(this.#whereOf(here), `values are nested deeper than ${UNITY_LIMITS.depth}`);
    }
    if (this.#isDash(here)) return this.#readList(here.indent, depth);
    const first = this.text.charCodeAt(here.start);
    const opens = first === 0x7b || first === 0x5b || first === 0x22 || first === 0x27;
    if (!opens && this.#keyEnd(here) >= 0) return this.#readMap(here.indent, depth);
    return this.#readInline(here.start, here.indent - 1);
  }

  #readMap(indent: number, depth: number): UnityValue {
    const map = this.#counted<Record<string, UnityValue>>({});
    const first = this.#line!;
    const pairs: UnityValue[] = [];
    for (let here = this.#line; here && here.indent >= indent; here = this.#line) {
      const place = here;
      const colon = here.indent === indent && !this.#isDash(here) ? this.#keyEnd(here) : -1;
      if (colon < 0) refuseText(this.#whereOf(here), 'this line is neither a key of the map around it nor inside one');
      const key = this.text.slice(here.start, colon).trimEnd();
      if (/^\s/.test(key) || UNUSUAL_START.test(key)) {
        refuseText(this.#whereOf(here), `${JSON.stringify(key.slice(0, 80))} is not a key`);
      }
      const from = this.#skipBlanks(colon + 1, here.end);
      const value = from < here.end ? this.#readInline(from, indent) : this.#readBelow(indent, depth);
      if (key === 'data' && isPair(value)) pairs.push(value);
      else setKey(map, key, value, () => this.#whereOf(place));
    }
    if (pairs.length > 0 && Object.keys(map).length === 0) return pairs;
    for (const pair of pairs) setKey(map, 'data', pair, () => this.#whereOf(first));
    return map;
  }

  #readList(indent: number, depth: number): UnityValue {
    const list = this.#counted<UnityValue[]>([]);
    while (this.#line && this.#line.indent === indent && this.#isDash(this.#line)) {
      const from = this.#skipBlanks(this.#line.start + 1, this.#line.end);
      if (from === this.#line.end) {
        this.#advance();
        list.push(this.#line && this.#line.indent > indent ? this.#readBlock(depth + 1) : '');
        continue;
      }
      // the text after the dash is a block of its own, indented by its column
      this.#line = { ...this.#line, indent: indent + from - this.#line.start, start: from };
      const first = this.text.charCodeAt(from);
      const isBlock = this.#isDash(this.#line) || (first !== 0x7b && first !== 0x5b && this.#keyEnd(this.#line) >= 0);
      list.push(isBlock ? this.#readBlock(depth + 1) : this.#readInline(from, indent));
    }
    return list;
  }

  /** Reads the lines that follow a key without a value in its own line. */
  #readBelow(indent: number, depth: number): UnityValue {
    this.#advance();
    if (this.#line && this.#line.indent === indent && this.#isDash(this.#line))
      return this.#readList(indent, depth + 1);
    return this.#line && this.#line.indent > indent ? this.#readBlock(depth + 1) : this.#counted('');
  }

  /**
   * Reads a value that begins at `from` in this line. Following lines continue it if they are indented by more than
   * `parent`.
   */
  #readInline(from: number, parent: number): UnityValue {
    const here = this.#line!;
    const first = this.text.charCodeAt(from);
    if (first === 0x7b || first === 0x5b) return this.#readFlow(from);
    let { end } = here;
    this.#advance();
    let isWrapped = false;
    for (; this.#line && this.#line.indent > parent; this.#advance()) {
      end = this.#line.end;
      isWrapped = true;
    }
    const value = this.text.slice(from, end);
    const isPlain = !isWrapped && !UNUSUAL_START.test(value) && !/:(?:\s|$)|\s#/.test(value);
    return this.#counted(isPlain ? value : (quoted(value) ?? this.#unusual.read(value, () => this.#whereOf(here))));
  }

  /** A flow collection; Unity wraps long ones, not always with more indentation. */
  #readFlow(from: number): UnityValue {
    const here = this.#line!;
    let open = 0;
    let quote = 0;
    let end = -1;
    const text = this.text;
    for (let at = from; end < 0 && this.#line;) {
      const line = this.#line;
      for (; at < line.end && end < 0; at++) {
        const code = text.charCodeAt(at);
        if (quote !== 0) {
          if (code === 0x5c && quote === 0x22) at++;
          else if (code === quote) quote = 0;
        } else if (code === 0x22 || code === 0x27) {
          const before = text.charCodeAt(at - 1);
          if (before === SPACE || before === 0x7b || before === 0x5b || before === 0x2c) quote = code;
        } else if (code === 0x7b || code === 0x5b) open++;
        else if ((code === 0x7d || code === 0x5d) && --open === 0) end = at + 1;
      }
      if (end >= 0 && end < line.end) refuseText(this.#whereOf(line), 'a flow collection is followed by other text');
      this.#advance();
      if (this.#line) at = this.#line.start;
    }
    if (end < 0) refuseText(this.#whereOf(here), 'a flow collection has no end');
    const flow = text.slice(from, end);
    return (
      (FLAT_FLOW.test(flow) ? this.#flat(flow, here) : undefined) ??
      this.#counted(this.#unusual.read(flow, () => this.#whereOf(here)))
    );
  }

  /** `{a: 1, b: 2}` or `[1, 2]`; undefined if it is not as simple as that. */
  #flat(flow: string, here: Line): UnityValue | undefined {
    const inner = flow.slice(1, -1).trim();
    const items = inner === '' ? [] : inner.split(',');
    if (flow.startsWith('[')) {
      if (items.some((item) => /:\s|:$|^\s*-?\s*$/.test(item))) return undefined;
      return this.#counted(items.map((item) => this.#counted(item.trim())));
    }
    const map = this.#counted<Record<string, UnityValue>>({});
    for (const item of items) {
      const colon = item.indexOf(': ');
      const end = colon < 0 && item.trimEnd().endsWith(':') ? item.lastIndexOf(':') : colon;
      const [key, value] = [item.slice(0, end).trim(), item.slice(end + 1).trim()];
      if (end < 0 || key === '' || value.includes(': ')) return undefined;
      setKey(map, key, this.#counted(value), () => this.#whereOf(here));
    }
    return map;
  }

  /** Offset of the colon after the line's key; −1 if it has no key. */
  #keyEnd({ start, end }: Line): number {
    // never beyond the line: a search through the whole text would cost its length for each line without a colon
    for (let at = start; at < end; at++) {
      if (this.text.charCodeAt(at) === COLON && (at + 1 === end || isBlank(this.text.charCodeAt(at + 1)))) return at;
    }
    return -1;
  }

  #isDash({ start, end }: Line): boolean {
    return this.text.charCodeAt(start) === DASH && (start + 1 === end || isBlank(this.text.charCodeAt(start + 1)));
  }

  #skipBlanks(from: number, end: number): number {
    let at = from;
    while (at < end && isBlank(this.text.charCodeAt(at))) at++;
    return at;
  }
}

/** An entry of a table: up to Unity 5, a table is a map that repeats the key `data`. */
function isPair(value: UnityValue): boolean {
  return isMap(value) && Object.keys(value).sort().join() === 'first,second';
}

function isBlank(code: number): boolean {
  return code === SPACE || code === 0x09 || code === 0x0d;
}

/** The text of a quoted scalar on one line without anything escaped. */
function quoted(value: string): string | undefined {
  const quote = value[0];
  if ((quote !== '"' && quote !== "'") || value.length < 2 || !value.endsWith(quote)) return undefined;
  const inner = value.slice(1, -1);
  return inner.includes(quote) || inner.includes('\n') || inner.includes('\\') ? undefined : inner;
}

/**
 * Reads values of one file that are not plain: quotes, wrapped text, nested flow collections. It costs a thousand times what plain values cost, so
 * how often and how long it may run is bounded; so is nesting, which it would answer with recursion.
 */
class UnusualReader {
  #count = 0;

  /** @param where Place in the file, for errors. */
  read(text: string, where: () => string): UnityValue {
    if (++this.#count > UNITY_LIMITS.unusual) {
      refuseSize(where(), `over ${UNITY_LIMITS.unusual} values are quoted, wrapped or nested`);
    }
    if (text.length > UNITY_LIMITS.unusualText) {
      refuseSize(where(), `a value has ${text.length} characters; the limit is ${UNITY_LIMITS.unusualText}`);
    }
    if (flowDepth(text) > UNITY_LIMITS.depth) {
      refuseSize(where(), `values are nested deeper than ${UNITY_LIMITS.depth}`);
    }
    const document = parseDocument(text, { schema: 'failsafe', uniqueKeys: false, prettyErrors: false });
    const problem = document.errors[0];
    if (problem) refuseText(where(), `not valid YAML: ${problem.message}`);
    return convert(document.contents, where);
  }
}

/** Largest number of open brackets. Brackets in quotes count, too; no real value has that many of them. */
function flowDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x5b || code === 0x7b) deepest = Math.max(deepest, ++depth);
    else if (code === 0x5d || code === 0x7d) depth--;
  }
  return deepest;
}

function convert(node: unknown, where: () => string): UnityValue {
  if (node === null || node === undefined) return '';
  if (isAlias(node)) refuseText(where(), 'aliases are not allowed');
  if (isScalar(node)) {
    if (node.anchor !== undefined) refuseText(where(), 'anchors are not allowed');
    return typeof node.value === 'string' ? node.value : '';
  }
  if (isSeq(node)) return node.items.map((item) => convert(item, where));
  if (!isYamlMap(node)) refuseText(where(), 'this is neither a value, a list nor a map');
  const map: Record<string, UnityValue> = {};
  for (const { key, value } of node.items) {
    const name = convert(key, where);
    if (typeof name !== 'string') refuseText(where(), 'the key of a map is not text');
    setKey(map, name, convert(value, where), where);
  }
  return map;
}
