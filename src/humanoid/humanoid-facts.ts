import type { HumanBone, HumanoidMap } from '../character/humanoid.ts';
import type { JointModel } from '../character/model.ts';
import { findHumanoid } from './find-humanoid.ts';

/** A humanoid by names of joints, for people and charts. */
export interface HumanoidFacts {
  readonly isHumanoid: boolean;
  /** Family of the names; `file` if the file names the bones. */
  readonly convention: string;
  /** 0 to 1. */
  readonly confidence: number;
  /** By VRM's names of bones. */
  readonly bones: Readonly<
    Record<string, { readonly joint: string; readonly index: number; readonly confidence: number }>
  >;
  /** Names of joints that are not bones. */
  readonly others: readonly string[];
  readonly doubts: readonly string[];
}

/** @param humanoid The map of the file, or a corrected one; default: bones are looked for. */
export function humanoidFacts(joints: readonly JointModel[], humanoid?: HumanoidMap): HumanoidFacts {
  const { map, convention, bones, confidence, doubts } = findHumanoid({ joints, humanoid });
  const entries = (Object.entries(map) as [HumanBone, number][]).map(([bone, joint]) => [
    bone,
    { joint: joints[joint]!.name, index: joint, confidence: bones[bone] ?? 1 },
  ]);
  const mapped = new Set(Object.values(map));
  return {
    isHumanoid: confidence > 0,
    convention,
    confidence,
    bones: Object.fromEntries(entries) as HumanoidFacts['bones'],
    others: joints.flatMap(({ name }, joint) => (mapped.has(joint) || name === '' ? [] : [name])),
    doubts,
  };
}
