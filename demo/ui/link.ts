import type { CrowdTier } from '../../src/index.ts';
import { BACKENDS, RENDERERS, type Settings, VIEWS, type Wishes } from '../protocol.ts';

const TIERS: readonly CrowdTier[] = ['core', 'compatibility', 'webgl2'];

/** Contents of a link to the page, all optional. */
export interface Link {
  readonly wishes: Wishes;
  readonly worker: boolean | undefined;
  /** Level of WebGPU, or WebGL 2. */
  readonly tier: CrowdTier | undefined;
  readonly yaw: number | undefined;
  readonly pitch: number | undefined;
}

/** Reads a query such as `?count=500&view=joints&paused=1`; ignores invalid values. */
export function readLink(query: string): Link {
  const given = new URLSearchParams(query);
  const number = (name: string) => {
    const value = given.get(name);
    return value === null || value.trim() === '' || !Number.isFinite(Number(value)) ? undefined : Number(value);
  };
  const flag = (name: string) => {
    const value = given.get(name);
    return value === null ? undefined : !['0', 'false', 'no'].includes(value);
  };
  const one = <T extends string>(name: string, list: readonly T[]) => list.find((item) => item === given.get(name));
  return {
    wishes: {
      count: number('count'),
      seed: number('seed'),
      renderer: one('renderer', RENDERERS),
      view: one('view', VIEWS),
      backend: one('backend', BACKENDS),
      paused: flag('paused'),
      speed: number('speed'),
      zoom: number('zoom'),
      orbit: flag('orbit'),
      resolution: number('resolution'),
    },
    worker: flag('worker'),
    tier: one('tier', TIERS),
    yaw: number('yaw'),
    pitch: number('pitch'),
  };
}

/** Writes the query of a link to the current view. It contains only settings that a person has chosen. */
export function writeLink(wishes: Wishes, { worker, tier, yaw, pitch }: Omit<Link, 'wishes'>): string {
  const said = new URLSearchParams();
  for (const [name, value] of Object.entries(wishes) as [keyof Settings, Settings[keyof Settings] | undefined][]) {
    if (value !== undefined) said.set(name, textOf(value));
  }
  if (worker !== undefined) said.set('worker', textOf(worker));
  if (tier !== undefined) said.set('tier', tier);
  if (yaw !== undefined) said.set('yaw', textOf(yaw));
  if (pitch !== undefined) said.set('pitch', textOf(pitch));
  return said.toString();
}

function textOf(value: string | number | boolean): string {
  if (typeof value === 'boolean') return value ? '1' : '0';
  return typeof value === 'number' ? String(Math.round(value * 1000) / 1000) : value;
}
