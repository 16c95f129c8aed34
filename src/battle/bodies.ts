import type { Box, Character } from '../character/character.ts';
import type { Vector } from '../render/camera.ts';
import { sidesOf, turned, type Lens } from './framing.ts';

/** Extent of a character in some pictures, relative to its position, in the axes of the world. */
export interface Body {
  readonly box: Box;
  /** The largest dot product of a direction with one of its points, in a picture: that of one of its `sidesOf`. */
  farthest(picture: number, normal: Vector): number;
}

/** A box as a body: in all pictures, for all directions. */
export function boxBody(box: Box): Body {
  const { min, max } = box;
  const farthest = (_: number, [x, y, z]: Vector) =>
    x * (x > 0 ? max : min)[0]! + y * (y > 0 ? max : min)[1]! + z * (z > 0 ? max : min)[2]!;
  return { box, farthest };
}

/** A box that holds another one which has been turned around the vertical, as characters turn by their yaw. */
export function turnedBox({ min, max }: Box, yaw: number): Box {
  const [c, sine] = [Math.abs(Math.cos(yaw)), Math.abs(Math.sin(yaw))];
  const half = min.map((low, axis) => (max[axis]! - low) / 2);
  const middle = turned(min.map((low, axis) => low + half[axis]!) as unknown as Vector, yaw);
  const reach = [c * half[0]! + sine * half[2]!, half[1]!, sine * half[0]! + c * half[2]!];
  return { min: middle.map((at, axis) => at - reach[axis]!), max: middle.map((at, axis) => at + reach[axis]!) };
}

/** The box that a character may fill while a clip, or its controller, plays. Without either, the box at rest. */
export function reachOf({ clips, bounds, reach, controller }: Character, clip: number | undefined): Box {
  const playing = clip === undefined ? undefined : clips[clip];
  if (!playing && !controller) return bounds;
  if (playing?.bounds) return playing.bounds;
  if (!reach) return bounds;
  const { center, radius } = reach;
  return { min: center.map((c) => c - radius), max: center.map((c) => c + radius) };
}

/** Collects the extent of a character, picture by picture; exact for the sides of each picture. */
export class MeasuredBody implements Body {
  readonly #min = [Infinity, Infinity, Infinity];
  readonly #max = [-Infinity, -Infinity, -Infinity];
  readonly #normals: readonly (readonly Vector[])[];
  readonly #farthest: Float64Array;

  constructor(lens: Lens) {
    this.#normals = lens.directions.map((direction) => sidesOf(direction, lens).map(({ normal }) => normal));
    this.#farthest = new Float64Array(5 * lens.directions.length).fill(-Infinity);
  }

  add(picture: number, x: number, y: number, z: number): void {
    const [min, max] = [this.#min, this.#max];
    if (x < min[0]!) min[0] = x;
    if (y < min[1]!) min[1] = y;
    if (z < min[2]!) min[2] = z;
    if (x > max[0]!) max[0] = x;
    if (y > max[1]!) max[1] = y;
    if (z > max[2]!) max[2] = z;
    const normals = this.#normals[picture]!;
    for (let side = 0; side < 5; side++) {
      const n = normals[side]!;
      const along = n[0] * x + n[1] * y + n[2] * z;
      if (along > this.#farthest[5 * picture + side]!) this.#farthest[5 * picture + side] = along;
    }
  }

  get box(): Box {
    return { min: this.#min, max: this.#max };
  }

  farthest(picture: number, normal: Vector): number {
    const side = this.#normals[picture]!.findIndex((known) => known.every((n, axis) => n === normal[axis]));
    return this.#farthest[5 * picture + side]!;
  }
}
