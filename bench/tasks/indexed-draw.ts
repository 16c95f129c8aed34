import type { OvalScene } from './triangle-scene.ts';

const CODE = `
@group(0) @binding(0) var<storage, read> skinned: array<vec2u>;
@group(0) @binding(1) var<storage, read> transforms: array<vec4f>;
@group(0) @binding(2) var<uniform> clipFromWorld: mat4x4f;
override VERTICES: u32 = 1;
struct Out { @builtin(position) clip: vec4f, @location(0) @interpolate(flat) id: u32 }
// as packPosition packs it
fn unpacked(w: vec2u) -> vec3f {
  let unit = bitcast<f32>(((w.y >> 25u) + 47u) << 23u);
  let codes = vec3u(w.x, (w.y << 13u) | (w.x >> 19u), w.y >> 6u) << vec3u(13u);
  return unit * vec3f(bitcast<vec3i>(codes) >> vec3u(13u));
}
@vertex fn draw(@builtin(vertex_index) v: u32, @builtin(instance_index) i: u32) -> Out {
  return Out(clipFromWorld * vec4f(unpacked(skinned[i * VERTICES + v]) + transforms[2u * i].xyz, 1.0), i);
}
@fragment fn show(in: Out) -> @location(0) u32 { return in.id; }`;

/** For the record: all instances by the hardware's rasteriser, in one indexed draw that culls back faces. */
export function createIndexedDraw(
  device: GPUDevice,
  { buffers, clipFromWorld, instances, triangles, vertexCount }: OvalScene,
  { width, height }: { readonly width: number; readonly height: number },
): (encoder: GPUCommandEncoder, timestamps: Pick<GPURenderPassDescriptor, 'timestampWrites'>) => void {
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
  const create = (format: GPUTextureFormat) =>
    device.createTexture({ size: [width, height], format, usage: GPUTextureUsage.RENDER_ATTACHMENT }).createView();
  const [ids, depth] = [create('r32uint'), create('depth32float')];
  return (encoder, timestamps) => {
    const pass = encoder.beginRenderPass({
      colorAttachments: [{ view: ids, loadOp: 'clear', storeOp: 'store' }],
      depthStencilAttachment: { view: depth, depthClearValue: 0, depthLoadOp: 'clear', depthStoreOp: 'store' },
      ...timestamps,
    });
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.setIndexBuffer(buffers.indices, 'uint32');
    pass.drawIndexed(3 * triangles, instances);
    pass.end();
  };
}
