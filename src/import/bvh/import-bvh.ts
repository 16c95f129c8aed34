import { expectBytes } from '../../character/arguments.ts';
import type { CharacterModel, JointModel } from '../../character/model.ts';
import { decodeText } from '../decode-text.ts';
import { IssueList, refuse } from '../model-builder/issue-list.ts';
import { isUsable } from '../model-builder/limits.ts';
import { turnModel } from '../model-builder/turn-model.ts';
import { type BvhLimits, DEFAULT_BVH_LIMITS } from './limits.ts';
import { type BvhFile, parseBvh } from './parse.ts';
import { guessUnit, guessUp } from './space.ts';
import { readTracks } from './tracks.ts';

/** Facts that a BVH file lacks. */
export interface BvhOptions {
  /** Name of the model and of its clip. Default: `motion`. */
  readonly name?: string;
  /** Metres of one unit of the file. By default a guess, from the size of the skeleton. */
  readonly unit?: number;
  /** The axis that is up. By default Y, or Z where rest pose and motion are both upright along it. */
  readonly up?: 'y' | 'z';
  /** Limits to change. */
  readonly limits?: Partial<BvhLimits>;
}

/** A quarter turn about X, which makes Z up to Y up. */
const Y_FROM_Z = [-Math.SQRT1_2, 0, 0, Math.SQRT1_2] as const;

/**
 * Reads a Biovision hierarchy (BVH): a skeleton and one clip with a linear key per frame, without meshes.
 *
 * All orders of rotations are read as the channels say, the first outermost. Position channels replace the offset of
 * their joint. End Sites are joints, called like their joint with `_end`. The format has no unit: metres, CMU's inches /
 * 0.45, inches, centimetres or millimetres, whichever makes a person of about 1.7 m. The guess is reported as
 * BVH_UNIT_GUESSED. `unit` replaces it.
 *
 * Cost: some 0.1 s per MB; at the default limits at most 5 s and 1 GB.
 *
 * @param source The file: UTF-8, or UTF-16 with a byte order mark.
 * @throws ManipleError BVH_INVALID, BVH_LIMIT, FILE_TOO_LARGE, FILE_TRUNCATED, CHARACTER_TOO_MANY_JOINTS, or USAGE for
 *   an option
 */
export function importBvh(source: Uint8Array, { name = 'motion', ...options }: BvhOptions = {}): CharacterModel {
  expectBytes('source', source);
  const limits = { ...DEFAULT_BVH_LIMITS, ...options.limits };
  if (source.byteLength > limits.fileBytes) {
    refuse('FILE_TOO_LARGE', '', `the file has ${source.byteLength} bytes, the limit is ${limits.fileBytes}`);
  }
  const issues = new IssueList();
  const file = parseBvh(decodeText(source), limits, issues);
  const metres = unitOf(file, options.unit, issues);
  const up = upOf(file, options.up, issues);
  checkReach(file, metres);
  const joints = file.joints.map((joint, nodeIndex): JointModel => ({
    name: joint.name,
    parentIndex: joint.parentIndex,
    nodeIndex,
    translation: joint.offset.map((value) => value * metres) as unknown as JointModel['translation'],
    rotation: [0, 0, 0, 1],
    scale: [1, 1, 1],
  }));
  const { frameCount, frameTime } = file;
  const duration = Math.fround(Math.max(0, frameCount - 1) * frameTime);
  const clips = frameCount > 0 ? [{ name, duration, tracks: readTracks(file, metres) }] : [];
  if (frameCount === 0) issues.warn('BVH_REPAIRED', '', 'the file has no frames; it is a skeleton without a clip');
  const plain = { bindings: [], meshes: [], morphSets: [], materials: [], images: [] };
  const model = { name, joints, clips, ...plain, issues: issues.list() };
  return up === 'z' ? turnModel(model, Y_FROM_Z) : model;
}

function unitOf({ joints }: BvhFile, given: number | undefined, issues: IssueList): number {
  if (given !== undefined) {
    if (given > 0 && isUsable(given)) return given;
    refuse('USAGE', 'unit', `the unit is ${given}, must be a positive number of metres`, 'Pass 0.01 for centimetres.');
  }
  const { name, metres, stature } = guessUnit(joints);
  const height = `${Number((stature * metres).toPrecision(3))} m`;
  const message = `The file names no unit: taken as ${name}, which makes a person of ${height}`;
  issues.info(
    'BVH_UNIT_GUESSED',
    '',
    message,
    'If this is wrong, pass `bvh.unit` (in the command --bvh-unit), the metres of one unit.',
  );
  return metres;
}

function upOf(file: BvhFile, given: 'y' | 'z' | undefined, issues: IssueList): 'y' | 'z' {
  if (given === 'y' || given === 'z') return given;
  if (given !== undefined) refuse('USAGE', 'up', `the axis is ${String(given)}, must be y or z`);
  const up = guessUp(file);
  if (up === 'z') {
    const message = 'Skeleton and motion are upright along Z: the file was turned to have Y up';
    issues.info('BVH_UP_GUESSED', '', message, 'Pass `bvh.up: "y"` if this is wrong.');
  }
  return up;
}

/** Refuses numbers that are sound one by one, and beyond all measure as a pose. */
function checkReach({ joints, values, channelCount }: BvhFile, metres: number): void {
  const positions = joints.flatMap(({ channels }) => channels.filter(({ kind }) => kind === 'position'));
  let reach = joints.reduce((sum, { offset }) => sum + Math.hypot(...offset), 0);
  for (const { column } of positions) {
    let largest = 0;
    for (let i = column; i < values.length; i += channelCount) largest = Math.max(largest, Math.abs(values[i]!));
    reach += largest;
  }
  if (isUsable(reach * metres)) return;
  refuse('BVH_INVALID', '', `positions reach ${reach * metres} m`, 'Correct offsets, position channels and the unit.');
}
