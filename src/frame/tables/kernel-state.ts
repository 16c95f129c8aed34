import { ANIMATOR_NONE } from '../../controller/eval/layout.ts';
import { planAnimators, regionCopies, type AnimatorPlan } from '../../controller/eval/regions.ts';
import { View } from '../../layout/index.ts';
import { Modifier, Player } from '../../stages/gather-motions/layout.ts';
import { Resident, Transform } from '../../stages/layout.ts';
import { SocketJoint } from '../../stages/place-sockets/layout.ts';
import { providerLayout, stateBytes } from '../../stages/provider-layout.ts';
import { DROP_FREEZES, LIST_FIRST } from '../../stages/step-controllers/layout.ts';
import type { CrowdMemory } from './memory.ts';
import type { ProviderMemory } from './provider-memory.ts';
import { readRanges } from '../../device/read-back.ts';
import type { CrowdLayout } from './crowd-layout.ts';

/** State that only frames compute, so that CPU-side columns lack it, for the first rows of a crowd. */
export type KernelState = ReturnType<typeof emptyKernelState>;

/** Properties of a crowd that determine the length of a state. */
export type StateShape = Pick<CrowdLayout, 'animators' | 'controllers' | 'providers'>;

/** Number of used rows in a crowd's columns. */
export interface StateCounts {
  readonly characterCount: number;
  readonly attachmentCount: number;
}

/** Creates the state of characters without a running controller, and of attachments. */
export function emptyKernelState(
  { animators: { shape }, controllers, providers }: StateShape,
  { characterCount: count, attachmentCount }: StateCounts,
) {
  const plan = planAnimators({ ...shape, capacity: count });
  const animators = new Uint32Array(controllers ? 4 * plan.rowCount : 0);
  if (controllers) animators.fill(ANIMATOR_NONE, 0, 4 * count);
  const { stateStride } = providerLayout(providers);
  return {
    /** Layout of `animators`, for exactly these characters. */
    plan,
    /** Rows of heads, machines, frozen motions, root motion and columns. Empty if no type has a controller. */
    animators,
    transforms: new View(Transform, count),
    /** Last posed joints of attachments, a `SocketJoint` each. */
    joints: new Uint32Array((attachmentCount * SocketJoint.size) / 4),
    /** State that updates of providers keep of each character, as in `ProviderLayout`. Empty if every state is zero. */
    providers: new Uint32Array(4 * stateStride * count),
  };
}

/** Copies animator rows from one layout to another. */
export function copyAnimators(
  [from, fromPlan]: readonly [Uint32Array, AnimatorPlan],
  [to, toPlan]: readonly [Uint32Array, AnimatorPlan],
  count: number,
): void {
  for (const { fromRow, toRow, rowCount } of regionCopies(fromPlan, toPlan, count)) {
    to.set(from.subarray(4 * fromRow, 4 * (fromRow + rowCount)), 4 * toRow);
  }
}

/** Bytes that are read back in one piece: far below the allocation limit of any device. */
const PIECE_BYTES = 2 ** 25;

/**
 * Reads the state of the first characters and attachments; copies are submitted before this returns.
 * @param joints Location and number of the joints that the GPU has. @throws ManipleError DEVICE_LOST
 */
export async function readKernelState(
  { device, animators, transforms }: CrowdMemory,
  shape: StateShape,
  counts: StateCounts,
  joints: { readonly buffer: GPUBuffer; readonly byteOffset: number; readonly count: number },
  provided: ProviderMemory | undefined,
): Promise<KernelState> {
  const state = emptyKernelState(shape, counts);
  const { characterCount, attachmentCount } = counts;
  const pieces: Piece[] = piecesOf(transforms, 0, state.transforms.words, 0, characterCount * Transform.size);
  const jointBytes = Math.min(attachmentCount, joints.count) * SocketJoint.size;
  pieces.push(...piecesOf(joints.buffer, joints.byteOffset, state.joints, 0, jointBytes));
  if (provided) {
    const [first, each] = stateBytes(provided.layout, provided.capacity);
    pieces.push(...piecesOf(provided.buffers.providerRows, first, state.providers, 0, characterCount * each));
  }
  if (shape.controllers) {
    for (const { fromRow, toRow, rowCount } of regionCopies(shape.animators, state.plan, characterCount)) {
      pieces.push(...piecesOf(animators, 16 * fromRow, state.animators, 16 * toRow, 16 * rowCount));
    }
  }
  await readPieces(device, pieces);
  return state;
}

/** Fills words from buffers, all with their content at the time of the call. @throws ManipleError DEVICE_LOST */
export async function readPieces(device: GPUDevice, pieces: readonly Piece[]): Promise<void> {
  const batches: Piece[][] = [];
  let room = 0;
  for (const piece of pieces) {
    if (piece.range[2] > room) {
      batches.push([]);
      room = PIECE_BYTES;
    }
    batches.at(-1)!.push(piece);
    room -= piece.range[2];
  }
  const rangesOf = (batch: readonly Piece[]) => batch.map(({ range }) => range);
  const ranges = batches.map((batch) => readRanges(device, rangesOf(batch)));
  (await Promise.all(ranges)).forEach((read, b) => {
    read.forEach((bytes, p) => {
      const { words, wordOffset } = batches[b]![p]!;
      words.set(new Uint32Array(bytes), wordOffset);
    });
  });
}

/** A range of a buffer, and the words to copy it to. */
export interface Piece {
  readonly range: readonly [buffer: GPUBuffer, byteOffset: number, byteLength: number];
  readonly words: Uint32Array;
  readonly wordOffset: number;
}

/** Splits a range of any length into pieces. */
export function piecesOf(buffer: GPUBuffer, from: number, words: Uint32Array, to: number, byteLength: number): Piece[] {
  return Array.from({ length: Math.ceil(byteLength / PIECE_BYTES) }, (_, i): Piece => {
    const done = i * PIECE_BYTES;
    const size = Math.min(PIECE_BYTES, byteLength - done);
    return { range: [buffer, from + done, size], words, wordOffset: (to + done) / 4 };
  });
}

/** Writes a state to the first rows of a crowd's memory, before all commands that are submitted later. */
export function writeKernelState(
  { device, animators, transforms, previousTransforms }: CrowdMemory,
  plan: AnimatorPlan,
  state: KernelState,
  provided: ProviderMemory | undefined,
): void {
  const { queue } = device;
  const count = state.transforms.count;
  // without motion: previous transforms are the current ones
  for (const buffer of [transforms, previousTransforms]) {
    if (count > 0) queue.writeBuffer(buffer, 0, state.transforms.words);
  }
  if (provided && state.providers.length > 0) {
    const [first] = stateBytes(provided.layout, provided.capacity);
    queue.writeBuffer(provided.buffers.providerRows, first, state.providers);
  }
  if (state.animators.length === 0) return;
  for (const { fromRow, toRow, rowCount } of regionCopies(state.plan, plan, count)) {
    queue.writeBuffer(animators, 16 * toRow, state.animators, 4 * fromRow, 4 * rowCount);
  }
}

/**
 * Records copies from one crowd's memory to another's: all data of the first `count` characters except slots, pending events,
 * and counts of truncated freezes.
 */
export function moveCrowdMemory(
  encoder: GPUCommandEncoder,
  [from, fromShape]: readonly [CrowdMemory, CrowdLayout],
  [to, toShape]: readonly [CrowdMemory, CrowdLayout],
  count: number,
): void {
  const places = (key: 'playerCapacity' | 'modifierCapacity') => Math.min(fromShape[key], toShape[key]);
  for (const [key, size] of [
    ['transforms', Transform.size],
    ['previousTransforms', Transform.size],
    ['residents', Resident.size],
    ['players', places('playerCapacity') * Player.size],
    ['modifiers', places('modifierCapacity') * Modifier.size],
  ] as const) {
    if (count * size > 0) encoder.copyBufferToBuffer(from[key], 0, to[key], 0, count * size);
  }
  if (!fromShape.controllers || !toShape.controllers) return;
  for (const { fromRow, toRow, rowCount } of regionCopies(fromShape.animators, toShape.animators, count)) {
    encoder.copyBufferToBuffer(from.animators, 16 * fromRow, to.animators, 16 * toRow, 16 * rowCount);
  }
  encoder.copyBufferToBuffer(from.events, 0, to.events, 0, Math.min(from.events.size, to.events.size));
  const [first, end] = [4 * DROP_FREEZES, 4 * LIST_FIRST];
  encoder.copyBufferToBuffer(from.lists, first, to.lists, first, end - first);
}
