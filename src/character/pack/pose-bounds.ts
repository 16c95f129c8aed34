import { isUsable } from '../file/blob.ts';
import type { Box, ReachSphere } from '../character.ts';
import type { CharacterModel, ClipModel } from '../model.ts';
import { BoxWork, clipBox } from './clip-box.ts';
import { entryBoxes } from './entry-boxes.ts';
import { jointExtents, reachSphere } from './reach-sphere.ts';
import type { Steps } from './steps.ts';

/**
 * Bounds of all poses. Undefined for differences, which are not poses, and if the bounds are too large to compute with.
 */
export interface PoseBounds {
  readonly reach: ReachSphere | undefined;
  readonly clips: readonly (Box | undefined)[];
}

export interface PoseBoundsOptions {
  /** Metres by which packed clips may stray from the model's. */
  readonly errorBudget: number;
  /** Clips from this index on are differences, which additive layers lay over others. */
  readonly firstDifference: number;
  /** Additive layers that may show at the same time. */
  readonly additiveLayers: number;
}

/**
 * Finds bounds of all poses: a box per clip, and a sphere for all blends of clips.
 *
 * The sphere follows from the hierarchy only. However joints turn, a joint's distance from its parent is at most its
 * longest translation times the scales above it. Blends of translations and scales are no longer than the longest. A
 * clip that needs more moments than the limit has the sphere's box.
 *
 * Cost: in proportion to palette entries × moments, of which there are at least 60 a second and three between keys.
 * That is some 5 ms for a second of a character with 60 joints, and a few seconds for all clips at most. Clips after
 * that have the sphere's box.
 */
export function* measurePoses(
  model: CharacterModel,
  clips: readonly ClipModel[],
  { errorBudget, firstDifference, additiveLayers }: PoseBoundsOptions,
): Steps<PoseBounds> {
  const own = clips.slice(0, firstDifference);
  const alone = { clips: own, differences: [], additiveLayers: 0 };
  const boxes = yield* entryBoxes(model, alone);
  const differences = clips.slice(firstDifference);
  const blended = { clips: own, differences, additiveLayers };
  const layered = differences.length > 0 ? yield* entryBoxes(model, blended) : boxes;
  yield;
  const { center, radius } = reachSphere(model, layered, yield* jointExtents(model, blended));
  const sphere = { center, radius: radius + errorBudget, additiveLayers };
  const reach = [...center, sphere.radius].every(isUsable) ? sphere : undefined;
  const work = new BoxWork();
  const around: Box = { min: center.map((c) => c - radius), max: center.map((c) => c + radius) };
  const bounds: (Box | undefined)[] = clips.map(() => undefined);
  for (const [index, clip] of own.entries()) {
    const box = grown((yield* clipBox(model, clip, boxes, work)) ?? around, errorBudget);
    if ([...box.min, ...box.max].every(isUsable)) bounds[index] = box;
    yield;
  }
  return { reach, clips: bounds };
}

function grown({ min, max }: Box, margin: number): Box {
  return { min: min.map((low) => low - margin), max: max.map((high) => high + margin) };
}
