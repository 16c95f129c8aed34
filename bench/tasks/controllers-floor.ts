import { MACHINE_IN_TRANSITION } from '../../src/controller/eval/layout.ts';
import { columnWordOf } from '../../src/controller/eval/regions.ts';
import { type Dispatch } from '../../src/stages/kernel.ts';
import type { GpuSoldiers } from './controllers-crowd.ts';
import type { SoldierScene } from './controllers-scene.ts';
import { timePasses } from './controllers-timer.ts';

/** Parameters that nearly every soldier's update looks at, its own speed included. */
const COLUMNS = ['side', 'forward', 'pace', 'alertness', 'guard', 'cheer', 'dead'];

/** Bytes that one step must move, and the time for only that. */
export interface Floor {
  /** Bytes per character: its head, machines read and written, the second row of those in a transition, columns. */
  readonly bytes: number;
  readonly milliseconds: number;
  /** Bytes per second of a plain copy, read and written ones counted. */
  readonly copyRate: number;
}

/**
 * Reads and writes what a step has to, and decides nothing; and copies a gigabyte.
 *
 * @param blending Machines of a character that are in a transition, on average.
 */
export async function measureFloor(
  device: GPUDevice,
  { tables }: SoldierScene,
  { animators, plan, count }: GpuSoldiers,
  blending: number,
): Promise<Floor> {
  const { parameters, machines } = tables.types[0]!.character.controller!;
  const { regions } = plan;
  const columns = [0, ...COLUMNS.map((name) => 1 + parameters.findIndex((parameter) => parameter.name === name))];
  const touch = compute(
    device,
    `
@group(0) @binding(0) var<storage, read_write> rows: array<vec4u>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let c = id.x + id.y * groups.x * 64u;
  if (c >= ${count}u) { return; }
  var sum = rows[c].z;
  ${columns.map((column) => `{ let word = ${columnWordOf(regions, column)}u + c; sum |= rows[word >> 2u][word & 3u]; }`).join('\n  ')}
  for (var m = 0u; m < ${machines.length}u; m++) {
    let row = ${regions.get(0, 'machineRow')}u + 2u * m * ${count}u + c;
    var a = rows[row];
    // what can never hold keeps the compiler from leaving anything out
    if (sum == 0x7fc12345u) { a.z++; }
    rows[row] = a;
    if (((a.y >> 16u) & ${MACHINE_IN_TRANSITION}u) != 0u) {
      var b = rows[row + ${count}u];
      if (sum == 0x7fc12345u) { b.x++; }
      rows[row + ${count}u] = b;
    }
  }
}`,
    [animators],
    Math.ceil(count / 64),
  );
  const copied = Math.min(2 ** 30, 2 ** Math.ceil(Math.log2(count * 64)));
  const usage = GPUBufferUsage.STORAGE;
  const [from, to] = [0, 1].map(() => device.createBuffer({ size: copied, usage })) as [GPUBuffer, GPUBuffer];
  const copy = compute(
    device,
    `
@group(0) @binding(0) var<storage, read_write> source: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> destination: array<vec4u>;
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let i = id.x + id.y * groups.x * 256u;
  if (i < ${copied / 16}u) { destination[i] = source[i]; }
}`,
    [from, to],
    copied / 16 / 256,
  );
  const times = await timePasses(device, [
    { name: 'touch', dispatches: [touch] },
    { name: 'copy', dispatches: [copy] },
  ]);
  from.destroy();
  to.destroy();
  return {
    bytes: 16 + 32 * machines.length + 32 * blending + 4 * columns.length,
    milliseconds: times.touch!,
    copyRate: (2 * copied) / (times.copy! / 1000),
  };
}

function compute(device: GPUDevice, code: string, buffers: readonly GPUBuffer[], groupCount: number): Dispatch {
  const pipeline = device.createComputePipeline({
    layout: 'auto',
    compute: { module: device.createShaderModule({ code }), entryPoint: 'main' },
  });
  const entries = buffers.map((buffer, binding) => ({ binding, resource: { buffer } }));
  const group = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
  return { kernel: { label: 'floor', pipeline }, groups: [group], groupCount: Math.max(1, groupCount) };
}
