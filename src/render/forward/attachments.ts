import { CONTACT_FORMAT, DEPTH_FORMAT } from './pipelines.ts';

export type Attachments = ReturnType<typeof createAttachments>;

/** Textures that are drawn to in addition to the caller's target, of the last picture's size. */
export function createAttachments(
  device: GPUDevice,
  { width, height }: { readonly width: number; readonly height: number },
  format: GPUTextureFormat,
  sampleCount: number,
) {
  const usage = GPUTextureUsage.RENDER_ATTACHMENT;
  const size = [width, height];
  // SwiftShader resolves samples by the formats of the textures, not of the views. A canvas's texture is never sRGB, so
  // resolving an sRGB texture to it would store linear light: too dark. With a plain texture it averages codes, which
  // darkens edges a little. GPUs use the formats of the views (measured: NVIDIA), and there it makes no difference.
  const stored = format.replace('-srgb', '') as GPUTextureFormat;
  const samples = { label: 'samples', size, format: stored, viewFormats: [format], sampleCount, usage };
  const color = sampleCount > 1 ? device.createTexture(samples) : undefined;
  const depth = device.createTexture({ label: 'depth', size, format: DEPTH_FORMAT, sampleCount, usage });
  const read = usage | GPUTextureUsage.TEXTURE_BINDING;
  const contact = device.createTexture({ label: 'contact shade', size, format: CONTACT_FORMAT, usage: read });
  return {
    width,
    height,
    /** The shade of feet. It is drawn first and then read. */
    contact: contact.createView(),
    /** The multisampled picture, when there are several samples. */
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
