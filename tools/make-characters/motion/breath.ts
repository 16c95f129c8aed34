import { add } from '../math/vec.ts';
import type { Controls, SomeControls } from './controls.ts';
import { wave } from './gait.ts';

/** Adds breathing to a pose: `breaths` whole ones per clip, so that a loop stays a loop. */
export function breathing(breaths: number, size: number): (phase: number, keyed: SomeControls) => SomeControls {
  return (phase, keyed) => {
    const pose = keyed as Controls;
    const breath = wave(phase * breaths, 0.5) * size;
    // head and hands follow a little after the chest
    const late = wave(phase * breaths, 0.58) * size;
    return {
      pelvis: add(pose.pelvis, [0, -0.004 * breath, 0]),
      torsoTurn: add(pose.torsoTurn, [-1.3 * breath, 0, 0]),
      headTurn: add(pose.headTurn, [-0.7 * late, 0, 0]),
      shoulderL: add(pose.shoulderL, [1.6 * breath, 0, 0]),
      shoulderR: add(pose.shoulderR, [1.6 * breath, 0, 0]),
      handL: add(pose.handL, [0, 0.006 * late, -0.003 * late]),
      handR: add(pose.handR, [-0.004 * late, 0.007 * late, 0]),
    };
  };
}
