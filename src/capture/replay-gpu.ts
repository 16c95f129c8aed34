import { fail } from '../errors.ts';
import { bindFrame, createSeenStages } from '../frame/gpu/bind-frame.ts';
import type { StageName } from '../frame/stages.ts';
import { createBuffer, createCrowdMemory, type CrowdMemory, PageMemory, PoseMemory } from '../frame/tables/memory.ts';
import { ProviderMemory } from '../frame/tables/provider-memory.ts';
import { readRanges } from '../device/read-back.ts';
import { culledRows } from '../frame/tables/sharing.ts';
import { createGroundCharacters } from '../stages/ground-characters/stage.ts';
import { canSkinWide } from '../stages/kernel-choice.ts';
import { encodeDispatch, type Dispatch } from '../stages/kernel.ts';
import { MOTION_ROWS, SLOT_UNIT } from '../stages/layout.ts';
import { createPlaceSockets } from '../stages/place-sockets/stage.ts';
import { createStepControllers } from '../stages/step-controllers/stage.ts';
import { isOutput, type CapturedSpace } from './arrays.ts';
import type { CapturedArrays, CapturedStage } from './capture.ts';
import { gpuArrays, type GpuRange } from './gpu-arrays.ts';

/** Memory that is freed after the stage has run. */
type Owned = { destroy(): void }[];

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
    fail(
      'DEVICE_LIMIT',
      stage,
      'The capture ran workgroups of 512 threads; this device has none.',
      'Replay it on its twin.',
    );
  }
  const owned: Owned = [];
  try {
    const ranges = await granted(device, stage, () => submit(device, captured, space, owned));
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
    for (const memory of owned) memory.destroy();
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
function submit(
  device: GPUDevice,
  captured: CapturedStage,
  space: CapturedSpace,
  owned: Owned,
): ReadonlyMap<string, GpuRange> {
  const { stage, inputs } = captured;
  const dispatches = dispatchesOf(device, captured, space, owned);
  const ranges = gpuArrays(stage, dispatches, space);
  for (const [name, { buffer, offset, size }] of ranges) {
    const words = inputs[name];
    if (words) device.queue.writeBuffer(buffer, offset, words, 0, Math.min(words.length, size / 4));
  }
  const encoder = device.createCommandEncoder({ label: 'replay' });
  const pass = encoder.beginComputePass({ label: stage });
  for (const dispatch of dispatches) encodeDispatch(pass, dispatch);
  pass.end();
  device.queue.submit([encoder.finish()]);
  return ranges;
}

function dispatchesOf(
  device: GPUDevice,
  { stage, inputs }: CapturedStage,
  { shape, numbers }: CapturedSpace,
  owned: Owned,
): readonly Dispatch[] {
  const { STORAGE, UNIFORM, COPY_DST, COPY_SRC } = GPUBufferUsage;
  const own = <T extends { destroy(): void }>(memory: T): T => (owned.push(memory), memory);
  const create = (name: string, usage: number = STORAGE) =>
    own(createBuffer(device, name, usage | COPY_DST | COPY_SRC, inputs[name]?.byteLength ?? 0));
  const crowd = own(createCrowdMemory(device, shape));
  if (stage === 'step-controllers' && shape.controllers) {
    const { regions, animators, events, transforms, rig, lists } = crowd;
    const buffers = { params: create('params', UNIFORM), commands: create('commands') };
    const step = createStepControllers(device, shape.controllers);
    return step.bind({ ...buffers, regions, animators, events, transforms, rig, lists })(
      numbers.characterCount,
      numbers.runCount,
    );
  }
  const { transforms, slots, visible } = crowd;
  if (stage === 'ground-characters') {
    const buffers = { params: create('params', UNIFORM), heights: create('heights'), grounded: create('grounded') };
    return [createGroundCharacters(device).bind({ ...buffers, transforms })(numbers.characterCount)];
  }
  if (stage === 'place-sockets') {
    const [params, palettes] = [create('params', UNIFORM), create('palettes')];
    const previous = {
      previousTransforms: create('previousTransforms'),
      previousMatrices: create('previousMatrices'),
    };
    const [sockets, matrices] = [create('sockets'), create('matrices')];
    const buffers = { params, slots, visible, palettes, transforms, sockets, matrices, ...previous };
    return [createPlaceSockets(device).bind(buffers)(numbers.socketCount)];
  }
  return (
    seenDispatches(device, { stage, inputs, outputs: {} }, { shape, numbers }, { crowd, create, own })[stage] ?? []
  );
}

function seenDispatches(
  device: GPUDevice,
  { stage, inputs }: CapturedStage,
  { shape, numbers }: CapturedSpace,
  {
    crowd,
    create,
    own,
  }: {
    readonly crowd: CrowdMemory;
    readonly create: (name: string) => GPUBuffer;
    readonly own: <T extends { destroy(): void }>(memory: T) => T;
  },
): Partial<Record<StageName, readonly Dispatch[]>> {
  const { tables, capacity, motionCapacity, kernels, controllers, classes, providers } = shape;
  const { root = false, trees = false, large = false } = controllers ?? {};
  const shares = stage === 'cull-characters' && shape.sharing !== undefined;
  const traits = { controllers: controllers !== undefined, root, trees, large };
  const all = createSeenStages(device, traits, kernels, providers, shares);
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
  const poses = own(
    new PoseMemory(
      device,
      Math.max(1, rowsIn('motions', motionCapacity * MOTION_ROWS * 16)),
      Math.max(1, rowsIn('palettes', 16)),
      motionCapacity,
    ),
  );
  // other stages only count pages: the page sizes in a file are checked only for stages with arrays that must match
  // them
  const bindsPages = stage === 'keep-palettes' || stage === 'skin-vertices';
  const pages = numbers.pageVertices.map((used) =>
    own(new PageMemory(device, { vertexCapacity: bindsPages ? Math.max(SLOT_UNIT, used) : SLOT_UNIT })),
  );
  const bound = own(
    bindFrame(device, stages, {
      types: tables.types,
      capacity,
      classCount: classes.capacities.length,
      motionCapacity,
      kernels,
      crowd,
      poses,
      pages,
      grants: create('grants'),
      providers: providers.length > 0 ? own(new ProviderMemory(device, providers, capacity)).buffers : undefined,
    }),
  );
  const { characterCount } = culledRows(shape, numbers.characterCount);
  const hasFollowers = numbers.hasFollowers || shares;
  const { hasGrants, hasMoves } = numbers;
  return bound.dispatches({ characterCount, hasGrants, hasMoves, hasFollowers }, numbers.characterCount);
}

/** Dispatch of a stage that does not run. */
const NO_DISPATCH: Dispatch = { kernel: { label: '', pipeline: undefined as never }, groups: [], groupCount: 0 };
