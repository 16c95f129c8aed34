import type { Crowd } from '../../src/crowd/crowd.ts';
import { createForwardRenderer } from '../../src/render/forward/forward.ts';
import type { RgbaImage } from '../../src/render/images/index.ts';
import { createReadableTarget, createIdTarget, createVelocityTarget } from '../../src/render/target.ts';
import type { Scenery } from '../../src/render/scenery/scenery.ts';
import type { RasterSizes } from '../../src/render/visibility/sizes.ts';
import { createVisibilityRenderer, type VisibilityView } from '../../src/render/visibility/visibility.ts';
import { comparePictures, writeDifference, type PictureDifference } from './pictures.ts';

/** What both renderers look at. */
export type ComparedView = Omit<VisibilityView, 'target' | 'width' | 'height' | 'velocity' | 'ids'>;

/** How far two pictures of the same crowd are apart. */
export interface RendererDifference extends PictureDifference {
  /** Pixels whose ids no pixel beside them has in the other picture. */
  readonly strangers: number;
  /** Pixels that show somebody, and those where ids agree and motion is more than 0.05 px from theirs and their neighbours'. */
  readonly shown: number;
  readonly otherMotion: number;
}

const SIZE = { width: 96, height: 60 };
const MAPS = { shadowResolution: 128, cascadeCount: 2 };

interface Looked {
  readonly color: RgbaImage;
  readonly ids: Uint32Array;
  readonly velocity: Float32Array;
}

/** The forward renderer and the visibility renderer of one crowd, both with one sample per pixel; kept while it changes. */
export async function comparedRenderers(
  device: GPUDevice,
  crowd: Crowd,
  { scenery, hardwareRaster = {} }: { readonly scenery?: Scenery; readonly hardwareRaster?: Partial<RasterSizes> } = {},
) {
  const options = { ...MAPS, ...(scenery && { scenery }) };
  const forward = await createForwardRenderer(device, crowd, { ...options, sampleCount: 1 });
  const visibility = await createVisibilityRenderer(device, crowd, { ...options, hardwareRaster });
  const targets = [0, 1].map(() => ({
    picture: createReadableTarget(device, SIZE.width, SIZE.height),
    ids: createIdTarget(device, SIZE.width, SIZE.height),
    velocity: createVelocityTarget(device, SIZE.width, SIZE.height),
  }));
  const look = async (index: 0 | 1, view: ComparedView): Promise<Looked> => {
    const { picture, ids, velocity } = targets[index]!;
    const encoder = device.createCommandEncoder();
    const all = { ...view, ...SIZE, target: picture.view, ids: ids.view, velocity: velocity.view };
    const drawn = index === 0 ? forward.render(encoder, all) : visibility.render(encoder, all);
    device.queue.submit([encoder.finish()]);
    await drawn.submitted();
    return { color: await picture.read(), ids: await ids.read(), velocity: await velocity.read() };
  };
  return {
    visibility,
    /** Draws it twice. @param name Where pictures go when they are to be kept: MANIPLE_PICTURES=1, or far apart. */
    async compare(name: string, view: ComparedView): Promise<RendererDifference> {
      const [expected, actual] = [await look(0, view), await look(1, view)];
      const difference = { ...comparePictures(actual.color, expected.color), ...compareSurfaces(actual, expected) };
      if (process.env.MANIPLE_PICTURES === '1' || difference.mean > 1) {
        await writeDifference(`agreement-${name}`, actual.color, expected.color);
      }
      return difference;
    },
    destroy() {
      for (const owned of [forward, visibility, ...targets.flatMap((target) => Object.values(target))]) owned.destroy();
    },
  };
}

function compareSurfaces(actual: Looked, expected: Looked) {
  const { width, height } = SIZE;
  const at = ({ ids, velocity }: Looked, x: number, y: number) => {
    const first = 2 * (y * width + x);
    return { id: `${ids[first]} ${ids[first + 1]}`, motion: [velocity[first]!, velocity[first + 1]!] as const };
  };
  const around = (of: Looked, x: number, y: number) =>
    [-1, 0, 1]
      .flatMap((dy) => [-1, 0, 1].map((dx) => [x + dx, y + dy] as const))
      .filter(([px, py]) => px >= 0 && py >= 0 && px < width && py < height)
      .map(([px, py]) => at(of, px, py));
  let [strangers, shown, otherMotion] = [0, 0, 0];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [own, other] = [at(actual, x, y), at(expected, x, y)];
      if (expected.ids[2 * (y * width + x)] !== 0) shown++;
      const [here, there] = [around(actual, x, y), around(expected, x, y)];
      if (own.id !== other.id) {
        if (![there.some(({ id }) => id === own.id), here.some(({ id }) => id === other.id)].every(Boolean))
          strangers++;
        continue;
      }
      // next to an edge within one primitive the two may show either side of it
      const near = [other, ...there.filter(({ id }) => id === own.id)].map(({ motion }) =>
        Math.hypot(own.motion[0] - motion[0], own.motion[1] - motion[1]),
      );
      if (!(Math.min(...near) <= 0.05)) otherMotion++;
    }
  }
  return { strangers, shown, otherMotion };
}
