import { readFloats } from './published-pose.ts';
import { timeSteps, type Timed } from '../gpu/gpu-timer.ts';

/**
 * The baseline for skin-vertices: the kernel of the article
 * [Skinning in a Compute Shader](https://wickedengine.net/2017/09/09/skinning-in-compute-shader/) with its packed streams.
 * It reads 16 bytes of position and 8-bit normal, 4 of tangent, 16 of joints and weights, and writes 16 + 4. Groups have
 * 64 threads. A loop over the influences ends when the weights sum to 1. Position, normal and tangent are moved one by
 * one. Its packs are rounded here, which costs it nothing.
 */
const CODE = `
struct Bone { a: vec4f, b: vec4f, c: vec4f }
@group(0) @binding(0) var<storage, read> positions: array<vec4u>;
@group(0) @binding(1) var<storage, read> tangents: array<u32>;
@group(0) @binding(2) var<storage, read> influences: array<vec4u>;
@group(0) @binding(3) var<storage, read> bones: array<Bone>;
@group(0) @binding(4) var<storage, read_write> outPositions: array<vec4u>;
@group(0) @binding(5) var<storage, read_write> outTangents: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let v = group.x * 64u + local.x;
  let instance = group.y;
  if (v >= VERTICES) { return; }
  let source = positions[v];
  let packed = influences[v];
  let entries = vec4u(packed.x & 0xffffu, packed.x >> 16u, packed.y & 0xffffu, packed.y >> 16u);
  let weights = vec4f(unpack2x16unorm(packed.z), unpack2x16unorm(packed.w));
  let position = vec4f(bitcast<vec3f>(source.xyz), 1.0);
  let normalWind = unpack4x8unorm(source.w);
  let normal = normalWind.xyz * 2.0 - 1.0;
  let tangent = unpack4x8unorm(tangents[v]) * 2.0 - 1.0;
  var p = vec3f(); var n = vec3f(); var t = vec3f();
  var sum = 0.0;
  for (var i = 0u; i < 4u && sum < 1.0; i++) {
    let m = bones[instance * BONES + entries[i]];
    p += vec3f(dot(m.a, position), dot(m.b, position), dot(m.c, position)) * weights[i];
    n += vec3f(dot(m.a.xyz, normal), dot(m.b.xyz, normal), dot(m.c.xyz, normal)) * weights[i];
    t += vec3f(dot(m.a.xyz, tangent.xyz), dot(m.b.xyz, tangent.xyz), dot(m.c.xyz, tangent.xyz)) * weights[i];
    sum += weights[i];
  }
  let out = instance * VERTICES + v;
  outPositions[out] = vec4u(bitcast<vec3u>(p), pack4x8unorm(vec4f(normalize(n) * 0.5 + 0.5, normalWind.w)));
  outTangents[out] = pack4x8unorm(vec4f(normalize(t), tangent.w) * 0.5 + 0.5);
}`;

export interface PublishedSkinInput {
  readonly vertices: number;
  readonly instances: number;
  readonly bones: number;
  /** Rows of the source: position and packed normal. */
  readonly positions: Uint32Array<ArrayBuffer>;
  readonly influences: Uint32Array<ArrayBuffer>;
  /** Three rows per bone and instance. */
  readonly palettes: GPUBuffer;
}

export interface PublishedSkin {
  readonly timed: Timed;
  /** Rows of the first instances' vertices. */
  readonly rows: Float32Array;
}

export async function publishedSkin(
  device: GPUDevice,
  input: PublishedSkinInput,
  readBack: number,
  repeats?: number,
): Promise<PublishedSkin> {
  const { vertices, instances, bones } = input;
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
  const make = (size: number) => device.createBuffer({ size, usage });
  const upload = (data: Uint32Array<ArrayBuffer>) => {
    const buffer = make(data.byteLength);
    device.queue.writeBuffer(buffer, 0, data);
    return buffer;
  };
  const tangents = new Uint32Array(vertices).fill(0xff8080ff);
  const bound = [
    upload(input.positions),
    upload(tangents),
    upload(input.influences),
    input.palettes,
    make(vertices * instances * 16),
    make(vertices * instances * 4),
  ];
  const module = device.createShaderModule({
    code: `const VERTICES = ${vertices}u; const BONES = ${bones}u;${CODE}`,
  });
  const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module, entryPoint: 'main' } });
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: bound.map((buffer, binding) => ({ binding, resource: { buffer } })),
  });
  const timed = await timeSteps(device, [{ pipeline, group, groups: [Math.ceil(vertices / 64), instances] }], repeats);
  const rows = await readFloats(device, bound[4]!, readBack * vertices * 16);
  bound.filter((buffer) => buffer !== input.palettes).forEach((buffer) => buffer.destroy());
  return { timed, rows };
}

/** Measures only writing the result: 20 bytes per vertex, nothing read. */
export async function writeFloor(device: GPUDevice, vertexCount: number): Promise<number> {
  const usage = GPUBufferUsage.STORAGE;
  const rows = device.createBuffer({ size: vertexCount * 16, usage });
  const words = device.createBuffer({ size: vertexCount * 4, usage });
  const module = device.createShaderModule({
    code: `@group(0) @binding(0) var<storage, read_write> rows: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> words: array<u32>;
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let v = (group.x + group.y * groups.x) * 256u + local;
  if (v >= ${vertexCount}u) { return; }
  rows[v] = vec4u(v, group.x, v, group.y);
  words[v] = v;
}`,
  });
  const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module, entryPoint: 'main' } });
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [rows, words].map((buffer, binding) => ({ binding, resource: { buffer } })),
  });
  const groups = Math.ceil(vertexCount / 256);
  const height = Math.ceil(groups / 65535);
  const { total } = await timeSteps(device, [{ pipeline, group, groups: [Math.ceil(groups / height), height] }]);
  rows.destroy();
  words.destroy();
  return total;
}
