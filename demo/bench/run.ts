import { signal } from '@preact/signals';
import { version } from '../../package.json';
import type { AdapterDescription } from '../../src/device/adapter-kind.ts';
import { CAPACITY_LIMIT } from '../../src/crowd/rows/ids.ts';
import { type Character, type Issue, loadCharacter, requestDevice } from '../../src/index.ts';
import { issuesOf, ManipleError } from '../../src/errors.ts';
import { VisibleCharacter } from '../../src/stages/layout.ts';
import { type MeasuredParade, measureParade, sizeOf } from './measure.ts';
import { largestFitting, nextCount } from './ramp.ts';

/** Milliseconds of a frame at 60 per second. */
export const FRAME_LIMIT = 1000 / 60;

/** A step of the ramp. */
export interface Step extends MeasuredParade {
  readonly fits: boolean;
}

/** Reason for the end of the ramp. */
export type End = 'time' | 'memory' | 'limit' | 'stopped' | 'device lost';

/** Result to paste. Plain data. */
export interface PageResult {
  readonly format: 'maniple-bench-page';
  readonly version: 1;
  readonly maniple: string;
  readonly browser: string;
  readonly adapter: AdapterDescription;
  readonly kind: string;
  readonly picture: string;
  /** How frames were timed. */
  readonly timer: 'gpu timestamps' | 'until the GPU has finished';
  /** Characters that fit into a frame at 60 frames per second. */
  readonly fits: number;
  /** Reason why more do not fit. */
  readonly limitedBy: End;
  readonly steps: readonly Step[];
}

export const steps = signal<readonly Step[]>([]);
/** The current action; undefined when nothing runs. */
export const busy = signal<string | undefined>(undefined);
export const result = signal<PageResult | undefined>(undefined);
export const issues = signal<readonly Issue[]>([]);

let isStopped = false;

export function stopRun(): void {
  isStopped = true;
}

/** Measures until the answer is known. Everything that happens is in the signals. */
export async function startRun(canvas: HTMLCanvasElement): Promise<void> {
  isStopped = false;
  steps.value = [];
  result.value = undefined;
  issues.value = [];
  busy.value = 'requesting a GPU';
  try {
    await ramp(canvas);
  } catch (thrown) {
    issues.value = issuesOf(thrown);
  }
  busy.value = undefined;
}

async function ramp(canvas: HTMLCanvasElement): Promise<void> {
  const { device, info, kind, lost } = await requestDevice();
  let isLost = false;
  void lost.then(() => (isLost = true));
  busy.value = 'loading two characters';
  const characters = await loadCharacters();
  const isHardware = kind === 'hardware';
  const { width, height } = sizeOf(isHardware);
  const most = Math.min(CAPACITY_LIMIT, Math.floor(device.limits.maxStorageBufferBindingSize / VisibleCharacter.size));
  let end: End | undefined;
  while (end === undefined) {
    const count = nextCount(steps.value, isHardware ? 500 : 10, most);
    if (count === undefined)
      end = steps.value.at(-1)?.fits === true && largestFitting(steps.value) === most ? 'limit' : reasonOf();
    else {
      busy.value = `measuring ${count.toLocaleString('en')} characters`;
      // lets the page show it
      await new Promise((resolve) => setTimeout(resolve, 0));
      await measureStep({ device, isHardware, canvas, characters }, count);
      if (isLost) end = 'device lost';
      else if (isStopped) end = 'stopped';
    }
  }
  const timer = device.features.has('timestamp-query') ? 'gpu timestamps' : 'until the GPU has finished';
  device.destroy();
  const common = { format: 'maniple-bench-page', version: 1, maniple: version, browser: navigator.userAgent } as const;
  const fits = largestFitting(steps.value);
  const where = { adapter: info, kind, picture: `${width} × ${height}`, timer } as const;
  result.value = { ...common, ...where, fits, limitedBy: end, steps: steps.value };
}

async function measureStep(stage: Parameters<typeof measureParade>[0], count: number): Promise<void> {
  try {
    const measured = await measureParade(stage, count);
    const isFast = Math.max(measured.frame, measured.host) <= FRAME_LIMIT;
    steps.value = [...steps.value, { ...measured, fits: isFast && measured.missing === 0 }];
  } catch (thrown) {
    if (!isTooLarge(thrown)) throw thrown;
    const nothing = { frame: 0, host: 0, stages: {}, bytes: 0 };
    steps.value = [...steps.value, { ...nothing, count, missing: count, fits: false }];
  }
}

/** Reason why the smallest failing number does not fit. */
function reasonOf(): End {
  const failing = steps.value.filter(({ fits }) => !fits).sort((a, b) => a.count - b.count)[0];
  return failing && failing.missing > 0 ? 'memory' : 'time';
}

/** More than the device can hold; a lost device ends the ramp as well, with the steps until then. */
function isTooLarge(thrown: unknown): boolean {
  if (typeof GPUOutOfMemoryError !== 'undefined' && thrown instanceof GPUOutOfMemoryError) return true;
  return thrown instanceof ManipleError && ['DEVICE_LIMIT', 'DEVICE_LOST', 'CROWD_LIMIT'].includes(thrown.code);
}

let loaded: Promise<readonly Character[]> | undefined;

/** Once: a second run needs no download. */
function loadCharacters(): Promise<readonly Character[]> {
  loaded ??= Promise.all(['legionary', 'raider'].map((name) => loadCharacter(`./baked/${name}.maniple`)));
  void loaded.catch(() => (loaded = undefined));
  return loaded;
}
