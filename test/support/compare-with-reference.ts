import { createReferenceRenderer } from '../../src/render/reference/reference.ts';
import type { ReferenceView } from '../../src/render/reference/view.ts';
import { createVisibilityRenderer } from '../../src/render/visibility/visibility.ts';
import type { Crowd } from '../../src/crowd/crowd.ts';
import {
  createReadableTarget,
  createDepthTarget,
  createIdTarget,
  createNormalTarget,
  createVelocityTarget,
} from '../../src/render/target.ts';
import type { StaticPiece } from '../../src/render/scenery/lay-out.ts';
import { createScenery } from '../../src/render/scenery/scenery.ts';
import { comparePictures, writeDifference } from './pictures.ts';

/** Maps that both draw. */
const MAPS = { shadowResolution: 256, cascadeCount: 2 };

/** How far the visibility renderer's picture of a crowd on the GPU is from the reference's of the same crowd on the CPU. */
export interface ReferenceDifference {
  /** Codes of 255, over all channels. */
  readonly mean: number;
  /** Share of pixels with a channel that is more than 8 codes off. */
  readonly far: number;
  /** Share of pixels with other ids. */
  readonly others: number;
  /** Pixels that show characters. */
  readonly shown: number;
  /** Of pixels whose ids agree: means of motion in pixels, of depths relative to theirs, of normals. */
  readonly motion: number;
  readonly depth: number;
  readonly normal: number;
}

/** Draws both; `name` is where pictures go that differ. @param gridSteps Those of the adapter. */
export async function compareWithReference(
  device: GPUDevice,
  crowds: { readonly gpu: Crowd; readonly cpu: Crowd },
  view: ReferenceView,
  {
    name,
    gridSteps,
    scenery = [],
  }: { readonly name: string; readonly gridSteps: number; readonly scenery?: readonly StaticPiece[] },
): Promise<ReferenceDifference> {
  const { width, height } = view;
  const reference = await createReferenceRenderer(crowds.cpu, { ...MAPS, gridSteps, scenery });
  const expected = await reference.render(view);
  const statics = createScenery(device, scenery);
  const renderer = await createVisibilityRenderer(device, crowds.gpu, { ...MAPS, scenery: statics });
  const targets = {
    color: createReadableTarget(device, width, height),
    velocity: createVelocityTarget(device, width, height),
    ids: createIdTarget(device, width, height),
    depth: createDepthTarget(device, width, height),
    normals: createNormalTarget(device, width, height),
  };
  const { color, velocity, ids, depth, normals } = targets;
  const encoder = device.createCommandEncoder();
  const surfaces = { velocity: velocity.view, ids: ids.view, depth: depth.view, normals: normals.view };
  const drawn = renderer.render(encoder, { ...view, ...surfaces, target: color.view });
  device.queue.submit([encoder.finish()]);
  await drawn.submitted();
  const actual = await color.read();
  const own = {
    velocity: await velocity.read(),
    ids: await ids.read(),
    depth: await depth.read(),
    normals: await normals.read(),
  };
  for (const owned of [renderer, statics, ...Object.values(targets)]) owned.destroy();

  const sums = { others: 0, shown: 0, motion: 0, depth: 0, normal: 0 };
  const pixels = width * height;
  for (let at = 0; at < pixels; at++) {
    if (expected.ids[2 * at] !== 0) sums.shown++;
    if ([0, 1].some((i) => own.ids[2 * at + i] !== expected.ids[2 * at + i])) {
      sums.others++;
      continue;
    }
    const off = (a: ArrayLike<number>, b: ArrayLike<number>, size: number) =>
      Math.max(...Array.from({ length: size }, (_, c) => Math.abs(a[size * at + c]! - b[size * at + c]!)));
    sums.motion += off(own.velocity, expected.velocity, 2);
    sums.depth += off(own.depth, expected.depth, 1) / (expected.depth[at] || 1);
    sums.normal += off(own.normals, expected.normals, 4);
  }
  const { mean, far } = comparePictures(actual, expected.color);
  if (process.env.MANIPLE_PICTURES === '1' || mean > 1)
    await writeDifference(`reference-${name}`, actual, expected.color);
  const share = (count: number) => count / pixels;
  return {
    mean,
    shown: sums.shown,
    far,
    others: share(sums.others),
    motion: share(sums.motion),
    depth: share(sums.depth),
    normal: share(sums.normal),
  };
}
