import type { Character } from '../asset/character.ts';
import { GeometryHeader } from '../asset/geometry-layout.ts';
import { meshesOf } from '../frame/types.ts';
import { View } from '../layout/index.ts';

const known = new WeakMap<Character, boolean>();

/** Whether all of a character's meshes are in the standard layout: shaders that read no other are smaller. */
export function hasStandardVertices(character: Character): boolean {
  let isStandard = known.get(character);
  if (isStandard === undefined) {
    isStandard = meshesOf(character).every(({ geometry: { buffer, byteOffset } }) => {
      return new View(GeometryHeader, buffer, byteOffset, 1).get(0, 'channelRow') === 0;
    });
    known.set(character, isStandard);
  }
  return isStandard;
}
