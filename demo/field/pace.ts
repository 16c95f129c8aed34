import type { Graphics } from './graphics.ts';

/** Limits that suit an adapter: a GPU, or software on a few CPU cores. */
export interface Pace {
  readonly isSlow: boolean;
  /** Most bytes of skinned vertices, chosen for phones and for the limits of browsers. */
  readonly vertexMemory: number;
  /** Steps per second of the battle before the first frame. */
  readonly unseenRate: number;
  /** Most frames in flight. */
  readonly ahead: number;
  /** Frames still drawn after movement stops: antialiasing uses earlier pictures, and three.js uses the previous frame's views. */
  readonly rest: number;
}

const PACES = {
  hardware: { isSlow: false, vertexMemory: 3 * 2 ** 29, unseenRate: 12, ahead: 3, rest: 16 },
  software: { isSlow: true, vertexMemory: 2 ** 28, unseenRate: 5, ahead: 1, rest: 3 },
} as const satisfies Readonly<Record<string, Pace>>;

/** Limits for an adapter, or for WebGL 2, where a step without views takes less than a millisecond. */
export function paceOf({ kind, device }: Pick<Graphics, 'kind' | 'device'>): Pace {
  const pace = PACES[kind === 'hardware' ? 'hardware' : 'software'];
  return device ? pace : { ...pace, vertexMemory: 2 ** 26, unseenRate: 12 };
}
