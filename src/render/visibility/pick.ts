import type { Crowd } from '../../crowd/crowd.ts';
import { readRanges } from '../../device/read-back.ts';
import type { UploadRing } from '../../device/upload-ring.ts';
import { pixelLens } from '../forward/lens.ts';
import { pickedOf } from '../forward/pick.ts';
import type { PickHit, PickView } from '../forward/view.ts';
import { NO_SHADOWS, frameUniforms } from '../lighting/frame-uniforms.ts';
import { DEFAULT_LIGHTING } from '../lighting/scene.ts';
import type { MaterialTable } from '../materials/material-table.ts';
import { BoundPicture } from './bound-picture.ts';
import type { DrawnTriangles } from './drawn-triangles.ts';
import { createPictureTarget } from './picture-target.ts';
import { createShadowTarget } from './shadow-target.ts';
import type { RasterSizes } from './sizes.ts';
import { triangleViews } from './views.ts';

/** Draws a single pixel, and reads which character it shows. */
export interface Picker {
  /** Records the pixel. Call the returned function once it is submitted, before recording anything else. */
  draw(
    encoder: GPUCommandEncoder,
    triangles: DrawnTriangles,
    view: PickView,
    pixel: readonly [number, number],
  ): () => Promise<PickHit | undefined>;
  destroy(): void;
}

/** Resources shared with pictures, which write all that they need before they are drawn. */
interface PickerParts {
  readonly uniforms: GPUBuffer;
  readonly uploads: UploadRing;
  readonly materials: MaterialTable;
  readonly sizes: RasterSizes;
}

const SIZE = { width: 1, height: 1 } as const;
export function createPicker(
  device: GPUDevice,
  crowd: Crowd,
  { uniforms, uploads, materials, sizes }: PickerParts,
): Picker {
  const target = createPictureTarget(device, SIZE, { surfaces: true, samples: 1 });
  const shadows = createShadowTarget(device, 1, { count: 0, resolution: 1 });
  const buffer = device.createBuffer({
    label: 'picked',
    size: 8,
    usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC,
  });
  let bound: BoundPicture | undefined;
  return {
    draw(encoder, triangles, view, pixel) {
      if (!bound?.isOf(triangles, target)) {
        // a pick is recorded and submitted in one go, so no recorded commands are unsubmitted
        bound?.destroy();
        bound = new BoundPicture(device, triangles, { target, shadows, uniforms, materials });
      }
      const lens = pixelLens(view, pixel);
      const main = { ...SIZE, ...sizes, clipFromWorld: lens.clipFromWorld, crowdViews: view.views?.picture };
      const words = triangleViews([main], { ...triangles.memory.viewParams, gridSteps: sizes.gridSteps });
      uploads.write(encoder, triangles.memory.views, 0, new Uint8Array(words.buffer));
      const scene = { ...DEFAULT_LIGHTING, ...view.lighting };
      uploads.write(encoder, uniforms, 0, frameUniforms(view, scene, lens, NO_SHADOWS));
      bound.draw(encoder, true);
      encoder.copyTextureToBuffer({ texture: target.surfaces!.ids }, { buffer }, [1, 1]);
      return async () => {
        const [bytes] = await readRanges(device, [[buffer, 0, 8]]);
        return pickedOf(crowd, new Uint32Array(bytes!));
      };
    },
    destroy() {
      for (const owned of [target, shadows, buffer, bound]) owned?.destroy();
    },
  };
}
