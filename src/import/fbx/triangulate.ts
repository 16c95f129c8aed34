/** Steps of cutting that a file may take; polygons beyond them become fans. */
const MOST_STEPS = 20_000_000;

/** Cuts polygons into triangles. */
export class Triangulator {
  #stepsLeft = MOST_STEPS;
  /** Polygons that became fans although they may be concave. */
  fans = 0;

  /** @param positions Three numbers per control point. */
  constructor(readonly positions: ArrayLike<number>) {}

  /**
   * Calls `emit` with the corners of each triangle of a polygon, in its winding.
   *
   * @param points The control point of each corner.
   */
  cut(points: ArrayLike<number>, emit: (a: number, b: number, c: number) => void): void {
    const count = points.length;
    if (count === 3) return emit(0, 1, 2);
    if (count < 3) return;
    const flat = this.#flatten(points);
    const left = Array.from({ length: count }, (_, i) => i);
    while (left.length > 3) {
      const ear = this.#findEar(left, flat);
      if (ear < 0) {
        if (this.#stepsLeft < 0) this.fans++;
        break;
      }
      const [before, at, after] = around(left, ear);
      emit(before, at, after);
      left.splice(ear, 1);
    }
    for (let i = 1; i + 1 < left.length; i++) emit(left[0]!, left[i]!, left[i + 1]!);
  }

  /** The corner to cut off: it is convex, no other corner is in its triangle, and that is as equilateral as possible. */
  #findEar(left: readonly number[], flat: Float64Array): number {
    let best = -1;
    let bestShape = -Infinity;
    for (let i = 0; i < left.length; i++) {
      this.#stepsLeft -= left.length;
      if (this.#stepsLeft < 0) return -1;
      const [a, b, c] = around(left, i);
      const area = turnOf(flat, a, b, c);
      if (!(area > 0)) continue;
      if (left.some((p) => p !== a && p !== b && p !== c && isInside(flat, p, a, b, c))) continue;
      const shape = area / (squareOf(flat, a, b) + squareOf(flat, b, c) + squareOf(flat, c, a));
      // of long polygons any ear will do
      if (left.length > 8) return i;
      if (shape <= bestShape) continue;
      best = i;
      bestShape = shape;
    }
    return best;
  }

  /** The polygon in its own plane, counter-clockwise (Newell's normal): two numbers per corner. */
  #flatten(points: ArrayLike<number>): Float64Array {
    const { positions } = this;
    const normal = [0, 0, 0];
    for (let i = 0; i < points.length; i++) {
      const p = 3 * points[i]!;
      const q = 3 * points[(i + 1) % points.length]!;
      for (let c = 0; c < 3; c++) {
        const [u, v] = [(c + 1) % 3, (c + 2) % 3];
        normal[c]! += (positions[p + u]! - positions[q + u]!) * (positions[p + v]! + positions[q + v]!);
      }
    }
    // the plane of two axes that shows most of it
    const sizes = normal.map(Math.abs);
    const axis = sizes.indexOf(Math.max(...sizes));
    const [u, v] = normal[axis]! >= 0 ? [(axis + 1) % 3, (axis + 2) % 3] : [(axis + 2) % 3, (axis + 1) % 3];
    const flat = new Float64Array(2 * points.length);
    for (let i = 0; i < points.length; i++) {
      flat[2 * i] = positions[3 * points[i]! + u]!;
      flat[2 * i + 1] = positions[3 * points[i]! + v]!;
    }
    return flat;
  }
}

function around(left: readonly number[], i: number): [number, number, number] {
  return [left[(i + left.length - 1) % left.length]!, left[i]!, left[(i + 1) % left.length]!];
}

/** Twice the area of a triangle; negative if it is clockwise. */
function turnOf(flat: Float64Array, a: number, b: number, c: number): number {
  const [x, y] = [flat[2 * a]!, flat[2 * a + 1]!];
  return (flat[2 * b]! - x) * (flat[2 * c + 1]! - y) - (flat[2 * b + 1]! - y) * (flat[2 * c]! - x);
}

function squareOf(flat: Float64Array, a: number, b: number): number {
  return (flat[2 * a]! - flat[2 * b]!) ** 2 + (flat[2 * a + 1]! - flat[2 * b + 1]!) ** 2;
}

/** Corners in the same place as one of the triangle's are not inside. */
function isInside(flat: Float64Array, p: number, a: number, b: number, c: number): boolean {
  if (squareOf(flat, p, a) === 0 || squareOf(flat, p, b) === 0 || squareOf(flat, p, c) === 0) return false;
  return turnOf(flat, a, b, p) >= 0 && turnOf(flat, b, c, p) >= 0 && turnOf(flat, c, a, p) >= 0;
}
