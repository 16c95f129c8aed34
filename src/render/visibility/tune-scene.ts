import { createFilled } from '../../frame/tables/memory.ts';
import { Timings } from '../../device/timings.ts';
import { View } from '../../layout/index.ts';
import { Resident, Transform, VisibleCharacter } from '../../stages/layout.ts';
import { SeededRandom } from '../../math/seeded-random.ts';
import { TriangleMemory } from './memory.ts';
import { bindTrianglePasses, TRIANGLE_STAGES } from './passes.ts';
import { createRasterTarget } from './raster-target.ts';
import type { RasterSizes } from './sizes.ts';
import type { TriangleSource } from './source.ts';
import { triangleTables } from './tables.ts';
import { triangleViews } from './views.ts';

/** Square sheets of triangles, scattered over a picture that they face, and a clock. */
export interface TuneScene {
  /** Milliseconds that the rasterisers take for this number of sheets of this size, pixels across. */
  time(sheets: number, size: number, sizes: RasterSizes): Promise<number>;
  destroy(): void;
}

/** How the triangles of a sheet differ. */
export interface Sheet {
  /** Squares along each side, of two triangles each. */
  readonly cells: number;
  /** Squares' sides grow by this power of their place: 1 makes all alike. */
  readonly grading: number;
}

/** @param capacity Sheets at most. */
export function createTuneScene(
  device: GPUDevice,
  { cells, grading }: Sheet,
  capacity: number,
  { width, height }: { readonly width: number; readonly height: number },
): TuneScene {
  const { STORAGE, COPY_DST, COPY_SRC } = GPUBufferUsage;
  const buffers: GPUBuffer[] = [];
  const upload = (label: string, words: Uint32Array<ArrayBuffer>) => {
    const buffer = createFilled(device, label, STORAGE | COPY_DST | COPY_SRC, words);
    buffers.push(buffer);
    return buffer;
  };
  const visible = new View(VisibleCharacter, capacity);
  for (let i = 0; i < capacity; i++) visible.assign(i, { character: i, views: 1, parts: [1, 0] });
  const { positions, indices } = sheet(cells, grading);
  const vertices = upload('tuned vertices', new Uint32Array(positions.buffer));
  const places = new View(Transform, capacity);
  const transforms = upload('tuned transforms', places.words);
  const primitive = { firstIndex: 0, indexCount: indices.length, part: 0, doubleSided: true, masked: false };
  const source: TriangleSource = {
    visible: upload('tuned list', visible.words),
    transforms,
    previousTransforms: transforms,
    residents: upload('tuned residents', new View(Resident, capacity).words),
    geometry: vertices,
    indices: upload('tuned indices', indices),
    rowCapacity: capacity,
    isCrowd: true,
    pages: [
      {
        skinned: { buffer: vertices },
        skinnedTangents: { buffer: vertices },
        runs: [
          {
            rows: { firstRow: 0, rowCount: capacity },
            firstIndex: 0,
            primitives: [{ ...primitive, materialRow: 0 }],
            sphere: { center: [0, 0, 0], radius: Math.SQRT1_2 },
            contactRadius: 0,
          },
        ],
      },
    ],
  };
  const tables = triangleTables([source]);
  const memory = new TriangleMemory(device, [source], tables, 1);
  const target = createRasterTarget(device, 0, { width, height, ids: true });
  const timings = new Timings(device, TRIANGLE_STAGES);
  const passes = bindTrianglePasses(device, [source], memory, [target]);
  // positions are pixels
  const clipFromWorld = Float32Array.of(2 / width, 0, 0, 0, 0, -2 / height, 0, 0, 0, 0, 1, 0, -1, 1, 0, 1);

  return {
    async time(sheets, size, sizes) {
      const random = new SeededRandom(1);
      for (let i = 0; i < capacity; i++) {
        // sheets are wholly in the picture, if they fit; rows beyond `sheets` are far outside
        const at = (length: number) => length / 2 + random.range(-0.5, 0.5) * Math.max(0, length - size);
        const position = i < sheets ? [at(width), at(height), random.range(0.1, 0.9)] : [-1e6, 0, 0.5];
        places.assign(i, { position, scale: size, rotation: [0, 0, 0, 1] });
      }
      device.queue.writeBuffer(transforms, 0, places.words);
      const view = { clipFromWorld, width, height, ...sizes };
      const params = { ...memory.viewParams, gridSteps: sizes.gridSteps };
      device.queue.writeBuffer(memory.views, 0, triangleViews([view], params));
      const encoder = device.createCommandEncoder({ label: 'tuning' });
      passes.filter(encoder);
      passes.raster(encoder, 1, timings);
      const read = timings.resolve(encoder);
      device.queue.submit([encoder.finish()]);
      await read();
      return timings.latest.get('raster-triangles')!;
    },
    destroy() {
      for (const owned of [...buffers, memory, target, timings]) owned.destroy();
    },
  };
}

/** A square a metre across, in the plane of x and y. */
function sheet(
  cells: number,
  grading: number,
): { positions: Float32Array<ArrayBuffer>; indices: Uint32Array<ArrayBuffer> } {
  const place = (i: number) => (i / cells) ** grading - 0.5;
  const positions: number[] = [];
  const indices: number[] = [];
  for (let y = 0; y <= cells; y++) for (let x = 0; x <= cells; x++) positions.push(place(x), place(y), 0, 0);
  for (let y = 0; y < cells; y++) {
    for (let x = 0; x < cells; x++) {
      const a = y * (cells + 1) + x;
      const below = a + cells + 1;
      indices.push(a, a + 1, below, a + 1, below + 1, below);
    }
  }
  return { positions: Float32Array.from(positions), indices: Uint32Array.from(indices) };
}
