import type { Crowd, CrowdView } from '../../src/index.ts';
import {
  cascadesOf,
  createForwardRenderer,
  createVisibilityRenderer,
  DEFAULT_LIGHTING,
  type PickHit,
  type Scenery,
  type SurfaceChange,
} from '../../src/render/index.ts';
import { clipFromWorld } from '../../src/render/camera.ts';
import type { Shot, StandOptions } from './stand.ts';

/** One of Maniple's own renderers. */
export interface Drawer {
  /** Views of this shot: the camera, then each shadow map of the sun. */
  viewsOf(shot: Shot): readonly CrowdView[];
  /** Records the picture. Call the returned function after submitting. */
  draw(encoder: GPUCommandEncoder, shot: Shot, target: GPUTextureView): () => Promise<void>;
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

/** Detail of characters that only cast shadows into the picture. */
const SHADOW_DETAIL = 0.25;

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
  const renderer =
    visibility ?? (await createForwardRenderer(device, crowd, { ...common, sampleCount: isSlow ? 1 : 4 }));
  await renderer.ready();
  const views = { picture: 1, shadow: Array.from({ length: cascadeCount }, (_, i) => 2 << i) };
  return {
    viewsOf({ camera, bounds, lighting, width, height }) {
      const { sunDirection } = { ...DEFAULT_LIGHTING, ...lighting };
      const aspect = width / height;
      const cascades = cascadesOf({
        camera,
        aspect,
        sunDirection,
        bounds,
        count: cascadeCount,
        resolution: shadowResolution,
      });
      return [
        { clipFromWorld: clipFromWorld(camera, aspect), height },
        ...cascades.map(({ sunFromWorld }) => ({
          clipFromWorld: sunFromWorld,
          height: shadowResolution,
          detail: SHADOW_DETAIL,
        })),
      ];
    },
    draw: (encoder, shot, target) => renderer.render(encoder, { ...shot, views, target }),
    pick: (shot, x, y) => renderer.pick({ ...shot, views }, x, y),
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
