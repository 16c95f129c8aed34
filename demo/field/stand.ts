import type { CharacterId, Crowd } from '../../src/index.ts';
import type {
  Bounds,
  Camera,
  CanvasTarget,
  Lighting,
  ShownView,
  Scenery,
  SurfaceChange,
} from '../../src/render/index.ts';
import type { Difference, RendererName } from '../protocol.ts';
import { createComparer } from './difference.ts';
import { createDrawer } from './drawer.ts';

/** Inputs of one picture of the field. */
export interface Shot {
  readonly camera: Camera;
  readonly bounds: Bounds;
  readonly lighting: Partial<Lighting>;
  /** Pixels of the canvas. */
  readonly width: number;
  readonly height: number;
  readonly debugView: ShownView;
}

/** Connects a field's crowds to its canvas: steps and draws them. */
export interface Stand {
  /**
   * Advances all crowds by `dt` seconds and draws the shot onto the canvas. Resolves when the GPU has finished.
   * @throws ManipleError of crowds and renderers
   */
  frame(dt: number, shot: Shot): Promise<void>;
  /** Returns the character at a pixel of a shot. @throws ManipleError DEVICE_LOST */
  pick(shot: Shot, x: number, y: number): Promise<CharacterId | undefined>;
  /** GPU milliseconds by drawing stage for the last measured picture. */
  readonly timings: ReadonlyMap<string, number>;
  /** Bytes of GPU memory, as far as they are known. */
  readonly byteLength: number;
  /** Triangles of the last picture; undefined if the renderer does not count them. */
  readTriangles(): Promise<number | undefined>;
  /** Difference between the last pictures of two crowds. */
  readDifference(): Promise<Difference | undefined>;
  destroy(): void;
}

export interface StandOptions {
  readonly name: Exclude<RendererName, 'three'>;
  readonly target: CanvasTarget;
  readonly scenery: Scenery;
  readonly surface: SurfaceChange | undefined;
  readonly isSlow: boolean;
}

/**
 * Creates the crowd's `Stand` with Maniple's own renderers.
 * @param crowds One, or two that are compared. @throws ManipleError as `createDrawer`
 */
export async function createStand(
  device: GPUDevice,
  crowds: readonly Crowd[],
  { name, target, scenery, surface, isSlow }: StandOptions,
): Promise<Stand> {
  const comparer = crowds.length > 1 ? createComparer(device, target.format) : undefined;
  const format = comparer?.format ?? target.format;
  const options = { name, scenery, surface, isSlow, format, isAlone: comparer !== undefined };
  const drawers = await Promise.all(crowds.map((crowd) => createDrawer(device, crowd, options)));
  const [first] = drawers as [(typeof drawers)[number]];
  return {
    async frame(dt, shot) {
      const encoder = device.createCommandEncoder({ label: 'field' });
      const views = first.viewsOf(shot);
      const stepped = crowds.map((crowd) => crowd.encode(encoder, { dt, views }));
      const canvas = target.view();
      const pictures = comparer?.views(shot.width, shot.height) ?? [canvas];
      const drawn = drawers.map((drawer, i) => drawer.draw(encoder, shot, pictures[i]!));
      comparer?.compare(encoder, canvas);
      device.queue.submit([encoder.finish()]);
      await Promise.all([...stepped, ...drawn].map((recorded) => recorded.submitted()));
    },
    pick: async (shot, x, y) => (await first.pick(shot, x, y))?.id,
    get timings() {
      return first.timings;
    },
    get byteLength() {
      return drawers.reduce((sum, { byteLength }) => sum + byteLength, 0);
    },
    readTriangles: () => first.readTriangles(),
    readDifference: async () => comparer?.read(),
    destroy() {
      for (const drawer of drawers) drawer.destroy();
      comparer?.destroy();
    },
  };
}
