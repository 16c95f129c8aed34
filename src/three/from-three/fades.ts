import type { AnimationAction, AnimationMixer } from 'three';

/** Seconds of a mixer by which it is put forward, and back again. */
const PROBE = 2 ** -10;

/**
 * How fast fades that are under way change what actions weigh, per second: three tells weights, but not where they go. Actions
 * are paused while the mixer is put forward a little and back, so that none of them moves. Without a fade nothing happens.
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

/** An action, and what becomes of its weight. */
export interface FadingAction {
  readonly action: AnimationAction;
  readonly weight: number;
  /** Per second. */
  readonly slope: number;
}

/** Differences of ends that are none: of a fade in seconds, and as a share of what is left of it. */
const SAME_END = 1e-3;

/**
 * The action that takes over from all others, and in how many seconds: what crowds can fade. Undefined where nothing
 * fades, or where weights go their own ways.
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
