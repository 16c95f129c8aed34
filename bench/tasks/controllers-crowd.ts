import { columnWordOf, planAnimators } from '../../src/controller/eval/regions.ts';
import { View } from '../../src/layout/index.ts';
import {
  COMMAND_TRIGGERS,
  EVENT_FIRST_WORD,
  EVENT_WORDS,
  listBytes,
  StepParams,
} from '../../src/stages/step-controllers/layout.ts';
import { createStepControllers } from '../../src/stages/step-controllers/stage.ts';
import { controllerTraits } from '../../src/stages/step-controllers/traits.ts';
import { encodeDispatch, type Dispatch } from '../../src/stages/kernel.ts';
import type { SoldierScene } from './controllers-scene.ts';

/** How a game drives its soldiers: what parameters become, how often, and which triggers are set. */
const FLOATS = { side: [-0.9, 0.9], forward: [-0.9, 3.4], alertness: [0, 1] } as const;
const BOOLS = { heavy: 0.3, guard: 0.25, cheer: 0.1, dead: 0.05 } as const;
/** Drawn once per character. */
const TRAITS = { pace: [0.9, 1.1], phase: [0, 1] } as const;
const TRIGGERS = ['attack', 'hit'] as const;
/** Chance that a step draws a parameter again: once a second at 60 steps. */
const CHANGE = 1 / 60;
/** In each step, one character in this many gets a trigger. */
export const COMMAND_EVERY = 100;

/** Steps of a crowd that exists only on the GPU, far larger than the CPU would fill. */
export interface GpuSoldiers {
  readonly count: number;
  readonly plan: ReturnType<typeof planAnimators>;
  readonly animators: GPUBuffer;
  readonly rig: GPUBuffer;
  readonly regions: GPUBuffer;
  readonly events: GPUBuffer;
  readonly lists: GPUBuffer;
  /** Changes parameters, makes commands and empties the event ring: what the host does between steps. */
  readonly drive: readonly Dispatch[];
  /** Hands commands out; steps where nothing is decided; steps the others. */
  step(options: { readonly dt?: number; readonly events?: boolean; readonly commands?: boolean }): Dispatch[];
  destroy(): void;
}

// oxlint-disable-next-line max-lines-per-function
export async function createSoldiers(device: GPUDevice, { tables }: SoldierScene, count: number): Promise<GpuSoldiers> {
  const controllers = tables.types.map(({ character }) => character.controller!);
  const [first] = controllers;
  const plan = planAnimators({
    capacity: count,
    machines: first!.machines.length,
    layers: first!.layers.length,
    parameters: first!.parameters.length,
    hasRoot: false,
  });
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  const runCapacity = Math.ceil(count / COMMAND_EVERY);
  const eventCapacity = Math.min(65536, Math.max(1024, count));
  const make = (size: number, uses: number = usage) => device.createBuffer({ size, usage: uses });
  const upload = (data: Uint32Array<ArrayBuffer>, uses: number) => {
    const buffer = make(data.byteLength, uses | GPUBufferUsage.COPY_DST);
    device.queue.writeBuffer(buffer, 0, data);
    return buffer;
  };
  const animators = make(16 * plan.rowCount);
  const commands = make(32 * runCapacity);
  const events = make(4 * (EVENT_FIRST_WORD + EVENT_WORDS * eventCapacity));
  const transforms = make(64);
  const lists = make(listBytes(count, first!.machines.length));
  const rig = upload(tables.rig.words, GPUBufferUsage.STORAGE);
  const regions = upload(plan.regions.words, GPUBufferUsage.UNIFORM);
  const tick = make(16);

  const columnOf = (name: string) => 1 + first!.parameters.findIndex((parameter) => parameter.name === name);
  const triggers = TRIGGERS.map((name) => 1 << first!.parameters.find((parameter) => parameter.name === name)!.trigger);
  const split = Math.ceil(count / 2);
  const put = (column: number, value: string) => `words[${columnWordOf(plan.regions, column)}u + c] = ${value};`;
  const drawn = (seed: number) => `unit(c ^ (hash(time * 37u + ${seed}u)))`;
  const between = ([low, high]: readonly [number, number], seed: number) =>
    `bitcast<u32>(mix(f32(${low}), f32(${high}), ${drawn(seed)}))`;
  const inputs = [
    ...Object.entries(FLOATS).map(([name, range], i) => put(columnOf(name), between(range, 100 + i))),
    ...Object.entries(BOOLS).map(([name, share], i) =>
      put(columnOf(name), `select(0u, 1u, ${drawn(200 + i)} < ${share})`),
    ),
  ];
  const code = `
@group(0) @binding(0) var<storage, read_write> words: array<u32>;
@group(0) @binding(1) var<storage, read_write> commands: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> events: array<u32>;
@group(0) @binding(3) var<storage, read_write> tick: array<u32>;
fn hash(value: u32) -> u32 {
  let state = value * 747796405u + 2891336453u;
  let word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
  return (word >> 22u) ^ word;
}
fn unit(value: u32) -> f32 { return f32(hash(value) >> 8u) * 0x1p-24; }
@compute @workgroup_size(1) fn count() {
  tick[1] = events[0];
  tick[0]++;
  events[0] = 0u;
  events[1] = 0u;
}
@compute @workgroup_size(64)
fn start(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let c = id.x + id.y * groups.x * 64u;
  if (c >= ${count}u) { return; }
  let time = 0u;
  words[4u * c] = select(${tables.types[1]!.controllerRow}u, ${tables.types[0]!.controllerRow}u, c < ${split}u);
  ${put(0, 'bitcast<u32>(1f)')}
  ${Object.entries(TRAITS)
    .map(([name, range], i) => put(columnOf(name), between(range, 300 + i)))
    .join('\n  ')}
  ${inputs.join('\n  ')}
}
@compute @workgroup_size(64)
fn drive(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let c = id.x + id.y * groups.x * 64u;
  if (c >= ${count}u) { return; }
  let time = tick[0];
${inputs.map((line, i) => `  if (${drawn(i)} < ${CHANGE}) { ${line} }`).join('\n')}
  if (c < ${runCapacity}u) {
    commands[c] = vec4u(min(${count - 1}u, c * ${COMMAND_EVERY}u + hash(c ^ hash(time)) % ${COMMAND_EVERY}u), c, 1u, 0u);
    let bits = select(${triggers[0]}u, ${triggers[1]}u, ${drawn(400)} < 0.4);
    commands[${runCapacity}u + c] = vec4u(${COMMAND_TRIGGERS}u, bits, 0u, 0u);
  }
}`;
  const module = device.createShaderModule({ code });
  const entries = [animators, commands, events, tick].map((buffer, binding) => ({ binding, resource: { buffer } }));
  const groupLayout = device.createBindGroupLayout({
    entries: entries.map(({ binding }) => ({
      binding,
      visibility: GPUShaderStage.COMPUTE,
      buffer: { type: 'storage' },
    })),
  });
  const layout = device.createPipelineLayout({ bindGroupLayouts: [groupLayout] });
  const groups = [device.createBindGroup({ layout: groupLayout, entries })];
  const own = (entryPoint: string, groupCount: number): Dispatch => {
    const pipeline = device.createComputePipeline({ layout, compute: { module, entryPoint } });
    return { kernel: { label: entryPoint, pipeline }, groups, groupCount };
  };
  await runDispatches(device, [own('start', Math.ceil(count / 64))]);
  const drive = [own('count', 1), own('drive', Math.ceil(count / 64))];
  const extra: GPUBuffer[] = [];
  return {
    count,
    plan,
    animators,
    rig,
    regions,
    events,
    lists,
    drive,
    step({ dt = 1 / 60, events: hasEvents = first!.hasEvents, commands: hasCommands = true }) {
      const params = new View(StepParams, 1);
      const runCount = hasCommands ? runCapacity : 0;
      params.assign(0, { dt, frame: 1, characterCount: count, runCount, eventCapacity });
      const buffer = upload(params.words, GPUBufferUsage.UNIFORM);
      extra.push(buffer);
      const stage = createStepControllers(device, { ...controllerTraits(controllers), events: hasEvents });
      const buffers = { params: buffer, regions, animators, commands, events, transforms, rig, lists };
      return stage.bind(buffers)(count, runCount);
    },
    destroy() {
      for (const buffer of [animators, commands, events, transforms, rig, lists, regions, tick, ...extra])
        buffer.destroy();
    },
  };
}

export async function runDispatches(device: GPUDevice, dispatches: readonly Dispatch[], times = 1): Promise<void> {
  const encoder = device.createCommandEncoder();
  for (let round = 0; round < times; round++) {
    for (const dispatch of dispatches) {
      const pass = encoder.beginComputePass();
      encodeDispatch(pass, dispatch);
      pass.end();
    }
  }
  device.queue.submit([encoder.finish()]);
  await device.queue.onSubmittedWorkDone();
}
