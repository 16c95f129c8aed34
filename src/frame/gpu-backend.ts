import { View } from '../layout/index.ts';
import { splitSeconds } from '../shaders/fixed.ts';
import { FrameParams, MOTION_ROWS, SlotState, VisibleCharacter } from '../stages/layout.ts';
import type { Backend, CharacterReadback, CrowdShape, FrameInputs } from './backend.ts';
import { NO_DISPATCHES, bindPage, createStages, prepareTypes } from './bind-page.ts';
import { STAGES, encodeFrame, type PageDispatches } from './frame.ts';
import { CrowdMemory, PageMemory, VERTEX_BYTES, VERTEX_ROW_BYTES } from './gpu-memory.ts';
import { SLOT_COPIES, type Page, type PageSize } from './page.ts';
import { readRanges } from './read-back.ts';
import { Timings } from './timings.ts';
import { UploadRing } from './upload-ring.ts';

interface GpuPage {
  readonly memory: PageMemory;
  /** The version of the page's visible list that the dispatches were made for. */
  version: number;
  dispatches: PageDispatches;
  /** Buffers for the dispatches' ranges; all dispatches' are equally large, so they are used again. */
  readonly ranges: GPUBuffer[];
}

/** Runs the frame on the GPU. All pipelines that the crowd's types can need are created here, none in a frame. */
export function createGpuBackend(device: GPUDevice, shape: CrowdShape): Backend {
  const { tables, capacity, playerCapacity, motionCapacity, kernels } = shape;
  const crowd = new CrowdMemory(device, tables, capacity, playerCapacity);
  const stages = createStages(device);
  prepareTypes(stages, tables.types, motionCapacity, kernels);
  const uploads = new UploadRing(device);
  const timings = new Timings(device, STAGES);
  const pages = new Map<Page, GpuPage>();

  return {
    kind: 'gpu',
    pageLimit: pageLimit(device, motionCapacity),
    timings: timings.latest,
    memory: { crowd, page: (page) => pages.get(page)!.memory },
    addPage(page) {
      const memory = new PageMemory(device, page.size, motionCapacity);
      pages.set(page, { memory, version: -1, dispatches: NO_DISPATCHES, ranges: [] });
    },
    encode(encoder, inputs) {
      if (!encoder) throw new TypeError('the GPU backend records into a command encoder');
      upload(encoder, inputs);
      const current = inputs.pages.map((page) => refreshed(encoder, page).dispatches);
      encodeFrame(encoder, current, timings);
      const recycle = uploads.close();
      const readTimings = timings.resolve(encoder);
      return async () => {
        await Promise.all([recycle(), readTimings()]);
      };
    },
    read: (page, character) => read(page, character),
    get byteLength() {
      return Array.from(pages.values()).reduce((sum, { memory }) => sum + memory.byteLength, crowd.byteLength);
    },
    destroy() {
      crowd.destroy();
      uploads.destroy();
      timings.destroy();
      for (const { memory, ranges } of pages.values()) [memory, ...ranges].forEach((owned) => owned.destroy());
    },
  };

  function upload(
    encoder: GPUCommandEncoder,
    { time, frame, transforms, players, freshSlots, pages }: FrameInputs,
  ): void {
    for (const [column, buffer] of [
      [transforms, crowd.transforms],
      [players, crowd.players],
    ] as const) {
      const changes = column.takeChanges();
      if (changes) uploads.write(encoder, buffer, changes.byteOffset, changes.bytes);
    }
    for (const [first, count] of consecutive(freshSlots)) {
      const fresh = new Uint8Array(count * SlotState.size).fill(0xff);
      uploads.write(encoder, crowd.slots, first * SlotState.size, fresh);
    }
    const [timeLow, timeHigh] = splitSeconds(time);
    for (const page of pages) {
      const params = new View(FrameParams, 1);
      const visibleCount = page.visibleCount;
      params.assign(0, { timeLow, timeHigh, frame, visibleCount, playerCapacity, motionCapacity });
      uploads.write(encoder, gpuPage(page).memory.params, 0, bytesOf(params.words));
    }
  }

  /** The page's dispatches, made anew when its visible list has changed. */
  function refreshed(encoder: GPUCommandEncoder, page: Page): GpuPage {
    const gpu = gpuPage(page);
    if (gpu.version === page.version) return gpu;
    gpu.version = page.version;
    if (page.visibleCount > 0) uploads.write(encoder, gpu.memory.visible, 0, bytesOf(page.visible.words));
    let rangesUsed = 0;
    gpu.dispatches = bindPage(stages, { page, crowd, memory: gpu.memory, motionCapacity, kernels }, (ranges) => {
      const usage = GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST;
      const size = ranges.byteLength;
      const buffer = (gpu.ranges[rangesUsed++] ??= device.createBuffer({ label: 'ranges', size, usage }));
      uploads.write(encoder, buffer, 0, new Uint8Array(ranges));
      return buffer;
    });
    return gpu;
  }

  function gpuPage(page: Page): GpuPage {
    return pages.get(page)!;
  }

  async function read(page: Page, character: number): Promise<CharacterReadback> {
    const { memory } = gpuPage(page);
    const place = page.place(character)!;
    const index = page.visibleIndex(character);
    const type = page.typeAt(index);
    const rows = type.paletteStride;
    const [visibleBytes, paletteBytes, vertexBytes] = await readRanges(device, [
      [memory.visible, index * VisibleCharacter.size, VisibleCharacter.size],
      [memory.palettes, place.paletteRow * 16, rows * 16],
      [memory.vertices, place.vertexOffset * VERTEX_ROW_BYTES, SLOT_COPIES * place.slotCapacity * VERTEX_ROW_BYTES],
    ]);
    const visible = new View(VisibleCharacter, visibleBytes!);
    const first = visible.get(0, 'currentVertexOffset') - place.vertexOffset;
    const vertices = new Uint32Array(vertexBytes!, first * VERTEX_ROW_BYTES, 4 * type.character.vertexCount);
    return { visible, palette: new Float32Array(paletteBytes!), vertices };
  }
}

/** Pages as large as one binding, and one buffer, can be. */
function pageLimit({ limits }: GPUDevice, motionCapacity: number): PageSize {
  const rows = Math.floor(limits.maxStorageBufferBindingSize / VERTEX_ROW_BYTES);
  const vertices = Math.floor((limits.maxBufferSize - 4096) / VERTEX_BYTES);
  return {
    vertexCapacity: Math.min(rows, vertices),
    paletteRowCapacity: rows,
    visibleCapacity: Math.floor(rows / (motionCapacity * MOTION_ROWS)),
  };
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Runs of consecutive numbers: [first, count] each. */
function consecutive(numbers: readonly number[]): [number, number][] {
  const runs: [number, number][] = [];
  for (const n of [...numbers].sort((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last && last[0] + last[1] === n) last[1]++;
    else runs.push([n, 1]);
  }
  return runs;
}
