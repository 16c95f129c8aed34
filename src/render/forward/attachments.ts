import { CONTACT_FORMAT, DEPTH_FORMAT } from './pipelines.ts';

/** What is drawn to besides the caller's target, of the last picture's size. */
export interface Attachments {
  readonly width: number;
  readonly height: number;
  /** The multisampled picture, when there are several samples. */
  readonly color: GPUTextureView | undefined;
  readonly depth: GPUTextureView;
  /** The shade of feet: drawn first, and then read. */
  readonly contact: GPUTextureView;
  destroy(): void;
}

export function createAttachments(
  device: GPUDevice,
  { width, height }: { readonly width: number; readonly height: number },
  format: GPUTextureFormat,
  sampleCount: number,
): Attachments {
  const usage = GPUTextureUsage.RENDER_ATTACHMENT;
  const size = [width, height];
  // SwiftShader resolves by the formats of the textures and not of the views. A canvas's texture is never an sRGB one,
  // so what goes there from one would come out in linear light: too dark. From a plain one it averages codes, which
  // darkens edges a little. GPUs go by the views (measured: NVIDIA), and there it makes no difference.
  const stored = format.replace('-srgb', '') as GPUTextureFormat;
  const color =
    sampleCount > 1
      ? device.createTexture({ label: 'samples', size, format: stored, viewFormats: [format], sampleCount, usage })
      : undefined;
  const depth = device.createTexture({ label: 'depth', size, format: DEPTH_FORMAT, sampleCount, usage });
  const contact = device.createTexture({
    label: 'contact shade',
    size,
    format: CONTACT_FORMAT,
    usage: usage | GPUTextureUsage.TEXTURE_BINDING,
  });
  return {
    width,
    height,
    contact: contact.createView(),
    color: color?.createView({ format }),
    depth: depth.createView(),
    destroy: () => [color, depth, contact].forEach((texture) => texture?.destroy()),
  };
}

/** A picture's attachments: cleared to black. @param keepsDepth For what is drawn over the picture. */
export function pictureAttachments(
  target: GPUTextureView,
  { color, depth }: Attachments,
  keepsDepth = false,
): Pick<GPURenderPassDescriptor, 'colorAttachments' | 'depthStencilAttachment'> {
  return {
    colorAttachments: [
      {
        ...(color ? { view: color, resolveTarget: target } : { view: target }),
        clearValue: [0, 0, 0, 1],
        loadOp: 'clear',
        storeOp: color ? 'discard' : 'store',
      },
    ],
    depthStencilAttachment: {
      view: depth,
      depthClearValue: 0,
      depthLoadOp: 'clear',
      depthStoreOp: keepsDepth ? 'store' : 'discard',
    },
  };
}
