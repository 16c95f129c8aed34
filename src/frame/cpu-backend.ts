import { View, roundUp } from '../layout/index.ts';
import { splitSeconds } from '../shaders/fixed.ts';
import { FrameParams, MOTION_ROWS, SLOT_FRESH, SlotState, Transform } from '../stages/layout.ts';
import type { Backend, FrameInputs } from './backend.ts';
import type { CrowdShape } from './shape.ts';
import { columnWordOf } from '../animator/regions.ts';
import { ANIMATOR_NONE } from '../animator/layout.ts';
import { listMotions } from '../stages/gather-motions/list-reference.ts';
import { EVENT_FIRST_WORD, EVENT_WORDS, StepParams } from '../stages/step-controllers/layout.ts';
import { EventQueue, usedRing } from './event-queue.ts';
import { copyAnimators, emptyKernelState, type KernelState } from './kernel-state.ts';
import { runCrowdStages, runPageStages, type StageName } from './frame.ts';
import { CrowdMemory, PageMemory, VERTEX_BYTES } from './gpu-memory.ts';
import type { Page } from './page.ts';
import type { CrowdType } from './types.ts';

/** Bytes of skinned vertices, and of palettes, in one page: nothing binds them, so as much as an array may hold. */
const PAGE_BYTES = 2 ** 31;

interface CpuPage {
  readonly motions: Uint32Array<ArrayBuffer>;
  readonly palettes: Float32Array<ArrayBuffer>;
  readonly skinned: Uint32Array<ArrayBuffer>;
  readonly skinnedTangents: Uint32Array<ArrayBuffer>;
  /** GPU copies to draw from, when there is a device. */
  readonly memory: PageMemory | undefined;
}

/** What a backend goes on with that takes another one's place. */
interface Estate {
  readonly pages: ReadonlyMap<Page, CpuPage>;
  readonly queue: EventQueue;
  readonly slots: View<(typeof SlotState)['fields']>;
  readonly state: KernelState;
  /** Events that have not left the ring. */
  readonly events: Uint32Array<ArrayBuffer>;
}

/**
 * Runs the frame on the stages' twins: the switch for "is it the kernels or the data?". With a device, results are
 * copied to where kernels would have left them, so that everything after the frame draws the same.
 */
export function createCpuBackend(device: GPUDevice | undefined, shape: CrowdShape, estate?: Estate): Backend {
  const { tables, capacity, playerCapacity, motionCapacity, modifierCapacity, animators: plan, controllers } = shape;
  const crowd = device && new CrowdMemory(device, shape);
  const animators = new Uint32Array(controllers ? 4 * plan.rowCount : 0);
  if (controllers) animators.fill(ANIMATOR_NONE, 0, 4 * capacity);
  const events = new Uint32Array(controllers ? EVENT_FIRST_WORD + EVENT_WORDS * shape.eventCapacity : 0);
  /** Where characters stand, root motion included. */
  const transforms = new View(Transform, capacity);
  const slots = new View(SlotState, capacity);
  slots.words.fill(SLOT_FRESH);
  const pages = new Map(estate?.pages);
  const timings = new Map<string, number>();
  const variantOf = variantsByGeometry(tables.types);
  const queue = estate?.queue ?? new EventQueue((ring, frame) => backend.onEvents(ring, frame));
  if (estate) {
    slots.words.set(estate.slots.words.subarray(0, slots.words.length));
    events.set(estate.events.subarray(0, events.length));
    restoreState(estate.state);
  }

  const backend: Backend = {
    kind: 'cpu',
    onEvents: () => undefined,
    pageLimit: {
      vertexCapacity: PAGE_BYTES / VERTEX_BYTES,
      paletteRowCapacity: PAGE_BYTES / 16,
      visibleCapacity: capacity,
    },
    timings,
    memory: crowd && { crowd, page: (page) => pages.get(page)!.memory! },
    addPage(page) {
      const { vertexCapacity, paletteRowCapacity, visibleCapacity } = page.size;
      pages.set(page, {
        motions: new Uint32Array(visibleCapacity * motionCapacity * MOTION_ROWS * 4),
        palettes: new Float32Array(paletteRowCapacity * 4),
        skinned: new Uint32Array(vertexCapacity * 4),
        skinnedTangents: new Uint32Array(vertexCapacity),
        memory: device && new PageMemory(device, page.size, motionCapacity),
      });
    },
    encode(_, inputs) {
      for (const character of inputs.freshSlots) slots.assign(character, { frame: SLOT_FRESH });
      timings.clear();
      for (const { byteOffset, bytes } of inputs.transforms.takeChanges()) {
        new Uint8Array(transforms.words.buffer).set(bytes, byteOffset);
      }
      inputs.modifiers.takeChanges();
      if (controllers) step(inputs, controllers.movesTransforms);
      for (const page of inputs.pages) runPage(page, inputs);
      if (device && crowd) mirror(device, crowd, inputs);
      if (!controllers?.events) return () => Promise.resolve();
      const ring = usedRing(events, EVENT_FIRST_WORD, EVENT_WORDS);
      events.fill(0, 0, EVENT_FIRST_WORD);
      const arrived = queue.open(inputs.frame);
      return async () => arrived(ring);
    },
    removePage(page) {
      pages.get(page)!.memory?.destroy();
      pages.delete(page);
    },
    async read(page, character) {
      const { palettes, skinned } = pages.get(page)!;
      const { type, paletteRow } = page.place(character)!;
      const paletteAt = 4 * paletteRow;
      const vertexAt = 4 * slots.get(character, 'currentVertexOffset');
      return {
        palette: palettes.slice(paletteAt, paletteAt + 4 * type.paletteStride),
        vertices: skinned.slice(vertexAt, vertexAt + 4 * type.character.vertexCount),
      };
    },
    readAnimators: async (characters) =>
      controllers ? listMotions(tables.rig, plan.regions, animators, characters) : new Uint32Array(),
    async readTransforms(characters) {
      const view = new View(Transform, characters.length);
      const words = Transform.size / 4;
      characters.forEach((row, i) =>
        view.words.set(transforms.words.subarray(row * words, (row + 1) * words), i * words),
      );
      return view;
    },
    saveState: async (count) => saveState(count),
    restoreState,
    reshaped(next, count) {
      const changed = createCpuBackend(device, next, { pages, queue, slots, events, state: saveState(count) });
      crowd?.destroy();
      return changed;
    },
    get byteLength() {
      const own = Array.from(pages.values()).reduce((sum, page) => {
        const arrays = [page.motions, page.palettes, page.skinned, page.skinnedTangents];
        return sum + arrays.reduce((total, { byteLength }) => total + byteLength, page.memory?.byteLength ?? 0);
      }, 0);
      const columns = slots.words.byteLength + transforms.words.byteLength + animators.byteLength + events.byteLength;
      return own + columns + (crowd?.byteLength ?? 0);
    },
    destroy() {
      crowd?.destroy();
      for (const { memory } of pages.values()) memory?.destroy();
    },
  };
  return backend;

  function saveState(count: number): KernelState {
    const state = emptyKernelState(plan, count, controllers !== undefined);
    state.transforms.words.set(transforms.words.subarray(0, state.transforms.words.length));
    if (controllers) copyAnimators([animators, plan], [state.animators, state.plan], count);
    return state;
  }

  function restoreState(state: KernelState): void {
    transforms.words.set(state.transforms.words);
    if (controllers) copyAnimators([state.animators, state.plan], [animators, plan], state.transforms.count);
  }

  function timed(stage: StageName, run: () => void): void {
    const start = performance.now();
    run();
    timings.set(stage, (timings.get(stage) ?? 0) + performance.now() - start);
  }

  function step({ frame, animators: inputs }: FrameInputs, movesTransforms: boolean): void {
    const bytes = new Uint8Array(animators.buffer);
    inputs.columns.forEach((column, index) => {
      for (const change of column.takeChanges()) {
        bytes.set(change.bytes, 4 * columnWordOf(plan.regions, index) + change.byteOffset);
      }
    });
    const { dt, characterCount, runCount, commands } = inputs;
    const stepParams = new View(StepParams, 1);
    stepParams.assign(0, { dt, frame, characterCount, runCount, eventCapacity: shape.eventCapacity });
    const { rig } = tables;
    const { regions } = plan;
    const views = { stepParams, regions, animators, rig, commands, events, transforms, movesTransforms };
    runCrowdStages(backend.onMargin ? { ...views, onMargin: backend.onMargin } : views, timed);
  }

  function runPage(page: Page, { time, frame, players, modifiers }: FrameInputs): void {
    const { motions, palettes, skinned, skinnedTangents } = pages.get(page)!;
    const visibleCount = page.visibleCount;
    const [timeLow, timeHigh] = splitSeconds(time);
    const params = new View(FrameParams, 1);
    params.assign(0, { timeLow, timeHigh, frame, visibleCount, playerCapacity, motionCapacity, modifierCapacity });
    const views = {
      params,
      visible: page.visible.view,
      visibleCount,
      motionCapacity,
      slots,
      players: players.view,
      modifiers: modifiers.view,
      regions: plan.regions,
      animators,
      rig: tables.rig,
      motions,
      palettes,
      geometry: tables.geometry,
      variantOf,
      skinned,
      skinnedTangents,
    };
    runPageStages(views, timed);
  }

  /** Copies what drawing needs to the GPU. */
  function mirror(device: GPUDevice, crowd: CrowdMemory, { pages: inputs }: FrameInputs): void {
    device.queue.writeBuffer(crowd.transforms, 0, transforms.words);
    for (const page of inputs) {
      const { memory, skinned, skinnedTangents, palettes } = pages.get(page)!;
      if (!memory || page.visibleCount === 0) continue;
      device.queue.writeBuffer(memory.visible, 0, page.visible.view.words);
      device.queue.writeBuffer(memory.palettes, 0, palettes);
      device.queue.writeBuffer(memory.vertices, 0, skinned);
      device.queue.writeBuffer(memory.vertices, roundUp(skinned.byteLength, 256), skinnedTangents);
    }
  }
}

/** The loader variant of each batch, by the row of its geometry header. */
export function variantsByGeometry(types: readonly CrowdType[]): (geometryRow: number, batch: number) => number {
  const variants = new Map(
    types.map(({ geometryRow, batchRuns }) => [
      geometryRow,
      batchRuns.flatMap(({ variant, batchCount }) => Array<number>(batchCount).fill(variant)),
    ]),
  );
  return (geometryRow, batch) => variants.get(geometryRow)![batch]!;
}
