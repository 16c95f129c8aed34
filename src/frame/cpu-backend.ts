import { ANIMATOR_NONE } from '../animator/layout.ts';
import { columnWordOf } from '../animator/regions.ts';
import { View } from '../layout/index.ts';
import { splitSeconds } from '../shaders/fixed.ts';
import { listMotions } from '../stages/gather-motions/list-reference.ts';
import { FrameParams, MOTION_ROWS, RESIDENT_NONE, Resident, Transform, VisibleCharacter } from '../stages/layout.ts';
import { MATRIX_BYTES } from '../stages/place-sockets/layout.ts';
import { type AskedJoint, JointAnswer } from '../stages/read-joints/layout.ts';
import type { PlaceRangesViews } from '../stages/cull-characters/place-ranges.ts';
import { readJoints } from '../stages/read-joints/reference.ts';
import { shiftTransforms } from '../stages/shift-transforms/reference.ts';
import { EVENT_FIRST_WORD, EVENT_WORDS, StepParams } from '../stages/step-controllers/layout.ts';
import type { VisibleRows } from '../stages/visible-row.ts';
import type {
  Answer,
  Backend,
  BackendLimits,
  CharacterReadback,
  DrawArrays,
  DrawMemory,
  FrameInputs,
  Frames,
  FrameStats,
  HandedOver,
  KeptFrame,
  SeenInputs,
  Shown,
} from './backend.ts';
import { deviceLimits } from './backend-limits.ts';
import type { CpuEstate } from './cpu-estate.ts';
import { createPalettes, mirrorColumns, mirrorPages, PAGE_BYTES, pageRows } from './cpu-pages.ts';
import { CpuProviders } from './cpu-providers.ts';
import { PlannedPages } from './cpu-plan.ts';
import { byGeometry, rowsOf } from './cpu-rows.ts';
import { CpuSlots } from './cpu-slots.ts';
import { CpuSockets } from './cpu-sockets.ts';
import { cullParams, SLOT_PAGE_VERTICES, statsOf } from './cull-inputs.ts';
import { pageLimitOf } from './cull-tables.ts';
import { FreezeDrops } from './drops.ts';
import { EventQueue, usedRing } from './event-queue.ts';
import { runFrame, type FrameViews } from './cpu-frame.ts';
import { readCpuCharacter } from './cpu-read.ts';
import type { StageName } from './frame.ts';
import { KeptLists } from './kept-lists.ts';
import { ColumnMemory } from './column-memory.ts';
import { groundParams } from './gpu-places.ts';
import { CrowdMemory, vertexBytes } from './gpu-memory.ts';
import { copyAnimators, emptyKernelState, type KernelState, type StateCounts } from './kernel-state.ts';
import { hasUpdates } from '../stages/update-characters/stage.ts';
import type { NamedColumn } from './named-columns.ts';
import type { Page } from './page.ts';
import { Retired } from './retired.ts';
import type { CrowdShape } from './shape.ts';
import { characterCapacity, culledRows, shareViews } from './sharing.ts';

export function createCpuBackend(device: GPUDevice | undefined, shape: CrowdShape, estate?: CpuEstate): Backend {
  return new CpuBackend(device, shape, estate);
}

/**
 * Runs the frame on the stages' twins. A comparison shows if an error is in the kernels or in the data. With a device, it copies
 * the results to the buffers that kernels would write, so that everything after the frame draws the same.
 */
class CpuBackend implements Backend {
  readonly kind = 'cpu';
  readonly limits: BackendLimits;
  readonly timings = new Map<string, number>();
  readonly columns: ColumnMemory;
  onEvents: Backend['onEvents'] = () => undefined;
  onSocketsGrown: Backend['onSocketsGrown'] = () => undefined;
  onMargin?: NonNullable<Backend['onMargin']>;

  readonly #device: GPUDevice | undefined;
  readonly #shape: CrowdShape;
  /** GPU copies, when there is a device. */
  readonly #crowd: CrowdMemory | undefined;
  #drawnPalettes: GPUBuffer | undefined;
  readonly #animators: Uint32Array<ArrayBuffer>;
  readonly #events: Uint32Array<ArrayBuffer>;
  /** Transforms with root motion. */
  readonly #transforms: View<(typeof Transform)['fields']>;
  readonly #previousTransforms: View<(typeof Transform)['fields']>;
  readonly #residents: View<(typeof Resident)['fields']>;
  readonly #visible: View<(typeof VisibleCharacter)['fields']>;
  readonly #slots: CpuSlots;
  readonly #geometry: ReturnType<typeof byGeometry>;
  readonly #kept: KeptLists | undefined;
  readonly #retired: Retired;
  readonly #planned: PlannedPages;
  readonly #sockets: CpuSockets;
  readonly #freezes: FreezeDrops;
  readonly #provided: CpuProviders;
  readonly #queue: EventQueue;
  #motions = new Uint32Array(0);
  #palettes = new Float32Array(0);
  /** Capacities only grow, so that no character waits that did not wait before. */
  #poseCapacity = 0;
  #paletteCapacity = 0;
  #visibleCount = 0;
  #frames: Frames;
  #wasSeen: boolean;
  /** The last frame of an earlier backend, until a frame replaces it. */
  #before: Shown | undefined;

  constructor(device: GPUDevice | undefined, shape: CrowdShape, estate: CpuEstate | undefined) {
    const { tables, capacity, controllers, animators } = shape;
    this.#device = device;
    this.#shape = shape;
    this.limits = device ? deviceLimits(device, shape) : hostLimits(shape);
    this.#crowd = device && new CrowdMemory(device, shape);
    this.#drawnPalettes = device && createPalettes(device, 0);
    this.#animators = new Uint32Array(controllers ? 4 * animators.rowCount : 0);
    if (controllers) this.#animators.fill(ANIMATOR_NONE, 0, 4 * capacity);
    this.#events = new Uint32Array(controllers ? EVENT_FIRST_WORD + EVENT_WORDS * shape.eventCapacity : 0);
    this.#transforms = new View(Transform, capacity);
    this.#previousTransforms = new View(Transform, capacity);
    this.#residents = new View(Resident, capacity);
    this.#residents.words.fill(RESIDENT_NONE);
    this.#visible = new View(VisibleCharacter, capacity);
    this.#slots = new CpuSlots(shape);
    this.#geometry = byGeometry(tables.types);
    this.#kept = device && shape.classes.copies > 2 ? new KeptLists(device, capacity) : undefined;
    this.#retired = new Retired(this.#kept !== undefined, estate?.retired);
    this.#planned = new PlannedPages(device, shape, estate?.pages ?? [], this.#retired);
    this.#sockets = estate?.sockets instanceof CpuSockets ? estate.sockets : new CpuSockets(device, estate?.sockets);
    this.#freezes = estate?.freezes instanceof FreezeDrops ? estate.freezes : new FreezeDrops(estate?.freezes);
    this.#provided = new CpuProviders(shape);
    this.columns = new ColumnMemory(device, 'cpu');
    this.#queue = estate?.queue ?? new EventQueue((ring, frame) => this.onEvents(ring, frame));
    this.#frames = estate?.frames ?? { now: 0, lastFrame: 0, origin: [0, 0, 0] };
    this.#wasSeen = estate?.wasSeen ?? false;
    this.#before = estate?.shown;
    if (estate) this.#takeOver(estate);
  }

  get socketMatrices(): GPUBuffer | undefined {
    return this.#sockets.buffer;
  }

  get previousSocketMatrices(): GPUBuffer | undefined {
    return this.#sockets.previousBuffer;
  }

  get memory(): DrawMemory | undefined {
    return this.#before ? this.#before.memory : this.#drawMemory();
  }

  get arrays(): DrawArrays | undefined {
    return this.#before ? this.#before.arrays : this.#drawArrays();
  }

  get kept(): KeptFrame | undefined {
    return this.#kept?.last;
  }

  get byteLength(): number {
    const views = [this.#residents, this.#transforms, this.#previousTransforms, this.#visible];
    const arrays = [...views.map(({ words }) => words), this.#motions, this.#palettes, this.#animators, this.#events];
    const owners = [this.columns, this.#provided, this.#slots, this.#planned, this.#sockets];
    const copies = [this.#crowd, this.#kept].filter((owned) => owned !== undefined);
    return [...arrays, ...owners, ...copies].reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  setColumns(list: readonly NamedColumn[]): void {
    const replaced = this.columns.replace(list);
    if (replaced) this.#retired.push(replaced);
  }

  addPage(page: Page): void {
    this.#planned.add(page);
  }

  removePage(page: Page): void {
    this.#planned.remove(page);
  }

  encode(_: GPUCommandEncoder | undefined, inputs: FrameInputs): () => Promise<void> {
    const { seen, frame } = inputs;
    this.timings.clear();
    this.#keepHistory(inputs);
    this.#takeChanges(inputs);
    const { outgrown } = this.#run(inputs);
    this.#frames = { ...this.#frames, now: frame, lastFrame: seen ? frame : this.#frames.lastFrame };
    this.#sockets.mirror();
    if (outgrown.length > 0) this.onSocketsGrown(this.#sockets.buffer!);
    if (this.#device && this.#crowd && seen) this.#mirror(this.#device, this.#crowd);
    const unused = [...outgrown, ...(seen ? this.#retired.take() : [])];
    const destroyUnused = () => unused.forEach((memory) => memory.destroy());
    if (!this.#shape.controllers?.events) return async () => destroyUnused();
    const ring = usedRing(this.#events, EVENT_FIRST_WORD, EVENT_WORDS);
    this.#events.fill(0, 0, EVENT_FIRST_WORD);
    const arrived = this.#queue.open(frame);
    return async () => {
      destroyUnused();
      arrived(ring);
    };
  }

  async read(character: number): Promise<CharacterReadback | undefined> {
    if (this.#before) return this.#before.read(character);
    return readCpuCharacter(character, {
      types: this.#shape.tables.types,
      slots: this.#slots.slots,
      visible: this.#visible,
      pages: this.#planned.pages,
      palettes: this.#palettes,
      code: this.#shape,
      serialPoses: this.#shape.kernels.serialPoses,
      lastFrame: this.#frames.lastFrame,
    });
  }

  async readStats(): Promise<FrameStats> {
    if (this.#before) return this.#before.readStats();
    const { bins, plan } = this.#planned.plan;
    return statsOf(bins, plan.binCount, this.#freezes.with(this.#listed(), this.#animators));
  }

  async readAnimators(characters: readonly number[]): Promise<Uint32Array<ArrayBuffer>> {
    const { controllers, tables, animators } = this.#shape;
    if (!controllers) return new Uint32Array();
    return listMotions(tables.rig, animators.regions, this.#animators, characters, controllers.large);
  }

  async readTransforms(characters: readonly number[]): Promise<Answer<View<(typeof Transform)['fields']>>> {
    const { now: frame, origin } = this.#frames;
    const value = new View(Transform, characters.length);
    value.words.set(rowsOf(this.#transforms.words, Transform.size, characters));
    return { frame, origin, value };
  }

  async readJoints(asked: View<(typeof AskedJoint)['fields']>): Promise<Answer<View<(typeof JointAnswer)['fields']>>> {
    if (this.#before) return this.#before.readJoints(asked);
    const { lastFrame: frame, origin } = this.#frames;
    const value = new View(JointAnswer, asked.count);
    readJoints({ rows: this.#listed(), palettes: this.#palettes, asked, answers: value });
    return { frame, origin, value };
  }

  async readSockets(attachments: readonly number[]): Promise<Answer<Float32Array<ArrayBuffer>>> {
    const { now: frame, origin } = this.#frames;
    return { frame, origin, value: rowsOf(this.#sockets.matrices, MATRIX_BYTES, attachments) };
  }

  async saveState(characterCount: number, attachmentCount: number): Promise<KernelState> {
    return this.#saveState({ characterCount, attachmentCount });
  }

  restoreState(state: KernelState): void {
    const { controllers, animators } = this.#shape;
    this.#transforms.words.set(state.transforms.words);
    this.#previousTransforms.words.set(state.transforms.words); // without motion
    const { count } = state.transforms;
    if (controllers) copyAnimators([state.animators, state.plan], [this.#animators, animators], count);
    this.#provided.restore(state.providers);
  }

  reshaped(next: CrowdShape, count: number): Backend {
    this.columns.expectRoom(characterCapacity(next));
    const estate = { ...this.#estateOf(count), sockets: this.#sockets, freezes: this.#freezes };
    const after = createCpuBackend(this.#device, next, estate);
    if (this.#before) this.#destroyOwn();
    return after;
  }

  async handOver(): Promise<() => HandedOver> {
    return () => {
      const left = this.#estateOf(this.#shape.capacity);
      const { shown } = left;
      const destroy = () => {
        shown.destroy();
        this.#destroyOwn();
      };
      return { ...left, culled: this.#slots.state, shown: this.#before ? { ...shown, destroy } : shown };
    };
  }

  destroy(): void {
    this.#before?.destroy();
    this.#destroyOwn();
    for (const memory of this.#retired.all) memory.destroy();
    this.#sockets.destroy();
    for (const { memory } of this.#planned.next) memory?.destroy();
  }

  #takeOver(estate: CpuEstate): void {
    const fill = (to: Uint32Array, from: Uint32Array) => to.set(from.subarray(0, to.length));
    fill(this.#events, estate.events);
    fill(this.#residents.words, estate.residents);
    this.restoreState(estate.state);
    this.#provided.takeOver(estate.provided, estate.state.transforms.count);
    fill(this.#previousTransforms.words, estate.previousTransforms);
    if (estate.culled) this.#slots.restore(estate.culled);
  }

  /** State of the first `count` characters for the next backend, without their slots. */
  #estateOf(count: number): Omit<HandedOver, 'culled'> {
    const own: Shown = {
      memory: this.#drawMemory(),
      arrays: this.#drawArrays(),
      read: (character) => this.read(character),
      readStats: () => this.readStats(),
      readJoints: (asked) => this.readJoints(asked),
      destroy: () => this.#destroyOwn(),
    };
    return {
      pages: this.#planned.next,
      queue: this.#queue,
      residents: this.#residents.words,
      provided: this.#provided.rows,
      previousTransforms: this.#previousTransforms.words,
      wasSeen: this.#wasSeen,
      state: this.#saveState({ characterCount: count, attachmentCount: 0 }),
      events: this.#events,
      sockets: this.#sockets.state,
      frames: this.#frames,
      freezes: this.#freezes.counts,
      retired: this.#retired.all,
      shown: this.#before ?? own,
    };
  }

  /** Destroys all but pages and attachments, which another backend may have now. */
  #destroyOwn(): void {
    this.#crowd?.destroy();
    this.columns.destroy();
    this.#drawnPalettes?.destroy();
    this.#planned.plan.buffer?.destroy();
    this.#kept?.destroy();
  }

  #saveState(counts: StateCounts): KernelState {
    const { controllers, animators } = this.#shape;
    const state = emptyKernelState(this.#shape, counts);
    state.transforms.words.set(this.#transforms.words.subarray(0, state.transforms.words.length));
    state.joints.set(this.#sockets.joints.subarray(0, state.joints.length));
    const { characterCount } = counts;
    if (controllers) copyAnimators([this.#animators, animators], [state.animators, state.plan], characterCount);
    this.#provided.save(state.providers);
    return state;
  }

  /** Keeps lists and transforms of the last frame, before this one changes them. */
  #keepHistory({ seen, places, animators: { characterCount } }: FrameInputs): void {
    this.#keepLists(characterCount);
    if (seen) {
      if (this.#before) this.#retired.push(this.#before);
      this.#before = undefined;
      this.#planned.update();
    }
    for (const column of [this.#transforms, this.#previousTransforms]) {
      shiftTransforms(column, characterCount, places.moves);
    }
    this.#frames = { ...this.#frames, origin: places.origin };
    if (this.#wasSeen) this.#previousTransforms.words.set(this.#transforms.words);
    this.#wasSeen = seen !== undefined;
  }

  /** Copies buffers that draws of the last frame read. */
  #keepLists(characterCount: number): void {
    const [device, kept, { memory }] = [this.#device, this.#kept, this];
    if (!device || !kept || !this.#wasSeen || !memory) return;
    const encoder = device.createCommandEncoder({ label: 'keep lists' });
    const rows = culledRows(this.#shape, characterCount).characterCount;
    const drawn = { ...memory, columns: this.columns.buffer };
    this.#retired.push(...kept.keep(encoder, this.#frames.now, drawn, rows));
    device.queue.submit([encoder.finish()]);
  }

  #takeChanges(inputs: FrameInputs): void {
    for (const [column, view] of [
      [inputs.transforms, this.#transforms],
      [inputs.residents, this.#residents],
    ] as const) {
      const to = new Uint8Array(view.words.buffer);
      for (const { byteOffset, bytes } of column.takeChanges()) to.set(bytes, byteOffset);
    }
    inputs.modifiers.takeChanges();
    this.#provided.takeChanges(inputs);
    this.columns.takeChanges();
  }

  /** Runs all stages. Returns buffers that larger ones have replaced. */
  #run(inputs: FrameInputs): { readonly outgrown: readonly GPUBuffer[] } {
    const { seen, recorder, sockets } = inputs;
    const [transforms, previousTransforms] = [this.#transforms, this.#previousTransforms];
    const carried = this.#sockets.take(sockets, { transforms, previousTransforms });
    const step = this.#stepViews(inputs);
    const ground = this.#groundViews(inputs);
    const seenViews = seen && this.#seenViews(inputs, seen);
    const { lastFrame } = this.#frames;
    const palettes = () => ({ ...this.#listed(), palettes: this.#palettes, lastFrame });
    const placing = () => ({ ...carried.views, seen: seen && palettes() });
    const views = { step, ground, seen: seenViews, sockets: sockets.count > 0 ? placing : undefined };
    const timed = (stage: StageName, run: () => void) => this.#timed(stage, run);
    runFrame(views, timed, (stage, moment) => recorder?.twins({ stage, moment, inputs }, views));
    return carried;
  }

  #timed(stage: StageName, run: () => void): void {
    const start = performance.now();
    run();
    this.timings.set(stage, (this.timings.get(stage) ?? 0) + performance.now() - start);
  }

  /** The visible list of the last frame with views. */
  #listed(): VisibleRows {
    return { slots: this.#slots.slots, visible: this.#visible, visibleCount: this.#visibleCount };
  }

  #stepViews({ frame, animators: inputs }: FrameInputs): FrameViews['step'] {
    const { controllers, tables, animators: regions, eventCapacity } = this.#shape;
    if (!controllers) return undefined;
    const bytes = new Uint8Array(this.#animators.buffer);
    inputs.columns.forEach((column, index) => {
      for (const change of column.takeChanges()) {
        bytes.set(change.bytes, 4 * columnWordOf(regions.regions, index) + change.byteOffset);
      }
    });
    const { dt, characterCount, runCount, commands } = inputs;
    const stepParams = new View(StepParams, 1);
    stepParams.assign(0, { dt, frame, characterCount, runCount, eventCapacity });
    const views = {
      stepParams,
      regions: regions.regions,
      animators: this.#animators,
      rig: tables.rig,
      commands,
      events: this.#events,
      transforms: this.#transforms,
      movesTransforms: controllers.movesTransforms,
      onTruncation: this.#freezes.add,
    };
    return this.onMargin ? { ...views, onMargin: this.onMargin } : views;
  }

  #groundViews({ places, animators: steps }: FrameInputs): FrameViews['ground'] {
    places.grounded.takeChanges();
    const { ground, grounded } = places;
    if (!ground) return undefined;
    const params = groundParams(places, ground, steps.characterCount);
    return { params, heights: ground.heights, grounded: grounded.view.words, transforms: this.#transforms };
  }

  #seenViews(inputs: FrameInputs, seen: SeenInputs): FrameViews['seen'] {
    const { time, frame, animators: steps } = inputs;
    const [shape, bins] = [this.#shape, this.#planned.plan.bins];
    const { slots, decisions, classes, rings, extents, moves } = this.#slots;
    this.#slots.take(seen.slots);
    this.#growPoses(seen.poses);
    const params = this.#cullParams(inputs, seen);
    const clock = this.#frameParams(inputs);
    const { rig } = shape.tables;
    const { regions } = shape.animators;
    const columns = { players: inputs.players.view, modifiers: inputs.modifiers.view };
    const own = { ...columns, regions, animators: this.#animators, rig };
    const sharing = { time, frame, characterCount: steps.characterCount };
    return {
      cull: {
        params,
        residents: this.#residents,
        transforms: this.#transforms,
        kinds: shape.kinds,
        grants: seen.slots.grants,
        slots,
        decisions,
        classes,
        rings,
        extents,
        moves,
        bins,
        visible: this.#visible,
        share: shareViews(shape, seen.sharers, sharing, own),
      },
      played: { clock, ...own },
      place: this.#placeViews(),
      pose: () => {
        const visibleCount = bins.get(this.#planned.plan.plan.binCount + 1, 'count');
        this.#visibleCount = visibleCount;
        clock.set(0, 'visibleCount', visibleCount);
        const { skeletons } = this.#geometry;
        const memory = { motions: this.#motions, palettes: this.#palettes };
        const { motionCapacity } = shape;
        return { params: clock, visible: this.#visible, visibleCount, motionCapacity, ...own, skeletons, ...memory };
      },
      ...this.#skinViews(inputs),
    };
  }

  #placeViews(): PlaceRangesViews {
    const { plan, bins, targets, place } = this.#planned.plan;
    const { dispatches, ranges, draws } = plan.targets;
    return { params: place, dispatches, plans: ranges, draws, bins, targets };
  }

  #skinViews(inputs: FrameInputs): Pick<NonNullable<FrameViews['seen']>, 'provided' | 'update' | 'keep' | 'skin'> {
    const [visible, palettes, transforms] = [this.#visible, this.#palettes, this.#transforms];
    const { meshes, keptLevels } = this.#geometry;
    const { skinnedChannel, tables } = this.#shape;
    const providers = this.#provided.view(inputs);
    const { bins, plan } = this.#planned.plan;
    const ofPages = () => pageRows(this.#planned.pages, bins, plan.binCount, visible);
    const update = () => ({
      visible,
      visibleCount: this.#visibleCount,
      transforms,
      previousTransforms: this.#previousTransforms,
      providers: providers!,
    });
    const keep = () =>
      ofPages().map(({ skinned: kept, ...rows }) => ({ ...rows, keptLevels, providers, palettes, kept }));
    const { geometry } = tables;
    return {
      provided: providers,
      update: providers && hasUpdates(providers.list) ? update : undefined,
      keep: keptLevels.size > 0 ? keep : undefined,
      skin: () => ofPages().map((views) => ({ ...views, geometry, meshes, palettes, providers, skinnedChannel })),
    };
  }

  #growPoses({ characters, paletteRows }: SeenInputs['poses']): void {
    const { poseLimit, motionCapacity } = this.#shape;
    this.#poseCapacity = Math.max(this.#poseCapacity, Math.min(characters, poseLimit));
    this.#paletteCapacity = Math.max(this.#paletteCapacity, paletteRows);
    const motionWords = this.#poseCapacity * motionCapacity * MOTION_ROWS * 4;
    if (this.#motions.length < motionWords) this.#motions = new Uint32Array(motionWords);
    if (this.#palettes.length < this.#paletteCapacity * 4) this.#palettes = new Float32Array(this.#paletteCapacity * 4);
  }

  #cullParams({ frame, animators: steps }: FrameInputs, seen: SeenInputs): ReturnType<typeof cullParams> {
    const { binCount } = this.#planned.plan.plan;
    const { characterCount, sharedCount } = culledRows(this.#shape, steps.characterCount);
    const { capacity, poseLimit } = this.#shape;
    return cullParams(this.#shape, seen, {
      frame,
      lastFrame: this.#frames.lastFrame,
      characterCount,
      sharedCount,
      binCount,
      posesAll: poseLimit >= capacity,
      poseCapacity: this.#poseCapacity,
      paletteCapacity: this.#paletteCapacity,
    });
  }

  #frameParams({ time, frame }: FrameInputs): View<(typeof FrameParams)['fields']> {
    const { playerCapacity, motionCapacity, modifierCapacity } = this.#shape;
    const { lastFrame } = this.#frames;
    const [timeLow, timeHigh] = splitSeconds(time);
    const params = new View(FrameParams, 1);
    params.assign(0, { timeLow, timeHigh, frame, playerCapacity, motionCapacity, modifierCapacity, lastFrame });
    return params;
  }

  #drawMemory(): DrawMemory | undefined {
    const [crowd, palettes] = [this.#crowd, this.#drawnPalettes];
    const { buffer: targets, plan } = this.#planned.plan;
    if (!crowd || !targets || !palettes) return undefined;
    const { pages } = this.#planned;
    return {
      crowd,
      targets,
      draws: plan.draws,
      palettes,
      motions: undefined,
      page: (index) => pages[index]!.memory!,
      socketMatrices: this.#sockets.buffer!,
      previousSocketMatrices: this.#sockets.previousBuffer!,
    };
  }

  #drawArrays(): DrawArrays {
    const { targets, plan } = this.#planned.plan;
    const [visible, transforms, residents] = [this.#visible, this.#transforms, this.#residents];
    const columns = { visible, transforms, previousTransforms: this.#previousTransforms, residents };
    return { ...columns, ...this.#shape.tables, targets, draws: plan.draws, pages: this.#planned.pages };
  }

  /** Copies what draws read to the GPU. */
  #mirror(device: GPUDevice, memory: CrowdMemory): void {
    const [transforms, previous] = [this.#transforms, this.#previousTransforms];
    mirrorColumns(memory, { transforms, previous, residents: this.#residents, visible: this.#visible });
    const { buffer, targets } = this.#planned.plan;
    device.queue.writeBuffer(buffer!, 0, targets);
    if (this.#drawnPalettes!.size < this.#palettes.byteLength) {
      this.#drawnPalettes!.destroy();
      this.#drawnPalettes = createPalettes(device, this.#palettes.byteLength);
    }
    device.queue.writeBuffer(this.#drawnPalettes!, 0, this.#palettes);
    mirrorPages(device, this.#planned.pages);
  }
}

/** Limits without a device. */
function hostLimits(shape: CrowdShape): BackendLimits {
  const pageVertices = Math.min(Math.floor(PAGE_BYTES / vertexBytes(shape)), SLOT_PAGE_VERTICES);
  return { pageVertices, pageCount: pageLimitOf(shape.tables.types), bindingBytes: 2 ** 31, socketLimit: 2 ** 24 };
}
