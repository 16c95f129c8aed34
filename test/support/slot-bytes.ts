import type { Character } from '../../src/character/character.ts';
import { attributeWords, joinTables } from '../../src/frame/tables/crowd-types.ts';
import { sizeClass } from '../../src/frame/tables/cull-tables.ts';
import { VERTEX_ROW_BYTES } from '../../src/stages/layout.ts';

/** Bytes of vertex memory that a slot for so many vertices takes in a crowd of these types, with two copies of positions. */
export function slotBytes(characters: readonly Character[], vertexCount: number): number {
  const { types } = joinTables(characters, { serialPoses: false, layers: false });
  return ((4 + attributeWords(types, false)) / 2) * sizeClass(vertexCount) * VERTEX_ROW_BYTES;
}
