import { roundUp } from '../../src/layout/index.ts';
import { readRanges } from '../../src/device/read-back.ts';
import type { OvalScene } from './triangle-scene.ts';

const CODE = `
@group(0) @binding(0) var<storage, read> skinned: array<vec2u>;
@group(0) @binding(1) var<storage, read> transforms: array<vec4f>;
@group(0) @binding(2) var<uniform> clipFromWorld: mat4x4f;
override VERTICES: u32 = 1;
struct Out { @builtin(position) clip: vec4f, @location(0) @interpolate(flat) id: u32 }
// as packPosition packs it
fn unpacked(w: vec2u) -> vec3f {
  let unit = bitcast<f32>(((w.y & 0x7fu) + 47u) << 23u);
  let codes = vec3u(w.x << 13u, ((w.y << 19u) & 0xfc000000u) | ((w.x >> 19u) << 13u), w.y);
  return unit * vec3f(bitcast<vec3i>(codes) >> vec3u(13u));
}
@vertex fn draw(@builtin(vertex_index) v: u32, @builtin(instance_index) i: u32) -> Out {
  return Out(clipFromWorld * vec4f(unpacked(skinned[i * VERTICES + v]) + transforms[2u * i].xyz, 1.0), i + 1u);
}
@fragment fn show(in: Out) -> @location(0) u32 { return in.id; }`;

/** For the record: all instances by the hardware's rasteriser, in one indexed draw that culls back faces. */
export function createIndexedDraw(
  device: GPUDevice,
  { buffers, clipFromWorld, instances, triangles, vertexCount }: OvalScene,
  { width, height }: { readonly width: number; readonly height: number },
): {
  record(encoder: GPUCommandEncoder, timestamps: Pick<GPURenderPassDescriptor, 'timestampWrites'>): void;
  /** Pixels that the last draw covered. */
  readCovered(): Promise<number>;
} {
  const module = device.createShaderModule({ code: CODE });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module, constants: { VERTICES: vertexCount } },
    fragment: { module, targets: [{ format: 'r32uint' }] },
    primitive: { cullMode: 'back' },
    depthStencil: { format: 'depth32float', depthWriteEnabled: true, depthCompare: 'greater' },
  });
  const matrix = device.createBuffer({ size: 64, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
  device.queue.writeBuffer(matrix, 0, clipFromWorld);
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [buffers.skinned, buffers.transforms, matrix].map((buffer, binding) => ({
      binding,
      resource: { buffer },
    })),
  });
  const create = (format: GPUTextureFormat, usage: number = GPUTextureUsage.RENDER_ATTACHMENT) =>
    device.createTexture({ size: [width, height], format, usage });
  const ids = create('r32uint', GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC);
  const depth = create('depth32float').createView();
  const record = (encoder: GPUCommandEncoder, timestamps: Pick<GPURenderPassDescriptor, 'timestampWrites'>) => {
    const pass = encoder.beginRenderPass({
      colorAttachments: [{ view: ids.createView(), loadOp: 'clear', storeOp: 'store' }],
      depthStencilAttachment: { view: depth, depthClearValue: 0, depthLoadOp: 'clear', depthStoreOp: 'store' },
      ...timestamps,
    });
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.setIndexBuffer(buffers.indices, 'uint32');
    pass.drawIndexed(3 * triangles, instances);
    pass.end();
  };
  const readCovered = async () => {
    const bytesPerRow = 4 * roundUp(width, 64);
    const usage = GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
    const buffer = device.createBuffer({ size: bytesPerRow * height, usage });
    const encoder = device.createCommandEncoder();
    encoder.copyTextureToBuffer({ texture: ids }, { buffer, bytesPerRow }, [width, height]);
    device.queue.submit([encoder.finish()]);
    const [bytes] = await readRanges(device, [[buffer, 0, buffer.size]]);
    buffer.destroy();
    return new Uint32Array(bytes!).reduce((count, id) => count + Number(id > 0), 0);
  };
  return { record, readCovered };
}
