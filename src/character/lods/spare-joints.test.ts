import { describe, expect, it } from 'vitest';
import { bindingOf, clipOf, jointAt, meshOf, smallModel, trackOf } from '../../../test/support/small-model.ts';
import { restPose } from '../evaluate.ts';
import type { CharacterModel } from '../model.ts';
import { samplePoses } from './sample-poses.ts';
import { neededJoints } from './spare-joints.ts';

/** Radians by which the joints turn, about Z: a hand, its finger, the finger's tip, and what the hand holds, unskinned. */
interface Turns {
  readonly hand?: number;
  readonly finger?: number;
  readonly tip?: number;
  readonly held?: number;
}

/** A hand at the root; the finger begins at x = 1, its tip at x = 1.1, and ends at 1.2; what is held hangs at y = 1. */
function hand({ hand: first = 0, finger = 0, tip = 0, held = 0 }: Turns): CharacterModel {
  const turn = (joint: number, angle: number) =>
    trackOf('rotation', joint, 'LINEAR', [0, 0, 0, 0, 1], [1, 0, 0, Math.sin(angle / 2), Math.cos(angle / 2)]);
  return smallModel({
    joints: [
      jointAt([0, 0, 0]),
      jointAt([1, 0, 0], { parentIndex: 0 }),
      jointAt([0.1, 0, 0], { parentIndex: 1 }),
      jointAt([0, 1, 0], { parentIndex: 0 }),
    ],
    bindings: [bindingOf(0, [0, 0, 0]), bindingOf(1, [1, 0, 0]), bindingOf(2, [1.1, 0, 0])],
    meshes: [meshOf([[0, 0, 0], [1.1, 0, 0], [1.2, 0, 0]], (v) => [[v, 1]])], // prettier-ignore
    clips: [clipOf(1, turn(0, first), turn(1, finger), turn(2, tip), turn(3, held))],
  });
}

function needed(model: CharacterModel, tolerance: number): number[] {
  // the end of the clip, which samples only come near
  const poses = samplePoses(model, model.clips, 64);
  return neededJoints(model, model.meshes, poses, { size: 2, tolerance });
}

describe('joints that meshes need', () => {
  it('are not those that never move, whatever their children', () => {
    expect(needed(hand({ hand: 1 }), 1e-9)).toEqual([0]);
  });

  it('are those that move vertices farther than the tolerance', () => {
    // the tip's vertex is 0.1 from its joint: it moves by 0.1 × 2 sin(angle / 2)
    expect(needed(hand({ tip: 1 }), 0.09)).toEqual([0, 1, 2]);
    expect(needed(hand({ tip: 1 }), 0.1)).toEqual([0]);
  });

  it('are counted together: what a chain strays adds up', () => {
    // the tip alone moves its vertex by 0.02, both by 0.1 × (angle of the finger + both angles), nearly
    const model = hand({ finger: 0.2, tip: 0.2 });
    expect(needed(model, 0.015)).toEqual([0, 1, 2]);
    expect(needed(model, 0.03)).toEqual([0, 1]);
    expect(needed(model, 0.07)).toEqual([0]);
  });

  it('are those that may hold something, half the size away', () => {
    // a metre away, that is 2 sin(angle / 2)
    expect(needed(hand({ held: 0.1 }), 0.09)).toEqual([0, 3]);
    expect(needed(hand({ held: 0.1 }), 0.11)).toEqual([0]);
  });

  it('have all parents among them', () => {
    // the finger itself does not move, but its tip does
    expect(needed(hand({ tip: 2 }), 0.01)).toEqual([0, 1, 2]);
  });

  it('are all roots, even those that move nothing', () => {
    const model = hand({});
    const joints = [...model.joints, jointAt([0, 0, 5])];
    expect(needed({ ...model, joints }, 100)).toEqual([0, 4]);
  });

  it('are only the roots where the rest pose is all that shows', () => {
    const model = hand({ tip: 1 });
    const rest = samplePoses(model, [], 1);
    expect(rest[0]!.local).toEqual(restPose(model));
    expect(neededJoints(model, model.meshes, [rest[0]!], { size: 2, tolerance: 1e-9 })).toEqual([0]);
  });
});
