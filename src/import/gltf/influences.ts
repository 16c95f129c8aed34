import type { InfluencesModel } from '../../asset/model.ts';
import type { Geometry } from './geometry.ts';
import type { IssueList } from './issue-list.ts';
import { isUsable, MAX_INFLUENCES } from './limits.ts';
import type { SkinBindings } from './skin-bindings.ts';

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
 * The influences of a skinned primitive, from any number of JOINTS and WEIGHTS sets: weights of zero are dropped, NaN
 * and negative ones taken as zero, entries that name one binding twice added up; then sorted, at most 255 kept, and
 * scaled to sum 1. A vertex without weight keeps none. What was not as glTF asks is counted and reported once.
 *
 * A weight on a joint that the skin does not have is an error: nothing says what the vertex should follow.
 */
export function skinInfluences(geometry: Geometry, skin: SkinBindings, issues: IssueList): InfluencesModel {
  const { vertexCount, jointSets, path } = geometry;
  const offsets = new Uint32Array(vertexCount + 1);
  const bindings: Uint16Array = new Uint16Array(vertexCount * 4 * jointSets.length);
  const weights: Float32Array = new Float32Array(bindings.length);
  const found = { unusable: 0, unnormalised: 0, zero: 0, dropped: 0, outOfRange: 0, firstOutOfRange: 0 };
  let end = 0;
  for (let v = 0; v < vertexCount; v++) {
    const start = end;
    for (const set of jointSets) {
      for (let k = 4 * v; k < 4 * v + 4; k++) {
        const weight = set.weights[k]!;
        if (weight >= 0 && weight < SMALLEST_WEIGHT) continue;
        if (weight < 0 || !isUsable(weight)) {
          found.unusable++;
          continue;
        }
        const joint = set.joints[k]!;
        if (joint >= skin.jointCount) {
          if (found.outOfRange++ === 0) found.firstOutOfRange = joint;
          continue;
        }
        end = insert(bindings, weights, start, end, skin.entry(joint), weight);
      }
    }
    if (end - start > MAX_INFLUENCES) {
      found.dropped++;
      end = start + MAX_INFLUENCES;
    }
    normalise(weights, start, end, found);
    offsets[v + 1] = end;
  }
  report(found, vertexCount, path, skin.jointCount, issues);
  return { offsets, bindings: bindings.slice(0, end), weights: weights.slice(0, end) };
}

/** Adds an influence to the run [start, end), which stays sorted by falling weight; returns the new end. */
function insert(
  bindings: Uint16Array,
  weights: Float32Array,
  start: number,
  end: number,
  binding: number,
  weight: number,
): number {
  let at = start;
  while (at < end && bindings[at] !== binding) at++;
  const isNew = at === end;
  const total = isNew ? weight : weights[at]! + weight;
  // equal weights stay in the order of the file
  for (; at > start && weights[at - 1]! < total; at--) {
    bindings[at] = bindings[at - 1]!;
    weights[at] = weights[at - 1]!;
  }
  bindings[at] = binding;
  weights[at] = total;
  return isNew ? end + 1 : end;
}

function normalise(
  weights: Float32Array,
  start: number,
  end: number,
  found: { unnormalised: number; zero: number },
): void {
  if (start === end) {
    found.zero++;
    return;
  }
  let sum = 0;
  for (let i = start; i < end; i++) sum += weights[i]!;
  if (Math.abs(sum - 1) > SUM_TOLERANCE) found.unnormalised++;
  for (let i = start; i < end; i++) weights[i] = weights[i]! / sum;
}

function report(
  found: {
    unusable: number;
    unnormalised: number;
    zero: number;
    dropped: number;
    outOfRange: number;
    firstOutOfRange: number;
  },
  vertexCount: number,
  path: string,
  jointCount: number,
  issues: IssueList,
): void {
  const { unusable, unnormalised, zero, dropped, outOfRange, firstOutOfRange } = found;
  const place = `${path}/attributes/WEIGHTS_0`;
  if (outOfRange > 0) {
    const message = `${outOfRange} influences name joints that the skin lacks, first ${firstOutOfRange} of ${jointCount}`;
    issues.error(
      'GLTF_JOINT_OUT_OF_RANGE',
      `${path}/attributes/JOINTS_0`,
      message,
      'Export the skin with all its joints.',
    );
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
