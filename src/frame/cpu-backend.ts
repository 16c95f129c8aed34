import { ANIMATOR_NONE } from '../animator/layout.ts';
import { columnWordOf } from '../animator/regions.ts';
import { View, roundUp } from '../layout/index.ts';
import { splitSeconds } from '../shaders/fixed.ts';
import { BinRecord, Decision, EXTRA_BINS, PlaceParams, SlotClass } from '../stages/cull-characters/layout.ts';
import { listMotions } from '../stages/gather-motions/list-reference.ts';
import { DIMENSION_LIMIT } from '../stages/kernel.ts';
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
import type { SkinnedMesh, SkinVerticesViews } from '../stages/skin-vertices/reference.ts';
import { EVENT_FIRST_WORD, EVENT_WORDS, StepParams } from '../stages/step-controllers/layout.ts';
import type { VisibleRows } from '../stages/visible-row.ts';
import type { Backend, FrameInputs, PlaceInputs, SeenInputs } from './backend.ts';
import { CpuSockets } from './cpu-sockets.ts';
import { cullParams, placeOf, SLOT_PAGE_VERTICES, statsOf } from './cull-inputs.ts';
import { pageLimitOf } from './cull-tables.ts';
import { EventQueue, usedRing } from './event-queue.ts';
import { runFrame, type FrameViews, type StageName } from './frame.ts';
import { groundParams } from './gpu-places.ts';
import { createBuffer, createTargets, CrowdMemory, PageMemory, VERTEX_BYTES } from './gpu-memory.ts';
import { planFrame, type FramePlan } from './plan.ts';
import { providerSeconds } from './provider-memory.ts';
import type { CrowdShape } from './shape.ts';
import type { CrowdType } from './types.ts';

/** Bytes of skinned vertices in one page: nothing binds them, so as much as an array may hold. */
const PAGE_BYTES = 2 ** 31;

interface CpuPage {
  readonly skinned: Uint32Array<ArrayBuffer>;
  readonly skinnedTangents: Uint32Array<ArrayBuffer>;
  /** GPU copies to draw from, when there is a device. */
  readonly memory: PageMemory | undefined;
}

/** What follows from pages: plans, the visible list's records, and where its numbers go. */
interface CpuPlan {
  readonly plan: FramePlan;
  readonly bins: View<(typeof BinRecord)['fields']>;
  readonly targets: Uint32Array<ArrayBuffer>;
  readonly place: View<(typeof PlaceParams)['fields']>;
  /** A GPU copy of `targets`, when there is a device. */
  readonly buffer: GPUBuffer | undefined;
}

/**
 * Runs the frame on the stages' twins: the switch for "is it the kernels or the data?". With a device, results are
 * copied to where kernels would have left them, so that everything after the frame draws the same.
 */
export function createCpuBackend(device: GPUDevice | undefined, shape: CrowdShape): Backend {
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
  const pages: CpuPage[] = [];
  let planned = plan();
  const sockets = new CpuSockets(device);
  let origin: PlaceInputs['origin'] = [0, 0, 0];
  /** The last frame, and the last that somebody looked at. */
  let now = 0;
  let lastFrame = 0;
  let visibleCount = 0;
  let wasSeen = false;
  const timings = new Map<string, number>();
  const meshes = meshesByGeometry(tables.types);
  const queue = new EventQueue((ring, frame) => backend.onEvents(ring, frame));

  const backend: Backend = {
    kind: 'cpu',
    onEvents: () => undefined,
    onSocketsGrown: () => undefined,
    bindingBytes: 2 ** 31,
    socketLimit: 2 ** 24,
    pageVertices: Math.min(PAGE_BYTES / VERTEX_BYTES, SLOT_PAGE_VERTICES),
    pageCount: pageLimitOf(tables.types),
    timings,
    get socketMatrices() {
      return sockets.buffer;
    },
    get memory() {
      const { buffer: targets, plan } = planned;
      if (!crowd || !targets || !drawnPalettes) return undefined;
      const page = (index: number) => pages[index]!.memory!;
      return { crowd, targets, draws: plan.draws, palettes: drawnPalettes, motions: undefined, page };
    },
    addPage(page) {
      const { vertexCapacity } = page;
      pages[page.index] = {
        skinned: new Uint32Array(vertexCapacity * 4),
        skinnedTangents: new Uint32Array(vertexCapacity),
        memory: device && new PageMemory(device, page),
      };
      planned.buffer?.destroy();
      planned = plan();
    },
    encode(_, inputs) {
      timings.clear();
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
      inputs.providerRows.takeChanges();
      const { seen } = inputs;
      const carried = sockets.take(inputs.sockets, transforms);
      const frameViews = {
        step: stepViews(inputs),
        ground: groundViews(inputs),
        seen: seen && seenViews(inputs, seen),
      };
      const placed = () => ({ ...carried.views, seen: seen && { ...listed(), palettes } });
      const views = { ...frameViews, sockets: inputs.sockets.count > 0 ? placed : undefined };
      runFrame(views, timed, (stage, moment) => inputs.recorder?.twins({ stage, moment, inputs }, views));
      now = inputs.frame;
      if (seen) lastFrame = inputs.frame;
      sockets.mirror();
      const { outgrown } = carried;
      if (outgrown) backend.onSocketsGrown(sockets.buffer!);
      if (device && crowd && seen) mirror(device, crowd);
      if (!controllers?.events) return async () => outgrown?.destroy();
      const ring = usedRing(events, EVENT_FIRST_WORD, EVENT_WORDS);
      events.fill(0, 0, EVENT_FIRST_WORD);
      const arrived = queue.open(inputs.frame);
      return async () => {
        outgrown?.destroy();
        arrived(ring);
      };
    },
    removePage(page) {
      for (const { memory } of pages.splice(page.index, 1)) memory?.destroy();
      planned.buffer?.destroy();
      planned = plan();
    },
    async read(character) {
      if (lastFrame === 0 || slots.get(character, 'frame') !== lastFrame) return undefined;
      const row = slots.get(character, 'visibleRow');
      if (row === ROW_NONE) return undefined;
      const { type, level, pageIndex } = placeOf(tables.types, visible, row);
      const { skinned } = pages[pageIndex]!;
      const verticesAt = (key: 'currentVertexOffset' | 'previousVertexOffset') => {
        const first = 4 * visible.get(row, key);
        return skinned.slice(first, first + 4 * level.vertexCount);
      };
      const paletteRow = visible.get(row, 'paletteRow');
      const words = VisibleCharacter.size / 4;
      const paletteAt = 4 * paletteRow;
      return {
        row: new View(VisibleCharacter, visible.words.slice(row * words, (row + 1) * words).buffer),
        palette: paletteRow === ROW_NONE ? undefined : palettes.slice(paletteAt, paletteAt + 4 * type.paletteStride),
        vertices: verticesAt('currentVertexOffset'),
        previousVertices: verticesAt('previousVertexOffset'),
      };
    },
    readStats: async () => statsOf(planned.bins, planned.plan.binCount),
    readAnimators: async (characters) =>
      controllers ? listMotions(tables.rig, regions.regions, animators, characters) : new Uint32Array(),
    async readTransforms(characters) {
      const value = new View(Transform, characters.length);
      value.words.set(rowsOf(transforms.words, Transform.size, characters));
      return { frame: now, origin, value };
    },
    async readJoints(asked) {
      const value = new View(JointAnswer, asked.count);
      readJoints({ rows: listed(), palettes, asked, answers: value });
      return { frame: lastFrame, origin, value };
    },
    readSockets: async (attachments) => ({
      frame: now,
      origin,
      value: rowsOf(sockets.matrices, MATRIX_BYTES, attachments),
    }),
    get byteLength() {
      const vertices = pages.reduce(
        (sum, { skinned, skinnedTangents, memory }) =>
          sum + skinned.byteLength + skinnedTangents.byteLength + (memory?.byteLength ?? 0),
        0,
      );
      const columns = [slots, decisions, residents, transforms, visible].map(({ words }) => words);
      const arrays = [...columns, previousTransforms, rings, motions, palettes, animators, events];
      return arrays.reduce(
        (sum, { byteLength }) => sum + byteLength,
        vertices + sockets.byteLength + (crowd?.byteLength ?? 0),
      );
    },
    destroy() {
      crowd?.destroy();
      drawnPalettes?.destroy();
      sockets.destroy();
      planned.buffer?.destroy();
      for (const { memory } of pages) memory?.destroy();
    },
  };
  return backend;

  /** The visible list of the last frame that somebody looked at. */
  function listed(): VisibleRows {
    return { slots, visible, visibleCount };
  }

  function timed(stage: StageName, run: () => void): void {
    const start = performance.now();
    run();
    timings.set(stage, (timings.get(stage) ?? 0) + performance.now() - start);
  }

  function plan(): CpuPlan {
    const framePlan = planFrame(tables.types, pages.length, motionCapacity, shape.kernels);
    const { targets, binCount } = framePlan;
    const place = new View(PlaceParams, 1);
    const { dispatches, draws } = targets;
    place.assign(0, { dispatchCount: dispatches.count, drawCount: draws.count, dimensionLimit: DIMENSION_LIMIT });
    return {
      plan: framePlan,
      bins: new View(BinRecord, binCount + EXTRA_BINS),
      targets: targets.words.slice(),
      place,
      buffer: device && createTargets(device, targets.words),
    };
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
    const { time, frame, players, modifiers, providerRows, animators: steps } = inputs;
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
    const { characterCount } = steps;
    const capacities = { poseCapacity, paletteCapacity };
    const params = cullParams(shape, seen, { frame, lastFrame, characterCount, binCount, ...capacities });
    const [timeLow, timeHigh] = splitSeconds(time);
    const frameParams = new View(FrameParams, 1);
    frameParams.assign(0, { timeLow, timeHigh, frame, playerCapacity, motionCapacity, modifierCapacity });
    const { rig, geometry } = tables;
    const { grants } = changes;
    const { kinds } = shape;
    const { targets: plans } = framePlan;
    const list = shape.providers;
    const providers = { list, time: providerSeconds(time), frame, rows: providerRows.view.floats };
    return {
      cull: { params, residents, transforms, kinds, grants, classes, rings, slots, decisions, bins, visible },
      place: { params: place, dispatches: plans.dispatches, plans: plans.ranges, draws: plans.draws, bins, targets },
      pose: () => {
        visibleCount = bins.get(binCount + 1, 'count');
        frameParams.set(0, 'visibleCount', visibleCount);
        return {
          params: frameParams,
          visible,
          visibleCount,
          motionCapacity,
          players: players.view,
          modifiers: modifiers.view,
          regions: regions.regions,
          animators,
          rig,
          motions,
          palettes,
        };
      },
      skin: () =>
        pages.map(({ skinned, skinnedTangents }, page): SkinVerticesViews => {
          const runs = binCount / pages.length;
          const first = bins.get(page * runs, 'first');
          const last = bins.get((page + 1) * runs - 1, 'first') + bins.get((page + 1) * runs - 1, 'count');
          const rows = new View(VisibleCharacter, visible.words.buffer, first * VisibleCharacter.size, last - first);
          const written = { skinned, skinnedTangents };
          return { visible: rows, visibleCount: rows.count, geometry, meshes, palettes, ...written, providers };
        }),
    };
  }

  /** Copies what drawing needs to the GPU. */
  function mirror(device: GPUDevice, memory: CrowdMemory): void {
    device.queue.writeBuffer(memory.transforms, 0, transforms.words);
    device.queue.writeBuffer(memory.previousTransforms, 0, previousTransforms);
    device.queue.writeBuffer(memory.residents, 0, residents.words);
    device.queue.writeBuffer(memory.visible, 0, visible.words);
    device.queue.writeBuffer(planned.buffer!, 0, planned.targets);
    if (drawnPalettes!.size < palettes.byteLength) {
      drawnPalettes!.destroy();
      drawnPalettes = createPalettes(device, palettes.byteLength);
    }
    device.queue.writeBuffer(drawnPalettes!, 0, palettes);
    for (const { memory: page, skinned, skinnedTangents } of pages) {
      if (!page) continue;
      device.queue.writeBuffer(page.vertices, 0, skinned);
      device.queue.writeBuffer(page.vertices, roundUp(skinned.byteLength, 256), skinnedTangents);
    }
  }
}

function createPalettes(device: GPUDevice, byteLength: number): GPUBuffer {
  return createBuffer(device, 'palettes', GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST, byteLength);
}

/** Rows of a table, one after the other. */
function rowsOf<T extends Uint32Array<ArrayBuffer> | Float32Array<ArrayBuffer>>(
  table: T,
  rowBytes: number,
  indices: readonly number[],
): T {
  const words = rowBytes / 4;
  const rows = table.slice(0, 0).constructor as new (length: number) => T;
  const out = new rows(words * indices.length);
  indices.forEach((row, i) => out.set(table.subarray(row * words, (row + 1) * words), i * words));
  return out;
}

/** What kernels are built for, mesh by mesh, by the row of its geometry header. */
export function meshesByGeometry(types: readonly CrowdType[]): Map<number, SkinnedMesh> {
  const levels = types.flatMap((type) => type.levels);
  return new Map(
    levels.map(({ geometryRow, batchRuns, skinTraits }) => {
      const variants = batchRuns.flatMap(({ variant, batchCount }) => Array<number>(batchCount).fill(variant));
      return [geometryRow, { variants, hasParts: skinTraits.parts }];
    }),
  );
}
