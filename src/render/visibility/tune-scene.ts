import { createFilled } from '../../frame/tables/memory.ts';
import { Timings } from '../../device/timings.ts';
import { View } from '../../layout/index.ts';
import { Resident, Transform, VisibleCharacter } from '../../stages/layout.ts';
import { SeededRandom } from '../../math/seeded-random.ts';
import { bindPasses, TRIANGLE_PASSES, type Recording } from './passes.ts';
import { RasterTarget } from './raster-target.ts';
import type { RasterSizes } from './sizes.ts';
import type { SourceRun, TriangleSource } from './source.ts';
import { TriangleTables } from './triangle-tables.ts';
import { triangleViews } from './views.ts';

/** How the triangles of a sheet differ. */
export interface Sheet {
  /** Squares along each side, of two triangles each. */
  readonly cells: number;
  /** Squares' sides grow by this power of their place: 1 makes all alike. */
  readonly grading: number;
}

/** Square sheets of triangles, scattered over a picture that they face, and a clock. */
export class TuneScene {
  readonly #device: GPUDevice;
  readonly #target: RasterTarget;
  readonly #transforms: View<(typeof Transform)['fields']>;
  readonly #source: TriangleSource;
  readonly #tables: TriangleTables;
  readonly #timings: Timings;
  readonly #record: (recording: Recording) => void;

  /** @param capacity Sheets at most. */
  constructor(
    device: GPUDevice,
    sheet: Sheet,
    capacity: number,
    size: { readonly width: number; readonly height: number },
  ) {
    this.#device = device;
    this.#target = new RasterTarget(device, 'picture', size);
    this.#transforms = new View(Transform, capacity);
    this.#source = createSource(device, sheet, capacity);
    this.#tables = new TriangleTables(device, [this.#source], 1);
    const names = TRIANGLE_PASSES.map(({ name }) => name);
    this.#timings = new Timings(device, names);
    this.#record = bindPasses(TRIANGLE_PASSES, { device, tables: this.#tables, targets: [this.#target] });
  }

  /** Milliseconds that the rasterisers take for this number of sheets of this size, pixels across. */
  async time(sheets: number, size: number, sizes: RasterSizes): Promise<number> {
    const { width, height } = this.#target;
    const { buffers, viewParams } = this.#tables;
    const queue = this.#device.queue;
    const random = new SeededRandom(1);
    for (let i = 0; i < this.#transforms.count; i++) {
      // sheets are wholly in the picture, if they fit; rows beyond `sheets` are far outside
      const at = (length: number) => length / 2 + random.range(-0.5, 0.5) * Math.max(0, length - size);
      const position = i < sheets ? [at(width), at(height), random.range(0.1, 0.9)] : [-1e6, 0, 0.5];
      this.#transforms.assign(i, { position, scale: size, rotation: [0, 0, 0, 1] });
    }
    queue.writeBuffer(this.#source.transforms, 0, this.#transforms.words);
    // positions are pixels
    const clipFromWorld = Float32Array.of(2 / width, 0, 0, 0, 0, -2 / height, 0, 0, 0, 0, 1, 0, -1, 1, 0, 1);
    const params = { ...viewParams, gridSteps: sizes.gridSteps };
    queue.writeBuffer(buffers.views, 0, triangleViews([{ clipFromWorld, width, height, ...sizes }], params));
    const encoder = this.#device.createCommandEncoder({ label: 'tuning' });
    this.#record({ encoder, isFirst: true, timings: this.#timings });
    const read = this.#timings.resolve(encoder);
    queue.submit([encoder.finish()]);
    await read();
    return this.#timings.latest.get('raster-triangles')!;
  }

  destroy(): void {
    const { visible, transforms, residents, geometry, indices } = this.#source;
    const buffers = [visible, transforms, residents, geometry, indices];
    for (const owned of [...buffers, this.#tables, this.#target, this.#timings]) owned.destroy();
  }
}

function createSource(device: GPUDevice, { cells, grading }: Sheet, capacity: number): TriangleSource {
  const { STORAGE, COPY_DST, COPY_SRC } = GPUBufferUsage;
  const upload = (label: string, words: Uint32Array<ArrayBuffer>) =>
    createFilled(device, label, STORAGE | COPY_DST | COPY_SRC, words);
  const visible = new View(VisibleCharacter, capacity);
  for (let i = 0; i < capacity; i++) visible.assign(i, { character: i, views: 1, parts: [1, 0] });
  const { positions, indices } = squares(cells, grading);
  const vertices = upload('tuned vertices', new Uint32Array(positions.buffer));
  const transforms = upload('tuned transforms', new View(Transform, capacity).words);
  const primitive = { firstIndex: 0, indexCount: indices.length, part: 0, doubleSided: true, masked: false };
  const run: SourceRun = {
    rows: { firstRow: 0, rowCount: capacity },
    firstIndex: 0,
    primitives: [{ ...primitive, materialRow: 0 }],
    sphere: { center: [0, 0, 0], radius: Math.SQRT1_2 },
    contactRadius: 0,
  };
  return {
    visible: upload('tuned list', visible.words),
    transforms,
    previousTransforms: transforms,
    residents: upload('tuned residents', new View(Resident, capacity).words),
    geometry: vertices,
    indices: upload('tuned indices', indices),
    rowCapacity: capacity,
    isCrowd: true,
    pages: [{ skinned: { buffer: vertices }, skinnedTangents: { buffer: vertices }, runs: [run] }],
  };
}

/** A square a metre across, in the plane of x and y. */
function squares(
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
