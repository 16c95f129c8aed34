import { expectDevice, expectList } from '../../crowd/arguments.ts';
import { roundUp } from '../../layout/index.ts';
import { DrawnRun } from '../forward/layout.ts';
import { layOutStatics, type StaticLayout, type StaticPiece, type StaticRun } from './lay-out.ts';

/** A run, and the uniform (`DrawnRun`) that describes it to shaders. */
export interface DrawnStaticRun extends StaticRun {
  readonly run: GPUBufferBinding;
}

/**
 * Scenery in GPU memory of a crowd's form (`CrowdMemory`, `PageMemory`), so that code for characters draws it, too.
 * A row of the visible list is one copy of a piece. Vertices are stored where slots would be. Renderers do not own it.
 */
export interface Scenery {
  readonly geometry: GPUBuffer;
  readonly indices: GPUBuffer;
  readonly visible: GPUBuffer;
  readonly transforms: GPUBuffer;
  /** The same buffer as `transforms`: nothing moves. */
  readonly previousTransforms: GPUBuffer;
  readonly residents: GPUBuffer;
  readonly skinned: GPUBuffer;
  readonly runs: readonly DrawnStaticRun[];
  readonly bounds: StaticLayout['bounds'];
  readonly byteLength: number;
  destroy(): void;
}

/**
 * Uploads scenery: geometry once per character, and 112 bytes per place.
 *
 * @param pieces Characters made by `packScenery`, with their places. A character may be listed several times.
 * @throws ManipleError CROWD_BAD_ARGUMENT
 * @example
 *   const rock = packScenery(model);
 *   const place = { position: [3, 0, 1], rotation: [0, 0, 0, 1], scale: 1 } as const;
 *   const renderer = await createForwardRenderer(device, crowd, { scenery: createScenery(device, [{ character: rock, places: [place] }]) });
 */
export function createScenery(device: GPUDevice, pieces: readonly StaticPiece[]): Scenery {
  expectDevice(device);
  expectList('pieces', pieces);
  const { tables, visible, transforms, residents, skinned, runs, bounds } = layOutStatics(pieces);
  const storage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  const buffers: GPUBuffer[] = [];
  const upload = (label: string, words: Uint32Array<ArrayBuffer>, usage = storage, size = words.byteLength) => {
    const buffer = device.createBuffer({ label, size: Math.max(64, roundUp(size, 16)), usage });
    device.queue.writeBuffer(buffer, 0, words);
    buffers.push(buffer);
    return buffer;
  };
  const stride = roundUp(DrawnRun.size, device.limits.minUniformBufferOffsetAlignment);
  const records = new Uint32Array((stride / 4) * Math.max(1, runs.length));
  runs.forEach(({ firstRow, rowCount }, index) => records.set([firstRow, rowCount], (stride / 4) * index));
  const uniform = GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST;
  const uniforms = upload('scenery runs', records, uniform);
  const placed = upload('scenery transforms', transforms.words);
  return {
    geometry: upload('scenery geometry', tables.geometry),
    indices: upload('scenery indices', tables.indices, storage | GPUBufferUsage.INDEX),
    visible: upload('scenery list', visible.words),
    transforms: placed,
    previousTransforms: placed,
    residents: upload('scenery residents', residents.words),
    skinned: upload('scenery vertices', skinned),
    runs: runs.map((run, index) => ({
      ...run,
      run: { buffer: uniforms, offset: stride * index, size: DrawnRun.size },
    })),
    bounds,
    get byteLength() {
      return buffers.reduce((sum, { size }) => sum + size, 0);
    },
    destroy: () => buffers.forEach((buffer) => buffer.destroy()),
  };
}
