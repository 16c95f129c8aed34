import { adapterKind } from '../../../device/adapter-kind.ts';
import { deviceTier } from '../../../device/tier.ts';
import type { CrowdView } from '../../../frame/tables/crowd-view.ts';
import type { Battle } from '../../../battle/battle.ts';
import type { Camera } from '../../../render/camera.ts';
import { createForwardRenderer } from '../../../render/forward/forward.ts';
import { createReferenceRenderer } from '../../../render/reference/reference.ts';
import { createScenery } from '../../../render/scenery/scenery.ts';
import { createVisibilityRenderer } from '../../../render/visibility/visibility.ts';
import type { RgbaImage } from '../../../render/images/index.ts';
import type { Lighting } from '../../../render/lighting/scene.ts';
import { createReadableTarget } from '../../../render/target.ts';
import { OUTPUTS } from '../../options.ts';
import { type PictureOptions, type PictureSize, rendererOn, sizeOf } from './options.ts';
import type { StagedCast } from './stage.ts';

/** Shadow maps. */
const CASCADES = 3;
/** Texels of a shadow map each way, on devices and on twins; samples to a pixel. */
const [SHADOWS, TWIN_SHADOWS, SAMPLES] = [2048, 1024, 4];

/** The parts of a renderer that the command uses. */
export interface PictureMaker {
  /** Views of a camera: itself, then the sun through each of the shadow maps. */
  viewsOf(camera: Camera): readonly CrowdView[];
  /** A picture of the crowd as its last update left it, which was given the views of this camera. */
  draw(shot: Record<'camera' | 'previousCamera', Camera>): Promise<RgbaImage>;
  /** Milliseconds on the device by pass, of the last picture. */
  readonly timings: ReadonlyMap<string, number>;
  destroy(): void;
}

/**
 * Pictures of either renderer, on a GPU or on twins.
 * @param device Undefined: on twins.
 * @param onProgress Receives the share of a picture that twins have drawn.
 * @throws ManipleError as `createForwardRenderer`, `createVisibilityRenderer` and `createReferenceRenderer`
 */
export async function createPictures(
  device: GPUDevice | undefined,
  staged: StagedCast,
  options: PictureOptions,
  onProgress: (share: number) => void,
): Promise<PictureMaker> {
  const { bounds, lighting = {} } = staged.stage;
  const look: Look = { ...sizeOf(options), bounds, lighting };
  return device ? drawOnGpu(device, staged, options, look) : drawOnTwins(staged, options, { ...look, onProgress });
}

/** Settings that all pictures of a run share. */
interface Look extends PictureSize, Pick<Battle, 'bounds'> {
  readonly lighting: Partial<Lighting>;
}

async function drawOnGpu(
  device: GPUDevice,
  { crowd, scenery, stage: { surface } }: StagedCast,
  options: PictureOptions,
  look: Look,
): Promise<PictureMaker> {
  const statics = scenery.length > 0 ? createScenery(device, scenery) : undefined;
  const common = {
    shadowResolution: SHADOWS,
    cascadeCount: CASCADES,
    ...(statics && { scenery: statics }),
    ...(surface && { surface }),
  };
  const prefersForward = adapterKind(device.adapterInfo) === 'software' || deviceTier(device) === 'compatibility';
  const isForward = rendererOn(prefersForward, options) !== 'visibility';
  const renderer = isForward
    ? await createForwardRenderer(device, crowd, common)
    : await createVisibilityRenderer(device, crowd, { ...common, sampleCount: options.samples ?? SAMPLES });
  const picture = createReadableTarget(device, look.width, look.height);
  return {
    get timings() {
      return renderer.timings;
    },
    async draw(shot) {
      const encoder = device.createCommandEncoder({ label: 'render' });
      const submitted = renderer.render(encoder, {
        ...shot,
        ...look,
        ...(isForward && { debugView: OUTPUTS[options.output] }),
        target: picture.view,
      });
      device.queue.submit([encoder.finish()]);
      await submitted.submitted();
      return picture.read();
    },
    viewsOf: (camera) => renderer.crowdViews({ camera, ...look }),
    destroy: () => [picture, renderer, statics].forEach((owned) => owned?.destroy()),
  };
}

async function drawOnTwins(
  { crowd, scenery, stage: { surface } }: StagedCast,
  { samples = 1 }: PictureOptions,
  look: Look & { readonly onProgress: (share: number) => void },
): Promise<PictureMaker> {
  const options = {
    sampleCount: samples,
    shadowResolution: TWIN_SHADOWS,
    cascadeCount: CASCADES,
    scenery,
    ...(surface && { surface }),
  };
  const renderer = await createReferenceRenderer(crowd, options);
  return {
    timings: renderer.timings,
    viewsOf: (camera) => renderer.crowdViews({ camera, ...look }),
    draw: async (shot) => (await renderer.render({ ...shot, ...look })).color,
    destroy: () => undefined,
  };
}
