import { View } from '../../layout/index.ts';
import { VISIBLE_WHOLE, VISIBLE_WORDS_SHIFT, VisibleCharacter } from '../../stages/layout.ts';
import { keptCharacter } from '../../stages/provider-twins.ts';
import { skinVertices } from '../../stages/skin-vertices/reference.ts';
import type { CrowdLayout } from './crowd-layout.ts';
import { unpackVertices } from './unpack-vertices.ts';
import { meshesOf, variantsOf, type CrowdLevel, type CrowdType } from './crowd-types.ts';

/** The providers and the channel that a crowd's vertices use. */
export type VertexCode = Pick<CrowdLayout, 'providers' | 'skinnedChannel'>;

/** A normal, a tangent, a channel and an exact position. */
const WORDS = 6;

/**
 * Returns the vertices of one copy of a slot, a row of four words each. A slot of a type that draws skin holds a palette: then
 * the mesh is skinned with it, with all of its parts, at some 3 µs per vertex.
 *
 * @param code The crowd's providers and channel. Twins of providers run if the slot keeps provider rows.
 * @param skinnedTangents Filled with the skinned tangents, a word each, if the slot holds a palette.
 */
export function verticesOf(
  type: CrowdType,
  level: CrowdLevel,
  slot: Uint32Array<ArrayBuffer>,
  { providers, skinnedChannel }: VertexCode,
  skinnedTangents: Uint32Array<ArrayBuffer> = new Uint32Array(level.vertexCount),
): Uint32Array<ArrayBuffer> {
  const { geometry } = meshesOf(type.character)[type.levels.indexOf(level)]!;
  const { vertexCount, batchRuns } = level;
  // a page with positions, then all attributes of each vertex: providers read the channel, and it is then discarded
  const skinned = new Uint32Array((2 + WORDS) * vertexCount);
  const attributeWord = 2 * vertexCount;
  const visible = new View(VisibleCharacter, 1);
  visible.assign(0, { detail: VISIBLE_WHOLE | (WORDS << VISIBLE_WORDS_SHIFT), attributeWord });
  skinVertices({
    visible,
    visibleCount: 1,
    geometry,
    meshes: new Map([[0, { variants: variantsOf(batchRuns), hasParts: false }]]),
    palettes: new Float32Array(slot.buffer, slot.byteOffset, slot.length).subarray(4 * type.keptProviderRows),
    ...(type.keptProviderRows > 0 && { providers: { list: providers, of: () => keptCharacter(providers, slot) } }),
    skinned,
    skinnedChannel,
  });
  const attributes = skinned.subarray(attributeWord);
  for (let v = 0; v < vertexCount; v++) skinnedTangents[v] = attributes[WORDS * v + 1]!;
  return unpackVertices(skinned.subarray(0, attributeWord), attributes, WORDS);
}
