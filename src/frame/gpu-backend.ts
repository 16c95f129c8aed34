import { View } from '../layout/index.ts';
import { splitSeconds } from '../shaders/fixed.ts';
import { createGatherMotions } from '../stages/gather-motions/stage.ts';
import { FrameParams, SlotState, VisibleCharacter } from '../stages/layout.ts';
import { planPoses } from '../stages/pose-joints/plan.ts';
import { createPoseJoints } from '../stages/pose-joints/stage.ts';
import { planSkins } from '../stages/skin-vertices/plan.ts';
import { createSkinVertices } from '../stages/skin-vertices/stage.ts';
import { createTurnSlots } from '../stages/turn-slots/stage.ts';
import type { Backend, CharacterReadback, CrowdShape, FrameInputs } from './backend.ts';
import { STAGES, encodeFrame, type PageDispatches } from './frame.ts';
import { CrowdMemory, PageMemory, VERTEX_BYTES, VERTEX_ROW_BYTES } from './gpu-memory.ts';
import { SLOT_COPIES, poseRuns, skinRuns, type Page, type PageSize } from './page.ts';
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

const NOTHING: PageDispatches = { 'turn-slots': [], 'gather-motions': [], 'pose-joints': [], 'skin-vertices': [] };

/** Runs the frame on the GPU. All pipelines that the crowd's types can need are created here, none in a frame. */
export function createGpuBackend(device: GPUDevice, shape: CrowdShape): Backend {
  const { tables, capacity, playerCapacity, motionCapacity, kernels } = shape;
  const crowd = new CrowdMemory(device, tables, capacity, playerCapacity);
  const stages = {
    turnSlots: createTurnSlots(device),
    gatherMotions: createGatherMotions(device),
    poseJoints: createPoseJoints(device),
    skinVertices: createSkinVertices(device),
  };
  const uploads = new UploadRing(device);
  const timings = new Timings(device, STAGES);
  const pages = new Map<Page, GpuPage>();
  warmUp();

  return {
    kind: 'gpu',
    pageLimit: pageLimit(device),
    timings: timings.latest,
    memory: { crowd, page: (page) => pages.get(page)!.memory },
    addPage(page) {
      const smallest = Math.min(...tables.types.map((type) => Math.max(1, type.character.vertexCount)));
      const visibleCapacity = Math.min(capacity, Math.ceil(page.size.vertexCapacity / (SLOT_COPIES * smallest)));
      const memory = new PageMemory(device, page.size, visibleCapacity, motionCapacity);
      pages.set(page, { memory, version: -1, dispatches: NOTHING, ranges: [] });
    },
    encode(encoder, inputs) {
      if (!encoder) throw new TypeError('the GPU backend records into a command encoder');
      upload(encoder, inputs);
      const current = inputs.pages.map((page) => refreshed(encoder, page).dispatches);
      encodeFrame(encoder, current, timings);
      const recycle = uploads.close();
      const readTimings = timings.resolve(encoder);
      return () => {
        recycle();
        return readTimings();
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
    const { memory } = gpu;
    const { visible, motions, palettes, params, skinned, skinnedTangents } = memory;
    if (page.visibleCount > 0) uploads.write(encoder, visible, 0, bytesOf(page.visible.words));
    let rangesUsed = 0;
    const dispatchBuffer = (ranges: ArrayBuffer) => {
      const usage = GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST;
      const buffer = (gpu.ranges[rangesUsed++] ??= device.createBuffer({
        label: 'ranges',
        size: ranges.byteLength,
        usage,
      }));
      uploads.write(encoder, buffer, 0, new Uint8Array(ranges));
      return buffer;
    };
    const { rig, geometry, players, slots } = crowd;
    gpu.dispatches = {
      'turn-slots': [stages.turnSlots.bind({ params, visible, slots }, page.visibleCount)],
      'gather-motions': [stages.gatherMotions.bind({ params, visible, players, motions, rig }, page.visibleCount)],
      'pose-joints': planPoses(poseRuns(page), motionCapacity, kernels.serialPoses).map((plan) =>
        stages.poseJoints.bind(plan, { dispatch: dispatchBuffer(plan.ranges), visible, motions, palettes, rig }),
      ),
      'skin-vertices': planSkins(skinRuns(page), kernels.cachedPalettes).map((plan) =>
        stages.skinVertices.bind(plan, {
          dispatch: dispatchBuffer(plan.ranges),
          visible,
          palettes,
          skinned,
          skinnedTangents,
          geometry,
        }),
      ),
    };
    return gpu;
  }

  /** Creates every pipeline that a page can ask for, by planning one character of each type. */
  function warmUp(): void {
    tables.types.forEach(({ typeRow, laneCount, traits, geometryRow, skinTraits, paletteCount, batchRuns }) => {
      const range = { firstVisible: 0, visibleCount: 1 };
      const poses = [{ typeRow, laneCount, traits, ...range }];
      for (const plan of planPoses(poses, motionCapacity, kernels.serialPoses)) stages.poseJoints.prepare(plan);
      const run = { geometryRow, skinTraits, paletteCount, batchRuns, ...range };
      for (const plan of planSkins([run], kernels.cachedPalettes)) stages.skinVertices.prepare(plan);
    });
  }

  function gpuPage(page: Page): GpuPage {
    return pages.get(page)!;
  }

  async function read(page: Page, character: number): Promise<CharacterReadback> {
    const { memory } = gpuPage(page);
    const place = page.place(character)!;
    const index = page.visibleIndex(character);
    const type = page.runs.find(({ firstVisible, visibleCount }) => index < firstVisible + visibleCount)!.type;
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
function pageLimit({ limits }: GPUDevice): PageSize {
  const rows = Math.floor(limits.maxStorageBufferBindingSize / VERTEX_ROW_BYTES);
  const vertices = Math.floor((limits.maxBufferSize - 4096) / VERTEX_BYTES);
  return { vertexCapacity: Math.min(rows, vertices), paletteRowCapacity: rows };
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

/** Copies ranges of buffers to the host, after all that has been submitted so far. */
export async function readRanges(
  device: GPUDevice,
  ranges: readonly (readonly [buffer: GPUBuffer, byteOffset: number, byteLength: number])[],
): Promise<ArrayBuffer[]> {
  const encoder = device.createCommandEncoder({ label: 'read back' });
  const copies = ranges.map(([buffer, byteOffset, byteLength]) => {
    const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
    const copy = device.createBuffer({ label: 'read back', size: Math.max(4, byteLength), usage });
    encoder.copyBufferToBuffer(buffer, byteOffset, copy, 0, byteLength);
    return copy;
  });
  device.queue.submit([encoder.finish()]);
  return Promise.all(
    copies.map(async (copy) => {
      await copy.mapAsync(GPUMapMode.READ);
      const bytes = copy.getMappedRange().slice(0);
      copy.destroy();
      return bytes;
    }),
  );
}
