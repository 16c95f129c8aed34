import type { CrowdTier } from '../../src/index.ts';
import { BACKENDS, COUNTS, RENDERERS, type RendererName, type Settings, VIEWS, type Wishes } from '../protocol.ts';

/** Most soldiers on twins, which run on one core instead of the GPU's thousands. */
export const TWIN_LIMIT = 200;
/** Default number of pixels on a software adapter. */
const SLOW_PIXELS = 120_000;

/** Default settings. */
export function defaultSettings(isSlow: boolean, pixels: number): Omit<Settings, 'zoom'> {
  const resolution = isSlow ? Math.round(100 * Math.min(1, Math.sqrt(SLOW_PIXELS / Math.max(1, pixels)))) / 100 : 1;
  return {
    count: isSlow ? 100 : 1000,
    seed: 7,
    // rasterising by compute is only fast on GPUs
    renderer: isSlow ? 'forward' : 'visibility',
    view: 'color',
    backend: 'gpu',
    paused: false,
    speed: 1,
    orbit: false,
    resolution,
  };
}

/** Returns the renderer that draws. It may differ from the chosen one, because some features need a certain renderer. */
export function drawnBy({ renderer, view, backend }: Settings, tier: CrowdTier = 'core'): RendererName {
  if (tier === 'webgl2') return 'three';
  if (view !== 'color') return 'forward';
  return renderer === 'three' && backend !== 'gpu' ? 'forward' : renderer;
}

/** Applies wishes to settings. Notes explain each setting that differs from its wish. */
export function settled(
  known: Settings,
  wishes: Wishes,
  tier: CrowdTier = 'core',
): { readonly settings: Settings; readonly notes: string[] } {
  const wished = { ...known, ...Object.fromEntries(Object.entries(wishes).filter(([, value]) => value !== undefined)) };
  const notes: string[] = [];
  const number = (value: number, least: number, most: number, otherwise: number) =>
    Number.isFinite(value) ? Math.min(most, Math.max(least, value)) : otherwise;
  const one = <T>(list: readonly T[], value: T, otherwise: T) => (list.includes(value) ? value : otherwise);
  const backend = one(BACKENDS, wished.backend, known.backend);
  let count = Math.round(number(wished.count, COUNTS.least, COUNTS.most, known.count));
  if (backend !== 'gpu' && count > TWIN_LIMIT) {
    notes.push(`The CPU twins compute at most ${TWIN_LIMIT} soldiers here, on one core.`);
    count = TWIN_LIMIT;
  }
  let renderer = one(RENDERERS, wished.renderer, known.renderer);
  if (renderer !== 'forward' && tier === 'compatibility') {
    // without a wish it is not worth a note
    if (wishes.renderer) notes.push("Other renderers need WebGPU's core level: the forward renderer draws here.");
    renderer = 'forward';
  }
  const view = one(VIEWS, wished.view, known.view);
  if (view !== 'color' && renderer !== 'forward') notes.push('Debug views are drawn by the forward renderer.');
  else if (renderer === 'three' && backend !== 'gpu') {
    notes.push('three.js draws from GPU memory that kernels have written: the forward renderer draws for it.');
  }
  const settings: Settings = {
    count,
    seed: Math.round(number(wished.seed, 0, 2 ** 31, known.seed)),
    renderer,
    view,
    backend,
    paused: wished.paused,
    speed: number(wished.speed, 0, 4, 1),
    zoom: number(wished.zoom, 0, 1, known.zoom),
    orbit: wished.orbit,
    resolution: number(wished.resolution, 0.1, 2, 1),
  };
  return { settings, notes };
}
