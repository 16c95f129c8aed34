import { Attachment, MATRIX_BYTES, PreviousLocal, SocketJoint } from '../../stages/place-sockets/layout.ts';
import { DROP_FREEZES, DROP_WEIGHT_ONE, LIST_FIRST } from '../../stages/step-controllers/layout.ts';
import type { CulledState, Frames, HandedOver, SocketState } from '../backend.ts';
import { freezeDropsIn } from '../tables/cull-results.ts';
import { EventRing } from './event-ring.ts';
import { type CrowdMemory, type PageMemory, createSockets, type SocketBuffers } from '../tables/memory.ts';
import type { GpuParts } from './parts.ts';
import { CLOCK_BYTES, GpuReads, ORIGIN_BYTE } from './reads.ts';
import { piecesOf, readKernelState, readPieces, writeKernelState, type Piece } from '../tables/kernel-state.ts';
import type { ProviderMemory } from '../tables/provider-memory.ts';
import type { CrowdLayout } from '../tables/crowd-layout.ts';

/** The part of the handover that is read from GPU memory. */
type Held = Omit<HandedOver, 'queue' | 'wasSeen' | 'retired' | 'shown'>;

const CULLED = ['slots', 'decisions', 'classes', 'rings', 'extents', 'moves'] as const;
/** Columns that are copied unchanged, in addition to the state that snapshots contain. */
const COLUMNS = ['previousTransforms', 'residents', 'events', ...CULLED] as const;

type Columns = Record<(typeof COLUMNS)[number], Uint32Array<ArrayBuffer>>;

/**
 * Reads the memory that kernels keep from frame to frame, after all commands submitted so far.
 * @param pages Pages may be added while they are read. @throws ManipleError DEVICE_LOST
 */
export async function readHeld(
  { device, shape, crowd, provided, sockets }: GpuParts,
  pages: readonly PageMemory[],
  clockBuffer: GPUBuffer,
): Promise<() => Held> {
  const pieces: Piece[] = [];
  const words = (buffer: GPUBuffer, from: number, count: number): Uint32Array<ArrayBuffer> => {
    const to = new Uint32Array(count);
    pieces.push(...piecesOf(buffer, from, to, 0, 4 * count));
    return to;
  };
  const columns = Object.fromEntries(COLUMNS.map((key) => [key, words(crowd[key], 0, crowd[key].size / 4)])) as Columns;
  const drops = words(crowd.lists, 4 * DROP_FREEZES, shape.controllers ? LIST_FIRST - DROP_FREEZES : 0);
  const rows = provided?.buffers.providerRows;
  const providerWords = rows ? words(rows, 0, rows.size / 4) : new Uint32Array();
  const clock = words(clockBuffer, 0, CLOCK_BYTES / 4);
  const { matrices, previousMatrices } = sockets.buffers;
  const carried = socketWords(sockets.buffers, words);
  // pages may also be removed, and new ones may get their indices
  const skins = new Map(pages.map((memory) => [memory, words(memory.vertices, 0, memory.vertices.size / 4)]));
  // `carried` already contains the joints of attachments
  const counts = { characterCount: shape.capacity, attachmentCount: 0 };
  const state = readKernelState(crowd, shape, counts, sockets.joints, provided);
  const [kernels] = await Promise.all([state, readPieces(device, pieces)]);
  const { slots, decisions, classes, rings, extents, moves, ...others } = columns;
  const culled: CulledState = { slots, decisions, classes, rings, extents, moves };
  return () => ({
    ...others,
    culled,
    state: kernels,
    provided: new Float32Array(providerWords.buffer),
    frames: framesOf(clock),
    freezes: freezeDropsIn(drops.buffer),
    sockets: { ...carried, buffers: [matrices, previousMatrices] },
    // a page that was added meanwhile is empty: no character has a slot in it yet
    pages: pages.map((memory) => ({ skinned: skins.get(memory) ?? new Uint32Array(memory.vertices.size / 4), memory })),
  });
}

function socketWords(
  { capacity, sockets, matrices, previousMatrices }: SocketBuffers,
  words: (buffer: GPUBuffer, from: number, count: number) => Uint32Array<ArrayBuffer>,
): Omit<SocketState, 'buffers'> {
  const firstJoint = capacity * Attachment.size;
  const firstLocal = firstJoint + capacity * SocketJoint.size;
  const matricesOf = (buffer: GPUBuffer) => new Float32Array(words(buffer, 0, (capacity * MATRIX_BYTES) / 4).buffer);
  return {
    joints: words(sockets, firstJoint, (capacity * SocketJoint.size) / 4),
    previousLocals: words(sockets, firstLocal, (capacity * PreviousLocal.size) / 4),
    matrices: matricesOf(matrices),
    previousMatrices: matricesOf(previousMatrices),
  };
}

function framesOf(clock: Uint32Array<ArrayBuffer>): Frames {
  const [x, y, z] = new Float64Array(clock.buffer, ORIGIN_BYTE, 3) as unknown as [number, number, number];
  return { now: clock[0]!, lastFrame: clock[1]!, origin: [x, y, z] };
}

/** State that a GPU backend takes over from a CPU backend. */
export type GpuEstate = ReturnType<typeof gpuEstate>;

/** Resources for a GPU backend that replaces a CPU backend on the same device. */
export function gpuEstate(device: GPUDevice, shape: CrowdLayout, left: HandedOver) {
  const { frames, wasSeen, shown } = left;
  const sockets = writeSockets(device, left.sockets);
  const reads = new GpuReads(device);
  reads.restore(frames);
  return {
    // the CPU backend has already copied its skinned vertices there
    pages: left.pages.map(({ memory }) => memory!),
    retired: [...left.retired, shown],
    /** The last frame of the twins, until a frame with views replaces it. */
    before: shown,
    now: frames.now,
    lastFrame: frames.lastFrame,
    wasSeen,
    sockets,
    reads,
    /** Fills the new memory. Returns the event ring, if there is one. */
    fill(memory: CrowdMemory, provided: ProviderMemory | undefined): EventRing | undefined {
      writeHeld(memory, shape, left, provided);
      return left.queue && shape.controllers && new EventRing(device, memory.events, left.queue);
    },
  };
}

function writeHeld(
  memory: CrowdMemory,
  shape: CrowdLayout,
  left: HandedOver,
  provided: ProviderMemory | undefined,
): void {
  const { queue } = memory.device;
  writeKernelState(memory, shape.animators, left.state, provided);
  if (provided) queue.writeBuffer(provided.buffers.providerRows, 0, left.provided);
  const columns: Columns = { ...left, ...left.culled };
  for (const key of COLUMNS) if (columns[key].length > 0) queue.writeBuffer(memory[key], 0, columns[key]);
  if (!shape.controllers) return;
  const { truncatedFreezes, droppedSamples, droppedWeight } = left.freezes;
  const drops = [truncatedFreezes, droppedSamples, droppedWeight * DROP_WEIGHT_ONE].map(BigInt);
  queue.writeBuffer(memory.lists, 4 * DROP_FREEZES, BigUint64Array.from(drops));
}

function writeSockets(device: GPUDevice, left: SocketState): SocketBuffers {
  const { joints, previousLocals, buffers } = left;
  const [matrices, previousMatrices] = buffers!;
  const capacity = (4 * joints.length) / SocketJoint.size;
  const sockets = createSockets(device, capacity);
  let end = capacity * Attachment.size;
  for (const words of [joints, previousLocals]) {
    if (words.length > 0) device.queue.writeBuffer(sockets, end, words);
    end += words.byteLength;
  }
  return { capacity, sockets, matrices, previousMatrices };
}
