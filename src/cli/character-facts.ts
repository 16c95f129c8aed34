import type { Character, CharacterMesh } from '../character/character.ts';
import { columnBytes } from '../crowd/crowd-layout.ts';
import { DEFAULT_MOTIONS } from '../crowd/options.ts';
import { SLOT_COPIES, sizeClass } from '../frame/tables/cull-tables.ts';
import { VERTEX_BYTES } from '../frame/tables/memory.ts';
import { joinTables, meshesOf } from '../frame/tables/crowd-types.ts';
import { MOTION_ROWS } from '../stages/layout.ts';

/** A level of detail in numbers. */
export interface LevelFacts {
  readonly triangles: number;
  readonly vertices: number;
  /** Those that it is posed by. */
  readonly joints: number;
  /** Metres. */
  readonly error: number;
  readonly bytes: number;
}

/** Bytes. */
export interface MemoryFacts {
  readonly rig: number;
  readonly geometry: number;
  readonly indices: number;
  /** Encoded, as files have them. */
  readonly images: number;
  /** The columns of a crowd, for each character, visible or not. */
  readonly perCharacter: number;
  /** For each visible character: that, a slot with two copies of its vertices, its palette and its motions. */
  readonly perVisibleCharacter: number;
}

/** One level of detail; bytes are those on the GPU, shared by all characters of the type. */
export function lodOf(
  { indices, vertexCount, error, geometry, posedJoints }: CharacterMesh,
  joints: number,
): LevelFacts {
  const size = geometry.byteLength + indices.byteLength;
  const posed = posedJoints?.length ?? joints;
  return { triangles: indices.length / 3, vertices: vertexCount, joints: posed, error, bytes: size };
}

/** Bytes on the GPU: shared by all characters of the type, and for each one that is visible. */
export function memoryOf(character: Character): MemoryFacts {
  return {
    rig: character.rig.byteLength,
    geometry: meshesOf(character).reduce((sum, { geometry }) => sum + geometry.byteLength, 0),
    indices: meshesOf(character).reduce((sum, { indices }) => sum + indices.byteLength, 0),
    images: character.images.reduce((sum, image) => sum + image.bytes.byteLength, 0),
    perCharacter: columnBytes(character),
    perVisibleCharacter: columnBytes(character) + slotBytes(character),
  };
}

/** Further bytes per visible character in a crowd with default options. */
function slotBytes(character: Character): number {
  const { types } = joinTables([character], { serialPoses: false, layers: false });
  const { paletteStride } = types[0]!;
  const motions = character.controller?.motionBound ?? DEFAULT_MOTIONS;
  return SLOT_COPIES * sizeClass(character.vertexCount) * VERTEX_BYTES + (paletteStride + motions * MOTION_ROWS) * 16;
}
