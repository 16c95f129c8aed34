import { adapterKind } from '../../device/adapter-kind.ts';
import { readRanges } from '../../device/read-back.ts';
import { createBuffer, createFilled } from '../../frame/tables/memory.ts';
import { createBindGroup, createBindGroupLayout, View } from '../../layout/index.ts';
import { compileShader } from '../../wgsl/compile.ts';
import { PROBE_STEPS, probeBindings } from './layout.ts';
import { kernels } from './probe-grid.gen.ts';
import { RASTER_FORMAT } from './raster-triangles/stage.ts';
import { RASTER_DEFAULTS, type RasterSizes, type RasterTuning, type TimedRaster } from './sizes.ts';
import { TRIANGLE_SIZE, triangleViews } from './views.ts';
import { Timings } from '../../device/timings.ts';
import { Resident, Transform, VisibleCharacter } from '../../stages/layout.ts';
import { packPosition } from '../../math/packing.ts';
import { SeededRandom } from '../../math/seeded-random.ts';
import { bindPasses, TRIANGLE_PASSES, type Recording } from './passes.ts';
import { RasterTarget } from './raster-target.ts';
import type { SourceRun, TriangleSource } from './source.ts';
import { TriangleTables } from './triangle-tables.ts';

const TRIANGLES: Sheet = { cells: 8, grading: 1 };
const INSTANCES: Sheet = { cells: 24, grading: 2 };
const TRIANGLE_SIZES = [2, 4, 8, 16, 32, 64, 120];
const INSTANCE_SIZES = [32, 64, 128, 256, 512, 1024];
/** Pixels covered in one measurement, counted each time; most sheets; side of the picture; rounds. */
const BUDGETS = {
  hardware: { pixels: 2 ** 24, sheets: 4096, side: 1024, rounds: 5 },
  software: { pixels: 2 ** 15, sheets: 12, side: 256, rounds: 3 },
} as const;
/** Grids that can be found, steps per pixel. More steps do not fit the arithmetic of raster-triangles. */
const [COARSEST, FINEST] = [8, 256];
/** Share of the time that the hardware has to save to be chosen, so that noise does not decide. */
const GAIN = 0.03;

export async function measureRaster(device: GPUDevice): Promise<RasterTuning> {
  const kind = adapterKind(device.adapterInfo);
  const rule = RASTER_DEFAULTS[kind === 'software' ? 'software' : 'hardware'];
  if (kind === 'null') return { ...rule, source: 'rule', timed: [] };
  const gridSteps = await probeGridSteps(device);
  if (!device.features.has('timestamp-query')) return { ...rule, gridSteps, source: 'rule', timed: [] };
  const budget = BUDGETS[kind];
  const { side, rounds } = budget;
  const timeAll = async (
    of: TimedRaster['of'],
    sheet: Sheet,
    sizes: readonly { readonly size: number; readonly across: number }[],
    triangleSize: number,
  ) => {
    const scene = new TuneScene(device, sheet, budget.sheets, { width: side, height: side });
    const timed: TimedRaster[] = [];
    for (const { size, across } of sizes) {
      const sheets = Math.max(1, Math.min(budget.sheets, Math.round(budget.pixels / across ** 2)));
      const common = { triangleSize, gridSteps };
      timed.push({ of, size, ...(await timeBoth(scene, { sheets, across, rounds }, common)) });
    }
    scene.destroy();
    return timed;
  };
  const all = TRIANGLE_SIZES.map((size) => ({ size, across: size * TRIANGLES.cells }));
  const triangles = await timeAll('triangles', TRIANGLES, all, Infinity);
  const triangleSize = Math.min(TRIANGLE_SIZE, crossing(triangles));
  const whole = INSTANCE_SIZES.filter((size) => size <= side).map((size) => ({ size, across: size }));
  const instances = await timeAll('instances', INSTANCES, whole, triangleSize);
  const hardwareSize = crossing(instances);
  return { hardwareSize, triangleSize, gridSteps, source: 'measured', timed: [...triangles, ...instances] };
}

/** Measures both rasterisers in turns. The first round only warms up. */
async function timeBoth(
  scene: TuneScene,
  { sheets, across, rounds }: Readonly<Record<'sheets' | 'across' | 'rounds', number>>,
  sizes: Pick<RasterSizes, 'triangleSize' | 'gridSteps'>,
): Promise<Pick<TimedRaster, 'compute' | 'hardware'>> {
  const times = { compute: [] as number[], hardware: [] as number[] };
  for (let round = 0; round <= rounds; round++) {
    const compute = await scene.time(sheets, across, { ...sizes, hardwareSize: Infinity });
    const hardware = await scene.time(sheets, across, { ...sizes, hardwareSize: 0 });
    if (round === 0) continue;
    times.compute.push(compute);
    times.hardware.push(hardware);
  }
  const median = (list: number[]) => list.sort((a, b) => a - b)[list.length >> 1]!;
  return { compute: median(times.compute), hardware: median(times.hardware) };
}

/**
 * Size from which on the hardware was faster at every measured size: the geometric mean of the measured sizes around
 * the change. Infinity if it was not faster at the largest size.
 */
export function crossing(timed: readonly Pick<TimedRaster, 'size' | 'compute' | 'hardware'>[]): number {
  const slower = timed.findLastIndex(({ compute, hardware }) => hardware > compute * (1 - GAIN));
  const [below, above] = [timed[slower], timed[slower + 1]];
  if (!above) return Infinity;
  return below ? Math.round(Math.sqrt(below.size * above.size)) : above.size;
}

/**
 * Finds the steps per pixel that the hardware's rasteriser rounds corners to, a power of two from 8 to 256. Draws 1,024
 * triangles in front of one pixel, and waits for the GPU.
 *
 * @throws ManipleError DEVICE_LOST
 */
export async function probeGridSteps(device: GPUDevice): Promise<number> {
  const { STORAGE, COPY_SRC } = GPUBufferUsage;
  const covering = createBuffer(device, 'grid probe', STORAGE | COPY_SRC, 16);
  const usage = GPUTextureUsage.RENDER_ATTACHMENT;
  const texture = device.createTexture({ label: 'grid probe', size: [1, 1], format: RASTER_FORMAT, usage });
  const layout = createBindGroupLayout(device, 'grid probe', probeBindings, GPUShaderStage.FRAGMENT);
  const module = compileShader(device, 'grid probe', kernels.base);
  const pipeline = device.createRenderPipeline({
    label: 'grid probe',
    layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
    vertex: { module },
    fragment: { module, targets: [{ format: RASTER_FORMAT, writeMask: 0 }] },
  });
  const encoder = device.createCommandEncoder({ label: 'grid probe' });
  const pass = encoder.beginRenderPass({
    label: 'grid probe',
    colorAttachments: [{ view: texture.createView(), loadOp: 'clear', storeOp: 'discard' }],
  });
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, createBindGroup(device, 'grid probe', layout, probeBindings, { covering }));
  pass.draw(3, PROBE_STEPS / COARSEST);
  pass.end();
  device.queue.submit([encoder.finish()]);
  const [bytes] = await readRanges(device, [[covering, 0, 4]]);
  for (const owned of [covering, texture]) owned.destroy();
  const [count] = new Uint32Array(bytes!);
  // an edge counts as on the middle while it is less than half a step off
  const steps = 2 ** Math.round(Math.log2(PROBE_STEPS / (2 * Math.max(1, count!) - 1)));
  return Math.min(FINEST, Math.max(COARSEST, steps));
}

interface Sheet {
  /** Squares along each side, of two triangles each. */
  readonly cells: number;
  /** Squares' sides grow by this power of their place: 1 makes all alike. */
  readonly grading: number;
}

/** Square sheets of triangles, scattered over a picture that they face, and a clock. */
class TuneScene {
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
  const vertices = upload('tuned vertices', positions);
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
    pages: [{ skinned: vertices, runs: [run] }],
  };
}

/** A square a metre across, in the plane of x and y. */
function squares(
  cells: number,
  grading: number,
): { positions: Uint32Array<ArrayBuffer>; indices: Uint32Array<ArrayBuffer> } {
  const place = (i: number) => (i / cells) ** grading - 0.5;
  const positions: number[] = [];
  const indices: number[] = [];
  for (let y = 0; y <= cells; y++)
    for (let x = 0; x <= cells; x++) positions.push(...packPosition([place(x), place(y), 0]));
  for (let y = 0; y < cells; y++) {
    for (let x = 0; x < cells; x++) {
      const a = y * (cells + 1) + x;
      const below = a + cells + 1;
      indices.push(a, a + 1, below, a + 1, below + 1, below);
    }
  }
  return { positions: Uint32Array.from(positions), indices: Uint32Array.from(indices) };
}
