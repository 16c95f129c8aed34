import type { AnimationAction, AnimationMixer } from 'three';

/** Seconds by which a mixer is advanced and then moved back. */
const PROBE = 2 ** -10;

/**
 * Measures how fast current fades change the weights of actions, per second. three exposes weights, but not their targets. So the
 * mixer is advanced a little and moved back, with all actions paused so that none of them moves. Without a fade nothing is done.
 */
export function weightSlopes(mixer: AnimationMixer, actions: readonly AnimationAction[]): readonly number[] {
  const fades = actions.some((action) => action.enabled && action.getEffectiveWeight() !== action.weight);
  if (!fades || !(mixer.timeScale > 0)) return actions.map(() => 0);
  const step = PROBE / mixer.timeScale;
  const paused = actions.map((action) => action.paused);
  for (const action of actions) action.paused = true;
  const before = actions.map((action) => action.getEffectiveWeight());
  mixer.update(step);
  const slopes = actions.map((action, i) => (action.getEffectiveWeight() - before[i]!) / step);
  mixer.update(-step);
  actions.forEach((action, i) => (action.paused = paused[i]!));
  mixer.update(0);
  return slopes;
}

/** An action, its weight, and how the weight changes. */
export interface FadingAction {
  readonly action: AnimationAction;
  readonly weight: number;
  /** Per second. */
  readonly slope: number;
}

/** Tolerance for equal end times of fades: in seconds, plus the same share of the remaining time. */
const SAME_END = 1e-3;

/**
 * Finds the action that replaces all others, and the remaining seconds of that crossfade. Crowds can only play this kind of fade.
 * Undefined if nothing fades, or if weights change in any other way.
 */
export function takingOver(fading: readonly FadingAction[]): { action: AnimationAction; seconds: number } | undefined {
  const rising = fading.filter(({ slope }) => slope > 0);
  const [taker] = rising;
  if (rising.length !== 1 || !taker || taker.action.weight !== 1) return undefined;
  const seconds = (1 - taker.weight) / taker.slope;
  const others = fading.filter((one) => one !== taker && (one.weight > 0 || one.slope !== 0));
  const leave = others.every(
    ({ weight, slope }) => slope < 0 && Math.abs(weight / -slope - seconds) <= SAME_END * (1 + seconds),
  );
  return leave ? { action: taker.action, seconds } : undefined;
}
