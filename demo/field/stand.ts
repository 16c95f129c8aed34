import type { Crowd } from '../../src/index.ts';
import type { Statics } from '../../src/render/index.ts';
import type { RendererName } from '../protocol.ts';
import { createComparer, type Comparer } from './difference.ts';
import { createDrawer, type Drawer, type Shot } from './drawer.ts';

/** What stands between the crowds of a field and its canvas: a renderer for each of them. */
export interface Stand {
  readonly drawers: readonly Drawer[];
  /** Where pictures of two crowds are compared. */
  readonly comparer: Comparer | undefined;
  /** Records the picture of a shot; call what it returns when it has been submitted. */
  draw(encoder: GPUCommandEncoder, shot: Shot, target: GPUTextureView): () => Promise<void>;
  destroy(): void;
}

export interface StandOptions {
  readonly name: RendererName;
  readonly format: GPUTextureFormat;
  readonly scenery: Statics;
  readonly isSlow: boolean;
}

/** @param crowds One, or two that are compared. @throws ManipleError as `createDrawer` */
export async function createStand(
  device: GPUDevice,
  crowds: readonly Crowd[],
  { name, format, scenery, isSlow }: StandOptions,
): Promise<Stand> {
  const comparer = crowds.length > 1 ? createComparer(device, format) : undefined;
  const options = { name, scenery, isSlow, format: comparer?.format ?? format, isAlone: comparer !== undefined };
  const drawers = await Promise.all(crowds.map((crowd) => createDrawer(device, crowd, options)));
  return {
    drawers,
    comparer,
    draw(encoder, shot, target) {
      const targets = comparer?.views(shot.width, shot.height) ?? [target];
      const drawn = drawers.map((drawer, i) => drawer.draw(encoder, shot, targets[i]!));
      comparer?.compare(encoder, target);
      return async () => {
        await Promise.all(drawn.map((submitted) => submitted()));
      };
    },
    destroy() {
      for (const drawer of drawers) drawer.destroy();
      comparer?.destroy();
    },
  };
}
