import type { Crowd } from '../../crowd/crowd.ts';
import { readRanges } from '../../device/read-back.ts';
import { ID_FORMAT } from '../target.ts';
import { createAttachments } from './attachments.ts';
import type { SurfacePass } from './targets.ts';
import type { PickHit } from './view.ts';
import { internalsOf } from '../../crowd/internals.ts';

/** Draws the ids of a single pixel, and reads them. */
export interface Picker {
  /** Records the pixel. Call the returned function after submitting, before anything else is recorded. */
  draw(encoder: GPUCommandEncoder): () => Promise<PickHit | undefined>;
  destroy(): void;
}

export function createPicker(device: GPUDevice, crowd: Crowd, pass: SurfacePass): Picker {
  const texture = device.createTexture({
    label: 'picked',
    size: [1, 1],
    format: ID_FORMAT,
    usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
  });
  // depth of its own, so that pictures keep theirs
  const depth = createAttachments(device, { width: 1, height: 1 }, ID_FORMAT, 1);
  const buffer = device.createBuffer({
    label: 'picked',
    size: 8,
    usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC,
  });
  return {
    draw(encoder) {
      pass.draw(encoder, { ids: texture.createView() }, depth.depth, 'all');
      encoder.copyTextureToBuffer({ texture }, { buffer }, [1, 1]);
      return async () => {
        const [bytes] = await readRanges(device, [[buffer, 0, 8]]);
        return pickedOf(crowd, new Uint32Array(bytes!));
      };
    },
    destroy() {
      for (const owned of [texture, depth, buffer]) owned.destroy();
    },
  };
}

/** The character that a pixel of ids names; undefined without a character, or if it is gone. */
export function pickedOf(crowd: Crowd, [place = 0, primitive = 0]: Uint32Array): PickHit | undefined {
  const seen = place === 0 ? undefined : internalsOf(crowd).host.seenAt(place - 1);
  const part = seen?.character.primitives[primitive]?.part;
  return seen && part !== undefined ? { id: seen.id, primitive, part: seen.character.parts[part]! } : undefined;
}
