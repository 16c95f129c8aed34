/** A triangle whose edges run through the middles of pixels, and the pixels that it covers by the top-left rule. */
export interface EdgeCase {
  readonly name: string;
  /** Pixels from the left and from the top. */
  readonly corners: readonly [Place, Place, Place];
  /** Worked out by hand. */
  readonly covered: readonly (readonly [x: number, y: number])[];
}
type Place = readonly [number, number];

/** Middles lie at halves. A middle on a left or a top edge belongs to the triangle, one on a right or a bottom edge does not. */
export const EDGE_CASES: readonly EdgeCase[] = [
  {
    name: 'a horizontal edge at the top',
    corners: [
      [1.5, 1.5],
      [5.5, 1.5],
      [3.5, 3.5],
    ],
    covered: [
      [1, 1],
      [2, 1],
      [3, 1],
      [4, 1],
      [2, 2],
      [3, 2],
    ],
  },
  {
    name: 'a horizontal edge at the bottom',
    corners: [
      [3.5, 1.5],
      [1.5, 3.5],
      [5.5, 3.5],
    ],
    covered: [
      [2, 2],
      [3, 2],
    ],
  },
  {
    name: 'a vertical edge at the left',
    corners: [
      [2.5, 1.5],
      [2.5, 5.5],
      [4.5, 3.5],
    ],
    covered: [
      [2, 2],
      [2, 3],
      [2, 4],
      [3, 3],
    ],
  },
  {
    name: 'a vertical edge at the right',
    corners: [
      [4.5, 1.5],
      [4.5, 5.5],
      [2.5, 3.5],
    ],
    covered: [
      [3, 2],
      [2, 3],
      [3, 3],
      [3, 4],
    ],
  },
  {
    name: 'the upper left half of a square',
    corners: [
      [1.5, 1.5],
      [4.5, 1.5],
      [1.5, 4.5],
    ],
    covered: [
      [1, 1],
      [2, 1],
      [3, 1],
      [1, 2],
      [2, 2],
      [1, 3],
    ],
  },
  {
    name: 'the lower right half of it',
    corners: [
      [4.5, 1.5],
      [4.5, 4.5],
      [1.5, 4.5],
    ],
    covered: [
      [3, 2],
      [2, 3],
      [3, 3],
    ],
  },
];

/** All orders of three corners: both ways round, from each of them. */
export const ORDERS = [
  [0, 1, 2],
  [1, 2, 0],
  [2, 0, 1],
  [0, 2, 1],
  [2, 1, 0],
  [1, 0, 2],
] as const;

/** In rows from the top. */
export function inRows(pixels: readonly (readonly number[])[]): string[] {
  return pixels.toSorted(([ax, ay], [bx, by]) => ay! - by! || ax! - bx!).map(String);
}

/** World places are pixels of a picture of so many, at a depth of their own. */
export function pixelView(width: number, height: number) {
  const clipFromWorld = Float32Array.of(2 / width, 0, 0, 0, 0, -2 / height, 0, 0, 0, 0, 1, 0, -1, 1, 0, 1);
  return { clipFromWorld, width, height };
}
