import type { Character, CharacterMesh } from '../character/character.ts';
import { columnBytes } from '../crowd/crowd-layout.ts';
import { DEFAULT_MOTIONS } from '../crowd/options.ts';
import { slotClasses } from '../frame/tables/cull-tables.ts';
import { attributeWords, joinTables, meshesOf } from '../frame/tables/crowd-types.ts';
import { MOTION_ROWS, VERTEX_ROW_BYTES } from '../stages/layout.ts';

/** One level of detail. Its error is in metres; its bytes are those on the GPU, shared by all characters of the type. */
export function lodOf({ indices, vertexCount, error, geometry, posedJoints }: CharacterMesh, joints: number) {
  return {
    triangles: indices.length / 3,
    vertices: vertexCount,
    /** Those that it is posed by. */
    joints: posedJoints?.length ?? joints,
    error,
    bytes: geometry.byteLength + indices.byteLength,
  };
}

/** Bytes on the GPU: shared by all characters of the type, and for each one that is visible. */
export function memoryOf(character: Character) {
  return {
    rig: character.rig.byteLength,
    geometry: meshesOf(character).reduce((sum, { geometry }) => sum + geometry.byteLength, 0),
    indices: meshesOf(character).reduce((sum, { indices }) => sum + indices.byteLength, 0),
    /** Encoded, as files have them. */
    images: character.images.reduce((sum, image) => sum + image.bytes.byteLength, 0),
    /** The columns of a crowd, for each character, visible or not. */
    perCharacter: columnBytes(character),
    /** The same with a slot for two copies of its vertices, its palette and its motions. */
    perVisibleCharacter: columnBytes(character) + slotBytes(character),
  };
}

/** Further bytes per visible character in a crowd with default options. */
function slotBytes(character: Character): number {
  const { types } = joinTables([character], { serialPoses: false, layers: false });
  const { paletteStride } = types[0]!;
  const motions = character.controller?.motionBound ?? DEFAULT_MOTIONS;
  const { slots } = slotClasses(
    types.map((type) => ({ ...type, levels: type.levels.slice(0, 1) })),
    1,
    Infinity,
    { attributeWords: attributeWords(types, false) },
  );
  return slots[0]! * VERTEX_ROW_BYTES + (paletteStride + motions * MOTION_ROWS) * 16;
}
