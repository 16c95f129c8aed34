import type { Character } from '../../character/character.ts';
import { GEOMETRY_TANGENTS, GeometryHeader } from '../../character/format/geometry-layout.ts';
import { takesSecondTexcoords } from '../../character/model.ts';
import type { Crowd } from '../../crowd/crowd.ts';
import { internalsOf } from '../../crowd/internals.ts';
import { meshesOf, type CrowdType } from '../../frame/tables/crowd-types.ts';
import { createFilled } from '../../frame/tables/memory.ts';
import { View } from '../../layout/index.ts';
import { contactPointsOf } from '../contact-points.ts';
import { isBlended, isMasked, materialOf, partBit, type MaterialTable } from '../materials/material-table.ts';
import type { Scenery } from '../scenery/scenery.ts';
import { DrawnPrimitive } from './layout.ts';

/** How a primitive is drawn. */
export interface PrimitiveKind {
  readonly doubleSided: boolean;
  /** It may have holes, which fragments decide. */
  readonly masked: boolean;
  /** It has a normal map, and tangents for it. */
  readonly mapped: boolean;
  /** Other surfaces show through it. */
  readonly blended: boolean;
}

/** The primitives of a type: first byte and kinds, and the byte of its shade for each level. */
interface TypePrimitives {
  readonly firstByte: number;
  readonly kinds: readonly PrimitiveKind[];
  readonly contactBytes: readonly number[];
}

export type DrawnPrimitives = ReturnType<typeof createDrawnPrimitives>;

/** Offsets of uniforms are multiples of this on every device. */
export const PRIMITIVE_STRIDE = 256;

export function typesOf(crowd: Crowd, scenery: Scenery | undefined): CrowdType[] {
  return [...internalsOf(crowd).host.tables.types, ...(scenery?.runs.map(({ type }) => type) ?? [])];
}

export function createDrawnPrimitives(device: GPUDevice, types: readonly CrowdType[], table: MaterialTable) {
  const known = new Map<Character, TypePrimitives>();
  let count = 0;
  for (const character of new Set(types.map((type) => type.character))) {
    const firstByte = PRIMITIVE_STRIDE * count;
    count += character.primitives.length;
    const contactBytes = meshesOf(character).map(() => PRIMITIVE_STRIDE * count++);
    known.set(character, { firstByte, kinds: kindsOf(character), contactBytes });
  }
  const bytes = new ArrayBuffer(PRIMITIVE_STRIDE * Math.max(1, count));
  for (const [character, { firstByte, contactBytes }] of known) {
    character.primitives.forEach(({ part }, index) => {
      const at = new View(DrawnPrimitive, bytes, firstByte + PRIMITIVE_STRIDE * index, 1);
      at.assign(0, { part: partBit(part), materialRow: table.rowOf(character, index) });
    });
    const characterParts = [0, 1].map((word) =>
      character.parts.reduce((bits, _, p) => (bits | partBit(p)[word]!) >>> 0, 0),
    );
    meshesOf(character).forEach((mesh, level) => {
      const at = new View(DrawnPrimitive, bytes, contactBytes[level]!, 1);
      at.assign(0, { characterParts, contactRadius: contactRadiusOf(character) });
      new Uint32Array(bytes, contactBytes[level]! + DrawnPrimitive.offsets.contactPoints).set(contactPointsOf(mesh));
    });
  }
  const usage = GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST;
  const buffer = createFilled(device, 'primitives', usage, new Uint32Array(bytes));
  return {
    /** A `DrawnPrimitive` every `PRIMITIVE_STRIDE` bytes. */
    buffer,
    /** Undefined for an unknown type. */
    of: (character: Character) => known.get(character),
    destroy: () => buffer.destroy(),
  };
}

/** Radius of the soft shade that a character's body leaves on the ground, metres. */
export function contactRadiusOf({ bounds }: Character): number {
  const [width, depth] = [0, 2].map((axis) => bounds.max[axis]! - bounds.min[axis]!);
  return 0.75 * Math.min(width!, depth!);
}

function kindsOf(character: Character): readonly PrimitiveKind[] {
  const { buffer, byteOffset } = character.geometry;
  const hasTangents = (new View(GeometryHeader, buffer, byteOffset, 1).get(0, 'flags') & GEOMETRY_TANGENTS) !== 0;
  return character.primitives.map((primitive) => {
    const material = materialOf(character, primitive);
    const mapped = hasTangents && material.normalTexture !== undefined && !material.unlit;
    return { doubleSided: material.doubleSided, masked: isMasked(material), mapped, blended: isBlended(material) };
  });
}

const standard = new WeakMap<Character, boolean>();

/**
 * Returns true if all of a character's meshes are in the standard layout, and no texture takes a second set of texture
 * coordinates. Shaders that read nothing else are smaller.
 */
export function hasStandardVertices(character: Character): boolean {
  let isStandard = standard.get(character);
  if (isStandard === undefined) {
    isStandard =
      !character.materials.some(takesSecondTexcoords) &&
      meshesOf(character).every(({ geometry: { buffer, byteOffset } }) => {
        return new View(GeometryHeader, buffer, byteOffset, 1).get(0, 'channelRow') === 0;
      });
    standard.set(character, isStandard);
  }
  return isStandard;
}
