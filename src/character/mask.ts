import type { MaskModel } from '../controller/model.ts';
import { partOfMask, partsOfJoints } from './body-parts.ts';
import type { HumanoidMap } from './humanoid.ts';
import { threeName } from './names.ts';

export interface LaneMask {
  /** 0 to 255 per lane. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Entries that name no joint or part of this character. */
  readonly unmatched: readonly string[];
}

/** After a path: all joints below as well. As the whole path: all joints. */
const ALL_BELOW = '**';

type Joints = readonly { readonly name: string; readonly parentIndex: number }[];

/**
 * A layer's mask for one character.
 *
 * A path names every joint with a path that ends with it, name by name. Tools begin their paths at different joints, so
 * joints above the first name do not count. Names match as the file or three.js writes them; the exact spelling wins.
 * An empty mask moves everything. Morph weights are never masked: masks name joints, and a clip without morph weights
 * does not change them anyway.
 *
 * `humanoid:leftArm` and its like mean parts of a body: the part's bones, and other joints below them. Those keep what a path without
 * `/**` says, wherever the entry is in the mask.
 *
 * Weights are clamped to 0 … 1 and rounded to 255ths; one that is not a number is 0. Cost: joints × entries, and for
 * repeated names joints × the mask's text.
 *
 * @param joints Parents before children.
 * @param laneCount Joints and morph lanes.
 * @param humanoid Bones of the character, for parts of a body. Undefined: it has none.
 */
export function maskWeights(mask: MaskModel, joints: Joints, laneCount: number, humanoid?: HumanoidMap): LaneMask {
  const bytes = new Uint8Array(laneCount).fill(255);
  const entries = Object.entries(mask);
  if (entries.length === 0) return { bytes, unmatched: [] };
  bytes.fill(0, 0, joints.length);

  const exact = pathFinder(joints);
  let inThree: ReturnType<typeof pathFinder> | undefined;
  const find = (path: string): readonly number[] => {
    if (path === '') return [];
    const found = exact(path);
    if (found.length > 0) return found;
    inThree ??= pathFinder(joints.map(({ name, parentIndex }) => ({ name: threeName(name), parentIndex })));
    return inThree(path.split('/').map(threeName).join('/'));
  };
  const unmatched: string[] = [];
  const named = new Set<number>();
  const parts = new Map<string, number>();
  for (const [key, weight] of entries) {
    const byte = Math.round(255 * Math.min(1, Math.max(0, weight || 0)));
    const part = partOfMask(key);
    if (part !== undefined) {
      if (humanoid) parts.set(part, byte);
      else unmatched.push(key);
      continue;
    }
    const isTree = key === ALL_BELOW || key.endsWith(`/${ALL_BELOW}`);
    const path = isTree ? key.slice(0, -ALL_BELOW.length - 1) : key;
    if (isTree && path === '') {
      bytes.fill(byte, 0, joints.length);
      continue;
    }
    const meant = find(path);
    if (meant.length === 0) unmatched.push(key);
    for (const joint of meant) {
      bytes[joint] = byte;
      if (!isTree) named.add(joint);
    }
    if (!isTree) continue;
    const inside = new Set(meant);
    joints.forEach(({ parentIndex }, joint) => {
      if (!inside.has(parentIndex)) return;
      inside.add(joint);
      bytes[joint] = byte;
    });
  }
  if (humanoid && parts.size > 0) {
    const bones = Object.values(humanoid);
    partsOfJoints(joints, humanoid).forEach((part, joint) => {
      if (bones.includes(joint) || !named.has(joint)) bytes[joint] = parts.get(part) ?? bytes[joint]!;
    });
  }
  return { bytes, unmatched };
}

/** Creates a function that finds the joints with a path that ends with another path. */
function pathFinder(joints: Joints): (path: string) => readonly number[] {
  const byName = new Map<string, number[]>();
  joints.forEach(({ name }, joint) => {
    const same = byName.get(lastOf(name));
    if (same) same.push(joint);
    else byName.set(lastOf(name), [joint]);
  });
  return (path) => (byName.get(lastOf(path)) ?? []).filter((joint) => endsWith(joints, joint, path));
}

/** Name of the joint that an entry refers to. */
export function jointOfMask(key: string): string {
  return lastOf(key.endsWith(`/${ALL_BELOW}`) ? key.slice(0, -ALL_BELOW.length - 1) : key);
}

/** The part after the last slash. Joint names may contain slashes. */
function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Returns true if a joint's path ends with another, which begins at the start of a name. */
function endsWith(joints: Joints, joint: number, path: string): boolean {
  let end = path.length;
  for (let j = joint; j >= 0; j = joints[j]!.parentIndex) {
    const { name } = joints[j]!;
    const begin = end - name.length;
    if (begin < 0 || !path.startsWith(name, begin)) return false;
    if (begin === 0) return true;
    if (path[begin - 1] !== '/') return false;
    end = begin - 1;
  }
  return false;
}
