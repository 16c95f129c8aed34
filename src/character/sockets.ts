import { View, roundUp } from '../layout/index.ts';
import { fail, quoted } from '../errors.ts';
import { type Character, expectCharacter } from './character.ts';
import { arrivalsOf } from './clip-arrivals.ts';
import { GeometryHeader } from './format/geometry-layout.ts';
import { findJoint } from './names.ts';
import { CharacterType } from './format/rig-layout.ts';

const IDENTITY = Float32Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0);

/**
 * A character with the transforms of joints themselves added to its palette (their inverse bind is the identity).
 * Sockets and pose readbacks use them. Each costs 48 bytes per visible character.
 *
 * @param joints Indices of joints, or names as the file or three.js writes them, or `'all'`.
 * @throws ManipleError CROWD_BAD_ARGUMENT when a joint does not exist, or `character` is not a character
 */
export function addSockets(character: Character, joints: 'all' | readonly (number | string)[]): Character {
  expectCharacter(character);
  if (joints !== 'all' && !Array.isArray(joints)) {
    const suggestion = "Use 'all', or a list of names or indices of joints.";
    fail('CROWD_BAD_ARGUMENT', 'joints', `Got ${quoted(joints)}; expected joints.`, suggestion);
  }
  const known = new Set(character.sockets.map(({ jointIndex }) => jointIndex));
  const wanted =
    joints === 'all' ? character.joints.map((_, index) => index) : joints.map((j) => findJoint(character, j));
  const added = [...new Set(wanted)].filter((index) => !known.has(index));
  if (added.length === 0) return character;

  const type = new View(CharacterType, character.rig.buffer, character.rig.byteOffset, 1);
  const paletteCount = type.get(0, 'paletteCount');
  const bindWord = 4 * type.get(0, 'bindRow');
  const jointWord = 2 * type.get(0, 'bindJointPair');
  // The palette tables move to the end of the blob, where they can be longer. The old ones stay unused.
  const bindRow = character.rig.length / 4;
  const bindJointRow = bindRow + 3 * (paletteCount + added.length);
  const rig = new Uint32Array(roundUp(4 * bindJointRow + paletteCount + added.length, 4));
  rig.set(character.rig);
  rig.set(character.rig.subarray(bindWord, bindWord + 12 * paletteCount), 4 * bindRow);
  rig.set(character.rig.subarray(jointWord, jointWord + paletteCount), 4 * bindJointRow);
  const identity = new Uint32Array(IDENTITY.buffer);
  added.forEach((jointIndex, i) => {
    rig.set(identity, 4 * bindRow + 12 * (paletteCount + i));
    rig[4 * bindJointRow + paletteCount + i] = jointIndex;
  });
  new View(CharacterType, rig.buffer, 0, 1).assign(0, {
    paletteCount: paletteCount + added.length,
    paletteStride: type.get(0, 'paletteStride') + 3 * added.length,
    bindRow,
    bindJointPair: 2 * bindJointRow,
  });

  const withSockets = (before: Character['geometry']): Character['geometry'] => {
    const geometry = before.slice();
    new View(GeometryHeader, geometry.buffer, 0, 1).set(0, 'morphWeightRow', 3 * (paletteCount + added.length));
    return geometry;
  };
  const geometry = withSockets(character.geometry);
  const lods = character.lods.map((lod) => ({ ...lod, geometry: withSockets(lod.geometry) }));
  const sockets = added.map((jointIndex, i) => ({ jointIndex, entry: paletteCount + i }));
  arrivalsOf(character)?.follow(rig);
  return { ...character, rig, geometry, lods, sockets: [...character.sockets, ...sockets] };
}
