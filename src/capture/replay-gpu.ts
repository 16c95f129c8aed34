import { fail } from '../errors.ts';
import { bindFrame, createSeenStages } from '../frame/gpu/bind-frame.ts';
import type { StageName } from '../frame/stages.ts';
import { createBuffer, createCrowdMemory, type CrowdMemory, PageMemory, PoseMemory } from '../frame/tables/memory.ts';
import { ProviderMemory } from '../frame/tables/provider-memory.ts';
import { readRanges } from '../device/read-back.ts';
import { culledRows } from '../frame/tables/sharing.ts';
import { createGroundCharacters } from '../stages/ground-characters/stage.ts';
import { canSkinWide, GROUP_THREADS, groupThreadsOf } from '../stages/kernel-choice.ts';
import { encodeDispatches, type Dispatch } from '../stages/kernel.ts';
import { MOTION_ROWS, SLOT_UNIT } from '../stages/layout.ts';
import { createPlaceSockets } from '../stages/place-sockets/stage.ts';
import { createStepControllers } from '../stages/step-controllers/stage.ts';
import { isOutput, type CapturedSpace } from './arrays.ts';
import { gpuArrays, type GpuRange } from './bound-arrays.ts';
import type { CapturedArrays, CapturedStage } from './capture.ts';

/** Memory of a stage. It is freed after the stage has run. */
class StageMemory {
  readonly #owned: { destroy(): void }[] = [];

  constructor(
    readonly device: GPUDevice,
    readonly inputs: CapturedArrays,
  ) {}

  own<T extends { destroy(): void }>(memory: T): T {
    this.#owned.push(memory);
    return memory;
  }

  /** A buffer for a captured array. */
  create(name: string, usage: number = GPUBufferUsage.STORAGE): GPUBuffer {
    const all = usage | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
    return this.own(createBuffer(this.device, name, all, this.inputs[name]?.byteLength ?? 0));
  }

  destroy(): void {
    for (const memory of this.#owned) memory.destroy();
  }
}

/**
 * Runs the kernels of a stage on copies of the captured arrays. Returns the arrays that they may have written.
 * @throws ManipleError DEVICE_LIMIT, DEVICE_LOST
 */
export async function replayOnGpu(
  device: GPUDevice,
  captured: CapturedStage,
  space: CapturedSpace,
): Promise<CapturedArrays> {
  const { stage, inputs } = captured;
  if (stage === 'skin-vertices' && space.shape.kernels.wideSkins && !canSkinWide(device.limits)) {
    const message = 'The capture ran workgroups of 512 threads; this device has none.';
    fail('DEVICE_LIMIT', stage, message, 'Replay it on its twin.');
  }
  const { groupThreads = GROUP_THREADS } = space.shape.kernels;
  if (groupThreads > groupThreadsOf(device.limits)) {
    const message = `The capture ran workgroups of ${groupThreads} threads; this device has none.`;
    fail('DEVICE_LIMIT', stage, message, 'Replay it on its twin.');
  }
  const memory = new StageMemory(device, inputs);
  try {
    const ranges = await granted(device, stage, () => submit(memory, stage, space));
    const outputs: [string, Uint32Array<ArrayBuffer>][] = [];
    for (const [name, { buffer, offset, size }] of ranges) {
      if (!isOutput(stage, name, space)) continue;
      // one by one: each of them fits into a buffer
      const [bytes] = await readRanges(device, [[buffer, offset, Math.min(size, inputs[name]?.byteLength ?? size)]]);
      outputs.push([name, new Uint32Array(bytes!)]);
    }
    // arrays without a dispatch are unchanged: a crowd without pages poses no character
    const unbound = Object.entries(inputs).filter(([name]) => isOutput(stage, name, space) && !ranges.has(name));
    return Object.fromEntries([...unbound, ...outputs]);
  } finally {
    memory.destroy();
  }
}

const REFUSALS: readonly GPUErrorFilter[] = ['validation', 'out-of-memory'];

/**
 * Creates buffers and submits work on them. A file may need more than the device has.
 * @throws ManipleError DEVICE_LIMIT
 */
async function granted<T>(device: GPUDevice, stage: StageName, run: () => T): Promise<T> {
  for (const filter of REFUSALS) device.pushErrorScope(filter);
  let scopes: Promise<GPUError | null>[] = [];
  let result: T;
  try {
    result = run();
  } finally {
    scopes = REFUSALS.map(() => device.popErrorScope().catch(() => null)); // ignored after a device loss
  }
  const refused = (await Promise.all(scopes)).find((refusal) => refusal !== null);
  if (!refused) return result;
  const message = `this device cannot hold or run what was captured: ${refused.message}`;
  return fail('DEVICE_LIMIT', stage, message, 'Replay it on a device like that of the capture, or on its twin.');
}

/** Returns the buffer ranges of the stage's arrays. */
function submit(memory: StageMemory, stage: StageName, space: CapturedSpace): ReadonlyMap<string, GpuRange> {
  const { device, inputs } = memory;
  const dispatches = dispatchesOf(memory, stage, space);
  const ranges = gpuArrays(stage, dispatches, space);
  for (const [name, { buffer, offset, size }] of ranges) {
    const words = inputs[name];
    if (words) device.queue.writeBuffer(buffer, offset, words, 0, Math.min(words.length, size / 4));
  }
  const encoder = device.createCommandEncoder({ label: 'replay' });
  const pass = encoder.beginComputePass({ label: stage });
  encodeDispatches(pass, dispatches);
  pass.end();
  device.queue.submit([encoder.finish()]);
  return ranges;
}

function dispatchesOf(memory: StageMemory, stage: StageName, space: CapturedSpace): readonly Dispatch[] {
  const { device } = memory;
  const { shape, numbers } = space;
  const create = (name: string, usage?: number) => memory.create(name, usage);
  const { UNIFORM } = GPUBufferUsage;
  const crowd = memory.own(createCrowdMemory(device, shape));
  if (stage === 'step-controllers' && shape.controllers) {
    const { regions, animators, events, transforms, rig, lists } = crowd;
    const buffers = { params: create('params', UNIFORM), commands: create('commands') };
    const step = createStepControllers(device, shape.controllers);
    const dispatches = step.bind({ ...buffers, regions, animators, events, transforms, rig, lists });
    return dispatches(numbers.characterCount, numbers.runCount);
  }
  const { transforms, slots, visible } = crowd;
  if (stage === 'ground-characters') {
    const buffers = { params: create('params', UNIFORM), heights: create('heights'), grounded: create('grounded') };
    return [createGroundCharacters(device).bind({ ...buffers, transforms })(numbers.characterCount)];
  }
  if (stage === 'place-sockets') {
    const [params, palettes, sockets] = [create('params', UNIFORM), create('palettes'), create('sockets')];
    const [previousTransforms, previousMatrices] = [create('previousTransforms'), create('previousMatrices')];
    const own = { params, palettes, sockets, matrices: create('matrices'), previousTransforms, previousMatrices };
    return [createPlaceSockets(device).bind({ ...own, slots, visible, transforms })(numbers.socketCount)];
  }
  return seenDispatches(memory, stage, space, crowd)[stage] ?? [];
}

function seenDispatches(
  memory: StageMemory,
  stage: StageName,
  { shape, numbers }: CapturedSpace,
  crowd: CrowdMemory,
): Partial<Record<StageName, readonly Dispatch[]>> {
  const { device, inputs } = memory;
  const { tables, capacity, motionCapacity, kernels, controllers, classes, providers } = shape;
  const { root = false, trees = false, large = false } = controllers ?? {};
  const shares = stage === 'cull-characters' && shape.sharing !== undefined;
  const traits = { controllers: controllers !== undefined, root, trees, large };
  const all = createSeenStages(device, traits, kernels, classes, providers, shares);
  // pipelines of the other stages are not needed
  const unused = { prepare: () => undefined, bind: () => NO_DISPATCH };
  const stages = {
    ...all,
    poseJoints: stage === 'pose-joints' ? all.poseJoints : unused,
    updateCharacters: stage === 'update-characters' ? all.updateCharacters : undefined,
    keepPalettes: stage === 'keep-palettes' ? all.keepPalettes : unused,
    skinVertices: stage === 'skin-vertices' ? all.skinVertices : unused,
  };
  const rowsIn = (name: string, rowBytes: number) => Math.floor((inputs[name]?.byteLength ?? 0) / rowBytes);
  const poseCapacity = Math.max(1, rowsIn('motions', motionCapacity * MOTION_ROWS * 16));
  const poses = new PoseMemory(device, poseCapacity, Math.max(1, rowsIn('palettes', 16)), motionCapacity);
  // other stages only count pages: the page sizes in a file are checked only for stages with arrays that must match
  // them
  const bindsPages = stage === 'keep-palettes' || stage === 'skin-vertices';
  const pages = numbers.pageRows.map((used) =>
    memory.own(new PageMemory(device, { rowCapacity: bindsPages ? Math.max(SLOT_UNIT, used) : SLOT_UNIT })),
  );
  const bound = bindFrame(device, stages, {
    types: tables.types,
    capacity,
    classCount: classes.capacities.length,
    motionCapacity,
    kernels,
    crowd,
    poses: memory.own(poses),
    pages,
    grants: memory.create('grants'),
    providers: providers.length > 0 ? memory.own(new ProviderMemory(device, providers, capacity)).buffers : undefined,
  });
  memory.own(bound);
  const { characterCount } = culledRows(shape, numbers.characterCount);
  const hasFollowers = numbers.hasFollowers || shares;
  const { hasGrants, hasMoves } = numbers;
  const sharerCount = numbers.characterCount;
  return bound.dispatches({ characterCount, hasGrants, hasMoves, hasFollowers }, { sharerCount });
}

/** Dispatch of a stage that does not run. */
const NO_DISPATCH: Dispatch = { kernel: { label: '', pipeline: undefined as never }, groups: [], groupCount: 0 };
