import { ANIMATOR_NONE } from '../../controller/eval/layout.ts';
import { View } from '../../layout/index.ts';
import {
  MOTION_ROWS,
  RESIDENT_NONE,
  Resident,
  ROW_NONE,
  SlotState,
  Transform,
  VisibleCharacter,
  VISIBLE_WORDS,
  VISIBLE_WORDS_SHIFT,
} from '../../stages/layout.ts';
import { scratchRows } from '../../stages/pose-joints/plan.ts';
import { EVENT_FIRST_WORD, EVENT_WORDS } from '../../stages/step-controllers/layout.ts';
import type { VisibleRows } from '../../stages/visible-row.ts';
import type {
  CharacterReadback,
  DrawArrays,
  DrawMemory,
  HandedOver,
  SeenInputs,
  CpuPage,
  CulledState,
  FrameInputs,
} from '../backend.ts';
import {
  type BackendLimits,
  deviceLimits,
  hostLimits,
  createCrowdMemory,
  createStorage,
  type CrowdMemory,
} from '../tables/memory.ts';
import { PlannedPages } from './pages.ts';
import { placeOf } from '../tables/cull-results.ts';
import { slotRows } from '../tables/crowd-types.ts';
import { unpackVertices } from '../tables/unpack-vertices.ts';
import { verticesOf } from '../tables/read-vertices.ts';
import { byGeometry, rowsOf } from './rows.ts';
import type { CpuSockets } from './sockets.ts';
import { KeptLists } from '../tables/kept-lists.ts';
import { copyAnimators, emptyKernelState, type KernelState, type StateCounts } from '../tables/kernel-state.ts';
import type { Retired } from '../tables/retired.ts';
import type { CrowdLayout } from '../tables/crowd-layout.ts';
import { Decision, SlotClass, SlotExtent, SlotMove } from '../../stages/cull-characters/layout.ts';
import { ringWords } from '../tables/cull-tables.ts';
import type { SlotChanges } from '../tables/vertex-pages.ts';
import { ProviderMemoryView } from '../../stages/provider-twins.ts';
import { providerLayout, providerSections, stateBytes, type ProviderLayout } from '../../stages/provider-layout.ts';
import { providerChanges, providerSeconds } from '../tables/provider-memory.ts';

/** State that parts take over from others, or from a GPU backend. */
export type PartsState = Pick<HandedOver, 'events' | 'residents' | 'state' | 'provided' | 'previousTransforms'> &
  Partial<Pick<HandedOver, 'culled'>>;

/**
 * Parts of a CPU backend that depend on the crowd's shape: memory as kernels have it, and GPU copies of what draws read, when
 * there is a device. A resize replaces all of them.
 */
export class CpuParts {
  readonly device: GPUDevice | undefined;
  readonly shape: CrowdLayout;
  readonly limits: BackendLimits;
  /** GPU copies. */
  readonly crowd: CrowdMemory | undefined;
  readonly animators: Uint32Array<ArrayBuffer>;
  readonly events: Uint32Array<ArrayBuffer>;
  /** Transforms with root motion. */
  readonly transforms: View<(typeof Transform)['fields']>;
  readonly previousTransforms: View<(typeof Transform)['fields']>;
  readonly residents: View<(typeof Resident)['fields']>;
  readonly visible: View<(typeof VisibleCharacter)['fields']>;
  readonly slots: CpuSlots;
  readonly geometry: ReturnType<typeof byGeometry>;
  readonly kept: KeptLists | undefined;
  readonly planned: PlannedPages;
  readonly provided: CpuProviders;
  motions: Uint32Array<ArrayBuffer> = new Uint32Array(0);
  palettes: Float32Array<ArrayBuffer> = new Float32Array(0);
  /** Capacities only grow, so that no character waits that did not wait before. */
  poseCapacity = 0;
  paletteCapacity = 0;
  visibleCount = 0;
  #drawnPalettes: GPUBuffer | undefined;

  /** @throws ManipleError DEVICE_LIMIT, before anything is created */
  constructor(device: GPUDevice | undefined, shape: CrowdLayout, pages: readonly CpuPage[], retired: Retired) {
    const { tables, capacity, controllers, animators } = shape;
    this.device = device;
    this.shape = shape;
    this.limits = device ? deviceLimits(device, shape) : hostLimits(shape);
    this.crowd = device && createCrowdMemory(device, shape);
    this.#drawnPalettes = device && createStorage(device, 'palettes', 0);
    this.animators = new Uint32Array(controllers ? 4 * animators.rowCount : 0);
    if (controllers) this.animators.fill(ANIMATOR_NONE, 0, 4 * capacity);
    this.events = new Uint32Array(controllers ? EVENT_FIRST_WORD + EVENT_WORDS * shape.eventCapacity : 0);
    this.transforms = new View(Transform, capacity);
    this.previousTransforms = new View(Transform, capacity);
    this.residents = new View(Resident, capacity);
    this.residents.words.fill(RESIDENT_NONE);
    this.visible = new View(VisibleCharacter, capacity);
    this.slots = new CpuSlots(shape);
    this.geometry = byGeometry(tables.types);
    this.kept = device && shape.classes.copies > 2 ? new KeptLists(device, capacity) : undefined;
    this.planned = new PlannedPages(device, shape, pages, retired);
    this.provided = new CpuProviders(shape);
  }

  get byteLength(): number {
    const views = [this.residents, this.transforms, this.previousTransforms, this.visible];
    const arrays = [...views.map(({ words }) => words), this.motions, this.palettes, this.animators, this.events];
    const copies = [this.crowd, this.kept].filter((owned) => owned !== undefined);
    const owners = [this.provided, this.slots, this.planned, ...copies];
    return [...arrays, ...owners].reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** The visible list of the last frame with views. */
  get listed(): VisibleRows {
    return { slots: this.slots.slots, visible: this.visible, visibleCount: this.visibleCount };
  }

  /** Memory to draw the last frame with views from, without matrices of attachments. Undefined without a device. */
  drawMemory(sockets: CpuSockets): DrawMemory | undefined {
    const [crowd, palettes] = [this.crowd, this.#drawnPalettes];
    const { pages } = this.planned;
    const { buffer: targets, plan } = this.planned.plan;
    if (!crowd || !targets || !palettes) return undefined;
    return {
      crowd,
      targets,
      draws: plan.draws,
      palettes,
      motions: undefined,
      page: (index) => pages[index]!.memory!,
      socketMatrices: sockets.buffer!,
      previousSocketMatrices: sockets.previousBuffer!,
    };
  }

  drawArrays(sockets: CpuSockets): DrawArrays {
    const { visible, transforms, previousTransforms, residents } = this;
    const { targets, plan } = this.planned.plan;
    const columns = { visible, transforms, previousTransforms, residents };
    return {
      ...columns,
      ...this.shape.tables,
      targets,
      draws: plan.draws,
      pages: this.planned.pages,
      ...sockets.arrays,
    };
  }

  /** Reads a character; undefined if the last frame with views did not list it. @param lastFrame Its number; 0 if there was none. */
  read(character: number, lastFrame: number): CharacterReadback | undefined {
    const { shape, visible, palettes } = this;
    const { slots } = this.slots;
    if (lastFrame === 0 || slots.get(character, 'frame') !== lastFrame) return undefined;
    const row = slots.get(character, 'visibleRow');
    if (row === ROW_NONE) return undefined;
    const { type, level, pageIndex } = placeOf(shape.tables.types, visible, row);
    const { skinned } = this.planned.pages[pageIndex]!;
    const slotAt = (key: 'currentVertexOffset' | 'previousVertexOffset') => {
      const first = 2 * visible.get(row, key);
      return skinned.slice(first, first + 2 * slotRows(type, level));
    };
    const [current, previous] = [slotAt('currentVertexOffset'), slotAt('previousVertexOffset')];
    const stride = (visible.get(row, 'detail') >>> VISIBLE_WORDS_SHIFT) & VISIBLE_WORDS;
    const attributes = skinned.slice(
      visible.get(row, 'attributeWord'),
      visible.get(row, 'attributeWord') + stride * level.vertexCount,
    );
    const verticesIn = (slot: Uint32Array<ArrayBuffer>) =>
      type.skin === 'vertex'
        ? verticesOf(type, level, slot, shape)
        : unpackVertices(slot, slot === current ? attributes : undefined, stride);
    const paletteRow = visible.get(row, 'paletteRow');
    const paletteAt = 4 * paletteRow;
    // after a palette there may be scratch rows, which only kernels write
    const scratch = scratchRows(type.laneCount, type.character.joints.length, shape.kernels);
    const paletteEnd = paletteAt + 4 * (type.paletteStride - scratch);
    return {
      row: new View(VisibleCharacter, rowsOf(visible.words, VisibleCharacter.size, [row]).buffer),
      palette: paletteRow === ROW_NONE ? undefined : palettes.slice(paletteAt, paletteEnd),
      get vertices() {
        return verticesIn(current);
      },
      get previousVertices() {
        return verticesIn(previous);
      },
    };
  }

  growPoses({ characters, paletteRows }: SeenInputs['poses']): void {
    const { poseLimit, motionCapacity } = this.shape;
    this.poseCapacity = Math.max(this.poseCapacity, Math.min(characters, poseLimit));
    this.paletteCapacity = Math.max(this.paletteCapacity, paletteRows);
    const motionWords = this.poseCapacity * motionCapacity * MOTION_ROWS * 4;
    if (this.motions.length < motionWords) this.motions = new Uint32Array(motionWords);
    if (this.palettes.length < this.paletteCapacity * 4) this.palettes = new Float32Array(this.paletteCapacity * 4);
  }

  /** Copies what draws read to the GPU, when there is a device. */
  mirror(): void {
    const [device, crowd, palettes] = [this.device, this.crowd, this.#drawnPalettes];
    if (!device || !crowd || !palettes) return;
    for (const key of ['transforms', 'previousTransforms', 'residents', 'visible'] as const) {
      device.queue.writeBuffer(crowd[key], 0, this[key].words);
    }
    if (palettes.size < this.palettes.byteLength) {
      palettes.destroy();
      this.#drawnPalettes = createStorage(device, 'palettes', this.palettes.byteLength);
    }
    device.queue.writeBuffer(this.#drawnPalettes!, 0, this.palettes);
    this.planned.mirror(device);
  }

  /** State that snapshots contain. @param joints Joints of attachments. */
  saveState(counts: StateCounts, joints: Uint32Array): KernelState {
    const { controllers, animators } = this.shape;
    const state = emptyKernelState(this.shape, counts);
    state.transforms.words.set(this.transforms.words.subarray(0, state.transforms.words.length));
    state.joints.set(joints.subarray(0, state.joints.length));
    const { characterCount } = counts;
    if (controllers) copyAnimators([this.animators, animators], [state.animators, state.plan], characterCount);
    this.provided.save(state.providers);
    return state;
  }

  restoreState(state: KernelState): void {
    const { controllers, animators } = this.shape;
    this.transforms.words.set(state.transforms.words);
    this.previousTransforms.words.set(state.transforms.words); // without motion
    const { count } = state.transforms;
    if (controllers) copyAnimators([state.animators, state.plan], [this.animators, animators], count);
    this.provided.restore(state.providers);
  }

  /** State of the first `count` characters, without their slots: the same words, not copies. */
  stateOf(count: number, joints: Uint32Array): PartsState {
    return {
      events: this.events,
      residents: this.residents.words,
      provided: this.provided.rows,
      previousTransforms: this.previousTransforms.words,
      state: this.saveState({ characterCount: count, attachmentCount: 0 }, joints),
    };
  }

  /** Copies the state of other parts, of this shape or another one. */
  takeOver(left: PartsState): void {
    fill(this.events, left.events);
    fill(this.residents.words, left.residents);
    this.restoreState(left.state);
    this.provided.takeOver(left.provided, left.state.transforms.count);
    fill(this.previousTransforms.words, left.previousTransforms);
    if (left.culled) this.slots.restore(left.culled);
  }

  /** Destroys all but pages. */
  destroy(): void {
    this.crowd?.destroy();
    this.#drawnPalettes?.destroy();
    this.planned.plan.buffer?.destroy();
    this.kept?.destroy();
  }
}

/** Copies words. Buffers of kernels may be longer than the columns in them. */
function fill(to: Uint32Array, from: Uint32Array): void {
  to.set(from.subarray(0, to.length));
}

/** Slots of vertex memory as twins keep them. */
class CpuSlots {
  readonly slots: View<(typeof SlotState)['fields']>;
  readonly decisions: View<(typeof Decision)['fields']>;
  readonly classes: View<(typeof SlotClass)['fields']>;
  readonly rings: Uint32Array<ArrayBuffer>;
  readonly extents: View<(typeof SlotExtent)['fields']>;
  readonly moves: View<(typeof SlotMove)['fields']> = new View(SlotMove, 1);

  constructor({ capacity, classes }: Pick<CrowdLayout, 'capacity' | 'classes'>) {
    this.slots = new View(SlotState, capacity);
    this.decisions = new View(Decision, capacity);
    this.classes = new View(SlotClass, classes.capacities.length + 1);
    this.rings = new Uint32Array(ringWords(classes).words);
    this.extents = new View(SlotExtent, classes.extentLimit);
  }

  get byteLength(): number {
    const { moves: _, ...columns } = this.state;
    return Object.values(columns).reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** State for the next backend: the same words, not copies. */
  get state(): CulledState {
    const { slots, decisions, classes, rings, extents, moves } = this;
    const culled = { slots: slots.words, decisions: decisions.words, classes: classes.words };
    return { ...culled, rings, extents: extents.words, moves: moves.words };
  }

  /** Copies the state of another backend of the same shape. */
  restore(left: CulledState): void {
    for (const [key, words] of Object.entries(this.state)) fill(words, left[key as keyof CulledState]);
  }

  /** Applies a reset and new extents. Grants are inputs of the frame instead. */
  take({ reset, extents, extentCount }: SlotChanges): void {
    if (reset) for (const { words } of [this.slots, this.classes, this.extents, this.moves]) words.fill(0);
    this.extents.words.set(extents, (extentCount * SlotExtent.size) / 4 - extents.length);
  }
}

/** The memory of providers for twins, identical to that of kernels byte for byte. */
class CpuProviders {
  readonly rows: Float32Array<ArrayBuffer>;
  readonly #layout: ProviderLayout;
  readonly #state: Uint32Array<ArrayBuffer>;

  constructor(readonly shape: Pick<CrowdLayout, 'providers' | 'capacity'>) {
    this.#layout = providerLayout(shape.providers);
    this.rows = new Float32Array(4 * providerSections(this.#layout, shape.capacity).rowCount);
    this.#state = new Uint32Array(this.rows.buffer, stateBytes(this.#layout, shape.capacity)[0]);
  }

  get byteLength(): number {
    return this.rows.byteLength;
  }

  /** Copies global rows, and rows of the first `count` characters, from the memory of a crowd with another capacity. */
  takeOver(rows: Float32Array, count: number): void {
    const { globalCount, characterStride } = this.#layout;
    this.rows.set(rows.subarray(0, 4 * (globalCount + count * characterStride)));
  }

  takeChanges({ providers }: FrameInputs): void {
    for (const { byteOffset, bytes } of providerChanges(providers, this.#layout)) {
      new Uint8Array(this.rows.buffer).set(bytes, byteOffset);
    }
  }

  /** The view for twins in a frame; undefined if there are no providers. */
  view({ time, frame, animators: { dt } }: FrameInputs): ProviderMemoryView | undefined {
    const { providers: list, capacity } = this.shape;
    if (list.length === 0) return undefined;
    const clock = { time: providerSeconds(time), frame, dt: Math.fround(dt) };
    return new ProviderMemoryView({ list, ...clock, capacity, rows: this.rows });
  }

  save(states: Uint32Array): void {
    states.set(this.#state.subarray(0, states.length));
  }

  restore(states: Uint32Array): void {
    this.#state.set(states);
  }
}
