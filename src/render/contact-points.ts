import type { Character, CharacterMesh } from '../character/character.ts';
import { meshesOf } from '../frame/tables/crowd-types.ts';

const known = new WeakMap<CharacterMesh, Uint32Array<ArrayBuffer>>();

/** Finds the contact points of all meshes, once: before anything is drawn. */
export async function loadContactPoints(characters: readonly Character[]): Promise<void> {
  const { findContactPoints } = await import('./find-contact-points.ts');
  for (const character of characters) {
    for (const mesh of meshesOf(character)) {
      if (!known.has(mesh)) known.set(mesh, findContactPoints(character, mesh));
    }
  }
}

/** The contact points of a mesh, which have to be loaded. */
export function contactPointsOf(mesh: CharacterMesh): Uint32Array<ArrayBuffer> {
  const points = known.get(mesh);
  if (!points) throw new Error('contact points have not been loaded');
  return points;
}
