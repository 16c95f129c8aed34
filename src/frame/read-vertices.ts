import { View } from '../layout/index.ts';
import { VISIBLE_WHOLE, VisibleCharacter } from '../stages/layout.ts';
import { keptCharacter } from '../stages/provider-twins.ts';
import { skinVertices } from '../stages/skin-vertices/reference.ts';
import type { CrowdShape } from './shape.ts';
import { meshesOf, slotRows, variantsOf, type CrowdLevel, type CrowdType } from './types.ts';

/** What a crowd's vertices go through. */
export type VertexCode = Pick<CrowdShape, 'providers' | 'skinnedChannel'>;

/**
 * The vertices that one copy of a slot stands for, a row of four words each: those that it holds, or what its palette makes of
 * the mesh, all of its parts, some 3 µs each.
 *
 * @param code Of the crowd: twins of providers are run where a slot keeps what they know.
 * @param skinnedTangents Filled with what its palette makes of the tangents, a word each.
 */
export function verticesOf(
  type: CrowdType,
  level: CrowdLevel,
  slot: Uint32Array<ArrayBuffer>,
  { providers, skinnedChannel }: VertexCode,
  skinnedTangents: Uint32Array<ArrayBuffer> = new Uint32Array(level.vertexCount),
): Uint32Array<ArrayBuffer> {
  if (type.skin !== 'vertex') return slot;
  const { geometry } = meshesOf(type.character)[type.levels.indexOf(level)]!;
  const { vertexCount, batchRuns } = level;
  const visible = new View(VisibleCharacter, 1);
  visible.assign(0, { detail: VISIBLE_WHOLE });
  const skinned = new Uint32Array(4 * vertexCount);
  // words of the channel, which providers read and nothing keeps, are the second half
  const words = new Uint32Array(2 * vertexCount);
  skinVertices({
    visible,
    visibleCount: 1,
    geometry,
    meshes: new Map([[0, { variants: variantsOf(batchRuns), hasParts: false }]]),
    palettes: new Float32Array(slot.buffer, slot.byteOffset, 4 * slotRows(type, level)).subarray(
      4 * type.keptProviderRows,
    ),
    ...(type.keptProviderRows > 0 && { providers: { list: providers, of: () => keptCharacter(providers, slot) } }),
    skinned,
    skinnedTangents: words,
    skinnedChannel,
  });
  skinnedTangents.set(words.subarray(0, vertexCount));
  return skinned;
}
