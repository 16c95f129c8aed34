import type { Character } from '../character/character.ts';
import { GeometryHeader } from '../character/format/geometry-layout.ts';
import { takesSecondTexcoords } from '../character/model.ts';
import { meshesOf } from '../frame/tables/crowd-types.ts';
import { View } from '../layout/index.ts';

const known = new WeakMap<Character, boolean>();

/**
 * Returns true if all of a character's meshes are in the standard layout, and no texture takes a second set of texture
 * coordinates. Shaders that read nothing else are smaller.
 */
export function hasStandardVertices(character: Character): boolean {
  let isStandard = known.get(character);
  if (isStandard === undefined) {
    isStandard =
      !character.materials.some(takesSecondTexcoords) &&
      meshesOf(character).every(({ geometry: { buffer, byteOffset } }) => {
        return new View(GeometryHeader, buffer, byteOffset, 1).get(0, 'channelRow') === 0;
      });
    known.set(character, isStandard);
  }
  return isStandard;
}
