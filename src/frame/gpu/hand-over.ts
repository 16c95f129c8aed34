import { Decision, SlotClass, SlotExtent, SlotMove } from '../../stages/cull-characters/layout.ts';
import { Resident, SlotState, Transform } from '../../stages/layout.ts';
import { Attachment, MATRIX_BYTES, PreviousLocal, SocketJoint } from '../../stages/place-sockets/layout.ts';
import {
  DROP_FREEZES,
  DROP_SAMPLES,
  DROP_WEIGHT,
  DROP_WEIGHT_ONE,
  EVENT_FIRST_WORD,
  EVENT_WORDS,
  LIST_FIRST,
} from '../../stages/step-controllers/layout.ts';
import type { CulledState, Frames, HandedOver, SocketState } from '../backend.ts';
import type { CpuPage } from '../backend.ts';
import { ringWords } from '../tables/cull-tables.ts';
import { EventRing } from './event-ring.ts';
import type { GpuEstate } from './estate.ts';
import type { CrowdMemory, PageMemory } from '../tables/memory.ts';
import { CLOCK_BYTES, GpuReads, ORIGIN_BYTE } from './reads.ts';
import { createSockets, type SocketBuffers } from '../tables/socket-memory.ts';
import { piecesOf, readKernelState, readPieces, writeKernelState, type Piece } from '../tables/kernel-state.ts';
import type { ProviderMemory } from '../tables/provider-memory.ts';
import type { CrowdLayout } from '../tables/crowd-layout.ts';

/** GPU memory that kernels keep from frame to frame. */
export interface GpuHeld {
  readonly device: GPUDevice;
  readonly shape: CrowdLayout;
  readonly crowd: CrowdMemory;
  readonly provided: ProviderMemory | undefined;
  readonly sockets: SocketBuffers;
  /** Pages may be added while they are read. */
  readonly pages: readonly PageMemory[];
  readonly clock: GPUBuffer;
}

/** The part of the handover that is read from that memory. */
type Held = Omit<HandedOver, 'queue' | 'wasSeen' | 'retired' | 'shown'>;

/** Word counts of the columns that are copied unchanged, in addition to the state that snapshots contain. */
function columnWords({ capacity, controllers, classes, eventCapacity }: CrowdLayout) {
  const perCharacter = ({ size }: { readonly size: number }) => (capacity * size) / 4;
  return {
    previousTransforms: perCharacter(Transform),
    residents: perCharacter(Resident),
    slots: perCharacter(SlotState),
    decisions: perCharacter(Decision),
    classes: ((classes.capacities.length + 1) * SlotClass.size) / 4,
    rings: ringWords(classes).words,
    extents: (classes.extentLimit * SlotExtent.size) / 4,
    moves: SlotMove.size / 4,
    events: controllers ? EVENT_FIRST_WORD + EVENT_WORDS * eventCapacity : 0,
  };
}

type ColumnKey = keyof ReturnType<typeof columnWords>;
const COLUMNS = [
  'previousTransforms',
  'residents',
  'slots',
  'decisions',
  'classes',
  'rings',
  'extents',
  'moves',
  'events',
] as const satisfies readonly ColumnKey[];

/** Reads the memory of kernels, after all commands submitted so far. @throws ManipleError DEVICE_LOST */
export async function readHeld(held: GpuHeld): Promise<() => Held> {
  const { device, shape, crowd, provided, sockets } = held;
  const pieces: Piece[] = [];
  const words = (buffer: GPUBuffer, from: number, count: number): Uint32Array<ArrayBuffer> => {
    const to = new Uint32Array(count);
    pieces.push(...piecesOf(buffer, from, to, 0, 4 * count));
    return to;
  };
  const counts = columnWords(shape);
  const columns = Object.fromEntries(COLUMNS.map((key) => [key, words(crowd[key], 0, counts[key])])) as Columns;
  const drops = words(crowd.lists, 4 * DROP_FREEZES, shape.controllers ? LIST_FIRST - DROP_FREEZES : 0);
  const rows = provided?.buffers.providerRows;
  const providerWords = rows ? words(rows, 0, rows.size / 4) : new Uint32Array();
  const clock = words(held.clock, 0, CLOCK_BYTES / 4);
  const carried = socketWords(sockets, words);
  const skinsOf = ({ vertices, skinned, skinnedTangents }: PageMemory): Skins => ({
    skinned: words(vertices, 0, skinned.size! / 4),
    skinnedTangents: words(vertices, skinnedTangents.offset!, skinnedTangents.size! / 4),
  });
  // pages may also be removed, and new ones may get their indices
  const skins = new Map(held.pages.map((memory) => [memory, skinsOf(memory)]));
  // `carried` already contains the joints of attachments
  const state = readKernelState(
    crowd,
    shape,
    { characterCount: shape.capacity, attachmentCount: 0 },
    { buffer: sockets.sockets, byteOffset: 0, count: 0 },
    provided,
  );
  const [kernels] = await Promise.all([state, readPieces(device, pieces)]);
  const { slots, decisions, classes, rings, extents, moves, ...others } = columns;
  const culled: CulledState = { slots, decisions, classes, rings, extents, moves };
  return () => ({
    ...others,
    culled,
    state: kernels,
    provided: new Float32Array(providerWords.buffer),
    frames: framesOf(clock),
    freezes: dropsOf(drops),
    sockets: { ...carried, buffers: [sockets.matrices, sockets.previousMatrices] },
    pages: held.pages.map((memory) => ({ ...(skins.get(memory) ?? emptySkins(memory)), memory })),
  });
}

type Skins = Pick<CpuPage, 'skinned' | 'skinnedTangents'>;
type Columns = Record<ColumnKey, Uint32Array<ArrayBuffer>>;

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

/** Skins of a page that was added meanwhile: no character has a slot in it yet. */
function emptySkins({ skinned, skinnedTangents }: PageMemory): Skins {
  return {
    skinned: new Uint32Array(skinned.size! / 4),
    skinnedTangents: new Uint32Array(skinnedTangents.size! / 4),
  };
}

function framesOf(clock: Uint32Array<ArrayBuffer>): Frames {
  const [x, y, z] = new Float64Array(clock.buffer, ORIGIN_BYTE, 3) as unknown as [number, number, number];
  return { now: clock[0]!, lastFrame: clock[1]!, origin: [x, y, z] };
}

function dropsOf(words: Uint32Array<ArrayBuffer>): HandedOver['freezes'] {
  const numbers = new BigUint64Array(words.buffer);
  const at = (word: number) => Number(numbers[(word - DROP_FREEZES) / 2] ?? 0);
  const [truncatedFreezes, droppedSamples] = [at(DROP_FREEZES), at(DROP_SAMPLES)];
  return { truncatedFreezes, droppedSamples, droppedWeight: at(DROP_WEIGHT) / DROP_WEIGHT_ONE };
}

/** Resources for a GPU backend that replaces a CPU backend on the same device. */
export function gpuEstate(device: GPUDevice, shape: CrowdLayout, left: HandedOver): GpuEstate {
  const { frames, wasSeen, shown } = left;
  const sockets = writeSockets(device, left.sockets);
  const reads = new GpuReads(device);
  reads.restore(frames);
  return {
    // the CPU backend has already copied its skinned vertices there
    pages: left.pages.map(({ memory }) => memory!),
    retired: [...left.retired, shown],
    before: shown,
    now: frames.now,
    lastFrame: frames.lastFrame,
    wasSeen,
    sockets,
    reads,
    fill(memory, provided) {
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
