import { unpackPosition } from '../../math/packing.ts';
import { EXACT_WORDS } from '../../stages/layout.ts';

/**
 * Vertices as readers take them: four words each, position as three floats (metres, model space), normal octahedral.
 *
 * @param positions Two words per vertex, as skin-vertices writes them.
 * @param attributes Words of the same vertices, `stride` per vertex, the normal first, exact positions last. Left out: normals are 0.
 */
export function unpackVertices(
  positions: Uint32Array<ArrayBuffer>,
  attributes?: Uint32Array<ArrayBuffer>,
  stride = 1,
): Uint32Array<ArrayBuffer> {
  const count = positions.length / 2;
  const vertices = new Uint32Array(4 * count);
  const isExact = attributes !== undefined && stride >= EXACT_WORDS;
  const floats = new Float32Array(vertices.buffer);
  for (let v = 0; v < count; v++) {
    if (isExact) vertices.set(attributes.subarray(stride * (v + 1) - 3, stride * (v + 1)), 4 * v);
    else unpackPosition(positions[2 * v]!, positions[2 * v + 1]!, floats, 4 * v);
    vertices[4 * v + 3] = attributes?.[stride * v] ?? 0;
  }
  return vertices;
}
