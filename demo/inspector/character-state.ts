import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Character, CharacterModel } from '../../src/character/index.ts';
import type { Issue } from '../../src/errors.ts';
import type { ClipReport } from '../../src/import/index.ts';
import type { Dropped } from '../files/load-dropped.ts';
import type { Mode } from './paint.ts';

/** A character that was dropped. */
export type Subject = Extract<Dropped, { kind: 'character' }>;

/** A clip of another file. */
export interface Origin {
  readonly model: CharacterModel;
  /** Index into its clips. */
  readonly clip: number;
  readonly report: ClipReport;
}

/** Seconds between two steps: a frame of most clips. */
export const STEP = 1 / 30;
/** Metres. */
const LEAST_SCALE = 1e-6;

/** The view of a character, as a person has chosen it. */
export class CharacterState {
  /** Index into the character's clips; undefined: the rest pose. */
  readonly clip: Signal<number | undefined>;
  /** Seconds. */
  readonly time: Signal<number> = signal(0);
  readonly speed: Signal<number> = signal(1);
  readonly isPlaying: Signal<boolean>;
  readonly mode: Signal<Mode> = signal<Mode>('material');
  readonly hasSkeleton: Signal<boolean> = signal(false);
  /** Index into the character's joints. */
  readonly joint: Signal<number | undefined> = signal<number | undefined>(undefined);
  /** Largest errors of the shown pose, metres; undefined unless errors are shown. */
  readonly error: Signal<{ readonly vertex: number; readonly joint: number } | undefined> = signal(undefined);
  /** Number of vertices that the chosen joint moves; undefined unless weights are shown. */
  readonly moved: Signal<number | undefined> = signal<number | undefined>(undefined);
  /** Issues that occurred while it was shown. */
  readonly issues: Signal<readonly Issue[]> = signal<readonly Issue[]>([]);
  /** Seconds of the clip. */
  readonly duration: ReadonlySignal<number> = computed(() => {
    const clip = this.clip.value;
    return clip === undefined ? 0 : (this.character.clips[clip]?.duration ?? 0);
  });
  /** Metres at the end of the error scale: enough for all errors shown of this clip so far. */
  readonly errorScale: Signal<number> = signal(LEAST_SCALE);
  /** Largest error that packing measured in the clip, metres, at the farthest possible vertex. */
  readonly measured: ReadonlySignal<number> = computed(() => {
    const clip = this.clip.value;
    return clip === undefined ? 0 : (this.character.clips[clip]?.maxError ?? 0);
  });

  /** The origin of the clip, if it is one of another file. */
  readonly origin: ReadonlySignal<Origin | undefined> = computed(() => {
    const { clips } = this.character;
    const { added } = this.subject;
    const at = added && this.clip.value !== undefined ? this.clip.value - (clips.length - added.reports.length) : -1;
    const origin = added?.origins[at];
    if (!added || !origin) return undefined;
    return { model: added.sources[origin.source]!, clip: origin.clip, report: added.reports[at]! };
  });

  constructor(readonly subject: Subject) {
    const { clips } = subject.character;
    const idle = clips.findIndex(({ name }) => /idle/i.test(name));
    const first = subject.added ? clips.length - 1 : Math.max(0, idle);
    this.clip = signal(clips.length === 0 ? undefined : first);
    this.isPlaying = signal(!globalThis.matchMedia('(prefers-reduced-motion: reduce)').matches);
  }

  get character(): Character {
    return this.subject.character;
  }

  choose(clip: number | undefined): void {
    this.clip.value = clip;
    this.time.value = 0;
    this.errorScale.value = LEAST_SCALE;
  }

  /** Makes the scale large enough for an error, in round numbers: 1, 2 or 5 and zeros. */
  fitScale(error: number): void {
    if (error <= this.errorScale.value) return;
    const power = 10 ** Math.floor(Math.log10(error));
    this.errorScale.value = power * ([1, 2, 5, 10].find((step) => error <= step * power * 1.000_001) ?? 10);
  }

  /** Pauses at a time, limited to the clip. */
  scrub(time: number): void {
    this.isPlaying.value = false;
    this.time.value = Math.min(this.duration.value, Math.max(0, time));
  }

  /** Advances the time. Clips loop. */
  advance(seconds: number): void {
    const duration = this.duration.value;
    if (!this.isPlaying.value || duration <= 0) return;
    this.time.value = (this.time.value + seconds * this.speed.value) % duration;
  }
}
