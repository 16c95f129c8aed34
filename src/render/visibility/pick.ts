import type { Crowd } from '../../crowd/crowd.ts';
import type { UploadRing } from '../../device/upload-ring.ts';
import { pixelLens } from '../forward/lens.ts';
import { PickedPixel } from '../forward/pick.ts';
import type { PickHit, PickView } from '../forward/view.ts';
import { NO_SHADOWS, frameUniforms } from '../lighting/frame-uniforms.ts';
import { lightingOf } from '../lighting/scene.ts';
import type { PictureParts } from './picture-passes.ts';
import { RasterTarget } from './raster-target.ts';
import type { RasterSizes } from './sizes.ts';
import { TriangleBuffers } from './triangle-buffers.ts';
import type { TriangleTables } from './triangle-tables.ts';
import { triangleViews } from './views.ts';

type PickerParts = Pick<PictureParts, 'uniforms' | 'materials'> & { readonly sizes: RasterSizes };

const SIZE = { width: 1, height: 1 } as const;

/** Draws a single pixel, and reads which character it shows. */
export class Picker {
  readonly #parts: PickerParts;
  readonly #uploads: UploadRing;
  readonly #shadows: RasterTarget;
  readonly #buffers: TriangleBuffers;
  readonly #pixel: PickedPixel;

  /** Pictures share the parts and uploads. They write all that they need before they are drawn. */
  constructor(device: GPUDevice, crowd: Crowd, parts: PickerParts, uploads: UploadRing) {
    this.#parts = parts;
    this.#uploads = uploads;
    this.#shadows = new RasterTarget(device, 'shadow', SIZE, 1, 0);
    const { uniforms, materials } = parts;
    this.#buffers = new TriangleBuffers(device, { shadows: this.#shadows, uniforms, materials }, SIZE, true, 1);
    this.#pixel = new PickedPixel(device, crowd);
  }

  /** Records the pixel. Call the returned function once it is submitted, before recording anything else. */
  draw(
    encoder: GPUCommandEncoder,
    tables: TriangleTables,
    view: PickView,
    pixel: readonly [number, number],
  ): () => Promise<PickHit | undefined> {
    const { uniforms, sizes } = this.#parts;
    // a pick is recorded and submitted in one go, so no recorded commands are unsubmitted
    for (const unused of this.#buffers.bind(tables)) unused.destroy();
    const lens = pixelLens(view, pixel);
    const main = { ...SIZE, ...sizes, clipFromWorld: lens.clipFromWorld, crowdViews: view.views?.picture };
    const words = triangleViews([main], { ...tables.viewParams, gridSteps: sizes.gridSteps });
    this.#uploads.write(encoder, tables.buffers.views, 0, new Uint8Array(words.buffer));
    const scene = lightingOf(view);
    this.#uploads.write(encoder, uniforms, 0, frameUniforms(view, scene, lens, NO_SHADOWS));
    this.#buffers.draw({ encoder, isFirst: true });
    return this.#pixel.copy(encoder, this.#buffers.textures.surfaces!.ids);
  }

  destroy(): void {
    for (const owned of [this.#buffers, this.#shadows, this.#pixel]) owned.destroy();
  }
}
