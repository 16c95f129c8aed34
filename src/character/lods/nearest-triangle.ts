/** Points of a surface: for each its triangle's corners, and the share of each corner. */
export interface SurfacePoints {
  /** Three vertices per point. */
  readonly corners: Uint32Array;
  /** Three per point, of sum 1. */
  readonly shares: Float32Array;
}

const LEAF_TRIANGLES = 4;

/**
 * Triangles in a space of any number of dimensions, with a search for the point that is nearest to another. Distances
 * to a triangle need only dot products, so the code is the same in 3 dimensions as in 24.
 *
 * A tree of boxes over the triangles. A search takes some microseconds.
 */
export class TriangleTree {
  readonly triangles: Uint32Array;
  /** Triangles in the order of the tree's leaves. */
  readonly #order: Uint32Array;
  /** Parents first: first and end in `order`, then the right child, 0 for a leaf. The left child follows its parent. */
  readonly #nodes: Uint32Array;
  /** Box of each node: the minimum of all dimensions, then the maximum. */
  readonly #boxes: Float32Array;
  /** Nodes still to visit, and squared distances to their boxes: at most twice the depth of the tree. */
  readonly #pending = new Uint32Array(128);
  readonly #pendingSquares = new Float64Array(128);

  /**
   * @param points `dimensions` numbers per vertex.
   * @param triangles Three vertices each, at least one triangle. Or a tree over the same triangles: its structure is
   * reused, which is faster, and as good if neighbours are neighbours here, too.
   */
  constructor(
    readonly points: Float32Array,
    readonly dimensions: number,
    triangles: Uint32Array | TriangleTree,
  ) {
    if (triangles instanceof TriangleTree) {
      this.triangles = triangles.triangles;
      this.#order = triangles.#order;
      this.#nodes = triangles.#nodes;
    } else {
      this.triangles = triangles;
      this.#order = Uint32Array.from({ length: triangles.length / 3 }, (_, t) => t);
      this.#nodes = this.#split();
    }
    this.#boxes = new Float32Array((2 * dimensions * this.#nodes.length) / 3);
    for (let node = this.#nodes.length / 3 - 1; node >= 0; node--) this.#fitBox(node);
  }

  /** Halves the triangles repeatedly across the longest side of their corners' box. Returns the nodes. */
  #split(): Uint32Array {
    const { triangles, points, dimensions: n } = this;
    const nodes: number[] = [];
    const keys = new Float32Array(triangles.length / 3);
    const pending = [{ first: 0, end: keys.length, parent: -1 }];
    while (pending.length > 0) {
      const { first, end, parent } = pending.pop()!;
      const node = nodes.length / 3;
      nodes.push(first, end, 0);
      if (parent >= 0) nodes[3 * parent + 2] = node;
      if (end - first <= LEAF_TRIANGLES) continue;
      const run = this.#order.subarray(first, end);
      const axis = this.#longestSide(run);
      for (const t of run) {
        keys[t] = [0, 1, 2].reduce((sum, k) => sum + points[triangles[3 * t + k]! * n + axis]!, 0);
      }
      run.sort((a, b) => keys[a]! - keys[b]! || a - b);
      const middle = (first + end) >> 1;
      // the left one is taken next, so that it follows its parent
      pending.push({ first: middle, end, parent: node }, { first, end: middle, parent: -1 });
    }
    return Uint32Array.from(nodes);
  }

  #longestSide(run: Uint32Array): number {
    const box = new Float32Array(2 * this.dimensions);
    this.#boxOf(run, box);
    let axis = 0;
    const side = (c: number) => box[this.dimensions + c]! - box[c]!;
    for (let c = 1; c < this.dimensions; c++) if (side(c) > side(axis)) axis = c;
    return axis;
  }

  #boxOf(run: Uint32Array, box: Float32Array): void {
    const { triangles, points, dimensions: n } = this;
    box.fill(Infinity, 0, n).fill(-Infinity, n);
    for (const t of run) {
      for (let k = 3 * t; k < 3 * t + 3; k++) {
        const at = triangles[k]! * n;
        for (let c = 0; c < n; c++) {
          const p = points[at + c]!;
          if (p < box[c]!) box[c] = p;
          if (p > box[n + c]!) box[n + c] = p;
        }
      }
    }
  }

  /** Fits the box of a node after those of its children. */
  #fitBox(node: number): void {
    const { dimensions: n } = this;
    const boxes = this.#boxes;
    const at = 2 * n * node;
    const right = this.#nodes[3 * node + 2]!;
    if (right === 0) {
      const run = this.#order.subarray(this.#nodes[3 * node], this.#nodes[3 * node + 1]);
      this.#boxOf(run, boxes.subarray(at, at + 2 * n));
      return;
    }
    const [a, b] = [2 * n * (node + 1), 2 * n * right];
    for (let c = 0; c < n; c++) {
      const [lowA, lowB] = [boxes[a + c]!, boxes[b + c]!];
      const [highA, highB] = [boxes[a + n + c]!, boxes[b + n + c]!];
      boxes[at + c] = lowA < lowB ? lowA : lowB;
      boxes[at + n + c] = highA > highB ? highA : highB;
    }
  }

  /** The squared distance of a point to the triangles if it is less than `enough`; else something of at least that. */
  squaredDistance(point: Float32Array, enough: number): number {
    const found = { triangle: 0, square: enough, v: 0, w: 0 };
    this.#find(point, found);
    return found.square;
  }

  /** The nearest point of the triangles for each of the points, `dimensions` numbers each. */
  nearest(asked: Float32Array): SurfacePoints {
    const count = asked.length / this.dimensions;
    const corners = new Uint32Array(3 * count);
    const shares = new Float32Array(3 * count);
    const found = { triangle: 0, square: 0, v: 0, w: 0 };
    for (let i = 0; i < count; i++) {
      // consecutive points are neighbours: the triangle of the last one is a good guess
      const point = asked.subarray(i * this.dimensions, (i + 1) * this.dimensions);
      found.square = Infinity;
      this.#try(found.triangle, point, found);
      this.#find(point, found);
      corners.set(this.triangles.subarray(3 * found.triangle, 3 * found.triangle + 3), 3 * i);
      // rounding may make the first one negative
      shares.set([Math.max(0, 1 - found.v - found.w), found.v, found.w], 3 * i);
    }
    return { corners, shares };
  }

  /** Searches for a nearer point than the one found so far. */
  #find(point: Float32Array, found: Found): void {
    const [nodes, distances] = [this.#pending, this.#pendingSquares];
    let count = 1;
    nodes[0] = 0;
    distances[0] = 0;
    while (count > 0) {
      count--;
      if (distances[count]! >= found.square) continue;
      const node = nodes[count]!;
      const right = this.#nodes[3 * node + 2]!;
      if (right === 0) {
        const end = this.#nodes[3 * node + 1]!;
        for (let i = this.#nodes[3 * node]!; i < end; i++) this.#try(this.#order[i]!, point, found);
        continue;
      }
      const toLeft = this.#boxDistance(node + 1, point, found.square);
      const toRight = this.#boxDistance(right, point, found.square);
      // the nearer one last, so that it is taken first
      const leftFirst = toLeft <= toRight;
      nodes[count] = leftFirst ? right : node + 1;
      distances[count++] = leftFirst ? toRight : toLeft;
      nodes[count] = leftFirst ? node + 1 : right;
      distances[count++] = leftFirst ? toLeft : toRight;
    }
  }

  /** Squared distance to a node's box, or something of at least `enough`. */
  #boxDistance(node: number, point: Float32Array, enough: number): number {
    const n = this.dimensions;
    const boxes = this.#boxes;
    const at = 2 * n * node;
    let square = 0;
    for (let c = 0; c < n && square < enough; c++) {
      const p = point[c]!;
      const below = boxes[at + c]! - p;
      const above = p - boxes[at + n + c]!;
      if (below > 0) square += below * below;
      else if (above > 0) square += above * above;
    }
    return square;
  }

  /** Takes the triangle's nearest point if it is nearer than the one found so far. */
  #try(triangle: number, point: Float32Array, found: Found): void {
    const { points, dimensions: n, triangles } = this;
    const a = triangles[3 * triangle]! * n;
    const b = triangles[3 * triangle + 1]! * n;
    const c = triangles[3 * triangle + 2]! * n;
    // dot products of b − a, c − a and p − a
    let bb = 0;
    let bc = 0;
    let cc = 0;
    let bp = 0;
    let cp = 0;
    let pp = 0;
    for (let k = 0; k < n; k++) {
      const origin = points[a + k]!;
      const toB = points[b + k]! - origin;
      const toC = points[c + k]! - origin;
      const toP = point[k]! - origin;
      bb += toB * toB;
      bc += toB * toC;
      cc += toC * toC;
      bp += toB * toP;
      cp += toC * toP;
      pp += toP * toP;
    }
    const [v, w] = nearestShares(bb, bc, cc, bp, cp);
    const square = Math.max(0, pp - 2 * (v * bp + w * cp) + v * v * bb + 2 * v * w * bc + w * w * cc);
    if (!(square < found.square)) return;
    found.triangle = triangle;
    found.square = square;
    found.v = v;
    found.w = w;
  }
}

interface Found {
  triangle: number;
  square: number;
  v: number;
  w: number;
}

/** Triangles that are narrower count as having no inside: squared sine of the angle at a. */
const LEAST_SINE = 1e-12;

/**
 * Shares of b and c in the point of triangle a, b, c that is nearest to p. Computed from dot products of b − a, c − a,
 * p − a. The point is the projection of p on the triangle's plane, or the nearest of the nearest points on its edges.
 */
function nearestShares(bb: number, bc: number, cc: number, bp: number, cp: number): [v: number, w: number] {
  const determinant = bb * cc - bc * bc;
  if (determinant > LEAST_SINE * bb * cc) {
    const v = (cc * bp - bc * cp) / determinant;
    const w = (bb * cp - bc * bp) / determinant;
    if (v >= 0 && w >= 0 && v + w <= 1) return [v, w];
  }
  const alongB = clamped(bp, bb);
  const alongC = clamped(cp, cc);
  // from b to c
  const across = clamped(cp - bp - bc + bb, bb - 2 * bc + cc);
  // squared distances to p, minus a term that all three share
  const toB = alongB * (alongB * bb - 2 * bp);
  const toC = alongC * (alongC * cc - 2 * cp);
  const rest = 1 - across;
  const toAcross = rest * (rest * bb - 2 * bp) + across * (across * cc - 2 * cp) + 2 * rest * across * bc;
  if (toB <= toC && toB <= toAcross) return [alongB, 0];
  return toC <= toAcross ? [0, alongC] : [rest, across];
}

/** Position of a point's foot along an edge, 0 to 1, from its dot product with the edge and the squared length. */
function clamped(dot: number, square: number): number {
  return square > 0 ? Math.max(0, Math.min(1, dot / square)) : 0;
}
