import { View } from '../layout/index.ts';
import { affineFromPose, multiplyAffine } from '../math/affine.ts';
import type { Character } from './character.ts';
import { POSE_STRIDE } from './evaluate.ts';
import { RigTable } from './format/clip-format.ts';
import { CharacterType, LANES_IN_WORKGROUP, RestLane, TYPE_FEWER_JOINTS, TYPE_LARGE } from './format/rig-layout.ts';
import { BlobBuilder } from './pack/blob.ts';

/**
 * The skeleton of a level that lacks joints: a rig blob without clips. With it pose-joints fills the same palette as
 * with the character's own rig, as if the missing joints kept their rest transforms. Entries of missing joints use the
 * nearest ancestor that is present. Clips, masks and modifiers stay those of the character (`RestLane.skipped`).
 *
 * @param posedJoints Joints that are present, rising: all roots, and the parent of each.
 */
export function levelSkeleton(
  { rig, joints }: Pick<Character, 'rig' | 'joints'>,
  posedJoints: readonly number[],
): Uint32Array<ArrayBuffer> {
  const whole = new RigTable(rig).type(0);
  const jointCount = posedJoints.length;
  const lacking = joints.length - jointCount;
  const laneCount = whole.laneCount - lacking;
  const isLarge = laneCount > LANES_IN_WORKGROUP;
  const levelFromJoint = new Int32Array(joints.length).fill(-1);
  posedJoints.forEach((joint, index) => (levelFromJoint[joint] = index));
  const parents = posedJoints.map((joint) => joints[joint]!.parentIndex);
  const rounds = ancestorRounds(Int32Array.from(parents, (parent) => (parent < 0 ? -1 : levelFromJoint[parent]!)));

  const source = new View(RestLane, rig.buffer, rig.byteOffset + 16 * whole.restRow, whole.laneCount);
  const lanes = new View(RestLane, laneCount);
  for (let lane = 0; lane < laneCount; lane++) {
    const skipped = (posedJoints[lane] ?? lane + lacking) - lane;
    const part = (field: 'rotation' | 'translation' | 'scale') => source.get(lane + skipped, field);
    lanes.assign(lane, { rotation: part('rotation'), translation: part('translation'), scale: part('scale'), skipped });
  }
  const { binds, bindJoints } = foldedEntries({ rig, joints }, source, levelFromJoint);

  const blob = new BlobBuilder();
  blob.reserve(CharacterType, 1);
  const type = new View(CharacterType, 1);
  type.assign(0, {
    jointCount,
    laneCount,
    paletteCount: whole.paletteCount,
    paletteStride: whole.paletteStride,
    roundCount: rounds.length,
    flags: (whole.flags & ~TYPE_LARGE) | (isLarge ? TYPE_LARGE : 0) | TYPE_FEWER_JOINTS,
    restRow: blob.appendView(lanes),
    ancestorPair: 2 * blob.append(ancestorTable(rounds, jointCount, isLarge)),
    bindRow: blob.appendFloats(binds),
    bindJointPair: 2 * blob.append(bindJoints),
  });
  blob.fill(0, type);
  return blob.finish();
}

/** Palette entries, with those of missing joints moved to the nearest ancestor that is present. */
function foldedEntries(
  { rig, joints }: Pick<Character, 'rig' | 'joints'>,
  rest: View<(typeof RestLane)['fields']>,
  levelFromJoint: Int32Array,
): { binds: Float32Array; bindJoints: Uint32Array } {
  const { paletteCount, bindRow, bindJointPair } = new RigTable(rig).type(0);
  const binds = new Float32Array(rig.slice(4 * bindRow, 4 * bindRow + 12 * paletteCount).buffer);
  const bindJoints = rig.slice(2 * bindJointPair, 2 * bindJointPair + paletteCount);
  const pose = new Float64Array(POSE_STRIDE);
  const parentFromJoint = new Float64Array(12);
  for (let entry = 0; entry < paletteCount; entry++) {
    let joint = bindJoints[entry]!;
    for (; levelFromJoint[joint]! < 0; joint = joints[joint]!.parentIndex) {
      pose.set([...rest.get(joint, 'translation'), ...rest.get(joint, 'rotation'), ...rest.get(joint, 'scale')]);
      affineFromPose(pose, 0, parentFromJoint, 0);
      multiplyAffine(parentFromJoint, 0, binds, 12 * entry, binds, 12 * entry);
    }
    bindJoints[entry] = levelFromJoint[joint]!;
  }
  return { binds, bindJoints };
}

/** For pointer doubling: per round r, every joint's ancestor 2^r generations up, or −1. */
export function ancestorRounds(parents: Int32Array): Int32Array[] {
  const rounds: Int32Array[] = [];
  let current = parents;
  while (current.some((ancestor) => ancestor >= 0)) {
    rounds.push(current);
    current = current.map((ancestor) => (ancestor < 0 ? -1 : current[ancestor]!));
  }
  return rounds;
}

/** The table in the form of `CharacterType.ancestorPair`: bytes by joint, or words by round for `large` skeletons. */
export function ancestorTable(rounds: readonly Int32Array[], jointCount: number, large: boolean): Uint32Array {
  if (large) return Uint32Array.from(rounds.flatMap((ancestors) => Array.from(ancestors, (a) => a >>> 0)));
  const bytes = new Uint8Array(8 * jointCount).fill(0xff);
  rounds.forEach((ancestors, round) => {
    ancestors.forEach((ancestor, joint) => {
      if (ancestor >= 0) bytes[8 * joint + round] = ancestor;
    });
  });
  return new Uint32Array(bytes.buffer);
}
