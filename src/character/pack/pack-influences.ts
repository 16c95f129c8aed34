import type { InfluencesModel } from '../model.ts';

export interface InfluenceStreams {
  /** Four words per vertex: four 16-bit palette indices, four 16-bit unorm weights that sum to 65,535. */
  readonly fixed: Uint32Array;
  /** A word per vertex: count in the top 8 bits, first pair in the other 24. */
  readonly headers: Uint32Array;
  /** Two words per influence: palette index, weight as the bits of a float. */
  readonly pairs: Uint32Array;
}

const ONE = 65535;

/** At most four influences per vertex, heaviest first. */
export function fixedInfluences({ offsets, bindings, weights }: InfluencesModel): Uint32Array {
  const vertexCount = offsets.length - 1;
  const words = new Uint32Array(4 * vertexCount);
  const halves = new Uint16Array(words.buffer);
  for (let v = 0; v < vertexCount; v++) {
    const from = offsets[v]!;
    const count = offsets[v + 1]! - from;
    if (count === 1) {
      halves[8 * v] = bindings[from]!;
      halves[8 * v + 4] = ONE;
      continue;
    }
    const codes = unormWeights(weights.subarray(from, from + count));
    for (let i = 0; i < count; i++) {
      halves[8 * v + i] = bindings[from + i]!;
      halves[8 * v + 4 + i] = codes[i]!;
    }
  }
  return words;
}

/**
 * Rounds weights to 16 bits so that they still sum to exactly 1. The remainder goes to the weights that rounding
 * reduced most.
 */
function unormWeights(weights: Float32Array): number[] {
  if (weights.length === 0) return [];
  const total = weights.reduce((sum, w) => sum + w, 0);
  const ideal = Array.from(weights, (w) => (w / total) * ONE);
  const codes = ideal.map(Math.floor);
  const missing = ONE - codes.reduce((sum, code) => sum + code, 0);
  const order = ideal.map((_, i) => i).sort((a, b) => ideal[b]! - codes[b]! - (ideal[a]! - codes[a]!) || a - b);
  for (let i = 0; i < missing; i++) codes[order[i % order.length]!]!++;
  return codes;
}

/** Converts any number of influences: appends the pairs, returns the headers. */
export function variableInfluences({ offsets, bindings, weights }: InfluencesModel, pairs: number[]): Uint32Array {
  const bits = new Uint32Array(weights.buffer, weights.byteOffset, weights.length);
  const headers = new Uint32Array(offsets.length - 1);
  headers.forEach((_, v) => {
    const first = pairs.length / 2;
    for (let i = offsets[v]!; i < offsets[v + 1]!; i++) pairs.push(bindings[i]!, bits[i]!);
    headers[v] = ((offsets[v + 1]! - offsets[v]!) << 24) | first;
  });
  return headers;
}
