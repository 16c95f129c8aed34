import type { Vec3 } from '../math/vec.ts';
import { type SomeControls, withRest } from './controls.ts';
import { sheetSampler, type SheetKey } from './curves.ts';

export const FRAMES_PER_SECOND = 30;

interface ClipEvent {
  readonly name: string;
  readonly time: number;
}

/** A clip as authored: controls for every moment, before legs, arms and cloth are solved. */
export interface ClipPlan {
  readonly name: string;
  readonly frameCount: number;
  readonly loop: boolean;
  /** Metres per second over the ground, and which way; 0 stands. */
  readonly speed: number;
  readonly direction: Vec3;
  readonly events: readonly ClipEvent[];
  readonly sample: (time: number) => SomeControls;
}

interface KeyedClip {
  readonly name: string;
  readonly frameCount: number;
  readonly loop?: boolean;
  /** Held wherever no key says otherwise. */
  readonly base: SomeControls;
  /** Times in frames. */
  readonly keys: readonly SheetKey[];
  /** Times in frames. */
  readonly events?: readonly (readonly [name: string, frame: number])[];
  /** Added on top of the keys: breathing, shaking. Phase runs 0…1 over the clip. */
  readonly overlay?: (phase: number, keyed: SomeControls) => SomeControls;
}

/** A clip on the spot, from key poses. */
export function keyedClip(clip: KeyedClip): ClipPlan {
  const loop = clip.loop ?? false;
  const seconds = clip.frameCount / FRAMES_PER_SECOND;
  const keys = clip.keys.map(([frame, controls]): SheetKey => [frame / FRAMES_PER_SECOND, controls]);
  const sampled = sheetSampler({ duration: seconds, loop, keys });
  return {
    name: clip.name,
    frameCount: clip.frameCount,
    loop,
    speed: 0,
    direction: [0, 0, 0],
    events: framesToEvents(clip.events ?? []),
    sample: (time) => {
      const keyed = withRest({ ...clip.base, ...sampled(time) });
      return { ...keyed, ...clip.overlay?.(time / seconds, keyed) };
    },
  };
}

export const framesToEvents = (events: readonly (readonly [string, number])[]): ClipEvent[] =>
  events.map(([name, frame]) => ({ name, time: frame / FRAMES_PER_SECOND }));
