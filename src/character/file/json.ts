import type { Report } from './report.ts';

/** Bytes of the JSON section. A character of 4,096 joints and a thousand clips takes about one of the sixteen. */
export const JSON_BYTE_LIMIT = 16 * 2 ** 20;
/** Values, objects and arrays in it. */
const VALUE_LIMIT = 2 ** 20;
/** Limit of nesting. Descriptions go 5 levels deep; the rest is for future fields. */
const DEPTH_LIMIT = 32;

/**
 * Parses the JSON section of a file. Checks size, nesting and number of values before it builds anything, so that no
 * text makes `JSON.parse` take more than a few dozen bytes per byte. If a key is duplicated, the last one counts.
 *
 * @throws ManipleError BAKED_CORRUPT
 */
export function parseJson(bytes: Uint8Array, report: Report): unknown {
  const { depth, values } = measureJson(bytes);
  const over = (what: string, actual: number, limit: number): void => {
    if (actual > limit) report.corrupt('json', `${actual} ${what}; the limit is ${limit}.`);
  };
  over('bytes of JSON', bytes.length, JSON_BYTE_LIMIT);
  over('levels of nesting', depth, DEPTH_LIMIT);
  over('values', values, VALUE_LIMIT);
  report.throwIfFailed();
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)) as unknown;
  } catch (thrown) {
    report.corrupt('json', `cannot be parsed: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    report.throwIfFailed();
    return undefined;
  }
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/**
 * Measures the deepest nesting, and counts commas, objects and arrays outside strings: an upper bound of the number of
 * values.
 */
function measureJson(bytes: Uint8Array): { depth: number; values: number } {
  let [depth, deepest, values] = [0, 0, 1];
  let inString = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (inString) {
      if (byte === BACKSLASH) i++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === COMMA) values++;
    else if (OPENING.has(byte)) {
      values++;
      deepest = Math.max(deepest, ++depth);
    } else if (CLOSING.has(byte)) depth--;
  }
  return { depth: deepest, values };
}
