import { error, ManipleError } from '../../errors.ts';
import { TEXEL_ROW_BYTES } from './texel-rows.ts';
import { roundUp, View, type Fields, type Struct } from '../../layout/index.ts';
import { ANIMATOR_NONE } from '../../controller/eval/layout.ts';
import { MODIFIER_NONE, Modifier, PLAYER_NONE, Player } from '../../stages/gather-motions/layout.ts';
import { EVENT_FIRST_WORD, EVENT_WORDS, listBytes } from '../../stages/step-controllers/layout.ts';
import { Decision, SlotClass, SlotExtent, SlotMove } from '../../stages/cull-characters/layout.ts';
import { tallyWords, tallyWordsPerBin } from '../../stages/cull-characters/stage.ts';
import {
  MOTION_ROWS,
  RESIDENT_NONE,
  Resident,
  SlotState,
  Transform,
  VisibleCharacter,
  SLOT_PAGE_SHIFT,
  SLOT_UNIT,
  VERTEX_ROW_BYTES,
} from '../../stages/layout.ts';
import { binCountOf, pageLimitOf, ringWords, sizeClass } from './cull-tables.ts';
import { deviceTier } from '../../device/tier.ts';
import { slotRows, type CrowdLevel, type CrowdType } from './crowd-types.ts';
import type { RowValues } from './column.ts';
import { ParameterBlock } from './parameter-block.ts';
import type { CrowdLayout } from './crowd-layout.ts';
import type { Page } from './vertex-pages.ts';
import { MATRIX_BYTES, SOCKET_BYTES } from '../../stages/place-sockets/layout.ts';

/** GPU memory of a whole crowd: the tables of its types, and columns with a row per character. */
export type CrowdMemory = ReturnType<typeof createCrowdMemory>;

type MemoryLayout = Omit<CrowdLayout, 'motionCapacity' | 'kernels' | 'poseLimit' | 'providers' | 'resources'> &
  Partial<Pick<CrowdLayout, 'kernels'>>;

/** @throws ManipleError DEVICE_LIMIT, before anything is created */
export function createCrowdMemory(device: GPUDevice, shape: MemoryLayout) {
  const { tables, capacity, animators, controllers, kinds, classes } = shape;
  const sizes = crowdSizes(shape);
  checkSizes(device, sizes);
  const storage = (label: string, content: Content) => createStorage(device, label, content);
  const column = (key: keyof typeof sizes) => storage(key, sizes[key]);
  const filled = (key: keyof typeof sizes, blank: number) => storage(key, new Uint32Array(sizes[key] / 4).fill(blank));
  const buffers = {
    rig: storage('rig', tables.rig.words),
    geometry: storage('geometry', tables.geometry),
    indices: createStorage(device, 'indices', tables.indices, GPUBufferUsage.INDEX),
    kinds: storage('kinds', kinds.words),
    transforms: column('transforms'),
    /** Transforms of characters in the previous frame with views. */
    previousTransforms: storage('previous transforms', sizes.transforms),
    // no row has a character, a clip or a modifier
    residents: filled('residents', RESIDENT_NONE),
    players: filled('players', PLAYER_NONE),
    modifiers: filled('modifiers', MODIFIER_NONE),
    slots: column('slots'),
    decisions: column('decisions'),
    /** Free slots, by class. */
    classes: storage('classes', (classes.capacities.length + 1) * SlotClass.size),
    rings: column('rings'),
    /** Runs of slots that can move from one class to another. `moves`: the runs that are moving. */
    extents: column('extents'),
    moves: storage('moves', SlotMove.size),
    visible: column('visible'),
    /** Per character, the first shared pose of its type. Undefined if no poses are shared. */
    sharers: shape.sharing && storage('sharers', 4 * capacity),
    /** State that controllers keep of every character. `regions`: where its parts begin. `events`: the event ring. */
    animators: column('animators'),
    regions: createFilled(device, 'regions', uniformUsage(), animators.regions.words),
    events: column('events'),
    /** Characters with controllers that may change state in a frame, or have events to fire. */
    lists: column('lists'),
  };
  // no row has a controller
  const heads = new Uint32Array(controllers ? 4 * capacity : 4).fill(ANIMATOR_NONE);
  device.queue.writeBuffer(buffers.animators, 0, heads);
  const parameters = new ParameterBlock(device);
  const owned = [parameters.buffer, ...Object.values(buffers)].filter((buffer) => buffer !== undefined);
  const byteLength = owned.reduce((sum, { size }) => sum + size, 0);
  const destroy = () => owned.forEach((buffer) => buffer.destroy());
  return { device, ...buffers, parameters, params: parameters.binding('frame'), byteLength, destroy };
}

/** Bytes of everything that may exceed what a device binds. */
function crowdSizes(shape: MemoryLayout) {
  const { tables, capacity, animators, controllers, classes, kernels } = shape;
  const bins = { binCount: binCountOf(1, tables.types), classCount: classes.capacities.length };
  return {
    tally: 4 * tallyWords(capacity, bins, kernels?.groupThreads),
    rig: tables.rig.words.byteLength,
    geometry: tables.geometry.byteLength,
    indices: tables.indices.byteLength,
    transforms: capacity * Transform.size,
    residents: capacity * Resident.size,
    players: capacity * shape.playerCapacity * Player.size,
    modifiers: capacity * shape.modifierCapacity * Modifier.size,
    animators: controllers ? animators.rowCount * 16 : 0,
    events: controllers ? (EVENT_FIRST_WORD + EVENT_WORDS * shape.eventCapacity) * 4 : 0,
    lists: controllers ? listBytes(capacity, animators.regions.get(0, 'machineCapacity')) : 0,
    slots: capacity * SlotState.size,
    decisions: capacity * Decision.size,
    rings: 4 * ringWords(classes).words,
    extents: classes.extentLimit * SlotExtent.size,
    visible: capacity * VisibleCharacter.size,
  };
}

/** Rings of uploads. They grow with the largest frame. */
const UPLOAD_BYTES = 2 ** 20;

/**
 * GPU bytes of a crowd that is laid out like this. `fixed`: tables, columns and uploads. `pose`: a posed character's. `finest` and
 * `coarsest`: the slot of a character of the largest type, at either end of its levels.
 */
export function layoutBytes(shape: CrowdLayout) {
  const { classes, kinds, motionCapacity, tables } = shape;
  const sizes = crowdSizes(shape);
  // what is uploaded when all characters are spawned at once: transforms, residents, players
  const spawned = sizes.transforms + sizes.residents + sizes.players + sizes.animators;
  const all = [...Object.values(sizes), sizes.transforms, kinds.words.byteLength, UPLOAD_BYTES, 2 * spawned];
  const slotOf = (type: CrowdType, level: CrowdLevel) =>
    (classes.rowsPerPair * sizeClass(slotRows(type, level)) * VERTEX_ROW_BYTES) / 2;
  const most = (pick: (type: CrowdType) => number) => Math.max(...tables.types.map(pick));
  return {
    fixed: all.reduce((sum, size) => sum + size, 0),
    pose: 16 * (most(({ paletteStride }) => paletteStride) + motionCapacity * MOTION_ROWS),
    finest: most((type) => slotOf(type, type.levels[0]!)),
    coarsest: most((type) => slotOf(type, type.levels.at(-1)!)),
  };
}

/** GPU memory of poses. Its content is valid for one frame only. */
export class PoseMemory {
  readonly motions: GPUBuffer;
  readonly palettes: GPUBuffer;

  constructor(
    device: GPUDevice,
    readonly poseCapacity: number,
    readonly paletteCapacity: number,
    motionCapacity: number,
  ) {
    const sizes = { motions: poseCapacity * motionCapacity * MOTION_ROWS * 16, palettes: paletteCapacity * 16 };
    checkSizes(device, sizes);
    this.motions = createStorage(device, 'motions', sizes.motions);
    this.palettes = createStorage(device, 'palettes', sizes.palettes);
  }

  get byteLength(): number {
    return this.motions.size + this.palettes.size;
  }

  destroy(): void {
    this.motions.destroy();
    this.palettes.destroy();
  }
}

/** GPU memory of one page: slots with positions and attributes of vertices, or with palettes. */
export class PageMemory {
  readonly vertices: GPUBuffer;

  constructor(device: GPUDevice, { rowCapacity }: Pick<Page, 'rowCapacity'>) {
    const bytes = rowCapacity * VERTEX_ROW_BYTES;
    checkSizes(device, { 'skinned vertices': bytes });
    this.vertices = createStorage(device, 'skinned vertices', bytes);
  }

  get byteLength(): number {
    return this.vertices.size;
  }

  destroy(): void {
    this.vertices.destroy();
  }
}

/** Maximum bytes of a storage buffer that the device binds as a whole, and of which draws can read a copy. */
export function bindingBytes(device: GPUDevice): number {
  const { limits } = device;
  const textured = deviceTier(device) === 'compatibility' ? limits.maxTextureDimension2D * TEXEL_ROW_BYTES : Infinity;
  return Math.min(limits.maxBufferSize, limits.maxStorageBufferBindingSize, textured);
}

/** Checks that the device can bind buffers of these sizes, before any is created. @throws ManipleError DEVICE_LIMIT */
export function checkSizes(device: GPUDevice, sizes: Readonly<Record<string, number>>): void {
  const limit = bindingBytes(device);
  const suggestion = 'Lower the capacity of the crowd, or request the device with the limits of its adapter.';
  const issues = Object.entries(sizes).flatMap(([label, size]) => {
    if (size <= limit) return [];
    return error('DEVICE_LIMIT', label, `The buffer needs ${size} bytes; this device binds ${limit}.`, suggestion);
  });
  if (issues.length > 0) throw new ManipleError(issues);
}

/** Minimum buffer size: a record of any kind. A binding must contain one, even if the crowd needs none. */
const LEAST_BYTES = 64;

/** A zeroed buffer of at least one record. */
export function createBuffer(device: GPUDevice, label: string, usage: number, byteLength: number): GPUBuffer {
  return device.createBuffer({ label, size: Math.max(LEAST_BYTES, roundUp(byteLength, 16)), usage });
}

export function createFilled(
  device: GPUDevice,
  label: string,
  usage: number,
  words: Uint32Array<ArrayBuffer>,
): GPUBuffer {
  const buffer = createBuffer(device, label, usage, words.byteLength);
  if (words.byteLength > 0) device.queue.writeBuffer(buffer, 0, words);
  return buffer;
}

/** Byte length of a zeroed buffer, or its words. */
type Content = number | Uint32Array<ArrayBuffer>;

/** A storage buffer that can be copied from and to. @param more Further usage */
export function createStorage(device: GPUDevice, label: string, content: Content, more = 0): GPUBuffer {
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC | more;
  return typeof content === 'number'
    ? createBuffer(device, label, usage, content)
    : createFilled(device, label, usage, content);
}

function uniformUsage(): number {
  return GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
}

/** Creates a uniform of one row of a struct. Fields that are left out are 0. */
export function createUniform<F extends Fields>(
  device: GPUDevice,
  label: string,
  struct: Struct<F>,
  values?: RowValues<F>,
): GPUBuffer {
  const view = new View(struct, 1);
  if (values) view.assign(0, values);
  return createFilled(device, label, uniformUsage(), view.words);
}

/** Creates the buffer of ranges and arguments. Kernels write it; then it is bound as uniforms or read as indirect arguments. */
export function createTargets(device: GPUDevice, words: Uint32Array<ArrayBuffer>): GPUBuffer {
  return createStorage(device, 'targets', words, GPUBufferUsage.UNIFORM | GPUBufferUsage.INDIRECT);
}

/** Creates a buffer of matrices for `capacity` attachments. Instanced draws may bind it. */
export function createMatrices(device: GPUDevice, capacity: number): GPUBuffer {
  return createStorage(device, 'socket matrices', capacity * MATRIX_BYTES, GPUBufferUsage.VERTEX);
}

export interface SocketBuffers {
  readonly capacity: number;
  /** All attachments, then all joints, then all previous transforms relative to the character. */
  readonly sockets: GPUBuffer;
  readonly matrices: GPUBuffer;
  readonly previousMatrices: GPUBuffer;
}

export function createSockets(device: GPUDevice, capacity: number): GPUBuffer {
  return createStorage(device, 'sockets', capacity * SOCKET_BYTES);
}

/** Rows of one page that a slot's word can address. */
const SLOT_PAGE_ROWS = SLOT_UNIT * (2 ** SLOT_PAGE_SHIFT - 1);
/** Maximum bytes of skinned vertices in a page without a device: a texture of the 2,048 rows that every WebGL 2 device has. */
const HOST_PAGE_BYTES = 2048 * TEXEL_ROW_BYTES;

/** Limits of a backend: pages and their rows, bytes of one buffer that a stage can read, and attachments. */
export type BackendLimits = ReturnType<typeof hostLimits>;

export function hostLimits(shape: CrowdLayout) {
  const pageRows = Math.min(HOST_PAGE_BYTES / VERTEX_ROW_BYTES, SLOT_PAGE_ROWS);
  return { pageRows, pageCount: pageLimitOf(shape.tables.types), bindingBytes: 2 ** 31, socketLimit: 2 ** 24 };
}

/** Limits of a crowd on a device. They are the same for both backends, so that a crowd can change backends. */
export function deviceLimits(device: GPUDevice, shape: CrowdLayout): BackendLimits {
  const { tables, capacity, kernels } = shape;
  const bytes = bindingBytes(device);
  return {
    bindingBytes: bytes,
    socketLimit: Math.floor(bytes / SOCKET_BYTES),
    pageRows: Math.min(Math.floor(bytes / VERTEX_ROW_BYTES), SLOT_PAGE_ROWS),
    // the tally of the runs of the visible list fits one binding
    pageCount: pageLimitOf(tables.types, Math.floor(bytes / (4 * tallyWordsPerBin(capacity, kernels.groupThreads)))),
  };
}
