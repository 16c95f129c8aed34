import { createBuffer } from '../../frame/tables/memory.ts';
import { readRanges } from '../../device/read-back.ts';
import { createBindGroup, createBindGroupLayout } from '../../layout/index.ts';
import { RASTER_FORMAT } from './raster-triangles/stage.ts';
import { compileShader } from '../../wgsl/compile.ts';
import { PROBE_STEPS, probeBindings } from './layout.ts';
import { kernels } from './probe-grid.gen.ts';

/** Grids that can be found, steps per pixel. More steps do not fit the arithmetic of raster-triangles. */
const [COARSEST, FINEST] = [8, 256];

/**
 * Finds the steps per pixel that the hardware's rasteriser rounds corners to, a power of two from 8 to 256. Draws 1,024
 * triangles in front of one pixel, and waits for the GPU.
 *
 * @throws ManipleError DEVICE_LOST
 */
export async function probeGridSteps(device: GPUDevice): Promise<number> {
  const { STORAGE, COPY_SRC } = GPUBufferUsage;
  const covering = createBuffer(device, 'grid probe', STORAGE | COPY_SRC, 16);
  const texture = device.createTexture({
    label: 'grid probe',
    size: [1, 1],
    format: RASTER_FORMAT,
    usage: GPUTextureUsage.RENDER_ATTACHMENT,
  });
  const layout = createBindGroupLayout(device, 'grid probe', probeBindings, GPUShaderStage.FRAGMENT);
  const module = compileShader(device, 'grid probe', kernels.base);
  const pipeline = device.createRenderPipeline({
    label: 'grid probe',
    layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
    vertex: { module },
    fragment: { module, targets: [{ format: RASTER_FORMAT, writeMask: 0 }] },
  });
  const encoder = device.createCommandEncoder({ label: 'grid probe' });
  const pass = encoder.beginRenderPass({
    label: 'grid probe',
    colorAttachments: [{ view: texture.createView(), loadOp: 'clear', storeOp: 'discard' }],
  });
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, createBindGroup(device, 'grid probe', layout, probeBindings, { covering }));
  pass.draw(3, PROBE_STEPS / COARSEST);
  pass.end();
  device.queue.submit([encoder.finish()]);
  const [bytes] = await readRanges(device, [[covering, 0, 4]]);
  for (const owned of [covering, texture]) owned.destroy();
  const [count] = new Uint32Array(bytes!);
  // an edge counts as on the middle while it is less than half a step off
  const steps = 2 ** Math.round(Math.log2(PROBE_STEPS / (2 * Math.max(1, count!) - 1)));
  return Math.min(FINEST, Math.max(COARSEST, steps));
}
