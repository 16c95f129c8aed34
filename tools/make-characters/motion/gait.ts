import { addScaled, lerp, smoothstep, type Vec3 } from '../math/vec.ts';
import { type ClipPlan, FRAMES_PER_SECOND, framesToEvents } from './clip.ts';
import type { SomeControls } from './controls.ts';

/** How a character steps. Phase 0 is the moment the left foot lands. Degrees and metres. */
interface Gait {
  readonly name: string;
  readonly frameCount: number;
  readonly speed: number;
  /** Which way the body travels, as a unit vector. */
  readonly direction: Vec3;
  /** The part of the cycle a foot stands. Below one half the body flies. */
  readonly stance: number;
  /** The right foot's delay; one half unless the feet close up sideways. */
  readonly rightDelay?: number;
  /** Where the middle of a stance is, along the direction: feet land nearer than they leave. */
  readonly centre: number;
  readonly lift: number;
  /** When in the swing the foot is highest, 0…1. */
  readonly liftPeak?: number;
  /** Each foot this much further out than in the bind pose. */
  readonly spread: number;
  readonly toeOut: number;
  /** Landing on the heel and leaving by the ball. */
  readonly heelStrike: number;
  readonly toeOff: number;
  /** How far the toes hang in mid swing. */
  readonly swingRoll?: number;
  readonly pelvisHeight: number;
  readonly bob: number;
  /** The phase, in a step, at which the pelvis is highest. */
  readonly bobPeak: number;
  readonly sway: number;
  readonly lean: number;
  readonly hipYaw: number;
  readonly hipRoll: number;
  /** How far the chest turns against the hips, in model space. */
  readonly chestYaw: number;
  /** The rest of the body on top of what the legs ask. */
  readonly upper: (phase: number, legs: SomeControls) => SomeControls;
}

const TURN = Math.PI * 2;
export const wave = (phase: number, peak = 0): number => Math.cos(TURN * (phase - peak));

export function gaitClip(gait: Gait): ClipPlan {
  const seconds = gait.frameCount / FRAMES_PER_SECOND;
  const delay = gait.rightDelay ?? 0.5;
  return {
    name: gait.name,
    frameCount: gait.frameCount,
    loop: true,
    speed: gait.speed,
    direction: gait.direction,
    events: framesToEvents([
      ['step_left', 0],
      ['step_right', delay * gait.frameCount],
    ]),
    sample: (time) => {
      const phase = time / seconds;
      const legs = { ...body(gait, phase), ...foot(gait, phase, 'L'), ...foot(gait, phase - delay, 'R') };
      return { ...legs, ...gait.upper(phase, legs) };
    },
  };
}

function body(gait: Gait, phase: number): SomeControls {
  const middle = gait.stance / 2;
  const step = 2 * phase;
  const counter = gait.hipYaw + gait.chestYaw;
  return {
    pelvis: [
      gait.sway * wave(phase, middle),
      gait.pelvisHeight + gait.bob * wave(step, gait.bobPeak),
      // the body surges after each push and brakes on each landing
      0.008 * wave(step, gait.bobPeak + 0.3),
    ],
    pelvisTurn: [gait.lean * 0.45, -gait.hipYaw * wave(phase), gait.hipRoll * wave(phase, middle - 0.04)],
    torsoTurn: [
      gait.lean * 0.55 + 1.2 * wave(step, gait.bobPeak + 0.6),
      counter * wave(phase, 0.03),
      -gait.hipRoll * 1.3 * wave(phase, middle),
    ],
    headTurn: [gait.lean * 0.25 + 1.5 * wave(step, gait.bobPeak + 0.55), 0, 0.6 * wave(phase, middle)],
  };
}

function foot(gait: Gait, rawPhase: number, side: 'L' | 'R'): SomeControls {
  const phase = rawPhase - Math.floor(rawPhase);
  const sign = side === 'L' ? 1 : -1;
  const path = phase < gait.stance ? standing(gait, phase / gait.stance) : swinging(gait, phase);
  const place = addScaled([sign * gait.spread, path.lift, 0], gait.direction, path.along);
  return { [`foot${side}`]: place, [`footTurn${side}`]: [path.roll, sign * gait.toeOut, 0] };
}

interface FootPath {
  readonly along: number;
  readonly lift: number;
  readonly roll: number;
}

const cycleSeconds = (gait: Gait): number => gait.frameCount / FRAMES_PER_SECOND;

/** On the ground the foot goes back exactly as fast as the body goes forward. */
function standing(gait: Gait, u: number): FootPath {
  const length = gait.speed * cycleSeconds(gait) * gait.stance;
  const down = 1 - smoothstep(0, 0.2, u);
  const off = smoothstep(0.55, 1.15, u) / smoothstep(0.55, 1.15, 1);
  return { along: gait.centre + length * (0.5 - u), lift: 0, roll: gait.toeOff * off - gait.heelStrike * down };
}

/** In the air it catches up, leaving and landing at the ground's speed so that nothing jerks. */
function swinging(gait: Gait, phase: number): FootPath {
  const length = gait.speed * cycleSeconds(gait) * gait.stance;
  const u = (phase - gait.stance) / (1 - gait.stance);
  const drift = -gait.speed * cycleSeconds(gait) * (1 - gait.stance);
  const along = lerp(-0.5, 0.5, u * u * (3 - 2 * u)) * length + drift * (u * (1 - u) * (1 - u) - u * u * (1 - u));
  const peak = gait.liftPeak ?? 0.42;
  // leaves and meets the ground with some speed: a foot that lingers just above it seems to drag
  const bump = Math.sin((Math.PI / 2) * (u < peak ? u / peak : (1 - u) / (1 - peak)));
  const hanging = gait.swingRoll ?? gait.toeOff * 0.5;
  const roll =
    u < 0.45
      ? lerp(gait.toeOff, hanging, smoothstep(0, 0.45, u))
      : lerp(hanging, -gait.heelStrike, smoothstep(0.45, 1, u));
  return { along: gait.centre + along, lift: gait.lift * bump, roll };
}

/** Degrees and metres that swing with the step: `size` at `peak`. */
export const swing = (phase: number, peak: number, at: Vec3, size: Vec3): Vec3 =>
  addScaled(at, size, wave(phase, peak));
