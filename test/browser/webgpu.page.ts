// Runs in the browser: what webgpu.browser.test.ts asks of it, as functions on `window`.
import { requestDevice } from '../../src/device/request-device.ts';

async function describe() {
  const { kind, info, features, limits } = await requestDevice();
  return { kind, info, features, limits };
}

async function compute(count: number): Promise<number[]> {
  const { device } = await requestDevice({ limits: 'default' });
  const code = /* wgsl */ `
    @group(0) @binding(0) var<storage, read_write> squares: array<u32>;
    @compute @workgroup_size(64) fn square(@builtin(global_invocation_id) id: vec3u) {
      if (id.x < arrayLength(&squares)) { squares[id.x] = id.x * id.x; }
    }`;
  const pipeline = device.createComputePipeline({
    layout: 'auto',
    compute: { module: device.createShaderModule({ code }) },
  });
  const size = count * 4;
  const buffer = device.createBuffer({ size, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC });
  const staging = device.createBuffer({ size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  const layout = pipeline.getBindGroupLayout(0);
  pass.setBindGroup(0, device.createBindGroup({ layout, entries: [{ binding: 0, resource: { buffer } }] }));
  pass.dispatchWorkgroups(Math.ceil(count / 64));
  pass.end();
  encoder.copyBufferToBuffer(buffer, 0, staging, 0, size);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  return [...new Uint32Array(staging.getMappedRange())];
}

/** Clears a canvas through WebGPU and reads its middle pixel back through a 2D one. */
async function paint(color: [number, number, number]): Promise<number[]> {
  const { device } = await requestDevice();
  const canvas = document.querySelector('canvas')!;
  const context = canvas.getContext('webgpu')!;
  context.configure({ device, format: navigator.gpu.getPreferredCanvasFormat(), alphaMode: 'opaque' });
  const encoder = device.createCommandEncoder();
  const [r, g, b] = color;
  const view = context.getCurrentTexture().createView();
  encoder
    .beginRenderPass({ colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store', clearValue: { r, g, b, a: 1 } }] })
    .end();
  device.queue.submit([encoder.finish()]);
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d')!;
  copy.drawImage(canvas, 0, 0);
  return [...copy.getImageData(canvas.width / 2, canvas.height / 2, 1, 1).data];
}

declare global {
  interface Window {
    webgpuTest: { describe: typeof describe; compute: typeof compute; paint: typeof paint };
  }
}
window.webgpuTest = { describe, compute, paint };
