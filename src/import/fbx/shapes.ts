import { isUsable } from '../model-builder/limits.ts';
import type { FbxDocument, FbxObject } from './document.ts';

/** A blend shape: a channel of a deformer, and what its last target adds to each control point. */
export interface Shape {
  readonly channel: FbxObject;
  readonly name: string;
  /** Weight at rest: 1 is the whole shape. */
  readonly weight: number;
  /** Percent at which it is whole. */
  readonly fullPercent: number;
  /** Metres, three per control point. */
  readonly positions: Float32Array;
  readonly normals: Float32Array | undefined;
}

const PERCENT = 100;

/** The blend shapes of a geometry, in file order. */
export function readShapes(document: FbxDocument, geometry: FbxObject, unit: number): Shape[] {
  const channels = geometry
    .sourcesOf('Deformer', 'BlendShape')
    .flatMap((deformer) => deformer.sourcesOf('Deformer', 'BlendShapeChannel'));
  // only the length: positions are decoded with the geometry
  const pointCount = channels.length > 0 ? Math.floor(geometry.node.count('Vertices') / 3) : 0;
  return channels.flatMap((channel) => readShape(document, channel, pointCount, unit) ?? []);
}

function readShape(
  { issues, budget }: FbxDocument,
  channel: FbxObject,
  pointCount: number,
  unit: number,
): Shape | undefined {
  const targets = channel.sourcesOf('Geometry', 'Shape');
  const target = targets.at(-1);
  if (!target) {
    issues.info('FBX_IGNORED', channel.place, 'the channel has no shape');
    return undefined;
  }
  if (targets.length > 1) {
    const message = `the channel has ${targets.length} shapes in between; only the last one is used, from 0 to its weight`;
    issues.warn('FBX_SIMPLIFIED', channel.place, message, 'Make a channel of each shape.');
  }
  const full = channel.node.numbers('FullWeights').at(-1) ?? PERCENT;
  const fullPercent = isUsable(full) && full !== 0 ? full : PERCENT;
  const listed = channel.node.child('DeformPercent')?.number(0);
  const percent = channel.property('DeformPercent') ? channel.number('DeformPercent', 0) : (listed ?? 0);
  budget.addBytes(24 * pointCount);
  const indices = target.node.numbers('Indexes');
  const positions = scatter(target.node.numbers('Vertices'), indices, pointCount, unit);
  const normals = scatter(target.node.numbers('Normals'), indices, pointCount, 1);
  const unusable = positions.unusable + normals.unusable;
  if (unusable > 0) {
    const message = `${unusable} offsets of the shape are out of bounds or name no control point; they were dropped`;
    issues.warn('GLTF_VALUES_REPAIRED', target.place, message);
  }
  return {
    channel,
    name: channel.name || target.name,
    weight: isUsable(percent) ? percent / fullPercent : 0,
    fullPercent,
    positions: positions.values,
    normals: normals.values.some((value) => value !== 0) ? normals.values : undefined,
  };
}

/** Three numbers for each control point; 0 for those that the indices do not name. */
function scatter(values: Float64Array, indices: Float64Array, pointCount: number, scale: number) {
  const out = new Float32Array(3 * pointCount);
  let unusable = 0;
  const count = Math.min(indices.length, Math.floor(values.length / 3));
  for (let i = 0; i < count; i++) {
    const point = indices[i]!;
    const offset = values.subarray(3 * i, 3 * i + 3).map((value) => value * scale);
    if (point >= 0 && point < pointCount && offset.every(isUsable)) out.set(offset, 3 * point);
    else unusable++;
  }
  return { values: out, unusable };
}
