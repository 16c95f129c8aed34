import { crc32 } from '../character/file/crc32.ts';
import type { Character } from '../character/character.ts';
import type { VertexProvider } from '../stages/providers.ts';

export const DIGEST_WORDS = 4;

const known = new WeakMap<Character, Uint32Array<ArrayBuffer>>();

/**
 * A digest that identifies a character: 128 bits of everything that a crowd's state refers to. That is clips, joints,
 * vertices, parts, and the controller's machines and parameters. Textures and materials are left out. It guards
 * against mix-ups, not against deliberate forgery. Computed once per character, at some 300 MB/s.
 */
export function digestOf(character: Character): Uint32Array<ArrayBuffer> {
  const found = known.get(character) ?? makeDigest(character);
  known.set(character, found);
  return found;
}

export function sameDigest(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  return Array.from({ length: DIGEST_WORDS }, (_, i) => a[i] === b[i]).every(Boolean);
}

/** A digest that identifies a list of providers, by their names and rows. */
export function providersDigest(providers: readonly VertexProvider[]): number {
  if (providers.length === 0) return 0;
  const shapes = providers.map(({ name, rowCount = 0, characterRowCount = 0, stateRowCount = 0, update }) => {
    const ofCharacters = [characterRowCount, update ? 1 + stateRowCount : 0];
    // lists of providers without rows of characters have the digest that they always had
    return ofCharacters.some((count) => count > 0) ? [name, rowCount, ...ofCharacters] : [name, rowCount];
  });
  return crc32(new TextEncoder().encode(JSON.stringify(shapes)));
}

function makeDigest(character: Character): Uint32Array<ArrayBuffer> {
  const { rig, lods, controller, joints, clips, parts, morphNames, vertexCount } = character;
  const names = {
    joints: joints.map(({ name, parentIndex }) => [name, parentIndex]),
    clips: clips.map(({ name, loops, duration }) => [name, loops, duration]),
    sockets: character.sockets,
    parts,
    morphNames,
    vertexCount,
    controller: controller && {
      parameters: controller.parameters.map(({ name, type }) => [name, type]),
      layers: controller.layers.map(({ name, machine }) => [name, machine]),
      machines: controller.machines.map(({ states }) => states),
      clips: controller.clips.map(({ reference }) => reference),
      events: controller.events.map(({ name }) => name),
    },
  };
  return Uint32Array.of(
    crcOf(rig),
    [character, ...lods].reduce((crc, { geometry, indices }) => crcOf(indices, crcOf(geometry, crc)), 0),
    controller ? crcOf(controller.table) : 0,
    crc32(new TextEncoder().encode(JSON.stringify(names))),
  );
}

function crcOf({ buffer, byteOffset, byteLength }: Uint32Array<ArrayBuffer>, before = 0): number {
  return crc32(new Uint8Array(buffer, byteOffset, byteLength), before);
}
