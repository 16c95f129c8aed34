import type { InfluencesModel } from '../../character/model.ts';
import type { Geometry } from './geometry.ts';
import type { IssueList } from './issue-list.ts';
import { isUsable, MAX_INFLUENCES } from './limits.ts';
import type { SkinBindings } from './palette.ts';

/** How far from 1 a vertex's weights may sum before it counts as repaired: two steps of four 8-bit weights. */
const SUM_TOLERANCE = 0.008;

/** Weights below this move nothing that a 32-bit float could show. */
const SMALLEST_WEIGHT = 1e-10;

/** Every vertex moved by one palette entry. */
export function rigidInfluences(vertexCount: number, binding: number): InfluencesModel {
  const offsets = new Uint32Array(vertexCount + 1);
  for (let v = 0; v <= vertexCount; v++) offsets[v] = v;
  return {
    offsets,
    bindings: new Uint16Array(vertexCount).fill(binding),
    weights: new Float32Array(vertexCount).fill(1),
  };
}

/**
 * The influences of a skinned primitive, from any number of JOINTS and WEIGHTS sets. Weights of zero are dropped, and
 * NaN and negative ones count as zero. Entries that name one binding twice are added up. Then they are sorted, at
 * most 255 kept, and scaled to sum 1. A vertex without weight keeps none. Violations of the glTF specification are
 * counted and reported once.
 *
 * A weight on a joint that the skin does not have is an error: nothing says what the vertex should follow.
 */
export function skinInfluences(geometry: Geometry, skin: SkinBindings, issues: IssueList): InfluencesModel {
  const { vertexCount, jointSets } = geometry;
  const offsets = new Uint32Array(vertexCount + 1);
  const writer = new InfluenceWriter(4 * vertexCount * jointSets.length);
  const found: Findings = { unusable: 0, unnormalised: 0, zero: 0, dropped: 0, outOfRange: 0, firstOutOfRange: 0 };
  for (let v = 0; v < vertexCount; v++) {
    for (const { joints, weights } of jointSets) {
      for (let k = 4 * v; k < 4 * v + 4; k++) {
        const weight = weights[k]!;
        if (weight >= 0 && weight < SMALLEST_WEIGHT) continue;
        if (weight < 0 || !isUsable(weight)) found.unusable++;
        else if (joints[k]! < skin.jointCount) writer.add(skin.entry(joints[k]!), weight);
        else if (found.outOfRange++ === 0) found.firstOutOfRange = joints[k]!;
      }
    }
    offsets[v + 1] = writer.endVertex(found);
  }
  report(found, geometry, skin, issues);
  return { offsets, ...writer.finish() };
}

/** Violations of the glTF specification, counted in vertices or weights. */
interface Findings {
  unusable: number;
  unnormalised: number;
  zero: number;
  dropped: number;
  outOfRange: number;
  firstOutOfRange: number;
}

/** Appends influences vertex by vertex; those of the current vertex stay sorted by falling weight. */
class InfluenceWriter {
  readonly #bindings: Uint16Array;
  readonly #weights: Float32Array;
  #start = 0;
  #end = 0;

  constructor(capacity: number) {
    this.#bindings = new Uint16Array(capacity);
    this.#weights = new Float32Array(capacity);
  }

  add(binding: number, weight: number): void {
    const [bindings, weights] = [this.#bindings, this.#weights];
    let at = this.#start;
    while (at < this.#end && bindings[at] !== binding) at++;
    const total = at === this.#end ? weight : weights[at]! + weight;
    if (at === this.#end) this.#end++;
    // equal weights stay in the order of the file
    for (; at > this.#start && weights[at - 1]! < total; at--) {
      bindings[at] = bindings[at - 1]!;
      weights[at] = weights[at - 1]!;
    }
    bindings[at] = binding;
    weights[at] = total;
  }

  /** Normalises the vertex and begins the next; returns where that one begins. */
  endVertex(found: Findings): number {
    if (this.#end - this.#start > MAX_INFLUENCES) {
      found.dropped++;
      this.#end = this.#start + MAX_INFLUENCES;
    }
    const run = this.#weights.subarray(this.#start, this.#end);
    let sum = 0;
    for (const weight of run) sum += weight;
    if (run.length === 0) found.zero++;
    else if (Math.abs(sum - 1) > SUM_TOLERANCE) found.unnormalised++;
    for (let i = 0; i < run.length; i++) run[i] = run[i]! / sum;
    this.#start = this.#end;
    return this.#end;
  }

  finish(): { bindings: Uint16Array; weights: Float32Array } {
    return { bindings: this.#bindings.slice(0, this.#end), weights: this.#weights.slice(0, this.#end) };
  }
}

function report(
  found: Findings,
  { vertexCount, path }: Geometry,
  { jointCount }: SkinBindings,
  issues: IssueList,
): void {
  const { unusable, unnormalised, zero, dropped, outOfRange, firstOutOfRange } = found;
  const place = `${path}/attributes/WEIGHTS_0`;
  if (outOfRange > 0) {
    const message = `${outOfRange} influences name joints that the skin lacks, first ${firstOutOfRange} of ${jointCount}`;
    const suggestion = 'Export the skin with all its joints.';
    issues.error('GLTF_JOINT_OUT_OF_RANGE', `${path}/attributes/JOINTS_0`, message, suggestion);
  }
  const parts = [
    unnormalised > 0 && `${unnormalised} vertices have weights that do not sum to 1`,
    unusable > 0 && `${unusable} weights are NaN, infinite or negative`,
    dropped > 0 && `${dropped} vertices have more than ${MAX_INFLUENCES} influences`,
  ].filter(Boolean);
  if (parts.length > 0) issues.warn('GLTF_WEIGHTS_REPAIRED', place, `${parts.join('; ')} (of ${vertexCount} vertices)`);
  if (zero > 0) {
    const message = `${zero} of ${vertexCount} vertices have no weight; no joint moves them`;
    issues.warn('GLTF_WEIGHTS_ZERO', place, message);
  }
}
