import {
  CharacterType,
  ClipHeader,
  JOINT_LIMIT,
  LANES_IN_WORKGROUP,
  RestLane,
  TYPE_CUBIC,
  TYPE_EXACT,
  TYPE_LARGE,
  TYPE_SAMPLED,
  TYPE_UNIT_SCALE,
  WEIGHTS_PER_LANE,
} from '../../format/rig-layout.ts';
import type { CharacterMesh } from '../../character.ts';
import { UncheckedBlob, type UncheckedRecord } from '../blob.ts';
import { checkClip, checkClipHeader } from './clip.ts';
import type { Description } from '../description.ts';
import type { Report } from '../report.ts';

type TypeRecord = UncheckedRecord<(typeof CharacterType)['fields']>;

const NO_ANCESTOR_BYTE = 0xff;
const NO_ANCESTOR_WORD = 0xffffffff;
/** Tolerance of rest rotations, which are used without normalising. */
const UNIT_TOLERANCE = 1e-3;
/**
 * Largest difference of rest scales from 1 in a rig without scales. Packing skips scales that are invisible within its
 * error budget. This leaves room for budgets up to a fortieth of the character's size.
 */
const UNIT_SCALE_TOLERANCE = 1e-2;
const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];

/** Rows of the blob that a streamed clip takes, beginning and end. */
export interface ClipRegion {
  readonly clip: number;
  readonly rows: readonly [number, number];
}

export interface CheckedRig {
  readonly paletteCount: number;
  /** First word of the clips' headers. */
  readonly clipWord: number;
  /** Checks a streamed clip once its rows are in the blob. Problems go to the report. */
  readonly checkStreamed: (region: ClipRegion) => void;
}

/**
 * Proves that code which reads a rig blob by its headers never leaves it, never loops without end, and never finds an
 * unusable number. Also proves that the blob agrees with the description. Time and memory are in proportion to the
 * blob. Returns undefined if it cannot be trusted.
 *
 * @param streamed Clips that come later, and are checked then. No other table may lie in their rows.
 */
export function checkRig(
  words: Uint32Array<ArrayBuffer>,
  character: Description,
  streamed: readonly ClipRegion[],
  report: Report,
): CheckedRig | undefined {
  const blob = new UncheckedBlob('rig', words, report);
  for (const { rows } of streamed) blob.close(rows);
  if (!blob.claim('CharacterType', 0, CharacterType.size / 4)) return undefined;
  const type = blob.record(CharacterType, 0);
  if (!checkCounts(type, character)) return undefined;
  checkRest(blob, type);
  checkAncestors(blob, type, character.joints);
  checkPalette(blob, type, character.sockets);
  const clipWord = 4 * type.get('clipRow');
  const clipSize = ClipHeader.size / 4;
  if (!blob.claim('ClipHeader', clipWord, clipSize * character.clips.length)) return undefined;
  const lanes = {
    laneCount: type.get('laneCount'),
    unitScale: (type.get('flags') & TYPE_UNIT_SCALE) !== 0,
  };
  const headerOf = (index: number) => blob.record(ClipHeader, clipWord + index * clipSize);
  const check = (index: number): void => checkClip(headerOf(index), character.clips[index]!, lanes);
  const later = new Set(streamed.map(({ clip }) => clip));
  character.clips.forEach((clip, index) => {
    if (later.has(index)) checkClipHeader(headerOf(index), clip);
    else check(index);
  });
  return {
    paletteCount: type.get('paletteCount'),
    clipWord,
    checkStreamed: ({ clip, rows }) => {
      blob.open(rows);
      check(clip);
    },
  };
}

function checkCounts(type: TypeRecord, { joints, morphNames, clips }: Description): boolean {
  const jointCount = joints.length;
  const morphLanes = Math.ceil(morphNames.length / WEIGHTS_PER_LANE);
  const laneCount = jointCount + morphLanes;
  const large = laneCount > LANES_IN_WORKGROUP;
  const stride = 3 * type.get('paletteCount') + morphLanes + (large ? 6 * jointCount : 0);
  const flags = type.get('flags');
  const has = (wanted: Description['clips'][number]['form']) => clips.some(({ form }) => form === wanted);
  const expected =
    (flags & TYPE_UNIT_SCALE) |
    (large ? TYPE_LARGE : 0) |
    (has('exact') ? TYPE_EXACT : 0) |
    (has('cubic') ? TYPE_CUBIC : 0) |
    (has('sampled') ? TYPE_SAMPLED : 0);
  return [
    type.expectRange('jointCount', 1, JOINT_LIMIT),
    type.expect('jointCount', jointCount, 'the list of joints'),
    type.expect('laneCount', laneCount, `${jointCount} joints and ${morphNames.length} morph weights`),
    type.expect('paletteStride', stride, 'what a palette holds'),
    type.expect('clipCount', clips.length, 'the list of clips'),
    type.expect('flags', expected, 'what the character holds'),
  ].every(Boolean);
}

function checkRest(blob: UncheckedBlob, type: TypeRecord): void {
  const first = 4 * type.get('restRow');
  const size = RestLane.size / 4;
  const { translation, scale, skipped, pad1 } = RestLane.offsets;
  const unitScale = (type.get('flags') & TYPE_UNIT_SCALE) !== 0;
  if (!blob.claim('RestLane', first, size * type.get('laneCount'))) return;
  for (let lane = 0; lane < type.get('laneCount'); lane++) {
    const at = first + lane * size;
    blob.areUsable('rest translation', at + translation / 4, 3);
    blob.areUsable('rest scale', at + scale / 4, 3);
    const scales = blob.floats.subarray(at + scale / 4, at + scale / 4 + 3);
    if (unitScale && scales.some((s) => Math.abs(s - 1) > UNIT_SCALE_TOLERANCE)) {
      blob.refuse(at + scale / 4, `rest scale of lane ${lane} is ${scales.join(', ')}; the flags say that it is 1.`);
    }
    const length = Math.hypot(...blob.floats.subarray(at, at + 4));
    if (!(Math.abs(length - 1) <= UNIT_TOLERANCE)) {
      blob.refuse(at, `rest rotation of lane ${lane} has length ${length}; it has to be 1.`);
    }
    if (blob.words[at + skipped / 4] !== 0 || blob.words[at + pad1 / 4] !== 0) {
      blob.refuse(at, `padding and skipped lanes of lane ${lane} have to be 0.`);
    }
  }
}

/** Checks the rounds of pointer doubling by computing them again from the parents. */
function checkAncestors(blob: UncheckedBlob, type: TypeRecord, joints: Description['joints']): void {
  const parents = Int32Array.from(joints, ({ parentIndex }) => parentIndex);
  const stray = parents.findIndex((parent, joint) => parent >= joint);
  if (stray >= 0) {
    blob.report.corrupt(`json/joints/${stray}/parentIndex`, `is ${parents[stray]}; parents come before children.`);
    return;
  }
  const rounds: Int32Array[] = [];
  for (let round = parents; round.some((ancestor) => ancestor >= 0);) {
    rounds.push(round);
    round = round.map((ancestor) => (ancestor < 0 ? -1 : round[ancestor]!));
  }
  if (!type.expect('roundCount', rounds.length, 'the depth of the skeleton')) return;
  const first = 2 * type.get('ancestorPair');
  const large = (type.get('flags') & TYPE_LARGE) !== 0;
  const count = joints.length;
  if (!blob.claim('ancestor table', first, large ? rounds.length * count : 2 * count)) return;
  for (let joint = 0; joint < count; joint++) {
    for (let round = 0; round < (large ? rounds.length : 8); round++) {
      const ancestor = rounds[round]?.[joint] ?? -1;
      const word = first + (large ? round * count + joint : 2 * joint + (round >> 2));
      const actual = large ? blob.words[word]! : (blob.words[word]! >>> (8 * (round & 3))) & 0xff;
      const expected = ancestor >= 0 ? ancestor : large ? NO_ANCESTOR_WORD : NO_ANCESTOR_BYTE;
      if (actual === expected) continue;
      blob.refuse(word, `ancestor of joint ${joint} in round ${round} is ${actual}; its parents make it ${expected}.`);
    }
  }
}

function checkPalette(blob: UncheckedBlob, type: TypeRecord, sockets: Description['sockets']): void {
  const count = type.get('paletteCount');
  const jointCount = type.get('jointCount');
  const bind = 4 * type.get('bindRow');
  const bindJoint = 2 * type.get('bindJointPair');
  if (!blob.claim('palette', bind, 12 * count) || !blob.claim('joints of the palette', bindJoint, count)) return;
  blob.areUsable('inverse bind', bind, 12 * count);
  for (let entry = 0; entry < count; entry++) {
    const joint = blob.words[bindJoint + entry]!;
    if (joint >= jointCount) blob.refuse(bindJoint + entry, `entry ${entry} names joint ${joint} of ${jointCount}.`);
  }
  sockets.forEach(({ jointIndex, entry }, index) => {
    const path = `json/sockets/${index}`;
    if (entry >= count) blob.report.corrupt(path, `names entry ${entry} of ${count}.`);
    else if (blob.words[bindJoint + entry] !== jointIndex) {
      blob.report.corrupt(path, `entry ${entry} is not of joint ${jointIndex}.`);
    } else if (IDENTITY.some((value, c) => blob.floats[bind + 12 * entry + c] !== value)) {
      blob.report.corrupt(path, `entry ${entry} is not the joint itself: its inverse bind is not the identity.`);
    }
  });
}

/** Proves that the joints of a level make a skeleton: they exist, rise, and lack no root and no parent. */
export function checkPosedJoints(
  { posedJoints }: Pick<CharacterMesh, 'posedJoints'>,
  { joints }: Description,
  report: Report,
): void {
  if (!posedJoints) return;
  const posed = new Set(posedJoints);
  posedJoints.forEach((joint, index) => {
    const path = `json/posedJoints/${index}`;
    if (joint >= joints.length) return report.corrupt(path, `is ${joint} of ${joints.length} joints.`);
    if (joint <= (posedJoints[index - 1] ?? -1)) return report.corrupt(path, `is ${joint}; joints rise.`);
    const { parentIndex } = joints[joint]!;
    if (parentIndex >= 0 && !posed.has(parentIndex)) {
      report.corrupt(path, `is ${joint}, and its parent ${parentIndex} is not posed.`);
    }
  });
  joints.forEach(({ parentIndex }, joint) => {
    if (parentIndex < 0 && !posed.has(joint)) report.corrupt('json/posedJoints', `lacks the root ${joint}.`);
  });
}
