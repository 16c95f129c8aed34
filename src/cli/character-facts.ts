import type { Character, CharacterMesh } from '../asset/character.ts';
import { DEFAULT_MOTIONS } from '../crowd/options.ts';
import { SLOT_COPIES } from '../frame/cull-tables.ts';
import { VERTEX_BYTES } from '../frame/gpu-memory.ts';
import { sizeClass } from '../frame/size-class.ts';
import { joinTables, meshesOf } from '../frame/types.ts';
import { Player } from '../stages/gather-motions/layout.ts';
import { MOTION_ROWS, SlotState, Transform, VisibleCharacter } from '../stages/layout.ts';

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
  readonly images: number;
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
    perVisibleCharacter: bytesPerCharacter(character),
  };
}

/** What a crowd with default options keeps of each visible character, in a page and in the columns of the crowd. */
function bytesPerCharacter(character: Character): number {
  const { types } = joinTables([character], { serialPoses: false, layers: false });
  const { paletteStride } = types[0]!;
  const inPage =
    SLOT_COPIES * sizeClass(character.vertexCount) * VERTEX_BYTES +
    paletteStride * 16 +
    VisibleCharacter.size +
    DEFAULT_MOTIONS * MOTION_ROWS * 16;
  return inPage + Transform.size + SlotState.size + DEFAULT_MOTIONS * Player.size;
}
