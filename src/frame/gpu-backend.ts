import { View, type Fields } from '../layout/index.ts';
import { splitSeconds } from '../shaders/fixed.ts';
import { BinRecord, SlotExtent } from '../stages/cull-characters/layout.ts';
import { FrameParams, MOTION_ROWS, Transform } from '../stages/layout.ts';
import { MATRIX_BYTES } from '../stages/place-sockets/layout.ts';
import type { AskedJoint, JointAnswer } from '../stages/read-joints/layout.ts';
import type {
  Answer,
  Backend,
  BackendLimits,
  CharacterReadback,
  DrawMemory,
  FrameInputs,
  FrameStats,
  HandedOver,
  KeptFrame,
  SeenInputs,
  Shown,
} from './backend.ts';
import { deviceLimits } from './backend-limits.ts';
import { bindFrame, createSeenStages, prepareTypes, type BoundFrame, type SeenStages } from './bind-frame.ts';
import type { Column } from './column.ts';
import { cullParams, statsOf } from './cull-inputs.ts';
import { NOTHING_DROPPED } from './drops.ts';
import type { EventRing } from './event-ring.ts';
import type { GpuEstate, ShownFrame } from './gpu-estate.ts';
import { encodeFrame, type FrameDispatches, stagesOf } from './frame.ts';
import { GpuAnimators } from './gpu-animators.ts';
import { GpuPlaces } from './gpu-places.ts';
import { GpuReads } from './gpu-reads.ts';
import { GpuSockets } from './gpu-sockets.ts';
import { createBuffer, CrowdMemory, PageMemory, PoseMemory } from './gpu-memory.ts';
import { KeptLists } from './kept-lists.ts';
import { ColumnMemory } from './column-memory.ts';
import { type KernelState, moveCrowdMemory, readKernelState, writeKernelState } from './kernel-state.ts';
import type { NamedColumn } from './named-columns.ts';
import type { Page } from './page.ts';
import { providerChanges, providerFrame, ProviderMemory } from './provider-memory.ts';
import { hasUpdates } from '../stages/update-characters/stage.ts';
import { readRanges } from './read-back.ts';
import { readCharacter } from './read-character.ts';
import { Retired } from './retired.ts';
import type { CrowdShape } from './shape.ts';
import { characterCapacity, culledRows, shareParams } from './sharing.ts';
import { Timings } from './timings.ts';
import { UploadRing } from './upload-ring.ts';
import type { SlotChanges } from './vertex-pages.ts';

export function createGpuBackend(device: GPUDevice, shape: CrowdShape, estate?: GpuEstate): Backend {
  return new GpuBackend(device, shape, estate);
}

/** Runs the frame on the GPU. The constructor asks for all pipelines that the crowd's types can need; a frame for none. */
class GpuBackend implements Backend {
  readonly kind = 'gpu';
  readonly limits: BackendLimits;
  readonly timings: ReadonlyMap<string, number>;
  readonly columns: ColumnMemory;
  readonly arrays = undefined;
  onEvents: Backend['onEvents'] = () => undefined;
  onSocketsGrown: Backend['onSocketsGrown'] = () => undefined;

  readonly #device: GPUDevice;
  readonly #shape: CrowdShape;
  readonly #crowd: CrowdMemory;
  readonly #provided: ProviderMemory | undefined;
  readonly #stages: SeenStages;
  readonly #uploads: UploadRing;
  readonly #animators: GpuAnimators | undefined;
  readonly #sockets: GpuSockets;
  readonly #reads: GpuReads;
  readonly #places: GpuPlaces;
  readonly #timers: Timings;
  /** Lists of the frame before the last one, which can still be drawn. Undefined with two copies. */
  readonly #kept: KeptLists | undefined;
  readonly #retired: Retired;
  readonly #pages: PageMemory[];
  #poses: PoseMemory;
  #grants: GPUBuffer;
  /** Pages that `bound` was made for: those of the last frame. Pages of the next one may be others. */
  #boundPages: readonly PageMemory[] = [];
  #bound: BoundFrame;
  /** True if `bound` must be made again. */
  #isStale: boolean;
  /**
   * Memory of the last submitted frame that had views; later frames may be encoded. Undefined once all is destroyed. All backends
   * that replace each other share it, for reads in flight.
   */
  readonly #shown: { last: ShownFrame | undefined };
  /** Matrices of sockets of the last submitted frame. */
  #placed: { readonly frame: number; readonly matrices: GPUBuffer };
  #wasSeen: boolean;
  /** The last frame that was encoded. */
  #now: number;
  /** Memory to draw from until a frame has been encoded. */
  #lasting: DrawMemory | undefined;
  /** The last frame that had views. */
  #lastFrame: number;
  /** The last frame of the twins, until a frame with views replaces it. */
  #before: Shown | undefined;
  /** Reads of characters in flight, in several submissions each. */
  readonly #reading = new Set<Promise<unknown>>();

  constructor(device: GPUDevice, shape: CrowdShape, estate: GpuEstate | undefined) {
    const { tables, capacity, motionCapacity, kernels, controllers, providers, resources } = shape;
    this.#device = device;
    this.#shape = shape;
    this.limits = deviceLimits(device, shape);
    const crowd = new CrowdMemory(device, shape);
    this.#crowd = crowd;
    this.#provided = providers.length > 0 ? new ProviderMemory(device, providers, capacity, resources) : undefined;
    const { root = false, trees = false, large = false } = controllers ?? {};
    const traits = { controllers: controllers !== undefined, root, trees, large };
    const isSharing = shape.sharing !== undefined;
    this.#stages = createSeenStages(device, traits, kernels, providers, isSharing, shape.skinnedChannel);
    prepareTypes(this.#stages, tables.types, motionCapacity, kernels);
    this.#uploads = estate?.uploads ?? new UploadRing(device);
    const events =
      estate?.moveTo(crowd, this.#provided) ??
      ((ring: Uint32Array<ArrayBuffer>, frame: number) => this.onEvents(ring, frame));
    this.#animators = controllers && new GpuAnimators(device, shape, controllers, crowd, this.#uploads, events);
    this.#sockets = new GpuSockets(device, crowd, this.#uploads, estate?.sockets);
    this.#reads = estate?.reads ?? new GpuReads(device);
    this.#kept = shape.classes.copies > 2 ? new KeptLists(device, capacity) : undefined;
    this.#places = new GpuPlaces(device, crowd, this.#uploads, capacity);
    this.columns = new ColumnMemory(device, 'gpu');
    this.#timers = new Timings(device, stagesOf(controllers !== undefined, hasUpdates(providers)));
    this.timings = this.#timers.latest;
    this.#pages = [...(estate?.pages ?? [])];
    this.#poses = new PoseMemory(device, 1, 1, motionCapacity);
    this.#grants = createGrants(device, 1024);
    this.#retired = new Retired(this.#kept !== undefined, estate?.retired);
    // without the pages of an earlier backend, which the next frame binds: until then there may be too many of them
    this.#bound = this.#bind([]);
    this.#isStale = this.#pages.length > 0;
    const [poses, bound] = [this.#poses, this.#bound];
    this.#shown = estate?.shown ?? {
      last: { frame: 0, types: tables.types, code: shape, crowd, poses, bound, pages: [] },
    };
    this.#placed = estate?.placed ?? { frame: 0, matrices: this.#sockets.matrices };
    this.#wasSeen = estate?.wasSeen ?? false;
    this.#now = this.#placed.frame;
    this.#lasting = estate?.memory;
    this.#lastFrame = estate?.lastFrame ?? 0;
    this.#before = estate?.before;
  }

  get socketMatrices(): GPUBuffer {
    return this.#sockets.matrices;
  }

  get previousSocketMatrices(): GPUBuffer {
    return this.#sockets.previousMatrices;
  }

  get memory(): DrawMemory {
    return this.#lasting ?? this.#drawMemory();
  }

  get kept(): KeptFrame | undefined {
    return this.#kept?.last;
  }

  get byteLength(): number {
    const optional = [this.#animators, this.#provided, this.#kept].filter((owner) => owner !== undefined);
    const owners = [this.#crowd, this.#uploads, this.columns, this.#poses, this.#bound, this.#sockets, this.#reads];
    const all = [...owners, this.#places, ...optional, ...this.#pages];
    return all.reduce((sum, { byteLength }) => sum + byteLength, this.#grants.size);
  }

  setColumns(list: readonly NamedColumn[]): void {
    const replaced = this.columns.replace(list);
    if (replaced) this.#retired.push(replaced);
  }

  addPage(page: Page): void {
    this.#pages[page.index] = new PageMemory(this.#device, page, this.#shape.skinnedChannel !== undefined);
    this.#isStale = true;
  }

  removePage(page: Page): void {
    this.#retired.push(...this.#pages.splice(page.index, 1));
    this.#isStale = true;
  }

  encode(encoder: GPUCommandEncoder | undefined, inputs: FrameInputs): () => Promise<void> {
    if (!encoder) throw new TypeError('the GPU backend records into a command encoder');
    const { seen, frame } = inputs;
    const { matrices: lastMatrices } = this.#sockets;
    this.#keepHistory(encoder, inputs);
    this.#upload(encoder, inputs);
    if (seen) this.#lasting = undefined;
    const unused = this.#encodeStages(encoder, inputs);
    if (seen) this.#lastFrame = frame;
    const recorded = seen && this.#shownFrame(frame);
    const { matrices } = this.#sockets;
    const bringEvents = this.#animators?.bringEvents(encoder, frame);
    const recycle = this.#uploads.close();
    const readTimings = this.#timers.resolve(encoder);
    this.#now = frame;
    if (seen) unused.push(...this.#retired.take());
    if (matrices !== lastMatrices) this.onSocketsGrown(matrices);
    return async () => {
      if (recorded && this.#shown.last && frame > this.#shown.last.frame) {
        this.#shown.last = recorded;
        this.#before = undefined;
      }
      if (frame > this.#placed.frame) this.#placed = { frame, matrices };
      for (const memory of unused) memory.destroy();
      await Promise.all([recycle(), readTimings(), bringEvents?.()]);
    };
  }

  read(character: number): Promise<CharacterReadback | undefined> {
    if (this.#before) return this.#before.read(character);
    const answer = readCharacter(this.#reads, () => this.#shown.last, character);
    this.#reading.add(answer);
    const forget = () => void this.#reading.delete(answer);
    answer.then(forget, forget);
    return answer;
  }

  async readStats(): Promise<FrameStats> {
    if (this.#before) return this.#before.readStats();
    const { bound, crowd } = this.#shown.last!;
    const { plan, tally } = bound;
    const [[bytes], counted] = await Promise.all([
      readRanges(this.#device, [[tally, plan.binCount * BinRecord.size, 2 * BinRecord.size]]),
      this.#animators?.countDropped(this.#stages.gatherMotions, crowd),
    ]);
    return statsOf(new View(BinRecord, bytes!), 0, counted ?? NOTHING_DROPPED);
  }

  async readAnimators(characters: readonly number[]): Promise<Uint32Array<ArrayBuffer>> {
    return this.#animators?.read(this.#stages.gatherMotions, characters) ?? new Uint32Array();
  }

  async readTransforms(characters: readonly number[]): Promise<Answer<View<(typeof Transform)['fields']>>> {
    const answer = await this.#reads.rows('readTransforms', this.#crowd.transforms, Transform.size, characters);
    return { ...answer, value: new View(Transform, answer.value) };
  }

  readJoints(asked: View<(typeof AskedJoint)['fields']>): Promise<Answer<View<(typeof JointAnswer)['fields']>>> {
    if (this.#before) return this.#before.readJoints(asked);
    const { crowd, poses } = this.#shown.last!;
    return this.#reads.joints(crowd, poses.palettes, asked);
  }

  async readSockets(attachments: readonly number[]): Promise<Answer<Float32Array<ArrayBuffer>>> {
    // the caller knows new attachments, which the buffer does not hold yet, by their first frame
    const { matrices } = this.#placed;
    const known = attachments.map((index) => ((index + 1) * MATRIX_BYTES <= matrices.size ? index : 0));
    const answer = await this.#reads.rows('readSockets', matrices, MATRIX_BYTES, known);
    return { ...answer, value: new Float32Array(answer.value) };
  }

  saveState(characterCount: number, attachmentCount: number): Promise<KernelState> {
    const counts = { characterCount, attachmentCount };
    return readKernelState(this.#crowd, this.#shape, counts, this.#sockets.joints, this.#provided);
  }

  restoreState(state: KernelState): void {
    writeKernelState(this.#crowd, this.#shape.animators, state, this.#provided);
  }

  reshaped(next: CrowdShape, count: number): Backend {
    this.columns.expectRoom(characterCapacity(next));
    const moveTo = (memory: CrowdMemory, providers: ProviderMemory | undefined): EventRing | undefined => {
      const encoder = this.#device.createCommandEncoder({ label: 'reshape' });
      moveCrowdMemory(encoder, [this.#crowd, this.#shape], [memory, next], count);
      if (this.#provided) providers?.takeOver(encoder, this.#provided, count);
      this.#device.queue.submit([encoder.finish()]);
      this.#timers.destroy();
      return this.#animators?.handOn();
    };
    const leaveSockets = { destroy: () => this.#sockets.leave() };
    return createGpuBackend(this.#device, next, {
      uploads: this.#uploads,
      pages: this.#pages,
      retired: [...this.#retired.all, ...this.#own(), leaveSockets],
      shown: this.#shown,
      before: this.#before,
      lastFrame: this.#lastFrame,
      wasSeen: this.#wasSeen,
      memory: this.memory,
      sockets: this.#sockets.buffers,
      reads: this.#reads,
      placed: this.#placed,
      moveTo,
    });
  }

  async handOver(): Promise<() => HandedOver> {
    const { readHeld } = await import('./hand-over.ts');
    const read = await readHeld({
      device: this.#device,
      shape: this.#shape,
      crowd: this.#crowd,
      provided: this.#provided,
      sockets: this.#sockets.buffers,
      pages: this.#pages,
      clock: this.#reads.clock,
    });
    return () => {
      const shown: Shown = {
        memory: this.memory,
        arrays: undefined,
        read: (character) => this.read(character),
        readStats: () => this.readStats(),
        readJoints: (asked) => this.readJoints(asked),
        destroy: () => this.#leave(),
      };
      // `shown` destroys what is retired
      return { ...read(), queue: this.#animators?.queue, wasSeen: this.#wasSeen, retired: [], shown };
    };
  }

  destroy(): void {
    this.#shown.last = undefined;
    this.#destroyUnshared();
    for (const memory of [this.#sockets, ...this.#pages]) memory.destroy();
    this.#animators?.destroy();
  }

  /** Memory that no other backend takes over. */
  #own(): { destroy(): void }[] {
    const optional = [this.#provided, this.#kept].filter((owner) => owner !== undefined);
    return [this.#crowd, this.#poses, this.#bound, this.#grants, this.#places, this.columns, ...optional];
  }

  #destroyUnshared(): void {
    const all = [...this.#own(), this.#uploads, this.#timers, this.#reads, ...this.#retired.all];
    for (const memory of all) memory.destroy();
  }

  /** Destroys all but pages, matrices of attachments and events in flight, which another backend has now. */
  #leave(): void {
    void Promise.allSettled(this.#reading).then(() => {
      this.#destroyUnshared();
      this.#sockets.leave();
      this.#sockets.buffers.sockets.destroy();
      this.#animators?.leave();
    });
  }

  /** Copies lists and transforms of the last frame, and shifts both to the origin of this one. */
  #keepHistory(encoder: GPUCommandEncoder, { animators: { characterCount }, places, seen }: FrameInputs): void {
    if (this.#kept && this.#wasSeen) {
      const rows = culledRows(this.#shape, characterCount).characterCount;
      const memory = { ...this.memory, columns: this.columns.buffer };
      this.#retired.push(...this.#kept.keep(encoder, this.#now, memory, rows));
    }
    this.#places.encodeShift(encoder, places, characterCount);
    const { transforms, previousTransforms } = this.#crowd;
    const byteLength = characterCount * Transform.size;
    if (this.#wasSeen && byteLength > 0) {
      encoder.copyBufferToBuffer(transforms, 0, previousTransforms, 0, byteLength);
    }
    this.#wasSeen = seen !== undefined;
  }

  #upload(encoder: GPUCommandEncoder, inputs: FrameInputs): void {
    const [crowd, uploads, provided] = [this.#crowd, this.#uploads, this.#provided];
    for (const column of ['residents', 'transforms', 'players', 'modifiers'] as const) {
      this.#uploadChanges(encoder, inputs[column], crowd[column]);
    }
    this.columns.takeChanges((target, byteOffset, bytes) => uploads.write(encoder, target, byteOffset, bytes));
    if (!provided) return;
    for (const { byteOffset, bytes } of providerChanges(inputs.providers, provided.layout)) {
      uploads.write(encoder, provided.buffers.providerRows, byteOffset, bytes);
    }
  }

  #uploadChanges(encoder: GPUCommandEncoder, column: Pick<Column<Fields>, 'takeChanges'>, buffer: GPUBuffer): void {
    for (const { byteOffset, bytes } of column.takeChanges()) this.#uploads.write(encoder, buffer, byteOffset, bytes);
  }

  /** Records all stages. Returns memory to destroy once the frame is submitted. */
  #encodeStages(encoder: GPUCommandEncoder, inputs: FrameInputs): { destroy(): void }[] {
    const { seen, frame, animators: steps, places, sockets: carried } = inputs;
    const device = this.#device;
    const sockets = this.#sockets;
    const step = this.#animators && { 'step-controllers': this.#animators.encode(encoder, frame, steps) };
    const ground = this.#places.encodeGround(encoder, places, steps.characterCount);
    const others = seen && this.#prepareSeen(encoder, inputs, seen);
    const outgrown = sockets.grow(encoder, carried);
    const placing = sockets.encode(encoder, carried, this.#poses.palettes, seen !== undefined);
    this.#reads.mark(encoder, this.#uploads, inputs);
    encodeFrame(
      encoder,
      { ...step, 'ground-characters': ground.dispatches, ...others, 'place-sockets': placing },
      this.#timers,
      (stage) => {
        if (stage === 'cull-characters') this.#copyVisibleCount(encoder);
      },
      (stage, dispatches, moment) =>
        inputs.recorder?.kernels({ stage, moment, inputs }, { device, encoder, dispatches }),
    );
    return [...outgrown, ...ground.outgrown];
  }

  /** Prepares memory and parameters of the stages that run for views. Returns their dispatches. */
  #prepareSeen(encoder: GPUCommandEncoder, inputs: FrameInputs, seen: SeenInputs): FrameDispatches {
    const { characterCount: rows } = inputs.animators;
    const { slots } = seen;
    this.#growPoses(seen.poses);
    this.#expectGrants(slots.grants.byteLength);
    if (this.#isStale) {
      this.#retired.push(this.#bound);
      this.#bound = this.#bind(this.#pages);
      this.#isStale = false;
    }
    this.#writeSlots(encoder, slots);
    this.#writeParameters(encoder, inputs, seen);
    const { characterCount } = culledRows(this.#shape, rows);
    const hasFollowers = seen.hasFollowers || this.#shape.sharing !== undefined;
    const hasGrants = slots.grants.length > 0;
    return this.#bound.dispatches({ characterCount, hasGrants, hasMoves: slots.hasMoves, hasFollowers }, rows);
  }

  #writeSlots(encoder: GPUCommandEncoder, { reset, grants, extents, extentCount }: SlotChanges): void {
    const crowd = this.#crowd;
    if (reset) for (const key of ['slots', 'classes', 'extents', 'moves'] as const) encoder.clearBuffer(crowd[key]);
    if (grants.length > 0) this.#uploads.write(encoder, this.#grants, 0, bytesOf(grants));
    if (extents.length === 0) return;
    const byteOffset = extentCount * SlotExtent.size - extents.byteLength;
    this.#uploads.write(encoder, crowd.extents, byteOffset, bytesOf(extents));
  }

  #writeParameters(encoder: GPUCommandEncoder, inputs: FrameInputs, seen: SeenInputs): void {
    const [shape, crowd, provided] = [this.#shape, this.#crowd, this.#provided];
    const { time, frame, animators: steps } = inputs;
    const { capacity, playerCapacity, motionCapacity, modifierCapacity, sharing } = shape;
    const { poseCapacity, paletteCapacity } = this.#poses;
    const lastFrame = this.#lastFrame;
    const write = (buffer: GPUBuffer, { words }: { readonly words: Uint32Array<ArrayBuffer> }) =>
      this.#uploads.write(encoder, buffer, 0, bytesOf(words));
    const hasRoom = poseLimits(this.#device, shape).characters >= capacity && paletteCapacity >= seen.poses.paletteRows;
    const { binCount } = this.#bound.plan;
    const { characterCount, sharedCount } = culledRows(shape, steps.characterCount);
    const counts = { sharedCount, characterCount, binCount, poseCapacity, paletteCapacity };
    write(crowd.cullParams, cullParams(shape, seen, { posesAll: hasRoom, frame, lastFrame, ...counts }));
    const [timeLow, timeHigh] = splitSeconds(time);
    const params = new View(FrameParams, 1);
    params.assign(0, { timeLow, timeHigh, frame, playerCapacity, motionCapacity, modifierCapacity, lastFrame });
    write(crowd.params, params);
    if (provided) write(provided.buffers.providerFrame, providerFrame(provided, { time, frame, dt: steps.dt }));
    if (!sharing || !seen.sharers) return;
    this.#uploadChanges(encoder, seen.sharers, crowd.sharers!);
    write(crowd.shareParams!, shareParams(shape, sharing, { time, frame, characterCount: steps.characterCount }));
  }

  /** Copies the length of the visible list to the frame's parameters, for stages that bind no more than those. */
  #copyVisibleCount(encoder: GPUCommandEncoder): void {
    const { tally, plan } = this.#bound;
    const count = (plan.binCount + 1) * BinRecord.size + BinRecord.offsets.count;
    encoder.copyBufferToBuffer(tally, count, this.#crowd.params, FrameParams.offsets.visibleCount, 4);
  }

  /** Replaces the pose buffers where more may have to be posed than ever before. Their content is not kept. */
  #growPoses({ characters, paletteRows }: SeenInputs['poses']): void {
    const limit = poseLimits(this.#device, this.#shape);
    const { poseCapacity, paletteCapacity } = this.#poses;
    const [wanted, rows] = [Math.min(characters, limit.characters), Math.min(paletteRows, limit.paletteRows)];
    if (wanted <= poseCapacity && rows <= paletteCapacity) return;
    this.#retired.push(this.#poses);
    const grown = (now: number, needed: number, most: number) =>
      Math.min(most, needed <= now ? now : Math.max(needed, 1.5 * now) | 0);
    this.#poses = new PoseMemory(
      this.#device,
      grown(poseCapacity, wanted, limit.characters),
      grown(paletteCapacity, rows, limit.paletteRows),
      this.#shape.motionCapacity,
    );
    this.#isStale = true;
  }

  #expectGrants(byteLength: number): void {
    if (byteLength <= this.#grants.size) return;
    this.#retired.push(this.#grants);
    this.#grants = createGrants(this.#device, byteLength);
    this.#isStale = true;
  }

  #shownFrame(frame: number): ShownFrame {
    const { tables } = this.#shape;
    const memory = { crowd: this.#crowd, poses: this.#poses, bound: this.#bound, pages: [...this.#pages] };
    return { frame, types: tables.types, code: this.#shape, ...memory };
  }

  #drawMemory(): DrawMemory {
    const { targets, plan } = this.#bound;
    const pages = this.#boundPages;
    const { palettes, motions } = this.#poses;
    return {
      crowd: this.#crowd,
      targets,
      draws: plan.draws,
      palettes,
      motions,
      page: (index) => pages[index]!,
      socketMatrices: this.socketMatrices,
      previousSocketMatrices: this.previousSocketMatrices,
    };
  }

  #bind(pages: readonly PageMemory[]): BoundFrame {
    const { tables, capacity, classes, motionCapacity, kernels } = this.#shape;
    this.#boundPages = [...pages];
    return bindFrame(this.#device, this.#stages, {
      types: tables.types,
      capacity,
      classCount: classes.capacities.length,
      motionCapacity,
      kernels,
      crowd: this.#crowd,
      poses: this.#poses,
      pages,
      grants: this.#grants,
      providers: this.#provided?.buffers,
    });
  }
}

function createGrants(device: GPUDevice, byteLength: number): GPUBuffer {
  const { STORAGE, COPY_DST, COPY_SRC } = GPUBufferUsage;
  const size = 2 ** Math.ceil(Math.log2(byteLength));
  return createBuffer(device, 'grants', STORAGE | COPY_DST | COPY_SRC, size);
}

/** Maximum poses and palette rows that fit one binding. */
function poseLimits({ limits }: GPUDevice, { motionCapacity, poseLimit }: CrowdShape) {
  const bytes = Math.min(limits.maxStorageBufferBindingSize, limits.maxBufferSize);
  const characters = Math.floor(bytes / (motionCapacity * MOTION_ROWS * 16));
  return { characters: Math.min(poseLimit, characters), paletteRows: Math.floor(bytes / 16) };
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
