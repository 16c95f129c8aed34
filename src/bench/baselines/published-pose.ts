import type { CharacterModel, TrackModel } from '../../character/model.ts';
import { composeJoints } from '../../character/evaluate.ts';
import { timeSteps, type Step, type Timed } from '../gpu/gpu-timer.ts';

/**
 * The baseline for pose-joints: sampling, blending and composing as the article "GPU Bound. How to transfer everything to the video card and a little more. Animations" describes
 * them. There are three passes. Keys have 64 bytes with in- and out-tangents and are found by a linear search per channel.
 * Sums are weighted, with a hemisphere check. Every joint walks to the root.
 */

const STRUCTS = `
struct Key { value: vec4f, inTangent: vec4f, outTangent: vec4f, time: f32 }
struct Xform { rotation: vec4f, translation: vec4f, scale: vec4f }
struct Rows { a: vec4f, b: vec4f, c: vec4f }
struct Playing { clip: u32, phase: f32, weight: f32, pad: f32 }
`;

const SAMPLE = `
@group(0) @binding(0) var<storage, read> keys: array<Key>;
@group(0) @binding(1) var<storage, read> tracks: array<vec2u>;
@group(0) @binding(2) var<storage, read> playing: array<Playing>;
@group(0) @binding(3) var<storage, read_write> sampled: array<Xform>;
fn curve(track: u32, t: f32) -> vec4f {
  let range = tracks[track];
  for (var i = range.x; i < range.y; i++) {
    let t0 = keys[i].time;
    let dt = keys[i + 1u].time - t0;
    let f = (t - t0) / dt;
    if (f < 0.0 || f > 1.0) { continue; }
    let m0 = keys[i].outTangent * dt;
    let m1 = keys[i + 1u].inTangent * dt;
    let f2 = f * f;
    let f3 = f2 * f;
    return (2.0 * f3 - 3.0 * f2 + 1.0) * keys[i].value + (f3 - 2.0 * f2 + f) * m0 + (f3 - f2) * m1 + (3.0 * f2 - 2.0 * f3) * keys[i + 1u].value;
  }
  return keys[range.y].value;
}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let index = id.x + id.y * groups.x * 64u;
  if (index >= COUNT * MOTIONS * JOINTS) { return; }
  let joint = index % JOINTS;
  let motion = playing[index / JOINTS];
  let track = (motion.clip * JOINTS + joint) * 3u;
  sampled[index] = Xform(curve(track + 1u, motion.phase), curve(track, motion.phase), curve(track + 2u, motion.phase));
}`;

const BLEND = `
@group(0) @binding(0) var<storage, read> sampled: array<Xform>;
@group(0) @binding(1) var<storage, read> playing: array<Playing>;
@group(0) @binding(2) var<storage, read_write> blended: array<Xform>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let index = id.x + id.y * groups.x * 64u;
  if (index >= COUNT * JOINTS) { return; }
  let character = index / JOINTS;
  let joint = index % JOINTS;
  var sum = Xform();
  for (var m = 0u; m < MOTIONS; m++) {
    let weight = playing[character * MOTIONS + m].weight;
    let x = sampled[(character * MOTIONS + m) * JOINTS + joint];
    let rotation = select(x.rotation, -x.rotation, dot(sum.rotation, x.rotation) < 0.0);
    sum.rotation += rotation * weight;
    sum.translation += x.translation * weight;
    sum.scale += x.scale * weight;
  }
  sum.rotation = normalize(sum.rotation);
  blended[index] = sum;
}`;

const COMPOSE = `
@group(0) @binding(0) var<storage, read> blended: array<Xform>;
@group(0) @binding(1) var<storage, read> parents: array<i32>;
@group(0) @binding(2) var<storage, read> binds: array<Rows>;
@group(0) @binding(3) var<storage, read_write> palette: array<Rows>;
fn matrixOf(x: Xform) -> mat4x4f {
  let q = x.rotation; let s = x.scale;
  return mat4x4f(
    vec4f(1.0 - 2.0 * (q.y * q.y + q.z * q.z), 2.0 * (q.x * q.y + q.w * q.z), 2.0 * (q.x * q.z - q.w * q.y), 0.0) * s.x,
    vec4f(2.0 * (q.x * q.y - q.w * q.z), 1.0 - 2.0 * (q.x * q.x + q.z * q.z), 2.0 * (q.y * q.z + q.w * q.x), 0.0) * s.y,
    vec4f(2.0 * (q.x * q.z + q.w * q.y), 2.0 * (q.y * q.z - q.w * q.x), 1.0 - 2.0 * (q.x * q.x + q.y * q.y), 0.0) * s.z,
    vec4f(x.translation.xyz, 1.0));
}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let index = id.x + id.y * groups.x * 64u;
  if (index >= COUNT * JOINTS) { return; }
  let first = index / JOINTS * JOINTS;
  var joint = i32(index % JOINTS);
  let bind = binds[joint];
  var model = mat4x4f(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1);
  while (joint >= 0) {
    model = matrixOf(blended[first + u32(joint)]) * model;
    joint = parents[joint];
  }
  let rows = transpose(model * transpose(mat4x4f(bind.a, bind.b, bind.c, vec4f(0.0, 0.0, 0.0, 1.0))));
  palette[index] = Rows(rows[0], rows[1], rows[2]);
}`;

/** A clip that plays on a character. */
export interface Playing {
  readonly clip: number;
  readonly phase: number;
  readonly weight: number;
}

export interface PublishedPose {
  readonly timed: Timed;
  /** Palettes of the first characters, 12 floats per joint. */
  readonly palettes: Float32Array;
  readonly bytes: number;
}

/** Runs the three passes; `playing[c × motions + m]` says what plays. */
export async function publishedPose(
  device: GPUDevice,
  model: CharacterModel,
  playing: readonly Playing[],
  count: number,
  motions: number,
  readBack: number,
  repeats?: number,
): Promise<PublishedPose> {
  const joints = model.joints.length;
  const { keys, tracks } = packKeys(model);
  const storage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
  const buffers: GPUBuffer[] = [];
  const make = (size: number) => {
    const buffer = device.createBuffer({ size, usage: storage });
    buffers.push(buffer);
    return buffer;
  };
  const upload = (data: Float32Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Int32Array<ArrayBuffer>) => {
    const buffer = make(data.byteLength);
    device.queue.writeBuffer(buffer, 0, data);
    return buffer;
  };
  const played = new Float32Array(playing.length * 4);
  const words = new Uint32Array(played.buffer);
  playing.forEach(({ clip, phase, weight }, i) => {
    words[4 * i] = clip;
    // Times of the keys are seconds here: every clip has its own length.
    played[4 * i + 1] = phase * model.clips[clip]!.duration;
    played[4 * i + 2] = weight;
  });
  const keyBuffer = upload(keys);
  const playingBuffer = upload(played);
  const sampled = make(count * motions * joints * 48);
  const blended = make(count * joints * 48);
  const palette = make(count * joints * 48);
  const constants = `const COUNT = ${count}u; const MOTIONS = ${motions}u; const JOINTS = ${joints}u;`;
  const step = (code: string, threads: number, bound: readonly GPUBuffer[]): Step => {
    const module = device.createShaderModule({ code: constants + STRUCTS + code });
    const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module, entryPoint: 'main' } });
    const group = device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: bound.map((buffer, binding) => ({ binding, resource: { buffer } })),
    });
    const groups = Math.ceil(threads / 64);
    const rows = Math.ceil(groups / 65535);
    return { pipeline, group, groups: [Math.ceil(groups / rows), rows] };
  };
  const parents = Int32Array.from(model.joints, ({ parentIndex }) => parentIndex);
  const binds = Float32Array.from(model.bindings.flatMap(({ jointFromMesh }) => Array.from(jointFromMesh)));
  const steps = [
    step(SAMPLE, count * motions * joints, [keyBuffer, upload(tracks), playingBuffer, sampled]),
    step(BLEND, count * joints, [sampled, playingBuffer, blended]),
    step(COMPOSE, count * joints, [blended, upload(parents), upload(binds), palette]),
  ];
  const timed = await timeSteps(device, steps, repeats);
  const palettes = await readFloats(device, palette, readBack * joints * 48);
  const bytes = keys.byteLength;
  buffers.forEach((buffer) => buffer.destroy());
  return { timed, palettes, bytes };
}

/** Keys per (clip, joint, translation | rotation | scale); channels without a track get one constant pair. */
function packKeys({ clips, joints }: CharacterModel): {
  keys: Float32Array<ArrayBuffer>;
  tracks: Uint32Array<ArrayBuffer>;
} {
  const keys: number[] = [];
  const tracks = new Uint32Array(clips.length * joints.length * 3 * 2);
  const push = (
    value: readonly number[],
    inTangent: readonly number[],
    outTangent: readonly number[],
    time: number,
  ) => {
    const pad = (v: readonly number[]) => [v[0] ?? 0, v[1] ?? 0, v[2] ?? 0, v[3] ?? 0];
    keys.push(...pad(value), ...pad(inTangent), ...pad(outTangent), time, 0, 0, 0);
  };
  clips.forEach((clip, c) => {
    const found = new Map<string, TrackModel>(
      clip.tracks.map((track) => [`${track.targetIndex} ${track.path}`, track]),
    );
    joints.forEach((joint, j) => {
      (['translation', 'rotation', 'scale'] as const).forEach((path, channel) => {
        const first = keys.length / 16;
        const track = found.get(`${j} ${path}`);
        if (track) {
          const width = track.values.length / track.times.length / 3;
          track.times.forEach((time, k) => {
            const part = (p: number) => Array.from(track.values.subarray((3 * k + p) * width, (3 * k + p + 1) * width));
            push(part(1), part(0), part(2), time);
          });
        } else for (const time of [0, clip.duration]) push(joint[path], [], [], time);
        tracks.set([first, keys.length / 16 - 1], ((c * joints.length + j) * 3 + channel) * 2);
      });
    });
  });
  return { keys: Float32Array.from(keys), tracks };
}

export async function readFloats(device: GPUDevice, buffer: GPUBuffer, size: number): Promise<Float32Array> {
  const copy = device.createBuffer({ size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, 0, copy, 0, size);
  device.queue.submit([encoder.finish()]);
  await copy.mapAsync(GPUMapMode.READ);
  const floats = new Float32Array(copy.getMappedRange().slice(0));
  copy.destroy();
  return floats;
}

/** The largest distance of a virtual vertex, 0.3 m from each joint, between palettes and the truth. */
export function paletteError(
  model: CharacterModel,
  palettes: Float32Array,
  truthOf: (character: number) => Float64Array,
  characters: number,
): number {
  const joints = model.joints.length;
  let worst = 0;
  for (let c = 0; c < characters; c++) {
    const truth = composeJoints(model, truthOf(c));
    for (let j = 0; j < joints; j++) {
      const bind = model.bindings[j]!.jointFromMesh;
      for (const p of [
        [0.3, 0, 0],
        [0, 0.3, 0],
        [0, 0, 0.3],
      ] as const) {
        const b = [0, 1, 2].map(
          (r) => bind[4 * r]! * p[0] + bind[4 * r + 1]! * p[1] + bind[4 * r + 2]! * p[2] + bind[4 * r + 3]!,
        );
        const t = [0, 1, 2].map(
          (r) =>
            truth[12 * j + 4 * r]! * b[0]! +
            truth[12 * j + 4 * r + 1]! * b[1]! +
            truth[12 * j + 4 * r + 2]! * b[2]! +
            truth[12 * j + 4 * r + 3]!,
        );
        const at = 12 * (c * joints + j);
        const g = [0, 1, 2].map(
          (r) =>
            palettes[at + 4 * r]! * p[0] +
            palettes[at + 4 * r + 1]! * p[1] +
            palettes[at + 4 * r + 2]! * p[2] +
            palettes[at + 4 * r + 3]!,
        );
        worst = Math.max(worst, Math.hypot(g[0]! - t[0]!, g[1]! - t[1]!, g[2]! - t[2]!));
      }
    }
  }
  return worst;
}
