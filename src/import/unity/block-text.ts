import { isMap } from './fields.ts';
import { type UnusualReader, unusualReader } from './unusual.ts';
import { refuseSize, refuseText, setKey, UNITY_LIMITS, type UnityValue } from './value.ts';

/** Reads documents of one file. Their total size is limited. */
export interface BlockReader {
  /** Reads the value between two offsets of a document. Both are starts of lines. */
  read(start: number, end: number): UnityValue;
}

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
 * A reader of the block structure that Unity writes: maps and lists by indentation, plain scalars, flat flow
 * collections, wrapped or not. Everything else goes to a whole YAML reader, value by value. Time and memory are in
 * proportion to the text.
 */
// oxlint-disable-next-line max-lines-per-function
export function blockReader(text: string): BlockReader {
  const unusual: UnusualReader = unusualReader();
  let values = 0;
  let limit = 0;
  let line: Line | undefined;

  return {
    read(start, end) {
      limit = end;
      line = lineAt(start);
      if (!line) return '';
      const value = readBlock(0);
      if (line) refuseText(whereOf(line), 'this line belongs to nothing above it');
      return value;
    },
  };

  function whereOf({ start }: Line): string {
    let number = 1;
    for (let at = text.indexOf('\n'); at >= 0 && at < start; at = text.indexOf('\n', at + 1)) number++;
    return `line ${number}`;
  }

  /** The first line from `start` on that holds anything. */
  function lineAt(start: number): Line | undefined {
    for (let at = start; at < limit;) {
      const newline = text.indexOf('\n', at);
      const next = newline < 0 || newline >= limit ? limit : newline + 1;
      let end = newline < 0 || newline >= limit ? limit : newline;
      let from = at;
      while (from < end && text.charCodeAt(from) === SPACE) from++;
      while (end > from && isBlank(text.charCodeAt(end - 1))) end--;
      if (from < end) return { indent: from - at, start: from, end, next };
      at = next;
    }
    return undefined;
  }

  function advance(): void {
    line = lineAt(line!.next);
  }

  function counted<T extends UnityValue>(value: T): T {
    if (++values > UNITY_LIMITS.values) refuseSize('', `there are over ${UNITY_LIMITS.values} values`);
    return value;
  }

  function readBlock(depth: number): UnityValue {
    const here = line!;
    if (depth > UNITY_LIMITS.depth) refuseSize(whereOf(here), `values are nested deeper than ${UNITY_LIMITS.depth}`);
    if (isDash(here)) return readList(here.indent, depth);
    const first = text.charCodeAt(here.start);
    const opens = first === 0x7b || first === 0x5b || first === 0x22 || first === 0x27;
    if (!opens && keyEnd(here) >= 0) return readMap(here.indent, depth);
    return readInline(here.start, here.indent - 1);
  }

  function readMap(indent: number, depth: number): UnityValue {
    const map = counted<Record<string, UnityValue>>({});
    const first = line!;
    const pairs: UnityValue[] = [];
    for (let here = line; here && here.indent >= indent; here = line) {
      const place = here;
      const colon = here.indent === indent && !isDash(here) ? keyEnd(here) : -1;
      if (colon < 0) refuseText(whereOf(here), 'this line is neither a key of the map around it nor inside one');
      const key = text.slice(here.start, colon).trimEnd();
      if (/^\s/.test(key) || UNUSUAL_START.test(key)) {
        refuseText(whereOf(here), `${JSON.stringify(key.slice(0, 80))} is not a key`);
      }
      const from = skipBlanks(colon + 1, here.end);
      const value = from < here.end ? readInline(from, indent) : readBelow(indent, depth);
      if (key === 'data' && isPair(value)) pairs.push(value);
      else setKey(map, key, value, () => whereOf(place));
    }
    if (pairs.length > 0 && Object.keys(map).length === 0) return pairs;
    for (const pair of pairs) setKey(map, 'data', pair, () => whereOf(first));
    return map;
  }

  function readList(indent: number, depth: number): UnityValue {
    const list = counted<UnityValue[]>([]);
    while (line && line.indent === indent && isDash(line)) {
      const from = skipBlanks(line.start + 1, line.end);
      if (from === line.end) {
        advance();
        list.push(line && line.indent > indent ? readBlock(depth + 1) : '');
        continue;
      }
      // the text after the dash is a block of its own, indented by its column
      line = { ...line, indent: indent + from - line.start, start: from };
      const first = text.charCodeAt(from);
      const isBlock = isDash(line) || (first !== 0x7b && first !== 0x5b && keyEnd(line) >= 0);
      list.push(isBlock ? readBlock(depth + 1) : readInline(from, indent));
    }
    return list;
  }

  /** Reads the lines that follow a key without a value in its own line. */
  function readBelow(indent: number, depth: number): UnityValue {
    advance();
    if (line && line.indent === indent && isDash(line)) return readList(indent, depth + 1);
    return line && line.indent > indent ? readBlock(depth + 1) : counted('');
  }

  /**
   * Reads a value that begins at `from` in this line. Following lines continue it if they are indented by more than
   * `parent`.
   */
  function readInline(from: number, parent: number): UnityValue {
    const here = line!;
    const first = text.charCodeAt(from);
    if (first === 0x7b || first === 0x5b) return readFlow(from);
    let { end } = here;
    advance();
    let isWrapped = false;
    for (; line && line.indent > parent; advance()) {
      end = line.end;
      isWrapped = true;
    }
    const value = text.slice(from, end);
    const isPlain = !isWrapped && !UNUSUAL_START.test(value) && !/:(?:\s|$)|\s#/.test(value);
    return counted(isPlain ? value : (quoted(value) ?? unusual.read(value, () => whereOf(here))));
  }

  /** A flow collection; Unity wraps long ones, not always with more indentation. */
  function readFlow(from: number): UnityValue {
    const here = line!;
    let open = 0;
    let quote = 0;
    let end = -1;
    for (let at = from; end < 0 && line;) {
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
      if (end >= 0 && end < line.end) refuseText(whereOf(line), 'a flow collection is followed by other text');
      advance();
      if (line) at = line.start;
    }
    if (end < 0) refuseText(whereOf(here), 'a flow collection has no end');
    const flow = text.slice(from, end);
    return (FLAT_FLOW.test(flow) ? flat(flow, here) : undefined) ?? counted(unusual.read(flow, () => whereOf(here)));
  }

  /** `{a: 1, b: 2}` or `[1, 2]`; undefined if it is not as simple as that. */
  function flat(flow: string, here: Line): UnityValue | undefined {
    const inner = flow.slice(1, -1).trim();
    const items = inner === '' ? [] : inner.split(',');
    if (flow.startsWith('[')) {
      if (items.some((item) => /:\s|:$|^\s*-?\s*$/.test(item))) return undefined;
      return counted(items.map((item) => counted(item.trim())));
    }
    const map = counted<Record<string, UnityValue>>({});
    for (const item of items) {
      const colon = item.indexOf(': ');
      const end = colon < 0 && item.trimEnd().endsWith(':') ? item.lastIndexOf(':') : colon;
      const [key, value] = [item.slice(0, end).trim(), item.slice(end + 1).trim()];
      if (end < 0 || key === '' || value.includes(': ')) return undefined;
      setKey(map, key, counted(value), () => whereOf(here));
    }
    return map;
  }

  /** Offset of the colon after the line's key; −1 if it has no key. */
  function keyEnd({ start, end }: Line): number {
    // never beyond the line: a search through the whole text would cost its length for each line without a colon
    for (let at = start; at < end; at++) {
      if (text.charCodeAt(at) === COLON && (at + 1 === end || isBlank(text.charCodeAt(at + 1)))) return at;
    }
    return -1;
  }

  function isDash({ start, end }: Line): boolean {
    return text.charCodeAt(start) === DASH && (start + 1 === end || isBlank(text.charCodeAt(start + 1)));
  }

  function skipBlanks(from: number, end: number): number {
    let at = from;
    while (at < end && isBlank(text.charCodeAt(at))) at++;
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
