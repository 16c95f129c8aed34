import { View, type Fields } from '../layout/index.ts';
import { splitSeconds } from '../shaders/fixed.ts';
import { FrameParams, MOTION_ROWS, SlotState, Transform } from '../stages/layout.ts';
import type { Backend, CharacterReadback, FrameInputs } from './backend.ts';
import type { CrowdShape } from './shape.ts';
import type { Column } from './column.ts';
import { NO_DISPATCHES, bindPage, createStages, prepareTypes } from './bind-page.ts';
import { encodeFrame, stagesOf, type PageDispatches } from './frame.ts';
import type { EventRing } from './event-ring.ts';
import { GpuAnimators } from './gpu-animators.ts';
import { moveCrowdMemory, readKernelState, writeKernelState } from './kernel-state.ts';
import { CrowdMemory, PageMemory, VERTEX_BYTES, VERTEX_ROW_BYTES } from './gpu-memory.ts';
import { SLOT_COPIES, type Page, type PageSize } from './page.ts';
import { readRanges } from './read-back.ts';
import { Timings } from './timings.ts';
import { UploadRing } from './upload-ring.ts';

interface GpuPage {
  readonly memory: PageMemory;
  /** The version of the page's runs that the dispatches were made for. */
  version: number;
  dispatches: PageDispatches;
  /** Buffers for the dispatches' ranges; all dispatches' are equally large, so they are used again. */
  readonly ranges: GPUBuffer[];
}

/** What a backend goes on with that takes another one's place. */
interface Estate {
  readonly uploads: UploadRing;
  readonly pages: ReadonlyMap<Page, GpuPage>;
  readonly retired: readonly GpuPage[];
  /** Brings the crowd's memory over, now that there is room; returns the way back of events. */
  readonly moveTo: (memory: CrowdMemory) => EventRing | undefined;
}

/** Runs the frame on the GPU. All pipelines that the crowd's types can need are created here, none in a frame. */
export function createGpuBackend(device: GPUDevice, shape: CrowdShape, estate?: Estate): Backend {
  const { tables, playerCapacity, motionCapacity, modifierCapacity, kernels, controllers } = shape;
  const crowd = new CrowdMemory(device, shape);
  const stages = createStages(device, {
    controllers: controllers !== undefined,
    root: controllers?.root ?? false,
    trees: controllers?.trees ?? false,
  });
  prepareTypes(stages, tables.types, motionCapacity, kernels);
  const uploads = estate?.uploads ?? new UploadRing(device);
  const events =
    estate?.moveTo(crowd) ?? ((ring: Uint32Array<ArrayBuffer>, frame: number) => backend.onEvents(ring, frame));
  const animators = controllers && new GpuAnimators(device, shape, controllers, crowd, uploads, events);
  const timings = new Timings(device, stagesOf(controllers !== undefined));
  const pages = new Map(estate?.pages);
  // they bind other buffers from now on
  for (const page of pages.values()) page.version = -1;
  let retired: GpuPage[] = [...(estate?.retired ?? [])];

  const backend: Backend = {
    kind: 'gpu',
    onEvents: () => undefined,
    pageLimit: pageLimit(device, motionCapacity),
    timings: timings.latest,
    memory: { crowd, page: (page) => pages.get(page)!.memory },
    addPage(page) {
      const memory = new PageMemory(device, page.size, motionCapacity);
      pages.set(page, { memory, version: -1, dispatches: NO_DISPATCHES, ranges: [] });
    },
    removePage(page) {
      retired.push(gpuPage(page));
      pages.delete(page);
    },
    encode(encoder, inputs) {
      if (!encoder) throw new TypeError('the GPU backend records into a command encoder');
      upload(encoder, inputs);
      const steps = animators && { 'step-controllers': animators.encode(encoder, inputs.frame, inputs.animators) };
      const current = inputs.pages.map((page) => refreshed(encoder, page).dispatches);
      encodeFrame(encoder, steps, current, timings);
      const bringEvents = animators?.bringEvents(encoder, inputs.frame);
      const recycle = uploads.close();
      const readTimings = timings.resolve(encoder);
      const unused = retired;
      retired = [];
      return async () => {
        unused.forEach(destroyPage);
        await Promise.all([recycle(), readTimings(), bringEvents?.()]);
      };
    },
    read: (page, character) => read(page, character),
    readAnimators: (characters) =>
      animators?.read(stages.gatherMotions, characters) ?? Promise.resolve(new Uint32Array()),
    async readTransforms(characters) {
      const rows = characters.map((row) => [crowd.transforms, row * Transform.size, Transform.size] as const);
      const bytes = await readRanges(device, rows);
      const view = new View(Transform, characters.length);
      bytes.forEach((row, i) => view.words.set(new Uint32Array(row), (i * Transform.size) / 4));
      return view;
    },
    saveState: (count) => readKernelState(crowd, shape.animators, count, controllers !== undefined),
    restoreState: (state) => writeKernelState(crowd, shape.animators, state),
    reshaped(next, count) {
      const moveTo = (memory: CrowdMemory): EventRing | undefined => {
        const encoder = device.createCommandEncoder({ label: 'reshape' });
        moveCrowdMemory(encoder, [crowd, shape], [memory, next], count);
        device.queue.submit([encoder.finish()]);
        crowd.destroy();
        timings.destroy();
        return animators?.handOn();
      };
      return createGpuBackend(device, next, { uploads, pages, retired, moveTo });
    },
    get byteLength() {
      const sizes = Array.from([...pages.values(), ...retired], ({ memory, ranges }) =>
        ranges.reduce((sum, { size }) => sum + size, memory.byteLength),
      );
      const own = crowd.byteLength + uploads.byteLength + (animators?.byteLength ?? 0);
      return sizes.reduce((sum, size) => sum + size, own);
    },
    destroy() {
      crowd.destroy();
      animators?.destroy();
      uploads.destroy();
      timings.destroy();
      [...pages.values(), ...retired].forEach(destroyPage);
    },
  };
  return backend;

  function upload(
    encoder: GPUCommandEncoder,
    { time, frame, transforms, players, modifiers, freshSlots, pages }: FrameInputs,
  ): void {
    uploadChanges(encoder, transforms, crowd.transforms);
    uploadChanges(encoder, players, crowd.players);
    uploadChanges(encoder, modifiers, crowd.modifiers);
    for (const [first, count] of consecutive(freshSlots)) {
      const fresh = new Uint8Array(count * SlotState.size).fill(0xff);
      uploads.write(encoder, crowd.slots, first * SlotState.size, fresh);
    }
    const [timeLow, timeHigh] = splitSeconds(time);
    for (const page of pages) {
      const params = new View(FrameParams, 1);
      const visibleCount = page.visibleCount;
      params.assign(0, { timeLow, timeHigh, frame, visibleCount, playerCapacity, motionCapacity, modifierCapacity });
      const { memory } = gpuPage(page);
      uploads.write(encoder, memory.params, 0, bytesOf(params.words));
      uploadChanges(encoder, page.visible, memory.visible);
    }
  }

  function uploadChanges<F extends Fields>(encoder: GPUCommandEncoder, column: Column<F>, buffer: GPUBuffer): void {
    for (const { byteOffset, bytes } of column.takeChanges()) uploads.write(encoder, buffer, byteOffset, bytes);
  }

  /** The page's dispatches, made anew when its runs have changed. */
  function refreshed(encoder: GPUCommandEncoder, page: Page): GpuPage {
    const gpu = gpuPage(page);
    if (gpu.version === page.version) return gpu;
    gpu.version = page.version;
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
    const { type, paletteRow, vertexOffset, slotCapacity } = page.place(character)!;
    const [slotBytes, paletteBytes, vertexBytes] = await readRanges(device, [
      [crowd.slots, character * SlotState.size, SlotState.size],
      [memory.palettes, paletteRow * 16, type.paletteStride * 16],
      [memory.vertices, vertexOffset * VERTEX_ROW_BYTES, SLOT_COPIES * slotCapacity * VERTEX_ROW_BYTES],
    ]);
    const first = new View(SlotState, slotBytes!).get(0, 'currentVertexOffset') - vertexOffset;
    const vertices = new Uint32Array(vertexBytes!, first * VERTEX_ROW_BYTES, 4 * type.character.vertexCount);
    return { palette: new Float32Array(paletteBytes!), vertices };
  }
}

function destroyPage({ memory, ranges }: GpuPage): void {
  [memory, ...ranges].forEach((owned) => owned.destroy());
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
