import type { Difference } from '../protocol.ts';
import SHADERS from './difference.wgsl?raw';

/** Compares pictures of the same moment, drawn from kernels and from their twins. */
export interface Comparer {
  /** Format of both pictures. */
  readonly format: GPUTextureFormat;
  /** Targets of the two pictures. */
  views(width: number, height: number): readonly [GPUTextureView, GPUTextureView];
  /** Records the comparison: as a picture to `target`, and as numbers. */
  compare(encoder: GPUCommandEncoder, target: GPUTextureView): void;
  /** Reads the numbers of the last submitted comparison; undefined before the first. */
  read(): Promise<Difference | undefined>;
  destroy(): void;
}

const WORDS = 4;

/** @param format Format of the target. */
// oxlint-disable-next-line max-lines-per-function
export function createComparer(device: GPUDevice, format: GPUTextureFormat): Comparer {
  const module = device.createShaderModule({ label: 'difference', code: SHADERS });
  // at the compatibility level textures have no views of other formats, and renderers encode
  const storesCodes = !format.endsWith('-srgb');
  const viewFormat: GPUTextureFormat = storesCodes ? 'rgba8unorm' : 'rgba8unorm-srgb';
  const show = device.createRenderPipeline({
    label: 'show difference',
    layout: 'auto',
    vertex: { module, entryPoint: 'corner' },
    fragment: { module, entryPoint: 'show', targets: [{ format }], constants: { storesCodes: Number(storesCodes) } },
  });
  const measure = device.createComputePipeline({
    label: 'measure difference',
    layout: 'auto',
    compute: { module, entryPoint: 'measure' },
  });
  const sums = device.createBuffer({
    label: 'difference',
    size: 4 * WORDS,
    usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
  });
  let pictures: readonly GPUTexture[] = [];
  let isCompared = false;

  return {
    format: viewFormat,
    views(width, height) {
      if (pictures[0]?.width !== width || pictures[0].height !== height) {
        for (const picture of pictures) picture.destroy();
        pictures = ['kernels', 'twins'].map((label) =>
          device.createTexture({
            label,
            size: [width, height],
            format: 'rgba8unorm',
            viewFormats: storesCodes ? [] : [viewFormat],
            usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.TEXTURE_BINDING,
          }),
        );
      }
      const [kernels, twins] = pictures.map((picture) => picture.createView({ format: viewFormat }));
      return [kernels!, twins!];
    },
    compare(encoder, target) {
      const entries = pictures.map((picture, binding) => ({ binding, resource: picture.createView() }));
      encoder.clearBuffer(sums);
      const counting = encoder.beginComputePass({ label: 'measure difference' });
      counting.setPipeline(measure);
      counting.setBindGroup(
        0,
        device.createBindGroup({
          layout: measure.getBindGroupLayout(0),
          entries: [...entries, { binding: 2, resource: { buffer: sums } }],
        }),
      );
      const { width, height } = pictures[0]!;
      counting.dispatchWorkgroups(Math.ceil(width / 8), Math.ceil(height / 8));
      counting.end();
      const pass = encoder.beginRenderPass({
        label: 'show difference',
        colorAttachments: [{ view: target, loadOp: 'clear', storeOp: 'store' }],
      });
      pass.setPipeline(show);
      pass.setBindGroup(0, device.createBindGroup({ layout: show.getBindGroupLayout(0), entries }));
      pass.draw(3);
      pass.end();
      isCompared = true;
    },
    async read() {
      if (!isCompared) return undefined;
      const { width, height } = pictures[0]!;
      const copy = device.createBuffer({ size: 4 * WORDS, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
      const encoder = device.createCommandEncoder({ label: 'read difference' });
      encoder.copyBufferToBuffer(sums, 0, copy, 0, 4 * WORDS);
      device.queue.submit([encoder.finish()]);
      await copy.mapAsync(GPUMapMode.READ);
      const [differing, most, low, high] = new Uint32Array(copy.getMappedRange()) as unknown as [
        number,
        number,
        number,
        number,
      ];
      const figures = {
        most,
        mean: (low + 2 ** 32 * high) / (3 * width * height),
        share: differing / (width * height),
      };
      copy.destroy();
      return figures;
    },
    destroy() {
      for (const picture of pictures) picture.destroy();
      sums.destroy();
    },
  };
}
