import { adapterKind } from '../../../device/adapter-kind.ts';
import type { CrowdView } from '../../../frame/crowd-view.ts';
import { clipFromWorld, type Camera } from '../../../render/camera.ts';
import { createForwardRenderer } from '../../../render/forward/forward.ts';
import { createVisibilityRenderer } from '../../../render/visibility/visibility.ts';
import type { RgbaImage } from '../../../render/images/index.ts';
import { cascadesOf } from '../../../render/lighting/cascades.ts';
import { DEFAULT_SCENE } from '../../../render/lighting/scene.ts';
import { createPicture } from '../../../render/picture.ts';
import { OUTPUTS } from '../../options.ts';
import type { RenderOptions } from './options.ts';
import type { StagedCast } from './stage.ts';

/** Shadow maps, and how much coarser what only its shadow shows may be. */
const [CASCADES, SHADOW_DETAIL] = [3, 0.25];
/** Bits of the views of a `PictureMaker`. */
const VIEWS = { picture: 1, shadow: Array.from({ length: CASCADES }, (_, i) => 2 << i) } as const;

/** What a renderer does for the command. */
export interface PictureMaker {
  /** Who looks when this camera does: it, then the sun through each of the shadow maps. */
  viewsOf(camera: Camera): CrowdView[];
  /** A picture of the crowd as its last update left it, which was given the views of this camera. */
  draw(shot: Shot): Promise<RgbaImage>;
  /** Milliseconds on the device by pass, of the last picture. */
  readonly timings: ReadonlyMap<string, number>;
  destroy(): void;
}

/** Where a picture is taken from, and where the one before it was, drawn or not. */
export interface Shot {
  readonly camera: Camera;
  readonly previousCamera: Camera;
}

/** Pictures of either renderer. @throws ManipleError as `createForwardRenderer` and `createVisibilityRenderer` */
export async function createPictures(
  device: GPUDevice,
  { crowd, stage: { bounds, scene = {} }, scenery }: StagedCast,
  { size: { width, height }, output, renderer: wanted, samples }: PictureOptions,
): Promise<PictureMaker> {
  const shadowResolution = shadowResolutionOn(device);
  const options = {
    shadowResolution,
    cascadeCount: CASCADES,
    ...(scenery ? { scenery } : {}),
  };
  const renderer =
    rendererOf({ renderer: wanted, output }) === 'visibility'
      ? await createVisibilityRenderer(device, crowd, { ...options, samples: samples ?? samplesOn(device) })
      : await createForwardRenderer(device, crowd, options);
  const picture = createPicture(device, width, height);
  const { sunDirection } = { ...DEFAULT_SCENE, ...scene };
  return {
    viewsOf(camera) {
      const look = { camera, aspect: width / height };
      const cascades = cascadesOf({ ...look, sunDirection, bounds, count: CASCADES, resolution: shadowResolution });
      return [
        { clipFromWorld: clipFromWorld(camera, look.aspect), height },
        ...cascades.map(({ sunFromWorld }) => ({
          clipFromWorld: sunFromWorld,
          height: shadowResolution,
          detail: SHADOW_DETAIL,
        })),
      ];
    },
    get timings() {
      return renderer.timings;
    },
    async draw(shot) {
      const encoder = device.createCommandEncoder({ label: 'render' });
      const submitted = renderer.render(encoder, {
        ...shot,
        bounds,
        scene,
        views: VIEWS,
        show: OUTPUTS[output],
        target: picture.view,
        width,
        height,
      });
      device.queue.submit([encoder.finish()]);
      await submitted();
      return picture.read();
    },
    destroy() {
      picture.destroy();
      renderer.destroy();
    },
  };
}

type PictureOptions = Pick<RenderOptions, 'size' | 'output' | 'renderer' | 'samples'>;

/** Texels of a shadow map each way: software adapters take most of a picture's time for them. */
function shadowResolutionOn({ adapterInfo }: GPUDevice): number {
  return adapterKind(adapterInfo) === 'software' ? 1024 : 2048;
}

function samplesOn({ adapterInfo }: GPUDevice): number {
  return adapterKind(adapterInfo) === 'software' ? 1 : 4;
}

/** Debug views are the forward renderer's. */
export function rendererOf({ renderer, output }: Pick<RenderOptions, 'renderer' | 'output'>): 'visibility' | 'forward' {
  return output === 'color' ? renderer : 'forward';
}
