import type { Build } from '../body/humanoid.ts';
import type { Rig } from '../rig.ts';
import { scale } from '../math/vec.ts';
import { type ClipPlan, FRAMES_PER_SECOND } from './clip.ts';
import { withRest } from './controls.ts';
import type { Pose, World } from './pose.ts';
import { solveControls } from './solve.ts';
import type { SpringSet } from './spring-set.ts';
import { runSprings } from './springs.ts';

interface BakedFrame {
  readonly pose: Pose;
  readonly world: World;
}

/** A clip as joint rotations at every frame, the last one included; a loop's last frame equals its first. */
export interface BakedClip {
  readonly plan: ClipPlan;
  readonly frames: readonly BakedFrame[];
}

/** Leg lengths: a foot asked to be further from its hip than this has visibly left its place. */
const MAX_REACH = 1.05;

export function bakeClip(rig: Rig, build: Build, springs: SpringSet, plan: ClipPlan): BakedClip {
  const frameTime = 1 / FRAMES_PER_SECOND;
  const count = plan.loop ? plan.frameCount : plan.frameCount + 1;
  const solved = Array.from({ length: count }, (_, frame) =>
    solveControls(rig, build, withRest(plan.sample(frame * frameTime))),
  );
  const torn = solved.findIndex(({ legReach }) => Math.max(...legReach) > MAX_REACH);
  if (torn >= 0) throw new Error(`${plan.name}: a foot is out of its leg's reach at frame ${torn}`);
  runSprings({ rig, springs, frames: solved, frameTime, loop: plan.loop, wind: scale(plan.direction, -plan.speed) });
  return { plan, frames: plan.loop ? [...solved, solved[0]!] : solved };
}
