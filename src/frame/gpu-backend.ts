import { View, type Fields } from '../layout/index.ts';
import { splitSeconds } from '../shaders/fixed.ts';
import { BinRecord, SlotExtent } from '../stages/cull-characters/layout.ts';
import { FrameParams, MOTION_ROWS, Transform } from '../stages/layout.ts';
import { MATRIX_BYTES } from '../stages/place-sockets/layout.ts';
import type { Backend, DrawMemory, FrameInputs, FrameStats, SeenInputs, Shown } from './backend.ts';
import { deviceLimits } from './backend-limits.ts';
import { bindFrame, createSeenStages, prepareTypes, type BoundFrame } from './bind-frame.ts';
import type { Column } from './column.ts';
import { cullParams, statsOf } from './cull-inputs.ts';
import { NOTHING_DROPPED } from './drops.ts';
import type { EventRing } from './event-ring.ts';
import type { GpuEstate, ShownFrame } from './gpu-estate.ts';
import { encodeFrame, stagesOf } from './frame.ts';
import { GpuAnimators } from './gpu-animators.ts';
import { GpuPlaces } from './gpu-places.ts';
import { GpuReads } from './gpu-reads.ts';
import { GpuSockets } from './gpu-sockets.ts';
import { createBuffer, CrowdMemory, PageMemory, PoseMemory } from './gpu-memory.ts';
import { KeptLists } from './kept-lists.ts';
import { ColumnMemory } from './column-memory.ts';
import { moveCrowdMemory, readKernelState, writeKernelState } from './kernel-state.ts';
import { providerChanges, providerFrame, ProviderMemory } from './provider-memory.ts';
import { hasUpdates } from '../stages/update-characters/stage.ts';
import { readRanges } from './read-back.ts';
import { readCharacter } from './read-character.ts';
import { Retired } from './retired.ts';
import type { CrowdShape } from './shape.ts';
import { characterCapacity, culledRows, shareParams } from './sharing.ts';
import { Timings } from './timings.ts';
import { UploadRing } from './upload-ring.ts';

/** Runs the frame on the GPU. All pipelines that the crowd's types can need are created here, none in a frame. */
// oxlint-disable-next-line max-lines-per-function
export function createGpuBackend(device: GPUDevice, shape: CrowdShape, estate?: GpuEstate): Backend {
  const { tables, capacity, playerCapacity, motionCapacity, modifierCapacity, kernels, controllers } = shape;
  const crowd = new CrowdMemory(device, shape);
  const provided =
    shape.providers.length > 0 ? new ProviderMemory(device, shape.providers, capacity, shape.resources) : undefined;
  const traits = {
    controllers: controllers !== undefined,
    root: controllers?.root ?? false,
    trees: controllers?.trees ?? false,
    large: controllers?.large ?? false,
  };
  const stages = createSeenStages(
    device,
    traits,
    kernels,
    shape.providers,
    shape.sharing !== undefined,
    shape.skinnedChannel,
  );
  prepareTypes(stages, tables.types, motionCapacity, kernels);
  const uploads = estate?.uploads ?? new UploadRing(device);
  const events =
    estate?.moveTo(crowd, provided) ??
    ((ring: Uint32Array<ArrayBuffer>, frame: number) => backend.onEvents(ring, frame));
  const animators = controllers && new GpuAnimators(device, shape, controllers, crowd, uploads, events);
  const sockets = new GpuSockets(device, crowd, uploads, estate?.sockets);
  const reads = estate?.reads ?? new GpuReads(device);
  /** Where frames can be drawn after the next one: their lists. */
  const kept = shape.classes.copies > 2 ? new KeptLists(device, capacity) : undefined;
  const places = new GpuPlaces(device, crowd, uploads, capacity);
  const columns = new ColumnMemory(device, 'gpu');
  const timings = new Timings(device, stagesOf(controllers !== undefined, hasUpdates(shape.providers)));
  const pages: PageMemory[] = [...(estate?.pages ?? [])];
  let poses = new PoseMemory(device, 1, 1, motionCapacity);
  let grants = createGrants(1024);
  const retired = new Retired(kept !== undefined, estate?.retired);
  /** Pages that `bound` was made for: those of the last frame, while others are added or removed for the next one. */
  let boundPages: readonly PageMemory[] = [];
  // pages of before come with the next frame: there may be too many of them
  let bound = bind([]);
  /** What `bound` was made for has changed. */
  let isStale = pages.length > 0;
  /**
   * What the last frame that was looked at and submitted ran on; others may have been recorded since. Undefined once all is
   * destroyed. One for all backends that go on from each other, for those who wait for an answer.
   */
  const shown: { last: ShownFrame | undefined } = estate?.shown ?? {
    last: { frame: 0, types: tables.types, code: shape, crowd, poses, bound, pages: [] },
  };
  /** Matrices of sockets, as the last frame that was submitted left them. */
  let placed = estate?.placed ?? { frame: 0, matrices: sockets.matrices };
  let wasSeen = estate?.wasSeen ?? false;
  /** The last frame that was recorded. */
  let now = placed.frame;
  /** What to draw from until a frame has been recorded. */
  let lasting = estate?.memory;
  /** The last frame that somebody looked at. */
  let lastFrame = estate?.lastFrame ?? 0;
  /** What twins have shown, until a frame that is seen has taken its place. */
  let before = estate?.before;
  /** Characters that are being read, in several submissions each. */
  const reading = new Set<Promise<unknown>>();

  const backend: Backend = {
    kind: 'gpu',
    onEvents: () => undefined,
    onSocketsGrown: () => undefined,
    ...deviceLimits(device, shape),
    timings: timings.latest,
    get socketMatrices() {
      return sockets.matrices;
    },
    get previousSocketMatrices() {
      return sockets.previousMatrices;
    },
    columns,
    setColumns(list) {
      const before = columns.replace(list);
      if (before) retired.push(before);
    },
    arrays: undefined,
    get memory() {
      return lasting ?? drawMemory();
    },
    get kept() {
      return kept?.last;
    },
    addPage(page) {
      pages[page.index] = new PageMemory(device, page, shape.skinnedChannel !== undefined);
      isStale = true;
    },
    removePage(page) {
      retired.push(...pages.splice(page.index, 1));
      isStale = true;
    },
    encode(encoder, inputs) {
      if (!encoder) throw new TypeError('the GPU backend records into a command encoder');
      const { characterCount } = inputs.animators;
      const used = characterCount * Transform.size;
      if (kept && wasSeen) {
        const rowCount = culledRows(shape, characterCount).characterCount;
        retired.push(...kept.keep(encoder, now, { ...backend.memory!, columns: columns.buffer }, rowCount));
      }
      places.encodeShift(encoder, inputs.places, characterCount);
      if (wasSeen && used > 0) encoder.copyBufferToBuffer(crowd.transforms, 0, crowd.previousTransforms, 0, used);
      wasSeen = inputs.seen !== undefined;
      upload(encoder, inputs);
      const { seen, frame, animators: steps } = inputs;
      if (seen) lasting = undefined;
      const step = animators && { 'step-controllers': animators.encode(encoder, frame, steps) };
      const ground = places.encodeGround(encoder, inputs.places, characterCount);
      const others = seen && prepareSeen(encoder, inputs, seen);
      const outgrown = sockets.grow(encoder, inputs.sockets);
      const { matrices } = sockets;
      const carried = { 'place-sockets': sockets.encode(encoder, inputs.sockets, poses.palettes, seen !== undefined) };
      reads.mark(encoder, uploads, inputs);
      encodeFrame(
        encoder,
        { ...step, 'ground-characters': ground.dispatches, ...others, ...carried },
        timings,
        (stage) => {
          if (stage === 'cull-characters') bringCount(encoder);
        },
        (stage, dispatches, moment) =>
          inputs.recorder?.kernels({ stage, moment, inputs }, { device, encoder, dispatches }),
      );
      if (seen) lastFrame = frame;
      const recorded = seen && {
        frame,
        types: tables.types,
        code: shape,
        crowd,
        poses,
        bound,
        pages: [...pages],
      };
      const bringEvents = animators?.bringEvents(encoder, frame);
      const recycle = uploads.close();
      const readTimings = timings.resolve(encoder);
      now = frame;
      const unused = [...outgrown, ...ground.outgrown, ...(seen ? retired.take() : [])];
      if (outgrown.length > 0) backend.onSocketsGrown(matrices);
      return async () => {
        if (recorded && shown.last && frame > shown.last.frame) {
          shown.last = recorded;
          before = undefined;
        }
        if (frame > placed.frame) placed = { frame, matrices };
        for (const memory of unused) memory.destroy();
        await Promise.all([recycle(), readTimings(), bringEvents?.()]);
      };
    },
    read(character) {
      if (before) return before.read(character);
      const answer = readCharacter(reads, () => shown.last, character);
      reading.add(answer);
      const forget = () => void reading.delete(answer);
      answer.then(forget, forget);
      return answer;
    },
    readStats: () => (before ? before.readStats() : readStats()),
    readAnimators: (characters) =>
      animators?.read(stages.gatherMotions, characters) ?? Promise.resolve(new Uint32Array()),
    async readTransforms(characters) {
      const answer = await reads.rows('readTransforms', crowd.transforms, Transform.size, characters);
      return { ...answer, value: new View(Transform, answer.value) };
    },
    readJoints: (asked) =>
      before ? before.readJoints(asked) : reads.joints(shown.last!.crowd, shown.last!.poses.palettes, asked),
    async readSockets(attachments) {
      // those that a frame yet to be submitted makes room for are told apart by their first frame
      const { matrices } = placed;
      const known = attachments.map((index) => ((index + 1) * MATRIX_BYTES <= matrices.size ? index : 0));
      const answer = await reads.rows('readSockets', matrices, MATRIX_BYTES, known);
      return { ...answer, value: new Float32Array(answer.value) };
    },
    saveState: (characterCount, attachmentCount) =>
      readKernelState(crowd, shape, { characterCount, attachmentCount }, sockets.joints, provided),
    restoreState: (state) => writeKernelState(crowd, shape.animators, state, provided),
    reshaped(next, count) {
      columns.expectRoom(characterCapacity(next));
      const moveTo = (memory: CrowdMemory, providers: ProviderMemory | undefined): EventRing | undefined => {
        const encoder = device.createCommandEncoder({ label: 'reshape' });
        moveCrowdMemory(encoder, [crowd, shape], [memory, next], count);
        if (provided) providers?.takeOver(encoder, provided, count);
        device.queue.submit([encoder.finish()]);
        timings.destroy();
        return animators?.handOn();
      };
      const leaveSockets = { destroy: () => sockets.leave() };
      return createGpuBackend(device, next, {
        uploads,
        pages,
        retired: [...retired.all, ...own(), leaveSockets],
        shown,
        before,
        lastFrame,
        wasSeen,
        memory: lasting ?? drawMemory(),
        sockets: sockets.buffers,
        reads,
        placed,
        moveTo,
      });
    },
    async handOver() {
      const { readHeld } = await import('./hand-over.ts');
      const { buffers } = sockets;
      const read = await readHeld({ device, shape, crowd, provided, sockets: buffers, pages, clock: reads.clock });
      return () => {
        const last: Shown = { ...backend, memory: lasting ?? drawMemory(), arrays: undefined, destroy: leave };
        // what is retired goes with the rest of this one
        return { ...read(), queue: animators?.queue, wasSeen, retired: [], shown: last };
      };
    },
    get byteLength() {
      const optional = (animators?.byteLength ?? 0) + (provided?.byteLength ?? 0);
      const own =
        crowd.byteLength + uploads.byteLength + optional + grants.size + (kept?.byteLength ?? 0) + columns.byteLength;
      return [...pages, poses, bound, sockets, reads, places].reduce((sum, { byteLength }) => sum + byteLength, own);
    },
    destroy() {
      shown.last = undefined;
      for (const memory of [...own(), uploads, timings, sockets, reads, ...pages, ...retired.all]) memory.destroy();
      animators?.destroy();
    },
  };
  return backend;

  /** What no other backend takes over. */
  function own(): { destroy(): void }[] {
    return [crowd, poses, bound, grants, places, columns, ...[provided, kept].filter((owned) => owned !== undefined)];
  }

  /** Frees all but pages, matrices of attachments, and events that are under way: those are another one's now. */
  function leave(): void {
    void Promise.allSettled(reading).then(() => {
      for (const memory of [...own(), uploads, timings, reads, ...retired.all]) memory.destroy();
      sockets.leave();
      sockets.buffers.sockets.destroy();
      animators?.leave();
    });
  }

  function upload(encoder: GPUCommandEncoder, inputs: FrameInputs): void {
    const { residents, transforms, players, modifiers, providers } = inputs;
    uploadChanges(encoder, residents, crowd.residents);
    uploadChanges(encoder, transforms, crowd.transforms);
    uploadChanges(encoder, players, crowd.players);
    uploadChanges(encoder, modifiers, crowd.modifiers);
    columns.takeChanges((target, byteOffset, bytes) => uploads.write(encoder, target, byteOffset, bytes));
    if (!provided) return;
    for (const { byteOffset, bytes } of providerChanges(providers, provided.layout)) {
      uploads.write(encoder, provided.buffers.providerRows, byteOffset, bytes);
    }
  }

  function uploadChanges<F extends Fields>(encoder: GPUCommandEncoder, column: Column<F>, buffer: GPUBuffer): void {
    for (const { byteOffset, bytes } of column.takeChanges()) uploads.write(encoder, buffer, byteOffset, bytes);
  }

  /** Brings over what only a frame that is seen needs; returns what it dispatches. */
  function prepareSeen(encoder: GPUCommandEncoder, { time, frame, animators: steps }: FrameInputs, seen: SeenInputs) {
    const { sharing } = shape;
    const { characterCount, sharedCount } = culledRows(shape, steps.characterCount);
    const grantCount = seen.slots.grants.length / 2;
    growPoses(seen.poses);
    if (seen.slots.grants.byteLength > grants.size) {
      retired.push(grants);
      grants = createGrants(seen.slots.grants.byteLength);
      isStale = true;
    }
    if (isStale) {
      retired.push(bound);
      bound = bind(pages);
      isStale = false;
    }
    if (seen.slots.reset) {
      for (const key of ['slots', 'classes', 'extents', 'moves'] as const) encoder.clearBuffer(crowd[key]);
    }
    if (grantCount > 0) uploads.write(encoder, grants, 0, bytesOf(seen.slots.grants));
    const { extents, extentCount } = seen.slots;
    if (extents.length > 0) {
      uploads.write(encoder, crowd.extents, extentCount * SlotExtent.size - extents.byteLength, bytesOf(extents));
    }
    const { poseCapacity, paletteCapacity } = poses;
    const { binCount } = bound.plan;
    const hasRoom = poseLimits(device, shape).characters >= capacity && paletteCapacity >= seen.poses.paletteRows;
    const cull = cullParams(shape, seen, {
      posesAll: hasRoom,
      frame,
      lastFrame,
      sharedCount,
      characterCount,
      binCount,
      poseCapacity,
      paletteCapacity,
    });
    uploads.write(encoder, crowd.cullParams, 0, bytesOf(cull.words));
    const [timeLow, timeHigh] = splitSeconds(time);
    const params = new View(FrameParams, 1);
    params.assign(0, { timeLow, timeHigh, frame, playerCapacity, motionCapacity, modifierCapacity, lastFrame });
    uploads.write(encoder, crowd.params, 0, bytesOf(params.words));
    if (provided) {
      const { words } = providerFrame(provided, { time, frame, dt: steps.dt });
      uploads.write(encoder, provided.buffers.providerFrame, 0, bytesOf(words));
    }
    if (sharing && seen.sharers) {
      uploadChanges(encoder, seen.sharers, crowd.sharers!);
      const share = shareParams(shape, sharing, { time, frame, characterCount: steps.characterCount });
      uploads.write(encoder, crowd.shareParams!, 0, bytesOf(share.words));
    }
    const hasFollowers = seen.hasFollowers || sharing !== undefined;
    return bound.dispatches(
      { characterCount, hasGrants: grantCount > 0, hasMoves: seen.slots.hasMoves, hasFollowers },
      steps.characterCount,
    );
  }

  /** How long the visible list is, for those who bind no more than the frame's parameters. */
  function bringCount(encoder: GPUCommandEncoder): void {
    const { tally, plan } = bound;
    const count = (plan.binCount + 1) * BinRecord.size + BinRecord.offsets.count;
    encoder.copyBufferToBuffer(tally, count, crowd.params, FrameParams.offsets.visibleCount, 4);
  }

  /** More may have to be posed than ever before: larger buffers, which stay. Nothing in them has to. */
  function growPoses({ characters, paletteRows }: SeenInputs['poses']): void {
    const limit = poseLimits(device, shape);
    const [wanted, rows] = [Math.min(characters, limit.characters), Math.min(paletteRows, limit.paletteRows)];
    if (wanted <= poses.poseCapacity && rows <= poses.paletteCapacity) return;
    retired.push(poses);
    const grown = (now: number, needed: number, most: number) =>
      Math.min(most, needed <= now ? now : Math.max(needed, 1.5 * now) | 0);
    poses = new PoseMemory(
      device,
      grown(poses.poseCapacity, wanted, limit.characters),
      grown(poses.paletteCapacity, rows, limit.paletteRows),
      motionCapacity,
    );
    isStale = true;
  }

  function drawMemory(): DrawMemory {
    const { targets, plan } = bound;
    const all = boundPages;
    const { palettes, motions } = poses;
    const page = (index: number) => all[index]!;
    const { matrices: socketMatrices, previousMatrices: previousSocketMatrices } = sockets;
    return { crowd, targets, draws: plan.draws, palettes, motions, page, socketMatrices, previousSocketMatrices };
  }

  function bind(pages: readonly PageMemory[]): BoundFrame {
    const { types } = tables;
    const classCount = shape.classes.capacities.length;
    boundPages = [...pages];
    return bindFrame(device, stages, {
      types,
      capacity,
      classCount,
      motionCapacity,
      kernels,
      crowd,
      poses,
      pages,
      grants,
      providers: provided?.buffers,
    });
  }

  function createGrants(byteLength: number): GPUBuffer {
    const { STORAGE, COPY_DST, COPY_SRC } = GPUBufferUsage;
    const size = 2 ** Math.ceil(Math.log2(byteLength));
    return createBuffer(device, 'grants', STORAGE | COPY_DST | COPY_SRC, size);
  }

  async function readStats(): Promise<FrameStats> {
    const { plan, tally } = shown.last!.bound;
    const [[bytes], counted] = await Promise.all([
      readRanges(device, [[tally, plan.binCount * BinRecord.size, 2 * BinRecord.size]]),
      animators?.countDropped(stages.gatherMotions, shown.last!.crowd),
    ]);
    return statsOf(new View(BinRecord, bytes!), 0, counted ?? NOTHING_DROPPED);
  }
}

/** What one binding can hold of poses. */
function poseLimits({ limits }: GPUDevice, { motionCapacity, poseLimit }: CrowdShape) {
  const bytes = Math.min(limits.maxStorageBufferBindingSize, limits.maxBufferSize);
  const characters = Math.floor(bytes / (motionCapacity * MOTION_ROWS * 16));
  return { characters: Math.min(poseLimit, characters), paletteRows: Math.floor(bytes / 16) };
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
