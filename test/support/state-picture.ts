import type { Crowd } from '../../src/index.ts';
import { createForwardRenderer, type ForwardRenderer } from '../../src/render/forward/forward.ts';
import { createReadableTarget } from '../../src/render/target.ts';

const [WIDTH, HEIGHT] = [64, 48];
/** What a camera in front of the origin sees. */
const CAMERA = { eye: [0, 1, 4], target: [0, 0.7, 0] } as const;
const BOUNDS = { min: [-2, 0, -2], max: [2, 2, 2] } as const;

/** A small picture of a crowd as its last frame left it: bytes. */
export async function pictureOf(device: GPUDevice, renderer: ForwardRenderer): Promise<Uint8Array> {
  const picture = createReadableTarget(device, WIDTH, HEIGHT);
  const encoder = device.createCommandEncoder();
  const view = { camera: CAMERA, bounds: BOUNDS, target: picture.view, width: WIDTH, height: HEIGHT };
  const drawn = renderer.render(encoder, view);
  device.queue.submit([encoder.finish()]);
  await drawn.submitted();
  const { data } = await picture.read();
  picture.destroy();
  return Uint8Array.from(data);
}

/** The same by a renderer of its own. */
export async function pictureAnew(device: GPUDevice, crowd: Crowd): Promise<Uint8Array> {
  const renderer = await createForwardRenderer(device, crowd);
  const bytes = await pictureOf(device, renderer);
  renderer.destroy();
  return bytes;
}
