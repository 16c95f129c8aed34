import { isAlias, isMap, isScalar, isSeq, parseDocument } from 'yaml';
import { refuseSize, refuseText, setKey, UNITY_LIMITS, type UnityValue } from './value.ts';

/** Reads values that are not plain: quotes, wrapped text, nested flow collections. */
export interface UnusualReader {
  /** @param where Place in the file, for errors. */
  read(text: string, where: () => string): UnityValue;
}

/**
 * A reader for one file. It costs a thousand times what plain values cost, so how often and how long it may run is
 * bounded; so is nesting, which it would answer with recursion.
 */
export function unusualReader(): UnusualReader {
  let count = 0;
  return {
    read(text, where) {
      if (++count > UNITY_LIMITS.unusual) {
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
    },
  };
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
  if (!isMap(node)) refuseText(where(), 'this is neither a value, a list nor a map');
  const map: Record<string, UnityValue> = {};
  for (const { key, value } of node.items) {
    const name = convert(key, where);
    if (typeof name !== 'string') refuseText(where(), 'the key of a map is not text');
    setKey(map, name, convert(value, where), where);
  }
  return map;
}
