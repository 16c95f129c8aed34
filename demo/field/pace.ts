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

export const PACES: Readonly<Record<'hardware' | 'software', Pace>> = {
  hardware: { isSlow: false, vertexMemory: 3 * 2 ** 29, unseenRate: 12, ahead: 3, rest: 16 },
  software: { isSlow: true, vertexMemory: 2 ** 28, unseenRate: 5, ahead: 1, rest: 3 },
};
