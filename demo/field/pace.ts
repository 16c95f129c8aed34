/** What suits an adapter: GPUs, or what computes everything on a few cores. */
export interface Pace {
  readonly isSlow: boolean;
  /** Bytes that skinned vertices may take: phones, and what browsers grant, are in mind. */
  readonly vertexMemory: number;
  /** Steps for each second of a battle that is not seen yet. */
  readonly unseenRate: number;
  /** Frames that may be on their way to the GPU. */
  readonly ahead: number;
  /** Frames that are drawn on while nothing moves: antialiasing takes earlier pictures in, three.js who looked before. */
  readonly rest: number;
}

export const PACES: Readonly<Record<'hardware' | 'software', Pace>> = {
  hardware: { isSlow: false, vertexMemory: 3 * 2 ** 29, unseenRate: 12, ahead: 3, rest: 16 },
  software: { isSlow: true, vertexMemory: 2 ** 28, unseenRate: 5, ahead: 1, rest: 3 },
};
