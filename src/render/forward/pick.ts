import type { Crowd } from '../../crowd/crowd.ts';
import { internalsOf } from '../../crowd/internals.ts';
import { readRanges } from '../../device/read-back.ts';
import type { PickHit, PickView } from './view.ts';

/** The pixel of a point of a view's picture; undefined outside of it. */
export function pixelAt({ width, height }: PickView, x: number, y: number): readonly [number, number] | undefined {
  const pixel = [Math.floor(x), Math.floor(y)] as const;
  return x >= 0 && y >= 0 && pixel[0] < width && pixel[1] < height ? pixel : undefined;
}

/** Reads the ids of a picture of one pixel. */
export class PickedPixel {
  readonly #device: GPUDevice;
  readonly #crowd: Crowd;
  readonly #buffer: GPUBuffer;

  constructor(device: GPUDevice, crowd: Crowd) {
    this.#device = device;
    this.#crowd = crowd;
    const usage = GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
    this.#buffer = device.createBuffer({ label: 'picked', size: 8, usage });
  }

  /**
   * Records a copy of the ids. Call the returned function after submitting, before anything else is recorded. It
   * returns the character that they name; undefined without a character, or if it is gone.
   */
  copy(encoder: GPUCommandEncoder, texture: GPUTexture): () => Promise<PickHit | undefined> {
    encoder.copyTextureToBuffer({ texture }, { buffer: this.#buffer }, [1, 1]);
    return async () => {
      const [bytes] = await readRanges(this.#device, [[this.#buffer, 0, 8]]);
      const [place = 0, primitive = 0] = new Uint32Array(bytes!);
      const seen = place === 0 ? undefined : internalsOf(this.#crowd).host.seenAt(place - 1);
      const part = seen?.character.primitives[primitive]?.part;
      return seen && part !== undefined ? { id: seen.id, primitive, part: seen.character.parts[part]! } : undefined;
    };
  }

  destroy(): void {
    this.#buffer.destroy();
  }
}
