import type { Character } from './character.ts';
import { eachInfluence } from './packed-influences.ts';
import { openVertices } from '../vertex/vertex-channels.ts';
import { transformPoint } from '../math/affine.ts';

/** Vertices of the finest mesh, and their influences. Morph targets are left out. */
export interface VertexSample {
  /** Metres in mesh space, 3 per vertex. */
  readonly positions: Float64Array;
  /** Index of its primitive, per vertex. */
  readonly primitives: Uint32Array;
  /** Sample s is moved by entries offsets[s] … offsets[s + 1] − 1. */
  readonly offsets: Uint32Array;
  readonly entries: Uint16Array;
  readonly weights: Float64Array;
}

/** Reads at most `most` vertices, evenly spread: all of them if there are no more. */
export function sampleVertices(character: Character, most: number): VertexSample {
  const step = Math.max(1, Math.ceil(character.vertexCount / most));
  const count = Math.ceil(character.vertexCount / step);
  const positions = new Float64Array(3 * count);
  const primitives = new Uint32Array(count);
  character.primitives.forEach(({ firstVertex, vertexCount }, primitive) => {
    const first = Math.ceil(firstVertex / step);
    const end = Math.ceil((firstVertex + vertexCount) / step);
    if (first === end) return;
    const loader = openVertices(character.geometry, 0, firstVertex);
    for (let s = first; s < end; s++) positions.set(loader.loadPosition(s * step, 0), 3 * s);
    primitives.fill(primitive, first, end);
  });
  const [entries, weights]: [number[], number[]] = [[], []];
  const offsets = new Uint32Array(count + 1);
  eachInfluence(character, (vertex, entry, weight) => {
    if (vertex % step !== 0) return;
    entries.push(entry);
    weights.push(weight);
    offsets[vertex / step + 1] = entries.length;
  });
  // a vertex without influences ends where the previous one does
  for (let s = 0; s < count; s++) offsets[s + 1] = Math.max(offsets[s]!, offsets[s + 1]!);
  return { positions, primitives, offsets, entries: Uint16Array.from(entries), weights: Float64Array.from(weights) };
}

/**
 * The weighted sum of a vertex's images under its palette entries.
 * @param palette 12 numbers per entry, three rows of four.
 * @param out Written: the sum, or the unchanged vertex if nothing moves it.
 */
export function blendVertex(sample: VertexSample, s: number, palette: Float64Array, out: number[]): void {
  const { positions, offsets, entries, weights } = sample;
  const [x, y, z] = [positions[3 * s]!, positions[3 * s + 1]!, positions[3 * s + 2]!];
  if (offsets[s] === offsets[s + 1]) return void out.splice(0, 3, x, y, z);
  const moved = [0, 0, 0];
  out.fill(0);
  for (let i = offsets[s]!; i < offsets[s + 1]!; i++) {
    transformPoint(palette, 12 * entries[i]!, x, y, z, moved, 0);
    for (let c = 0; c < 3; c++) out[c]! += weights[i]! * moved[c]!;
  }
}
