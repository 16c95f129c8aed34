import { columnWordOf } from '../../controller/eval/regions.ts';
import { View } from '../../layout/index.ts';
import type { WriteRangesViews } from '../../stages/cull-characters/write-ranges.ts';
import { listMotions } from '../../stages/gather-motions/list-reference.ts';
import { Transform } from '../../stages/layout.ts';
import { MATRIX_BYTES } from '../../stages/place-sockets/layout.ts';
import { type AskedJoint, JointAnswer } from '../../stages/read-joints/layout.ts';
import { readJoints } from '../../stages/read-joints/reference.ts';
import { shiftTransforms } from '../../stages/shift-transforms/reference.ts';
import { EVENT_FIRST_WORD } from '../../stages/step-controllers/layout.ts';
import { hasUpdates } from '../../stages/providers.ts';
import type {
  Answer,
  Backend,
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
} from '../backend.ts';
import type { BackendLimits } from '../tables/memory.ts';
import { ColumnMemory } from '../tables/column-memory.ts';
import { runFrame, type FrameViews } from './frame.ts';
import { CpuParts } from './parts.ts';
import { preparePoses } from './pose-on-cpu.ts';
import { rowsOf } from './rows.ts';
import { CpuSockets } from './sockets.ts';
import { statsOf, FreezeDrops } from '../tables/cull-results.ts';
import { EventQueue, usedRing } from '../tables/event-queue.ts';
import type { StageName } from '../stages.ts';
import type { KernelState } from '../tables/kernel-state.ts';
import type { NamedColumn } from '../tables/named-columns.ts';
import type { Page } from '../tables/vertex-pages.ts';
import { cullParams, frameParams, groundParams, stepParams } from '../tables/parameters.ts';
import { Retired } from '../tables/retired.ts';
import type { CrowdLayout } from '../tables/crowd-layout.ts';
import { characterCapacity, culledRows, shareViews } from '../tables/sharing.ts';

/** To be awaited before the first backend is created. */
export const prepareCpuBackend: () => Promise<void> = preparePoses;

/** @param left State of a GPU backend that this one replaces. */
export function createCpuBackend(device: GPUDevice | undefined, shape: CrowdLayout, left?: HandedOver): Backend {
  return new CpuBackend(device, shape, left);
}

/**
 * Runs the frame on the stages' twins. A comparison shows if an error is in the kernels or in the data. With a device, it copies
 * the results to the buffers that kernels would write, so that everything after the frame draws the same.
 */
class CpuBackend implements Backend {
  readonly kind = 'cpu';
  readonly timings = new Map<string, number>();
  #frameTime: number | undefined;
  readonly columns: ColumnMemory;
  onEvents: Backend['onEvents'] = () => undefined;
  onSocketsGrown: Backend['onSocketsGrown'] = () => undefined;
  onMargin?: NonNullable<Backend['onMargin']>;

  readonly #device: GPUDevice | undefined;
  /** Replaced by `resize`. */
  #parts: CpuParts;
  readonly #retired: Retired;
  readonly #sockets: CpuSockets;
  readonly #freezes: FreezeDrops;
  readonly #queue: EventQueue;
  #frames: Frames;
  #wasSeen: boolean;
  /** The last frame before a resize or of the kernels, until a frame with views replaces it. */
  #before: Shown | undefined;

  constructor(device: GPUDevice | undefined, shape: CrowdLayout, left: HandedOver | undefined) {
    this.#device = device;
    this.#retired = new Retired(device !== undefined && shape.classes.copies > 2, left?.retired);
    this.#parts = new CpuParts(device, shape, left?.pages ?? [], this.#retired);
    this.#sockets = new CpuSockets(device, left?.sockets);
    this.#freezes = new FreezeDrops(left?.freezes);
    this.columns = new ColumnMemory(device, 'cpu');
    this.#queue = left?.queue ?? new EventQueue((ring, frame) => this.onEvents(ring, frame));
    this.#frames = left?.frames ?? { now: 0, lastFrame: 0, origin: [0, 0, 0] };
    this.#wasSeen = left?.wasSeen ?? false;
    this.#before = left?.shown;
    if (left) this.#parts.takeOver(left);
  }

  get limits(): BackendLimits {
    return this.#parts.limits;
  }

  get socketMatrices(): GPUBuffer | undefined {
    return this.#sockets.buffer;
  }

  get previousSocketMatrices(): GPUBuffer | undefined {
    return this.#sockets.previousBuffer;
  }

  get memory(): DrawMemory | undefined {
    return this.#shown.memory;
  }

  get arrays(): DrawArrays | undefined {
    return this.#shown.arrays;
  }

  get kept(): KeptFrame | undefined {
    return this.#parts.kept?.last;
  }

  get byteLength(): number {
    return this.#parts.byteLength + this.columns.byteLength + this.#sockets.byteLength;
  }

  setColumns(list: readonly NamedColumn[]): void {
    const replaced = this.columns.replace(list);
    if (replaced) this.#retired.push(replaced);
  }

  addPage(page: Page): void {
    this.#parts.planned.add(page);
  }

  removePage(page: Page): void {
    this.#parts.planned.remove(page);
  }

  takeFrameTime(): number | undefined {
    const time = this.#frameTime;
    this.#frameTime = undefined;
    return time;
  }

  encode(_: GPUCommandEncoder | undefined, inputs: FrameInputs): () => Promise<void> {
    const { seen, frame } = inputs;
    const { shape, events } = this.#parts;
    this.timings.clear();
    this.#keepHistory(inputs);
    this.#takeChanges(inputs);
    const { outgrown } = this.#run(inputs);
    if (inputs.isTimed) this.#frameTime = [...this.timings.values()].reduce((sum, time) => sum + time, 0);
    this.#frames = { ...this.#frames, now: frame, lastFrame: seen ? frame : this.#frames.lastFrame };
    this.#sockets.mirror();
    if (outgrown.length > 0) this.onSocketsGrown(this.#sockets.buffer!);
    if (seen) this.#parts.mirror();
    const unused = [...outgrown, ...(seen ? this.#retired.take() : [])];
    const destroyUnused = () => unused.forEach((memory) => memory.destroy());
    if (!shape.controllers?.events) return async () => destroyUnused();
    const ring = usedRing(events);
    events.fill(0, 0, EVENT_FIRST_WORD);
    const arrived = this.#queue.open(frame);
    return async () => {
      destroyUnused();
      arrived(ring);
    };
  }

  read(character: number): Promise<CharacterReadback | undefined> {
    return this.#shown.read(character);
  }

  readStats(): Promise<FrameStats> {
    return this.#shown.readStats();
  }

  async readAnimators(characters: readonly number[]): Promise<Uint32Array<ArrayBuffer>> {
    const { shape, animators } = this.#parts;
    const { controllers, tables, animators: plan } = shape;
    if (!controllers) return new Uint32Array();
    return listMotions(tables.rig, plan.regions, animators, characters, controllers.large);
  }

  async readTransforms(characters: readonly number[]): Promise<Answer<View<(typeof Transform)['fields']>>> {
    const { now: frame, origin } = this.#frames;
    const value = new View(Transform, characters.length);
    value.words.set(rowsOf(this.#parts.transforms.words, Transform.size, characters));
    return { frame, origin, value };
  }

  readJoints(asked: View<(typeof AskedJoint)['fields']>): Promise<Answer<View<(typeof JointAnswer)['fields']>>> {
    return this.#shown.readJoints(asked);
  }

  async readSockets(attachments: readonly number[]): Promise<Answer<Float32Array<ArrayBuffer>>> {
    const { now: frame, origin } = this.#frames;
    return { frame, origin, value: rowsOf(this.#sockets.matrices, MATRIX_BYTES, attachments) };
  }

  async saveState(characterCount: number, attachmentCount: number): Promise<KernelState> {
    return this.#parts.saveState({ characterCount, attachmentCount }, this.#sockets.joints.words);
  }

  restoreState(state: KernelState): void {
    this.#parts.restoreState(state);
  }

  resize(shape: CrowdLayout, count: number): void {
    this.columns.expectRoom(characterCapacity(shape));
    const before = this.#parts;
    const parts = new CpuParts(this.#device, shape, before.planned.next, this.#retired);
    parts.takeOver(before.stateOf(count, this.#sockets.joints.words));
    if (this.#before) before.destroy();
    else this.#before = this.#shownBy(before);
    this.#parts = parts;
  }

  async handOver(): Promise<() => HandedOver> {
    return () => {
      const { shape, planned, slots } = this.#parts;
      const [before, own] = [this.#before, this.#shownBy(this.#parts)];
      const destroy = () => {
        before?.destroy();
        own.destroy();
        this.columns.destroy();
      };
      return {
        ...this.#parts.stateOf(shape.capacity, this.#sockets.joints.words),
        culled: slots.state,
        pages: planned.next,
        queue: this.#queue,
        wasSeen: this.#wasSeen,
        sockets: this.#sockets.state,
        frames: this.#frames,
        freezes: this.#freezes.counts,
        retired: this.#retired.all,
        shown: { ...(before ?? own), destroy },
      };
    };
  }

  destroy(): void {
    this.#before?.destroy();
    this.#parts.destroy();
    this.columns.destroy();
    for (const memory of this.#retired.all) memory.destroy();
    this.#sockets.destroy();
    for (const { memory } of this.#parts.planned.next) memory?.destroy();
  }

  get #shown(): Shown {
    return this.#before ?? this.#shownBy(this.#parts);
  }

  /** The last frame with views, as `parts` have it now. */
  #shownBy(parts: CpuParts): Shown {
    const { lastFrame, origin } = this.#frames;
    const { bins, plan } = parts.planned.plan;
    return {
      memory: parts.drawMemory(this.#sockets),
      arrays: parts.drawArrays(this.#sockets),
      read: async (character) => parts.read(character, lastFrame),
      readStats: async () => statsOf(bins, plan.binCount, this.#freezes.with(parts.listed, parts.animators)),
      readJoints: async (asked) => {
        const answers = new View(JointAnswer, asked.count);
        readJoints({ rows: parts.listed, palettes: parts.palettes, asked, answers });
        return { frame: lastFrame, origin, value: answers };
      },
      destroy: () => parts.destroy(),
    };
  }

  /** Keeps lists and transforms of the last frame, before this one changes them. */
  #keepHistory({ seen, places, animators: { characterCount } }: FrameInputs): void {
    this.#keepLists(characterCount);
    const { transforms, previousTransforms, planned } = this.#parts;
    if (seen) {
      if (this.#before) this.#retired.push(this.#before);
      this.#before = undefined;
      planned.update();
    }
    for (const column of [transforms, previousTransforms]) {
      shiftTransforms(column, characterCount, places.moves);
    }
    this.#frames = { ...this.#frames, origin: places.origin };
    if (this.#wasSeen) previousTransforms.words.set(transforms.words);
    this.#wasSeen = seen !== undefined;
  }

  /** Copies buffers that draws of the last frame read. */
  #keepLists(characterCount: number): void {
    const { device, kept, shape } = this.#parts;
    const { memory } = this;
    if (!device || !kept || !this.#wasSeen || !memory) return;
    const encoder = device.createCommandEncoder({ label: 'keep lists' });
    const rows = culledRows(shape, characterCount).characterCount;
    const drawn = { ...memory, columns: this.columns.buffer };
    this.#retired.push(...kept.keep(encoder, this.#frames.now, drawn, rows));
    device.queue.submit([encoder.finish()]);
  }

  #takeChanges(inputs: FrameInputs): void {
    const { transforms, residents, provided } = this.#parts;
    for (const [column, view] of [
      [inputs.transforms, transforms],
      [inputs.residents, residents],
    ] as const) {
      const to = new Uint8Array(view.words.buffer);
      for (const { byteOffset, bytes } of column.takeChanges()) to.set(bytes, byteOffset);
    }
    inputs.modifiers.takeChanges();
    provided.takeChanges(inputs);
    this.columns.takeChanges();
  }

  /** Runs all stages. Returns buffers that larger ones have replaced. */
  #run(inputs: FrameInputs): { readonly outgrown: readonly GPUBuffer[] } {
    const { seen, recorder, sockets } = inputs;
    const parts = this.#parts;
    const { transforms, previousTransforms } = parts;
    const carried = this.#sockets.take(sockets, { transforms, previousTransforms });
    const step = this.#stepViews(inputs);
    const ground = this.#groundViews(inputs);
    const seenViews = seen && this.#seenViews(inputs, seen);
    const { lastFrame } = this.#frames;
    const palettes = () => ({ ...parts.listed, palettes: parts.palettes, lastFrame });
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

  #stepViews({ frame, animators: inputs }: FrameInputs): FrameViews['step'] {
    const { shape, animators, events, transforms } = this.#parts;
    const { controllers, tables, animators: plan } = shape;
    if (!controllers) return undefined;
    const bytes = new Uint8Array(animators.buffer);
    inputs.columns.forEach((column, index) => {
      for (const change of column.takeChanges()) {
        bytes.set(change.bytes, 4 * columnWordOf(plan.regions, index) + change.byteOffset);
      }
    });
    const views = {
      stepParams: stepParams(shape, frame, inputs),
      regions: plan.regions,
      animators,
      rig: tables.rig,
      commands: inputs.commands,
      events,
      transforms,
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
    return { params, heights: ground.heights, grounded: grounded.view.words, transforms: this.#parts.transforms };
  }

  #seenViews(inputs: FrameInputs, seen: SeenInputs): FrameViews['seen'] {
    const { time, frame, animators: steps } = inputs;
    const parts = this.#parts;
    const { shape, animators, residents, transforms, visible } = parts;
    const { bins, plan } = parts.planned.plan;
    parts.slots.take(seen.slots);
    parts.growPoses(seen.poses);
    const params = this.#cullParams(inputs, seen);
    const clock = frameParams(shape, inputs, this.#frames.lastFrame);
    const { rig } = shape.tables;
    const { regions } = shape.animators;
    const columns = { players: inputs.players.view, modifiers: inputs.modifiers.view };
    const own = { ...columns, regions, animators, rig };
    const sharing = { time, frame, characterCount: steps.characterCount };
    const { slots, decisions, classes, rings, extents, moves } = parts.slots;
    const memory = { slots, decisions, classes, rings, extents, moves };
    const rows = { residents, transforms, visible, bins, ...memory };
    const share = shareViews(shape, seen.sharers, sharing, own);
    return {
      cull: { params, kinds: shape.kinds, grants: seen.slots.grants, ...rows, share },
      played: { clock, ...own },
      place: this.#placeViews(),
      pose: () => {
        const visibleCount = bins.get(plan.binCount + 1, 'count');
        parts.visibleCount = visibleCount;
        clock.set(0, 'visibleCount', visibleCount);
        const { skeletons } = parts.geometry;
        const memory = { motions: parts.motions, palettes: parts.palettes };
        const { motionCapacity } = shape;
        return { params: clock, visible, visibleCount, motionCapacity, ...own, skeletons, ...memory };
      },
      ...this.#skinViews(inputs),
    };
  }

  #placeViews(): WriteRangesViews {
    const { plan, bins, targets, place } = this.#parts.planned.plan;
    const { dispatches, ranges, draws } = plan.targets;
    return { params: place, dispatches, plans: ranges, draws, bins, targets };
  }

  #skinViews(inputs: FrameInputs): Pick<NonNullable<FrameViews['seen']>, 'provided' | 'update' | 'keep' | 'skin'> {
    const parts = this.#parts;
    const { visible, palettes, transforms, previousTransforms, planned } = parts;
    const { meshes, keptLevels } = parts.geometry;
    const { skinnedChannel, tables } = parts.shape;
    const providers = parts.provided.view(inputs);
    const ofPages = () => planned.rows(visible);
    const update = () => ({
      visible,
      visibleCount: parts.visibleCount,
      transforms,
      previousTransforms,
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

  #cullParams({ frame, animators: steps }: FrameInputs, seen: SeenInputs): ReturnType<typeof cullParams> {
    const { shape, planned, poseCapacity, paletteCapacity } = this.#parts;
    const { characterCount, sharedCount } = culledRows(shape, steps.characterCount);
    const { capacity, poseLimit } = shape;
    return cullParams(shape, seen, {
      frame,
      lastFrame: this.#frames.lastFrame,
      characterCount,
      sharedCount,
      binCount: planned.plan.plan.binCount,
      posesAll: poseLimit >= capacity,
      poseCapacity,
      paletteCapacity,
    });
  }
}
