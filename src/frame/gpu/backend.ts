import { View, type Fields } from '../../layout/index.ts';
import { BinRecord, SlotExtent } from '../../stages/cull-characters/layout.ts';
import { Transform } from '../../stages/layout.ts';
import { encodeDispatches } from '../../stages/kernel.ts';
import { MATRIX_BYTES } from '../../stages/place-sockets/layout.ts';
import type { AskedJoint, JointAnswer } from '../../stages/read-joints/layout.ts';
import type {
  Answer,
  Backend,
  CharacterReadback,
  DrawMemory,
  FrameInputs,
  FrameStats,
  HandedOver,
  KeptFrame,
  SeenInputs,
  Shown,
} from '../backend.ts';
import type { Column } from '../tables/column.ts';
import { ColumnMemory } from '../tables/column-memory.ts';
import { statsOf, NOTHING_DROPPED } from '../tables/cull-results.ts';
import type { DeliverEvents } from '../tables/event-queue.ts';
import { type Moment, STAGES } from '../stages.ts';
import type { FrameDispatches } from './bind-frame.ts';
import type { GpuEstate } from './hand-over.ts';
import { type BackendLimits, PageMemory } from '../tables/memory.ts';
import { GpuParts, type PartsContent, type ShownFrame } from './parts.ts';
import { GpuReads } from './reads.ts';
import { type KernelState, moveCrowdMemory, readKernelState, writeKernelState } from '../tables/kernel-state.ts';
import type { NamedColumn } from '../tables/named-columns.ts';
import type { Page, SlotChanges } from '../tables/vertex-pages.ts';
import { cullParams, frameParams, shareParams } from '../tables/parameters.ts';
import { providerChanges, providerFrame } from '../tables/provider-memory.ts';
import { readRanges } from '../../device/read-back.ts';
import { readCharacter } from './read-character.ts';
import { Retired } from '../tables/retired.ts';
import type { CrowdLayout } from '../tables/crowd-layout.ts';
import { characterCapacity, culledRows } from '../tables/sharing.ts';
import { UploadRing } from '../../device/upload-ring.ts';

export function createGpuBackend(device: GPUDevice, shape: CrowdLayout, estate?: GpuEstate): Backend {
  return new GpuBackend(device, shape, estate);
}

/** Runs the frame on the GPU. */
class GpuBackend implements Backend {
  readonly kind = 'gpu';
  readonly columns: ColumnMemory;
  readonly arrays = undefined;
  onEvents: Backend['onEvents'] = () => undefined;
  onSocketsGrown: Backend['onSocketsGrown'] = () => undefined;

  readonly #device: GPUDevice;
  /** Replaced by `resize`. */
  #parts: GpuParts;
  readonly #uploads: UploadRing;
  readonly #reads: GpuReads;
  readonly #retired: Retired;
  readonly #pages: PageMemory[];
  /** Memory of the last submitted frame that had views; later frames may be encoded. Undefined once all is destroyed. */
  #shown: ShownFrame | undefined;
  /** Matrices of sockets of the last submitted frame. */
  #placed: { readonly frame: number; readonly matrices: GPUBuffer };
  #wasSeen: boolean;
  /** The last frame that was encoded. */
  #now: number;
  /** Memory to draw from until a frame has been encoded, after a resize or after the twins. */
  #lasting: DrawMemory | undefined;
  /** The last frame that had views. */
  #lastFrame: number;
  /** The last frame of the twins, until a frame with views replaces it. */
  #before: Shown | undefined;
  /** Milliseconds of the last timed frame, until they are taken. */
  #frameTime: number | undefined;
  /** Reads of characters in flight, in several submissions each. */
  readonly #reading = new Set<Promise<unknown>>();

  constructor(device: GPUDevice, shape: CrowdLayout, estate: GpuEstate | undefined) {
    this.#device = device;
    this.#uploads = new UploadRing(device);
    const deliver: DeliverEvents = (ring, frame) => this.onEvents(ring, frame);
    this.#parts = new GpuParts(device, shape, this.#uploads, {
      sockets: estate?.sockets,
      fill: (memory, provided) => estate?.fill(memory, provided) ?? deliver,
    });
    this.#reads = estate?.reads ?? new GpuReads(device);
    this.columns = new ColumnMemory(device, 'gpu');
    this.#pages = [...(estate?.pages ?? [])];
    this.#retired = new Retired(this.#parts.kept !== undefined, estate?.retired);
    this.#shown = this.#parts.shownFrame(0);
    this.#placed = { frame: estate?.now ?? 0, matrices: this.socketMatrices };
    this.#wasSeen = estate?.wasSeen ?? false;
    this.#now = this.#placed.frame;
    this.#lasting = estate?.before.memory;
    this.#lastFrame = estate?.lastFrame ?? 0;
    this.#before = estate?.before;
  }

  get limits(): BackendLimits {
    return this.#parts.limits;
  }

  get timings(): ReadonlyMap<string, number> {
    return this.#parts.timers.read();
  }

  get socketMatrices(): GPUBuffer {
    return this.#parts.sockets.buffers.matrices;
  }

  get previousSocketMatrices(): GPUBuffer {
    return this.#parts.sockets.buffers.previousMatrices;
  }

  get memory(): DrawMemory {
    return this.#lasting ?? this.#parts.drawMemory;
  }

  get kept(): KeptFrame | undefined {
    return this.#parts.kept?.last;
  }

  get byteLength(): number {
    const owners = [this.#parts, this.#uploads, this.columns, this.#reads, ...this.#pages];
    return owners.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  setColumns(list: readonly NamedColumn[]): void {
    const replaced = this.columns.replace(list);
    if (replaced) this.#retired.push(replaced);
  }

  addPage(page: Page): void {
    this.#pages[page.index] = new PageMemory(this.#device, page);
  }

  removePage(page: Page): void {
    this.#retired.push(...this.#pages.splice(page.index, 1));
  }

  encode(encoder: GPUCommandEncoder | undefined, inputs: FrameInputs): () => Promise<void> {
    if (!encoder) throw new TypeError('the GPU backend records into a command encoder');
    const { seen, frame } = inputs;
    const { animators, timers, frameTimer } = this.#parts;
    const lastMatrices = this.socketMatrices;
    this.#keepHistory(encoder, inputs);
    this.#upload(encoder, inputs);
    if (seen) this.#lasting = undefined;
    const unused = this.#encodeStages(encoder, inputs);
    if (seen) this.#lastFrame = frame;
    const recorded = seen && this.#parts.shownFrame(frame);
    const matrices = this.socketMatrices;
    const bringEvents = animators?.bringEvents(encoder, frame);
    const recycle = this.#uploads.close();
    const readTimings = timers.resolve(encoder);
    const readFrameTime = frameTimer.resolve(encoder);
    this.#now = frame;
    if (seen) unused.push(...this.#retired.take());
    if (matrices !== lastMatrices) this.onSocketsGrown(matrices);
    return async () => {
      if (recorded && this.#shown && frame > this.#shown.frame) {
        this.#shown = recorded;
        this.#before = undefined;
      }
      if (frame > this.#placed.frame) this.#placed = { frame, matrices };
      for (const memory of unused) memory.destroy();
      const [, , time] = await Promise.all([recycle(), readTimings(), readFrameTime?.(), bringEvents?.()]);
      if (inputs.isTimed) this.#frameTime = time ?? sumOf(timers.latest);
    };
  }

  takeFrameTime(): number | undefined {
    const time = this.#frameTime;
    this.#frameTime = undefined;
    return time;
  }

  read(character: number): Promise<CharacterReadback | undefined> {
    if (this.#before) return this.#before.read(character);
    const answer = readCharacter(this.#reads, () => this.#shown, character);
    this.#reading.add(answer);
    const forget = () => void this.#reading.delete(answer);
    answer.then(forget, forget);
    return answer;
  }

  async readStats(): Promise<FrameStats> {
    if (this.#before) return this.#before.readStats();
    const { bound, crowd } = this.#shown!;
    const { plan, tally } = bound;
    const [[bytes], counted] = await Promise.all([
      readRanges(this.#device, [[tally, plan.binCount * BinRecord.size, 2 * BinRecord.size]]),
      this.#parts.animators?.countDropped(this.#parts.stages.gatherMotions, crowd),
    ]);
    return statsOf(new View(BinRecord, bytes!), 0, counted ?? NOTHING_DROPPED);
  }

  async readAnimators(characters: readonly number[]): Promise<Uint32Array<ArrayBuffer>> {
    const { animators, stages } = this.#parts;
    return animators?.read(stages.gatherMotions, characters) ?? new Uint32Array();
  }

  async readTransforms(characters: readonly number[]): Promise<Answer<View<(typeof Transform)['fields']>>> {
    const answer = await this.#reads.rows('readTransforms', this.#parts.crowd.transforms, Transform.size, characters);
    return { ...answer, value: new View(Transform, answer.value) };
  }

  readJoints(asked: View<(typeof AskedJoint)['fields']>): Promise<Answer<View<(typeof JointAnswer)['fields']>>> {
    if (this.#before) return this.#before.readJoints(asked);
    const { crowd, poses } = this.#shown!;
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
    const { crowd, shape, sockets, provided } = this.#parts;
    return readKernelState(crowd, shape, counts, sockets.joints, provided);
  }

  restoreState(state: KernelState): void {
    const { crowd, shape, provided } = this.#parts;
    writeKernelState(crowd, shape.animators, state, provided);
  }

  resize(shape: CrowdLayout, count: number): void {
    this.columns.expectRoom(characterCapacity(shape));
    const { memory } = this;
    const before = this.#parts;
    const sockets = before.sockets.buffers;
    const fill: PartsContent['fill'] = (crowd, provided) => {
      const encoder = this.#device.createCommandEncoder({ label: 'resize' });
      moveCrowdMemory(encoder, [before.crowd, before.shape], [crowd, shape], count);
      if (before.provided) provided?.takeOver(encoder, before.provided, count);
      this.#device.queue.submit([encoder.finish()]);
      return before.animators?.handOn() ?? ((ring, frame) => this.onEvents(ring, frame));
    };
    this.#parts = new GpuParts(this.#device, shape, this.#uploads, { sockets, fill });
    if (before.timers.isMeasuring) this.#parts.timers.read();
    before.timers.destroy();
    before.frameTimer.destroy();
    this.#retired.push(...before.owned, { destroy: () => before.sockets.leave() });
    this.#lasting = memory;
  }

  async handOver(): Promise<() => HandedOver> {
    const { readHeld } = await import('./hand-over.ts');
    const { animators } = this.#parts;
    const read = await readHeld(this.#parts, this.#pages, this.#reads.clock);
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
      return { ...read(), queue: animators?.queue, wasSeen: this.#wasSeen, retired: [], shown };
    };
  }

  destroy(): void {
    this.#shown = undefined;
    this.#destroyUnshared();
    for (const memory of [this.#parts.sockets, ...this.#pages]) memory.destroy();
    this.#parts.animators?.destroy();
  }

  #destroyUnshared(): void {
    const { owned, timers, frameTimer } = this.#parts;
    const all = [...owned, this.columns, this.#uploads, timers, frameTimer, this.#reads, ...this.#retired.all];
    for (const memory of all) memory.destroy();
  }

  /** Destroys all but pages, matrices of attachments and events in flight, which another backend has now. */
  #leave(): void {
    void Promise.allSettled(this.#reading).then(() => {
      const { sockets, animators } = this.#parts;
      this.#destroyUnshared();
      sockets.leave();
      sockets.buffers.sockets.destroy();
      animators?.leave();
    });
  }

  /** Copies lists and transforms of the last frame, and shifts both to the origin of this one. */
  #keepHistory(encoder: GPUCommandEncoder, { animators: { characterCount }, places, seen }: FrameInputs): void {
    const { crowd, kept, shape, places: placing } = this.#parts;
    if (kept && this.#wasSeen) {
      const rows = culledRows(shape, characterCount).characterCount;
      const memory = { ...this.memory, columns: this.columns.buffer };
      this.#retired.push(...kept.keep(encoder, this.#now, memory, rows));
    }
    placing.encodeShift(encoder, places, characterCount);
    const { transforms, previousTransforms } = crowd;
    const byteLength = characterCount * Transform.size;
    if (this.#wasSeen && byteLength > 0) {
      encoder.copyBufferToBuffer(transforms, 0, previousTransforms, 0, byteLength);
    }
    this.#wasSeen = seen !== undefined;
  }

  #upload(encoder: GPUCommandEncoder, inputs: FrameInputs): void {
    const { crowd, provided } = this.#parts;
    const uploads = this.#uploads;
    for (const { first, words } of inputs.rig) uploads.write(encoder, crowd.rig, 4 * first, bytesOf(words));
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
    const { crowd, sockets, animators, places: placed } = this.#parts;
    const step = animators && { 'step-controllers': animators.encode(encoder, frame, steps) };
    const ground = placed.encodeGround(encoder, places, steps.characterCount);
    const others = seen && this.#prepareSeen(encoder, inputs, seen);
    const outgrown = sockets.grow(encoder, carried);
    const placing = sockets.encode(encoder, carried, this.#parts.poses.palettes, seen !== undefined);
    this.#reads.mark(encoder, this.#uploads, inputs, seen ? frame : this.#lastFrame);
    this.#uploads.write(encoder, crowd.parameters.buffer, 0, crowd.parameters.bytes(seen !== undefined));
    const all = { ...step, 'ground-characters': ground.dispatches, ...others, 'place-sockets': placing };
    if (inputs.recorder || this.#parts.timers.isMeasuring) this.#encodePasses(encoder, inputs, all);
    else this.#encodePass(encoder, all, inputs.isTimed);
    return [...outgrown, ...ground.outgrown];
  }

  /** Records all stages in one pass. */
  #encodePass(encoder: GPUCommandEncoder, all: FrameDispatches, isTimed = false): void {
    const dispatches = STAGES.flatMap((stage) => all[stage] ?? []);
    if (dispatches.length === 0) return;
    const times = isTimed ? this.#parts.frameTimer.writes() : undefined;
    const pass = encoder.beginComputePass({ label: 'maniple', ...times });
    encodeDispatches(pass, dispatches);
    pass.end();
  }

  /** Records all stages, a pass each: those are measured, and a recorder copies what stages read and write. */
  #encodePasses(encoder: GPUCommandEncoder, inputs: FrameInputs, all: FrameDispatches): void {
    for (const stage of STAGES) {
      const dispatches = all[stage] ?? [];
      if (dispatches.length === 0) continue;
      const record = (moment: Moment) =>
        inputs.recorder?.kernels({ stage, moment, inputs }, { device: this.#device, encoder, dispatches });
      record('inputs');
      const pass = encoder.beginComputePass({ label: stage, ...this.#parts.timers.writes(stage) });
      encodeDispatches(pass, dispatches);
      pass.end();
      record('outputs');
    }
  }

  /** Prepares memory and parameters of the stages that run for views. Returns their dispatches. */
  #prepareSeen(encoder: GPUCommandEncoder, inputs: FrameInputs, seen: SeenInputs): FrameDispatches {
    const { characterCount: rows } = inputs.animators;
    const { slots } = seen;
    const { shape } = this.#parts;
    this.#parts.prepare(seen, this.#pages, this.#retired);
    this.#writeSlots(encoder, slots);
    this.#setParameters(encoder, inputs, seen);
    const { characterCount } = culledRows(shape, rows);
    const hasFollowers = seen.hasFollowers || shape.sharing !== undefined;
    const hasGrants = slots.grants.length > 0;
    const cull = { characterCount, hasGrants, hasMoves: slots.hasMoves, hasFollowers };
    // captured stages bind all that their twins read
    const tightens =
      inputs.recorder !== undefined ||
      (seen.views !== undefined && shape.kinds.boxes.count > 0 && this.#posesAll(seen));
    return this.#parts.bound.dispatches(cull, { tightens, sharerCount: rows, listed: seen.poses.characters });
  }

  /** True if every character of the frame can be posed, so that boxes of clips may hide some. */
  #posesAll({ poses }: SeenInputs): boolean {
    const { poseLimits, shape } = this.#parts;
    return poseLimits.characters >= shape.capacity && this.#parts.poses.paletteCapacity >= poses.paletteRows;
  }

  #writeSlots(encoder: GPUCommandEncoder, { reset, grants, extents, extentCount }: SlotChanges): void {
    const { crowd, grants: granted } = this.#parts;
    if (reset) for (const key of ['slots', 'classes', 'extents', 'moves'] as const) encoder.clearBuffer(crowd[key]);
    if (grants.length > 0) this.#uploads.write(encoder, granted, 0, bytesOf(grants));
    if (extents.length === 0) return;
    const byteOffset = extentCount * SlotExtent.size - extents.byteLength;
    this.#uploads.write(encoder, crowd.extents, byteOffset, bytesOf(extents));
  }

  #setParameters(encoder: GPUCommandEncoder, inputs: FrameInputs, seen: SeenInputs): void {
    const { shape, crowd, provided, poses, bound } = this.#parts;
    const { time, frame, animators: steps } = inputs;
    const { sharing } = shape;
    const { poseCapacity, paletteCapacity } = poses;
    const lastFrame = this.#lastFrame;
    const { binCount } = bound.plan;
    const { characterCount, sharedCount } = culledRows(shape, steps.characterCount);
    const counts = { sharedCount, characterCount, binCount, poseCapacity, paletteCapacity };
    const { views } = crowd.parameters;
    cullParams(shape, seen, { posesAll: this.#posesAll(seen), frame, lastFrame, ...counts }, views.cull);
    frameParams(shape, inputs, lastFrame, views.frame);
    if (provided) {
      const { words } = providerFrame(provided, { time, frame, dt: steps.dt });
      this.#uploads.write(encoder, provided.buffers.providerFrame, 0, bytesOf(words));
    }
    if (!sharing || !seen.sharers) return;
    this.#uploadChanges(encoder, seen.sharers, crowd.sharers!);
    shareParams(shape, sharing, { time, frame, characterCount: steps.characterCount }, views.share);
  }
}

/** Undefined if nothing was measured. */
function sumOf(times: ReadonlyMap<string, number>): number | undefined {
  return times.size > 0 ? [...times.values()].reduce((sum, time) => sum + time, 0) : undefined;
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
