import { error, ManipleError } from '../../errors.ts';
import { roundUp, View, type Fields, type Struct } from '../../layout/index.ts';
import { ANIMATOR_NONE } from '../../controller/eval/layout.ts';
import { MODIFIER_NONE, Modifier, PLAYER_NONE, Player } from '../../stages/gather-motions/layout.ts';
import { EVENT_FIRST_WORD, EVENT_WORDS, listBytes } from '../../stages/step-controllers/layout.ts';
import {
  CullParams,
  Decision,
  ShareParams,
  SlotClass,
  SlotExtent,
  SlotMove,
} from '../../stages/cull-characters/layout.ts';
import { tallyWords } from '../../stages/cull-characters/stage.ts';
import {
  FrameParams,
  MOTION_ROWS,
  RESIDENT_NONE,
  Resident,
  SlotState,
  Transform,
  VisibleCharacter,
} from '../../stages/layout.ts';
import { binCountOf, ringWords } from './cull-tables.ts';
import type { CrowdLayout } from './crowd-layout.ts';
import type { Page } from './page.ts';

/** Bytes per skinned vertex: a row (position, normal) and a word (tangent). */
export const VERTEX_ROW_BYTES = 16;
export const VERTEX_BYTES = 20;

/** Bytes per skinned vertex of a crowd, which may have an additional word of a channel. */
export function vertexBytes({ skinnedChannel }: Pick<CrowdLayout, 'skinnedChannel'>): number {
  return VERTEX_BYTES + (skinnedChannel ? 4 : 0);
}

/** Bytes of a page's words of one kind, if a second kind follows. They are padded so that each kind has its own binding. */
export function channelWordBytes(vertexCapacity: number): number {
  return roundUp(vertexCapacity * 4, 256);
}

/** GPU memory of a whole crowd: the tables of its types, and columns with a row per character. */
export class CrowdMemory {
  readonly rig: GPUBuffer;
  readonly geometry: GPUBuffer;
  readonly indices: GPUBuffer;
  readonly kinds: GPUBuffer;
  readonly params: GPUBuffer;
  readonly cullParams: GPUBuffer;
  readonly transforms: GPUBuffer;
  /** Transforms of characters in the previous frame with views. */
  readonly previousTransforms: GPUBuffer;
  readonly residents: GPUBuffer;
  readonly players: GPUBuffer;
  readonly modifiers: GPUBuffer;
  readonly slots: GPUBuffer;
  readonly decisions: GPUBuffer;
  /** Free slots, by class. */
  readonly classes: GPUBuffer;
  readonly rings: GPUBuffer;
  /** Runs of slots that can move from one class to another. `moves`: the runs that are moving. */
  readonly extents: GPUBuffer;
  readonly moves: GPUBuffer;
  readonly visible: GPUBuffer;
  /** Per character, the first shared pose of its type. `shareParams`: the conditions. Undefined if no poses are shared. */
  readonly sharers: GPUBuffer | undefined;
  readonly shareParams: GPUBuffer | undefined;
  /** State that controllers keep of every character. `regions`: where its parts begin. `events`: the event ring. */
  readonly animators: GPUBuffer;
  readonly regions: GPUBuffer;
  readonly events: GPUBuffer;
  /** Characters with controllers that may change state in a frame, or have events to fire. */
  readonly lists: GPUBuffer;

  constructor(
    readonly device: GPUDevice,
    shape: Omit<CrowdLayout, 'motionCapacity' | 'kernels' | 'poseLimit' | 'providers' | 'resources'>,
  ) {
    const { capacity, playerCapacity, modifierCapacity, animators, controllers, eventCapacity, kinds, classes } = shape;
    const { rig, geometry, indices } = shape.tables;
    const storage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
    const columns = {
      transforms: capacity * Transform.size,
      residents: capacity * Resident.size,
      players: capacity * playerCapacity * Player.size,
      modifiers: capacity * modifierCapacity * Modifier.size,
      animators: controllers ? animators.rowCount * 16 : 0,
      events: controllers ? (EVENT_FIRST_WORD + EVENT_WORDS * eventCapacity) * 4 : 0,
      lists: controllers ? listBytes(capacity, animators.regions.get(0, 'machineCapacity')) : 0,
      slots: capacity * SlotState.size,
      decisions: capacity * Decision.size,
      rings: 4 * ringWords(classes).words,
      extents: classes.extentLimit * SlotExtent.size,
      visible: capacity * VisibleCharacter.size,
    };
    const [binCount, classCount] = [binCountOf(1, shape.tables.types), classes.capacities.length];
    checkSizes(device, {
      tally: 4 * tallyWords(capacity, { binCount, classCount }),
      rig: rig.words.byteLength,
      geometry: geometry.byteLength,
      indices: indices.byteLength,
      ...columns,
    });
    const uniform = GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
    this.rig = createFilled(device, 'rig', storage, rig.words);
    this.geometry = createFilled(device, 'geometry', storage, geometry);
    this.indices = createFilled(device, 'indices', storage | GPUBufferUsage.INDEX, indices);
    this.kinds = createFilled(device, 'kinds', storage, kinds.words);
    this.params = createBuffer(device, 'params', uniform, FrameParams.size);
    this.cullParams = createBuffer(device, 'cull params', uniform, CullParams.size);
    this.transforms = createBuffer(device, 'transforms', storage, columns.transforms);
    this.previousTransforms = createBuffer(device, 'previous transforms', storage, columns.transforms);
    // no row has a character: RESIDENT_NONE
    const nobody = new Uint32Array(columns.residents / 4).fill(RESIDENT_NONE);
    this.residents = createFilled(device, 'residents', storage, nobody);
    // no character plays a clip: PLAYER_NONE
    this.players = createFilled(device, 'players', storage, new Uint32Array(columns.players / 4).fill(PLAYER_NONE));
    const noModifiers = new Uint32Array(columns.modifiers / 4).fill(MODIFIER_NONE);
    this.modifiers = createFilled(device, 'modifiers', storage, noModifiers);
    this.animators = createBuffer(device, 'animators', storage, columns.animators);
    // no row has a controller
    const heads = new Uint32Array(controllers ? 4 * capacity : 4).fill(ANIMATOR_NONE);
    device.queue.writeBuffer(this.animators, 0, heads);
    this.regions = createFilled(device, 'regions', uniform, animators.regions.words);
    this.events = createBuffer(device, 'events', storage, columns.events);
    this.lists = createBuffer(device, 'lists', storage, columns.lists);
    this.slots = createBuffer(device, 'slots', storage, columns.slots);
    this.decisions = createBuffer(device, 'decisions', storage, columns.decisions);
    this.classes = createBuffer(device, 'classes', storage, (classes.capacities.length + 1) * SlotClass.size);
    this.rings = createBuffer(device, 'rings', storage, columns.rings);
    this.extents = createBuffer(device, 'extents', storage, columns.extents);
    this.moves = createBuffer(device, 'moves', storage, SlotMove.size);
    this.visible = createBuffer(device, 'visible', storage, columns.visible);
    this.sharers = shape.sharing && createBuffer(device, 'sharers', storage, 4 * capacity);
    this.shareParams = shape.sharing && createBuffer(device, 'share params', uniform, ShareParams.size);
  }

  get byteLength(): number {
    return this.#all.reduce((sum, { size }) => sum + size, 0);
  }

  destroy(): void {
    for (const buffer of this.#all) buffer.destroy();
  }

  get #all(): GPUBuffer[] {
    return Object.values(this).filter((value): value is GPUBuffer => value instanceof Object && 'mapState' in value);
  }
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
    const storage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
    const sizes = { motions: poseCapacity * motionCapacity * MOTION_ROWS * 16, palettes: paletteCapacity * 16 };
    checkSizes(device, sizes);
    this.motions = createBuffer(device, 'motions', storage, sizes.motions);
    this.palettes = createBuffer(device, 'palettes', storage, sizes.palettes);
  }

  get byteLength(): number {
    return this.motions.size + this.palettes.size;
  }

  destroy(): void {
    this.motions.destroy();
    this.palettes.destroy();
  }
}

/** GPU memory of one page: a row per skinned vertex, then a word each, then another word each if the crowd has a channel. */
export class PageMemory {
  readonly vertices: GPUBuffer;
  readonly skinned: GPUBufferBinding;
  /** Words of tangents. If there is a channel, its words are the second half. */
  readonly skinnedTangents: GPUBufferBinding;
  /** Only the words of the channel, one per vertex. */
  readonly skinnedChannel: GPUBufferBinding | undefined;

  constructor(device: GPUDevice, { vertexCapacity }: Pick<Page, 'vertexCapacity'>, hasChannel = false) {
    const storage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
    const rows = roundUp(vertexCapacity * VERTEX_ROW_BYTES, 256);
    const channelBytes = channelWordBytes(vertexCapacity);
    const words = hasChannel ? 2 * channelBytes : roundUp(vertexCapacity * 4, 16);
    checkSizes(device, { 'skinned vertices': rows });
    this.vertices = device.createBuffer({ label: 'skinned vertices', size: rows + words, usage: storage });
    this.skinned = { buffer: this.vertices, offset: 0, size: rows };
    this.skinnedTangents = { buffer: this.vertices, offset: rows, size: words };
    const channel = { buffer: this.vertices, offset: rows + channelBytes, size: channelBytes };
    this.skinnedChannel = hasChannel ? channel : undefined;
  }

  get byteLength(): number {
    return this.vertices.size;
  }

  destroy(): void {
    this.vertices.destroy();
  }
}

/** Checks that the device can bind buffers of these sizes, before any is created. @throws ManipleError DEVICE_LIMIT */
export function checkSizes({ limits }: GPUDevice, sizes: Readonly<Record<string, number>>): void {
  const limit = Math.min(limits.maxBufferSize, limits.maxStorageBufferBindingSize);
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

/** Creates a uniform of one row of a struct. */
export function createUniform<F extends Fields>(
  device: GPUDevice,
  label: string,
  struct: Struct<F>,
  values: Parameters<View<F>['assign']>[1],
): GPUBuffer {
  const view = new View(struct, 1);
  view.assign(0, values);
  return createFilled(device, label, GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST, view.words);
}

/** Creates the buffer of ranges and arguments. Kernels write it; then it is bound as uniforms or read as indirect arguments. */
export function createTargets(device: GPUDevice, words: Uint32Array<ArrayBuffer>): GPUBuffer {
  const { STORAGE, UNIFORM, INDIRECT, COPY_DST, COPY_SRC } = GPUBufferUsage;
  return createFilled(device, 'targets', STORAGE | UNIFORM | INDIRECT | COPY_DST | COPY_SRC, words);
}
