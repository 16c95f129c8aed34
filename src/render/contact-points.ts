import type { Character, CharacterMesh } from '../asset/character.ts';
import { meshesOf } from '../frame/types.ts';

/**
 * Vertices that tell where the body of a character is, and how low, in whatever pose: words for `contact-points.wesl`, a vertex of
 * the mesh in the low bits and its part from CONTACT_PART_SHIFT on. First BODY_POINTS around the axis of the body at rest, one
 * for each part of its height, then FOOT_POINTS of what is lowest, in all directions.
 */
export const BODY_POINTS = 8;
export const FOOT_POINTS = 8;
export const CONTACT_PART_SHIFT = 26;

const known = new WeakMap<CharacterMesh, Uint32Array<ArrayBuffer>>();

/** Finds those of all meshes, once: before anything is drawn. */
export async function loadContactPoints(characters: readonly Character[]): Promise<void> {
  const { findContactPoints } = await import('./find-contact-points.ts');
  for (const character of characters) {
    for (const mesh of meshesOf(character)) {
      if (!known.has(mesh)) known.set(mesh, findContactPoints(character, mesh));
    }
  }
}

/** Those of a mesh that has been loaded. */
export function contactPointsOf(mesh: CharacterMesh): Uint32Array<ArrayBuffer> {
  const points = known.get(mesh);
  if (!points) throw new Error('contact points have not been loaded');
  return points;
}
