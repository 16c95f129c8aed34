import { ANIMATOR_NONE } from '../animator/layout.ts';
import { columnWordOf } from '../animator/regions.ts';
import { View } from '../layout/index.ts';
import { splitSeconds } from '../shaders/fixed.ts';
import { Decision, SlotClass } from '../stages/cull-characters/layout.ts';
import { listMotions } from '../stages/gather-motions/list-reference.ts';
import {
  FrameParams,
  MOTION_ROWS,
  RESIDENT_NONE,
  Resident,
  ROW_NONE,
  SlotState,
  Transform,
  VisibleCharacter,
} from '../stages/layout.ts';
import { MATRIX_BYTES } from '../stages/place-sockets/layout.ts';
import { JointAnswer } from '../stages/read-joints/layout.ts';
import { readJoints } from '../stages/read-joints/reference.ts';
import { shiftTransforms } from '../stages/shift-transforms/reference.ts';
import { DROP_WEIGHT_ONE, EVENT_FIRST_WORD, EVENT_WORDS, StepParams } from '../stages/step-controllers/layout.ts';
import type { VisibleRows } from '../stages/visible-row.ts';
import type {
  Backend,
  CulledState,
  DrawArrays,
  DrawMemory,
  FrameInputs,
  Frames,
  SeenInputs,
  Shown,
  SocketState,
} from './backend.ts';
import { deviceLimits } from './backend-limits.ts';
import type { CpuEstate } from './cpu-estate.ts';
import {
  createCpuPage,
  createPalettes,
  type CpuPage,
  mirrorColumns,
  mirrorPages,
  PAGE_BYTES,
  pageRows,
} from './cpu-pages.ts';
import { CpuProviders } from './cpu-providers.ts';
import { createCpuPlan } from './cpu-plan.ts';
import { characterAt } from './cpu-read.ts';
import { byGeometry, rowsOf } from './cpu-rows.ts';
import { CpuSockets } from './cpu-sockets.ts';
import { cullParams, SLOT_PAGE_VERTICES, statsOf, type DropCounts } from './cull-inputs.ts';
import { pageLimitOf } from './cull-tables.ts';
import { EventQueue, usedRing } from './event-queue.ts';
import { runFrame, type FrameViews } from './cpu-frame.ts';
import type { StageName } from './frame.ts';
import { groundParams } from './gpu-places.ts';
import { CrowdMemory, VERTEX_BYTES } from './gpu-memory.ts';
import { copyAnimators, emptyKernelState, type KernelState, type StateCounts } from './kernel-state.ts';
import { hasUpdates } from '../stages/update-characters/stage.ts';
import type { CrowdShape } from './shape.ts';
import { culledRows, shareViews } from './sharing.ts';

/**
 * Runs the frame on the stages' twins: the switch for "is it the kernels or the data?". With a device, results are
 * copied to where kernels would have left them, so that everything after the frame draws the same.
 */
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
  const slots = new View(SlotState, capacity);
  const decisions = new View(Decision, capacity);
  const classes = new View(SlotClass, shape.classes.capacities.length + 1);
  const rings = new Uint32Array(shape.classes.limits.reduce((sum, limit) => sum + limit, 0));
  const visible = new View(VisibleCharacter, capacity);
  let motions = new Uint32Array(0);
  let palettes = new Float32Array(0);
  /** What there has been room for stays, so that nobody waits who did not before. */
  let [poseCapacity, paletteCapacity] = [0, 0];
  /** A GPU copy of them, when there is a device. */
  let drawnPalettes = device && createPalettes(device, 0);
  const pages: CpuPage[] = [...(estate?.pages ?? [])];
  let planned = createCpuPlan(device, shape, pages.length);
  const sockets = estate?.sockets instanceof CpuSockets ? estate.sockets : new CpuSockets(device, estate?.sockets);
  /** The last frame, the last that somebody looked at, and what places are relative to. */
  let { now, lastFrame, origin }: Frames = estate?.frames ?? { now: 0, lastFrame: 0, origin: [0, 0, 0] };
  let visibleCount = 0;
  let wasSeen = estate?.wasSeen ?? false;
  /** What was shown before, until a frame takes its place. */
  let before = estate?.shown;
  const timings = new Map<string, number>();
  const { meshes, skeletons, keptLevels } = byGeometry(tables.types);
  /** Of all freezes since the crowd began. */
  const frozen = estate?.frozen ?? { truncatedFreezes: 0, droppedSamples: 0, droppedWeight: 0 };
  const provided = new CpuProviders(shape);
  const queue = estate?.queue ?? new EventQueue((ring, frame) => backend.onEvents(ring, frame));
  if (estate) {
    events.set(estate.events.subarray(0, events.length));
    residents.words.set(estate.residents.subarray(0, residents.words.length));
    restoreState(estate.state);
    provided.takeOver(estate.provided, estate.state.transforms.count);
    previousTransforms.set(estate.previousTransforms.subarray(0, previousTransforms.length));
    const { culled } = estate;
    if (culled) for (const [key, words] of Object.entries(culledState())) words.set(culled[key as keyof CulledState]);
  }

  const backend: Backend = {
    kind: 'cpu',
    onEvents: () => undefined,
    onSocketsGrown: () => undefined,
    bindingBytes: 2 ** 31,
    socketLimit: 2 ** 24,
    pageVertices: Math.min(PAGE_BYTES / VERTEX_BYTES, SLOT_PAGE_VERTICES),
    pageCount: pageLimitOf(tables.types),
    ...(device && deviceLimits(device, shape)),
    timings,
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
    addPage(page) {
      pages[page.index] = createCpuPage(device, page);
      planned.buffer?.destroy();
      planned = createCpuPlan(device, shape, pages.length);
    },
    encode(_, inputs) {
      timings.clear();
      if (inputs.seen) {
        before?.destroy();
        before = undefined;
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
      const destroyOutgrown = () => outgrown.forEach((buffer) => buffer.destroy());
      if (!controllers?.events) return async () => destroyOutgrown();
      const ring = usedRing(events, EVENT_FIRST_WORD, EVENT_WORDS);
      events.fill(0, 0, EVENT_FIRST_WORD);
      const arrived = queue.open(inputs.frame);
      return async () => {
        destroyOutgrown();
        arrived(ring);
      };
    },
    removePage(page) {
      for (const { memory } of pages.splice(page.index, 1)) memory?.destroy();
      planned.buffer?.destroy();
      planned = createCpuPlan(device, shape, pages.length);
    },
    async read(character) {
      if (before) return before.read(character);
      if (lastFrame === 0 || slots.get(character, 'frame') !== lastFrame) return undefined;
      const row = slots.get(character, 'visibleRow');
      if (row === ROW_NONE) return undefined;
      return characterAt({ types: tables.types, visible, pages, palettes, providers: shape.providers }, row);
    },
    readStats: async () => before?.readStats() ?? statsOf(planned.bins, planned.plan.binCount, countDropped()),
    readAnimators: async (characters) =>
      controllers
        ? listMotions(tables.rig, regions.regions, animators, characters, controllers.large)
        : new Uint32Array(),
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
      const after = createCpuBackend(device, next, { ...estateOf(count), sockets });
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
      return { ...left, culled: culledState(), shown: before ? { ...shown, destroy: destroyShown } : shown };
    },
    get byteLength() {
      const vertices = pages.reduce(
        (sum, { skinned, skinnedTangents, memory }) =>
          sum + skinned.byteLength + skinnedTangents.byteLength + (memory?.byteLength ?? 0),
        0,
      );
      const columns = [slots, decisions, residents, transforms, visible].map(({ words }) => words);
      const arrays = [...columns, previousTransforms, provided, rings, motions, palettes, animators, events];
      return arrays.reduce(
        (sum, { byteLength }) => sum + byteLength,
        vertices + sockets.byteLength + (crowd?.byteLength ?? 0),
      );
    },
    destroy() {
      before?.destroy();
      destroyOwn();
      sockets.destroy();
      for (const { memory } of pages) memory?.destroy();
    },
  };
  return backend;

  function drawMemory(): DrawMemory | undefined {
    const { buffer: targets, plan: framePlan } = planned;
    if (!crowd || !targets || !drawnPalettes) return undefined;
    const all = [...pages];
    const page = (index: number) => all[index]!.memory!;
    return { crowd, targets, draws: framePlan.draws, palettes: drawnPalettes, motions: undefined, page };
  }

  function drawArrays(): DrawArrays {
    const { targets, plan: framePlan } = planned;
    const columns = { visible, transforms, previousTransforms: previous, residents };
    return { ...columns, ...tables, targets, draws: framePlan.draws, pages: [...pages] };
  }

  /** What goes on of the first `count` characters, but their slots. */
  function estateOf(count: number): Omit<CpuEstate, 'sockets'> & { readonly sockets: SocketState } {
    const own: Shown = { ...backend, memory: drawMemory(), arrays: drawArrays(), destroy: destroyOwn };
    return {
      pages,
      queue,
      residents: residents.words,
      provided: provided.rows,
      previousTransforms,
      wasSeen,
      state: saveState({ characterCount: count, attachmentCount: 0 }),
      events,
      sockets: sockets.state,
      frames: { now, lastFrame, origin },
      frozen,
      shown: before ?? own,
    };
  }

  function culledState(): CulledState {
    return { slots: slots.words, decisions: decisions.words, classes: classes.words, rings };
  }

  /** All but pages and attachments: those may be of another backend now. */
  function destroyOwn(): void {
    crowd?.destroy();
    drawnPalettes?.destroy();
    planned.buffer?.destroy();
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

  /** What the lists of the last frame had no room for, and what freezes dropped. */
  function countDropped(): DropCounts {
    let droppedMotions = 0;
    for (let row = 0; row < (controllers ? visibleCount : 0); row++) {
      const character = visible.get(row, 'character');
      const isPosed = visible.get(row, 'motionRow') !== ROW_NONE;
      if (isPosed && animators[4 * character] !== ANIMATOR_NONE) droppedMotions += animators[4 * character + 3]! >>> 16;
    }
    return { droppedMotions, ...frozen };
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
    const { rig } = tables;
    const { movesTransforms } = controllers;
    const views = {
      stepParams,
      regions: regions.regions,
      animators,
      rig,
      commands,
      events,
      transforms,
      movesTransforms,
      onTruncation: (samples: number, weight: number) => {
        frozen.truncatedFreezes++;
        frozen.droppedSamples += samples;
        // to the same fraction as kernels
        frozen.droppedWeight += Math.trunc(weight * DROP_WEIGHT_ONE) / DROP_WEIGHT_ONE;
      },
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
    if (changes.reset) {
      slots.words.fill(0);
      classes.words.fill(0);
    }
    poseCapacity = Math.max(poseCapacity, Math.min(poses.characters, shape.poseLimit));
    paletteCapacity = Math.max(paletteCapacity, poses.paletteRows);
    const motionWords = poseCapacity * motionCapacity * MOTION_ROWS * 4;
    if (motions.length < motionWords) motions = new Uint32Array(motionWords);
    if (palettes.length < paletteCapacity * 4) palettes = new Float32Array(paletteCapacity * 4);
    const { plan: framePlan, bins, targets, place } = planned;
    const { binCount } = framePlan;
    const { characterCount, sharedCount } = culledRows(shape, steps.characterCount);
    const counts = { frame, lastFrame, characterCount, sharedCount, binCount, posesAll: shape.poseLimit >= capacity };
    const params = cullParams(shape, seen, { ...counts, poseCapacity, paletteCapacity });
    const [timeLow, timeHigh] = splitSeconds(time);
    const frameParams = new View(FrameParams, 1);
    frameParams.assign(0, { timeLow, timeHigh, frame, playerCapacity, motionCapacity, modifierCapacity, lastFrame });
    const { rig, geometry } = tables;
    const { grants } = changes;
    const { kinds } = shape;
    const own = { players: players.view, modifiers: modifiers.view, regions: regions.regions, animators, rig };
    const share = shareViews(shape, seen.sharers, { time, frame, characterCount: steps.characterCount }, own);
    const { targets: plans } = framePlan;
    const ofPages = () => pageRows(pages, bins, binCount, visible);
    const memory = provided.view(inputs);
    return {
      cull: { params, residents, transforms, kinds, grants, classes, rings, slots, decisions, bins, visible, share },
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
      provided: memory,
      update:
        memory && hasUpdates(memory.list)
          ? () => ({ visible, visibleCount, transforms, previousTransforms: previous, providers: memory })
          : undefined,
      keep:
        keptLevels.size > 0
          ? () =>
              ofPages().map(({ skinned: kept, ...rows }) => ({
                ...rows,
                keptLevels,
                providers: memory,
                palettes,
                kept,
              }))
          : undefined,
      skin: () => ofPages().map((views) => ({ ...views, geometry, meshes, palettes, providers: memory })),
    };
  }

  /** Copies what drawing needs to the GPU. */
  function mirror(device: GPUDevice, memory: CrowdMemory): void {
    mirrorColumns(memory, { transforms, previous, residents, visible });
    device.queue.writeBuffer(planned.buffer!, 0, planned.targets);
    if (drawnPalettes!.size < palettes.byteLength) {
      drawnPalettes!.destroy();
      drawnPalettes = createPalettes(device, palettes.byteLength);
    }
    device.queue.writeBuffer(drawnPalettes!, 0, palettes);
    mirrorPages(device, pages);
  }
}
