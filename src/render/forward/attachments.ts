import { CONTACT_FORMAT, DEPTH_FORMAT } from './pipelines.ts';

/** Textures that are drawn to in addition to the caller's target, of the last picture's size. */
export interface Attachments {
  readonly width: number;
  readonly height: number;
  /** The multisampled picture, when there are several samples. */
  readonly color: GPUTextureView | undefined;
  readonly depth: GPUTextureView;
  /** The shade of feet. It is drawn first and then read. */
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
  // SwiftShader resolves samples by the formats of the textures, not of the views. A canvas's texture is never sRGB, so
  // resolving an sRGB texture to it would store linear light: too dark. With a plain texture it averages codes, which
  // darkens edges a little. GPUs use the formats of the views (measured: NVIDIA), and there it makes no difference.
  const stored = format.replace('-srgb', '') as GPUTextureFormat;
  const color =
    sampleCount > 1
      ? device.createTexture({ label: 'samples', size, format: stored, viewFormats: [format], sampleCount, usage })
      : undefined;
  const depth = device.createTexture({ label: 'depth', size, format: DEPTH_FORMAT, sampleCount, usage });
  const read = usage | GPUTextureUsage.TEXTURE_BINDING;
  const contact = device.createTexture({ label: 'contact shade', size, format: CONTACT_FORMAT, usage: read });
  return {
    width,
    height,
    contact: contact.createView(),
    color: color?.createView({ format }),
    depth: depth.createView(),
    destroy: () => [color, depth, contact].forEach((texture) => texture?.destroy()),
  };
}

/** A picture's attachments, cleared to black. @param keepsDepth Stores depth, for passes that draw over the picture. */
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
