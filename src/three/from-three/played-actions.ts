import type { AnimationAction, AnimationClip, AnimationMixer, Object3D } from 'three';
import type { PlayedClip, PlayOptions } from '../../crowd/rows/players.ts';
import { type IssueList, quote } from '../../import/model-builder/issue-list.ts';
import { placeOf } from './scan.ts';

/** three's LoopOnce and LoopPingPong, and AdditiveAnimationBlendMode. */
const [ONCE, PING_PONG, ADDITIVE] = [2200, 2202, 2501];

/** State of a root's mixer, as clips of a crowd. */
export interface PlayedActions {
  /** Clips with their current weights. */
  readonly clips: readonly PlayedClip[];
  /** The clip that is fading in over all others, if there is one. */
  readonly fade: { readonly clip: number; readonly options: PlayOptions } | undefined;
  /** True if no action fades or waits to start. */
  readonly isSteady: boolean;
}

/** The active actions of a root's clips in its mixer, with any weight. */
export function activeActions(
  root: Object3D,
  mixer: AnimationMixer,
  clips: readonly AnimationClip[],
): { readonly action: AnimationAction; readonly clip: number }[] {
  return clips.flatMap((clip, index) => {
    const action = mixer.existingAction(clip, root);
    return action?.isScheduled() ? [{ action, clip: index }] : [];
  });
}

/**
 * Reads the current state of a root's actions, so that a crowd can continue them. Speeds and weights are the current ones, so the mixer
 * must be up to date.
 */
export function playedActions(
  root: Object3D,
  mixer: AnimationMixer,
  clips: readonly AnimationClip[],
  issues: IssueList,
): PlayedActions {
  const report = (clip: number, message: string) =>
    issues.warn('THREE_SIMPLIFIED', `${placeOf(root)}/${quote(clips[clip]!.name)}`, message);
  const active = activeActions(root, mixer, clips).filter(({ action, clip }) => {
    if ((action.blendMode as number) !== ADDITIVE) return true;
    report(clip, 'it is added to what else plays, which takes an additive layer of a controller; it is left out');
    return false;
  });
  const actions = active.map(({ action }) => action);
  const slopes = weightSlopes(mixer, actions);
  const fading = active.map(({ action, clip }, i) => {
    const weight = action.enabled ? action.getEffectiveWeight() : 0;
    return { action, clip, weight, slope: slopes[i]! };
  });
  const taker = takingOver(fading);
  const played = fading.flatMap(({ action, clip, weight, slope }) => {
    if (!(weight > 0 || slope > 0)) return [];
    if (slope !== 0 && !taker) report(clip, `a fade was under way; its weight stays ${weight.toFixed(3)}`);
    const start = startOf(action, mixer, (message) => report(clip, message));
    return [{ action, clip, weight, start }];
  });
  const one = played.find(({ action }) => action === taker?.action);
  return {
    clips: played.map(({ clip, weight, start }) => ({ clip, weight, ...start })),
    isSteady: slopes.every((slope) => slope === 0) && !actions.some(isWaiting),
    fade: one && taker && { clip: one.clip, options: { ...one.start, fade: taker.seconds } },
  };
}

/** Returns where an action is in its clip, and how it goes on. */
function startOf(action: AnimationAction, mixer: AnimationMixer, report: (message: string) => void) {
  const stands = isHeld(action) || isWaiting(action);
  const speed = stands ? 0 : action.getEffectiveTimeScale() * mixer.timeScale;
  if (isWaiting(action)) report('it was to begin later; it stays at its start');
  if (!stands && action.getEffectiveTimeScale() !== action.timeScale) {
    report(`a change of pace was under way; its speed stays ${speed.toFixed(3)}`);
  }
  if (speed !== 0) reportEnd(action, report);
  return { time: action.time, speed, loops: (action.loop as number) !== ONCE };
}

function isHeld({ paused, timeScale }: AnimationAction): boolean {
  return paused || timeScale === 0;
}

/** Returns true if it is scheduled to start later. Until then three shows its start. */
function isWaiting(action: AnimationAction): boolean {
  return action.enabled && !isHeld(action) && !action.isRunning();
}

/** Reports ends that crowds do not have. Clips of a crowd repeat forever or hold their end. */
function reportEnd(action: AnimationAction, report: (message: string) => void): void {
  const loop = action.loop as number;
  if (loop === PING_PONG) report('it played to and fro; it restarts each time');
  else if (loop !== ONCE && action.repetitions !== Infinity) {
    report(`it was to end after ${action.repetitions} repetitions; it goes on`);
  } else if (loop === ONCE && !action.clampWhenFinished) report('it was to end in the rest pose; it holds its end');
}

/** Seconds by which a mixer is advanced and then moved back. */
const PROBE = 2 ** -10;

/**
 * Measures how fast current fades change the weights of actions, per second. three exposes weights, but not their targets. So the
 * mixer is advanced a little and moved back, with all actions paused so that none of them moves. Without a fade nothing is done.
 */
function weightSlopes(mixer: AnimationMixer, actions: readonly AnimationAction[]): readonly number[] {
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

/** Tolerance for equal end times of fades: in seconds, plus the same share of the remaining time. */
const SAME_END = 1e-3;

/**
 * Finds the action that replaces all others, and the remaining seconds of that crossfade. Crowds can only play this kind of fade.
 * Undefined if nothing fades, or if weights change in any other way.
 */
function takingOver(
  fading: readonly { readonly action: AnimationAction; readonly weight: number; readonly slope: number }[],
): { action: AnimationAction; seconds: number } | undefined {
  const [taker, ...more] = fading.filter(({ slope }) => slope > 0);
  if (!taker || more.length > 0 || taker.action.weight !== 1) return undefined;
  const seconds = (1 - taker.weight) / taker.slope;
  const leave = fading.every(({ action, weight, slope }) => {
    if (action === taker.action || !(weight > 0 || slope !== 0)) return true;
    return slope < 0 && Math.abs(weight / -slope - seconds) <= SAME_END * (1 + seconds);
  });
  return leave ? { action: taker.action, seconds } : undefined;
}
