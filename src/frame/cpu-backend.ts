import { View, roundUp } from '../layout/index.ts';
import { splitSeconds } from '../shaders/fixed.ts';
import { FrameParams, MOTION_ROWS, SLOT_FRESH, SlotState } from '../stages/layout.ts';
import type { Backend, CrowdShape, FrameInputs } from './backend.ts';
import { runFrame } from './frame.ts';
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

/**
 * Runs the frame on the stages' twins: the switch for "is it the kernels or the data?". With a device, results are
 * copied to where kernels would have left them, so that everything after the frame draws the same.
 */
export function createCpuBackend(device: GPUDevice | undefined, shape: CrowdShape): Backend {
  const { tables, capacity, playerCapacity, motionCapacity } = shape;
  const crowd = device && new CrowdMemory(device, tables, capacity, playerCapacity);
  const slots = new View(SlotState, capacity);
  slots.words.fill(SLOT_FRESH);
  const pages = new Map<Page, CpuPage>();
  const timings = new Map<string, number>();
  const variantOf = variantsByGeometry(tables.types);

  return {
    kind: 'cpu',
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
      for (const page of inputs.pages) runPage(page, inputs);
      if (device && crowd) mirror(device, crowd, inputs);
      return () => Promise.resolve();
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
    get byteLength() {
      const own = Array.from(pages.values()).reduce((sum, page) => {
        const arrays = [page.motions, page.palettes, page.skinned, page.skinnedTangents];
        return sum + arrays.reduce((total, { byteLength }) => total + byteLength, page.memory?.byteLength ?? 0);
      }, 0);
      return own + slots.words.byteLength + (crowd?.byteLength ?? 0);
    },
    destroy() {
      crowd?.destroy();
      for (const { memory } of pages.values()) memory?.destroy();
    },
  };

  function runPage(page: Page, { time, frame, players }: FrameInputs): void {
    const { motions, palettes, skinned, skinnedTangents } = pages.get(page)!;
    const visibleCount = page.visibleCount;
    const [timeLow, timeHigh] = splitSeconds(time);
    const params = new View(FrameParams, 1);
    params.assign(0, { timeLow, timeHigh, frame, visibleCount, playerCapacity, motionCapacity });
    const views = {
      params,
      visible: page.visible.view,
      visibleCount,
      motionCapacity,
      slots,
      players: players.view,
      rig: tables.rig,
      motions,
      palettes,
      geometry: tables.geometry,
      variantOf,
      skinned,
      skinnedTangents,
    };
    runFrame(views, (stage, run) => {
      const start = performance.now();
      run();
      timings.set(stage, (timings.get(stage) ?? 0) + performance.now() - start);
    });
  }

  /** Copies what drawing needs to the GPU. */
  function mirror(device: GPUDevice, crowd: CrowdMemory, { transforms, pages: inputs }: FrameInputs): void {
    for (const { byteOffset, bytes } of transforms.takeChanges()) {
      device.queue.writeBuffer(crowd.transforms, byteOffset, bytes);
    }
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
