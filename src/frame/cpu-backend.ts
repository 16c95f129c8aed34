import { ANIMATOR_NONE } from '../animator/layout.ts';
import { columnWordOf } from '../animator/regions.ts';
import { View } from '../layout/index.ts';
import { splitSeconds } from '../shaders/fixed.ts';
import { listMotions } from '../stages/gather-motions/list-reference.ts';
import { FrameParams, MOTION_ROWS, RESIDENT_NONE, Resident, Transform, VisibleCharacter } from '../stages/layout.ts';
import { MATRIX_BYTES } from '../stages/place-sockets/layout.ts';
import { JointAnswer } from '../stages/read-joints/layout.ts';
import { readJoints } from '../stages/read-joints/reference.ts';
import { shiftTransforms } from '../stages/shift-transforms/reference.ts';
import { EVENT_FIRST_WORD, EVENT_WORDS, StepParams } from '../stages/step-controllers/layout.ts';
import type { VisibleRows } from '../stages/visible-row.ts';
import type { Backend, DrawArrays, DrawMemory, FrameInputs, Frames, HandedOver, SeenInputs, Shown } from './backend.ts';
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
import { Retired } from './retired.ts';
import type { CrowdShape } from './shape.ts';
import { characterCapacity, culledRows, shareViews } from './sharing.ts';

/**
 * Runs the frame on the stages' twins: the switch for "is it the kernels or the data?". With a device, results are
 * copied to where kernels would have left them, so that everything after the frame draws the same.
 */
// oxlint-disable-next-line max-lines-per-function
export function createCpuBackend(device: GPUDevice | undefined, shape: CrowdShape, estate?: CpuEstate): Backend {
  const { tables, capacity, playerCapacity, motionCapacity, modifierCapacity, animators: regions, controllers } = shape;
  const crowd = device && new CrowdMemory(device, shape);
  const animators = new Uint32Array(controllers ? 4 * regions.rowCount : 0);
  if (controllers) animators.fill(ANIMATOR_NONE, 0, 4 * capacity);
  const events = new Uint32Array(controllers ? EVENT_FIRST_WORD + EVENT_WORDS * shape.eventCapacity : 0);
  /** Where characters stand, root motion included. */
  const transforms = new View(Transform, capacity);
  const previous = new View(Transform, capacity);
  const { words: previousTransforms } = previous;
  const residents = new View(Resident, capacity);
  residents.words.fill(RESIDENT_NONE);
  const memory = new CpuSlots(shape);
  const { slots } = memory;
  const visible = new View(VisibleCharacter, capacity);
  let motions = new Uint32Array(0);
  let palettes = new Float32Array(0);
  /** What there has been room for stays, so that nobody waits who did not before. */
  let [poseCapacity, paletteCapacity] = [0, 0];
  /** A GPU copy of them, when there is a device. */
  let drawnPalettes = device && createPalettes(device, 0);
  const kept = device && shape.classes.copies > 2 ? new KeptLists(device, capacity) : undefined;
  const retired = new Retired(kept !== undefined, estate?.retired);
  const planned = new PlannedPages(device, shape, estate?.pages ?? [], retired);
  const sockets = estate?.sockets instanceof CpuSockets ? estate.sockets : new CpuSockets(device, estate?.sockets);
  /** The last frame, the last that somebody looked at, and what places are relative to. */
  let { now, lastFrame, origin }: Frames = estate?.frames ?? { now: 0, lastFrame: 0, origin: [0, 0, 0] };
  let visibleCount = 0;
  let wasSeen = estate?.wasSeen ?? false;
  /** What was shown before, until a frame takes its place. */
  let before = estate?.shown;
  const timings = new Map<string, number>();
  const { meshes, skeletons, keptLevels } = byGeometry(tables.types);
  const freezes = estate?.freezes instanceof FreezeDrops ? estate.freezes : new FreezeDrops(estate?.freezes);
  const provided = new CpuProviders(shape);
  const columns = new ColumnMemory(device, 'cpu');
  const queue = estate?.queue ?? new EventQueue((ring, frame) => backend.onEvents(ring, frame));
  if (estate) {
    events.set(estate.events.subarray(0, events.length));
    residents.words.set(estate.residents.subarray(0, residents.words.length));
    restoreState(estate.state);
    provided.takeOver(estate.provided, estate.state.transforms.count);
    previousTransforms.set(estate.previousTransforms.subarray(0, previousTransforms.length));
    if (estate.culled) memory.restore(estate.culled);
  }

  const backend: Backend = {
    kind: 'cpu',
    onEvents: () => undefined,
    onSocketsGrown: () => undefined,
    bindingBytes: 2 ** 31,
    socketLimit: 2 ** 24,
    pageVertices: Math.min(Math.floor(PAGE_BYTES / vertexBytes(shape)), SLOT_PAGE_VERTICES),
    pageCount: pageLimitOf(tables.types),
    ...(device && deviceLimits(device, shape)),
    timings,
    columns,
    setColumns(list) {
      const before = columns.replace(list);
      if (before) retired.push(before);
    },
    get socketMatrices() {
      return sockets.buffer;
    },
    get previousSocketMatrices() {
      return sockets.previousBuffer;
    },
    get memory() {
      return before ? before.memory : drawMemory();
    },
    get arrays() {
      return before ? before.arrays : drawArrays();
    },
    get kept() {
      return kept?.last;
    },
    addPage(page) {
      planned.add(page);
    },
    encode(_, inputs) {
      timings.clear();
      keepLists(inputs.animators.characterCount);
      if (inputs.seen) {
        if (before) retired.push(before);
        before = undefined;
        planned.update();
      }
      const { places, animators: steps } = inputs;
      for (const column of [transforms, previous]) shiftTransforms(column, steps.characterCount, places.moves);
      ({ origin } = places);
      if (wasSeen) previousTransforms.set(transforms.words);
      wasSeen = inputs.seen !== undefined;
      for (const { byteOffset, bytes } of inputs.transforms.takeChanges()) {
        new Uint8Array(transforms.words.buffer).set(bytes, byteOffset);
      }
      for (const { byteOffset, bytes } of inputs.residents.takeChanges()) {
        new Uint8Array(residents.words.buffer).set(bytes, byteOffset);
      }
      inputs.modifiers.takeChanges();
      provided.takeChanges(inputs);
      columns.takeChanges();
      const { seen } = inputs;
      const carried = sockets.take(inputs.sockets, { transforms, previousTransforms: previous });
      const frameViews = {
        step: stepViews(inputs),
        ground: groundViews(inputs),
        seen: seen && seenViews(inputs, seen),
      };
      const placed = () => ({ ...carried.views, seen: seen && { ...listed(), palettes, lastFrame } });
      const views = { ...frameViews, sockets: inputs.sockets.count > 0 ? placed : undefined };
      runFrame(views, timed, (stage, moment) => inputs.recorder?.twins({ stage, moment, inputs }, views));
      now = inputs.frame;
      if (seen) lastFrame = inputs.frame;
      sockets.mirror();
      const { outgrown } = carried;
      if (outgrown.length > 0) backend.onSocketsGrown(sockets.buffer!);
      if (device && crowd && seen) mirror(device, crowd);
      const unused = [...outgrown, ...(seen ? retired.take() : [])];
      const destroyUnused = () => unused.forEach((memory) => memory.destroy());
      if (!controllers?.events) return async () => destroyUnused();
      const ring = usedRing(events, EVENT_FIRST_WORD, EVENT_WORDS);
      events.fill(0, 0, EVENT_FIRST_WORD);
      const arrived = queue.open(inputs.frame);
      return async () => {
        destroyUnused();
        arrived(ring);
      };
    },
    removePage(page) {
      planned.remove(page);
    },
    async read(character) {
      if (before) return before.read(character);
      return readCpuCharacter(character, {
        types: tables.types,
        slots,
        visible,
        pages: planned.pages,
        palettes,
        code: shape,
        serialPoses: shape.kernels.serialPoses,
        lastFrame,
      });
    },
    readStats: async () =>
      before?.readStats() ?? statsOf(planned.plan.bins, planned.plan.plan.binCount, freezes.with(listed(), animators)),
    readAnimators: async (asked) =>
      controllers ? listMotions(tables.rig, regions.regions, animators, asked, controllers.large) : new Uint32Array(),
    async readTransforms(characters) {
      const value = new View(Transform, characters.length);
      value.words.set(rowsOf(transforms.words, Transform.size, characters));
      return { frame: now, origin, value };
    },
    async readJoints(asked) {
      if (before) return before.readJoints(asked);
      const value = new View(JointAnswer, asked.count);
      readJoints({ rows: listed(), palettes, asked, answers: value });
      return { frame: lastFrame, origin, value };
    },
    readSockets: async (attachments) => ({
      frame: now,
      origin,
      value: rowsOf(sockets.matrices, MATRIX_BYTES, attachments),
    }),
    saveState: async (characterCount, attachmentCount) => saveState({ characterCount, attachmentCount }),
    restoreState,
    reshaped(next, count) {
      columns.expectRoom(characterCapacity(next));
      const after = createCpuBackend(device, next, { ...estateOf(count), sockets, freezes });
      if (before) destroyOwn();
      return after;
    },
    handOver: async () => () => {
      const left = estateOf(capacity);
      const { shown } = left;
      const destroyShown = () => {
        shown.destroy();
        destroyOwn();
      };
      return { ...left, culled: memory.state, shown: before ? { ...shown, destroy: destroyShown } : shown };
    },
    get byteLength() {
      const views = [residents, transforms, visible].map(({ words }) => words);
      const arrays = [...views, previousTransforms, provided, motions, palettes, animators, events];
      const owners = [memory, planned, sockets, ...[crowd, kept].filter((owned) => owned !== undefined)];
      return [...arrays, ...owners].reduce((sum, { byteLength }) => sum + byteLength, columns.byteLength);
    },
    destroy() {
      before?.destroy();
      destroyOwn();
      for (const memory of retired.all) memory.destroy();
      sockets.destroy();
      for (const { memory } of planned.next) memory?.destroy();
    },
  };
  return backend;

  function drawMemory(): DrawMemory | undefined {
    const { buffer: targets, plan: framePlan } = planned.plan;
    if (!crowd || !targets || !drawnPalettes) return undefined;
    const all = planned.pages;
    const page = (index: number) => all[index]!.memory!;
    const [socketMatrices, previousSocketMatrices] = [sockets.buffer!, sockets.previousBuffer!];
    const matrices = { socketMatrices, previousSocketMatrices };
    return { crowd, targets, draws: framePlan.draws, palettes: drawnPalettes, motions: undefined, page, ...matrices };
  }

  /** Copies what draws of the last frame read, before this one changes it. */
  function keepLists(characterCount: number): void {
    const { memory } = backend;
    if (!kept || !wasSeen || !memory) return;
    const encoder = device!.createCommandEncoder({ label: 'keep lists' });
    retired.push(
      ...kept.keep(
        encoder,
        now,
        { ...memory, columns: columns.buffer },
        culledRows(shape, characterCount).characterCount,
      ),
    );
    device!.queue.submit([encoder.finish()]);
  }

  function drawArrays(): DrawArrays {
    const { targets, plan: framePlan } = planned.plan;
    const columns = { visible, transforms, previousTransforms: previous, residents };
    return { ...columns, ...tables, targets, draws: framePlan.draws, pages: planned.pages };
  }

  /** What goes on of the first `count` characters, but their slots. */
  function estateOf(count: number): Omit<HandedOver, 'culled'> {
    const own: Shown = { ...backend, memory: drawMemory(), arrays: drawArrays(), destroy: destroyOwn };
    return {
      pages: planned.next,
      queue,
      residents: residents.words,
      provided: provided.rows,
      previousTransforms,
      wasSeen,
      state: saveState({ characterCount: count, attachmentCount: 0 }),
      events,
      sockets: sockets.state,
      frames: { now, lastFrame, origin },
      freezes: freezes.counts,
      retired: retired.all,
      shown: before ?? own,
    };
  }

  /** All but pages and attachments: those may be of another backend now. */
  function destroyOwn(): void {
    crowd?.destroy();
    columns.destroy();
    drawnPalettes?.destroy();
    planned.plan.buffer?.destroy();
    kept?.destroy();
  }

  function saveState(counts: StateCounts): KernelState {
    const state = emptyKernelState(shape, counts);
    state.transforms.words.set(transforms.words.subarray(0, state.transforms.words.length));
    state.joints.set(sockets.joints.subarray(0, state.joints.length));
    if (controllers) copyAnimators([animators, regions], [state.animators, state.plan], counts.characterCount);
    provided.save(state.providers);
    return state;
  }

  function restoreState(state: KernelState): void {
    transforms.words.set(state.transforms.words);
    // they have stood still until now
    previousTransforms.set(state.transforms.words);
    if (controllers) copyAnimators([state.animators, state.plan], [animators, regions], state.transforms.count);
    provided.restore(state.providers);
  }

  /** The visible list of the last frame that somebody looked at. */
  function listed(): VisibleRows {
    return { slots, visible, visibleCount };
  }

  function timed(stage: StageName, run: () => void): void {
    const start = performance.now();
    run();
    timings.set(stage, (timings.get(stage) ?? 0) + performance.now() - start);
  }

  function stepViews({ frame, animators: inputs }: FrameInputs): FrameViews['step'] {
    if (!controllers) return undefined;
    const bytes = new Uint8Array(animators.buffer);
    inputs.columns.forEach((column, index) => {
      for (const change of column.takeChanges()) {
        bytes.set(change.bytes, 4 * columnWordOf(regions.regions, index) + change.byteOffset);
      }
    });
    const { dt, characterCount, runCount, commands } = inputs;
    const stepParams = new View(StepParams, 1);
    stepParams.assign(0, { dt, frame, characterCount, runCount, eventCapacity: shape.eventCapacity });
    const views = {
      stepParams,
      regions: regions.regions,
      animators,
      rig: tables.rig,
      commands,
      events,
      transforms,
      movesTransforms: controllers.movesTransforms,
      onTruncation: freezes.add,
    };
    return backend.onMargin ? { ...views, onMargin: backend.onMargin } : views;
  }

  function groundViews({ places, animators: steps }: FrameInputs): FrameViews['ground'] {
    places.grounded.takeChanges();
    const { ground, grounded } = places;
    if (!ground) return undefined;
    const params = groundParams(places, ground, steps.characterCount);
    return { params, heights: ground.heights, grounded: grounded.view.words, transforms };
  }

  function seenViews(inputs: FrameInputs, seen: SeenInputs): FrameViews['seen'] {
    const { time, frame, players, modifiers, animators: steps } = inputs;
    const { slots: changes, poses } = seen;
    memory.take(changes);
    const { decisions, classes, rings, extents, moves } = memory;
    const slotViews = { slots, decisions, classes, rings, extents, moves };
    poseCapacity = Math.max(poseCapacity, Math.min(poses.characters, shape.poseLimit));
    paletteCapacity = Math.max(paletteCapacity, poses.paletteRows);
    const motionWords = poseCapacity * motionCapacity * MOTION_ROWS * 4;
    if (motions.length < motionWords) motions = new Uint32Array(motionWords);
    if (palettes.length < paletteCapacity * 4) palettes = new Float32Array(paletteCapacity * 4);
    const { plan: framePlan, bins, targets, place } = planned.plan;
    const { binCount } = framePlan;
    const { characterCount, sharedCount } = culledRows(shape, steps.characterCount);
    const counts = { frame, lastFrame, characterCount, sharedCount, binCount, posesAll: shape.poseLimit >= capacity };
    const params = cullParams(shape, seen, { ...counts, poseCapacity, paletteCapacity });
    const [timeLow, timeHigh] = splitSeconds(time);
    const frameParams = new View(FrameParams, 1);
    frameParams.assign(0, { timeLow, timeHigh, frame, playerCapacity, motionCapacity, modifierCapacity, lastFrame });
    const { rig, geometry } = tables;
    const [{ grants }, { kinds }] = [changes, shape];
    const own = { players: players.view, modifiers: modifiers.view, regions: regions.regions, animators, rig };
    const share = shareViews(shape, seen.sharers, { time, frame, characterCount: steps.characterCount }, own);
    const { targets: plans } = framePlan;
    const ofPages = () => pageRows(planned.pages, bins, binCount, visible);
    const { skinnedChannel } = shape;
    const providers = provided.view(inputs);
    return {
      cull: {
        params,
        residents,
        transforms,
        kinds,
        grants,
        ...slotViews,
        bins,
        visible,
        share,
      },
      played: { clock: frameParams, ...own },
      place: { params: place, dispatches: plans.dispatches, plans: plans.ranges, draws: plans.draws, bins, targets },
      pose: () => {
        visibleCount = bins.get(binCount + 1, 'count');
        frameParams.set(0, 'visibleCount', visibleCount);
        return {
          params: frameParams,
          visible,
          visibleCount,
          motionCapacity,
          ...own,
          skeletons,
          motions,
          palettes,
        };
      },
      provided: providers,
      update:
        providers && hasUpdates(providers.list)
          ? () => ({ visible, visibleCount, transforms, previousTransforms: previous, providers })
          : undefined,
      keep:
        keptLevels.size > 0
          ? () =>
              ofPages().map(({ skinned: kept, ...rows }) => ({
                ...rows,
                keptLevels,
                providers,
                palettes,
                kept,
              }))
          : undefined,
      skin: () => ofPages().map((views) => ({ ...views, geometry, meshes, palettes, providers, skinnedChannel })),
    };
  }

  /** Copies what drawing needs to the GPU. */
  function mirror(device: GPUDevice, memory: CrowdMemory): void {
    mirrorColumns(memory, { transforms, previous, residents, visible });
    device.queue.writeBuffer(planned.plan.buffer!, 0, planned.plan.targets);
    if (drawnPalettes!.size < palettes.byteLength) {
      drawnPalettes!.destroy();
      drawnPalettes = createPalettes(device, palettes.byteLength);
    }
    device.queue.writeBuffer(drawnPalettes!, 0, palettes);
    mirrorPages(device, planned.pages);
  }
}
