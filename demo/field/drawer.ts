import type { Crowd, CrowdView, Submission } from '../../src/index.ts';
import {
  createForwardRenderer,
  createVisibilityRenderer,
  type PickHit,
  type Scenery,
  type SurfaceChange,
} from '../../src/render/index.ts';
import type { Shot, StandOptions } from './stand.ts';

/** One of Maniple's own renderers. */
export interface Drawer {
  /** Views of this shot: the camera, then each shadow map of the sun. */
  viewsOf(shot: Shot): readonly CrowdView[];
  /** Records the picture. Call `submitted` after submitting. */
  draw(encoder: GPUCommandEncoder, shot: Shot, target: GPUTextureView): Submission;
  pick(shot: Shot, x: number, y: number): Promise<PickHit | undefined>;
  /** GPU milliseconds by stage for the last measured picture. */
  readonly timings: ReadonlyMap<string, number>;
  readonly byteLength: number;
  /** Triangles of the last picture; undefined if the renderer does not count them. */
  readTriangles(): Promise<number | undefined>;
  destroy(): void;
}

export interface DrawerOptions {
  readonly name: StandOptions['name'];
  readonly format: GPUTextureFormat;
  readonly scenery: Scenery;
  readonly surface: SurfaceChange | undefined;
  /** True if the adapter computes pixels on the CPU: then with less light and fewer samples. */
  readonly isSlow: boolean;
  /** True if no picture may depend on previous pictures. */
  readonly isAlone: boolean;
}

/** @throws ManipleError as `createVisibilityRenderer` and `createForwardRenderer` */
export async function createDrawer(device: GPUDevice, crowd: Crowd, options: DrawerOptions): Promise<Drawer> {
  const { name, format, scenery, surface, isSlow, isAlone } = options;
  const [cascadeCount, shadowResolution] = isSlow ? [1, 512] : [3, 2048];
  const common = { format, scenery, cascadeCount, shadowResolution, ...(surface && { surface }) };
  const visibility =
    name === 'visibility'
      ? await createVisibilityRenderer(device, crowd, {
          ...common,
          antialiasing: isSlow || isAlone ? 'none' : 'temporal',
        })
      : undefined;
  const forward = visibility
    ? undefined
    : await createForwardRenderer(device, crowd, { ...common, sampleCount: isSlow ? 1 : 4 });
  const renderer = visibility ?? forward!;
  await renderer.ready();
  return {
    viewsOf: (shot) => renderer.crowdViews(shot),
    draw: (encoder, { debugView, ...shot }, target) =>
      forward
        ? forward.render(encoder, { ...shot, target, debugView })
        : visibility!.render(encoder, { ...shot, target }),
    pick: (shot, x, y) => renderer.pick(shot, x, y),
    get timings() {
      return renderer.timings;
    },
    get byteLength() {
      return visibility?.byteLength ?? 0;
    },
    async readTriangles() {
      const kept = (await visibility?.readStats())?.kept[0];
      return kept && kept.compute + kept.hardware;
    },
    destroy: () => renderer.destroy(),
  };
}
