import { Resident, Transform, VisibleCharacter } from '../../stages/layout.ts';
import type { DrawMemory, KeptFrame } from '../backend.ts';
import { createBuffer } from './memory.ts';
import type { PlacedDraws } from './plan.ts';

const COLUMNS = ['transforms', 'previousTransforms', 'residents', 'visible'] as const;
type Column = (typeof COLUMNS)[number];

const ROW_BYTES: Readonly<Record<Column, number>> = {
  transforms: Transform.size,
  previousTransforms: Transform.size,
  residents: Resident.size,
  visible: VisibleCharacter.size,
};

/**
 * Copies of everything that draws of a frame read and the next frame overwrites. Vertices are not copied: slots have a third
 * copy of them. One set is enough: it is filled when the next frame begins, and draws of the frame before that are over then.
 */
export class KeptLists {
  readonly #device: GPUDevice;
  readonly #columns: Readonly<Record<Column, GPUBuffer>>;
  /** Copies by the original draws. They stay the same objects, so that renderers bind them once. */
  readonly #draws = new WeakMap<readonly PlacedDraws[], readonly PlacedDraws[]>();
  readonly #targets = new WeakMap<GPUBuffer, GPUBuffer>();
  readonly #owned = new Set<GPUBuffer>();
  #matrices: readonly [now: GPUBuffer, previous: GPUBuffer] | undefined;
  #named: GPUBuffer | undefined;
  last: KeptFrame | undefined;

  constructor(device: GPUDevice, capacity: number) {
    this.#device = device;
    const create = (column: Column) => this.#create(`kept ${column}`, capacity * ROW_BYTES[column]);
    this.#columns = {
      transforms: create('transforms'),
      previousTransforms: create('previousTransforms'),
      residents: create('residents'),
      visible: create('visible'),
    };
  }

  get byteLength(): number {
    return Array.from(this.#owned).reduce((sum, { size }) => sum + size, 0);
  }

  /**
   * Keeps the frame that was recorded last. Call it before any command of the next frame is recorded.
   * @param rowCount Number of used rows in the columns.
   * @returns Buffers that no further draw uses.
   */
  keep(encoder: GPUCommandEncoder, frame: number, memory: DrawMemory, rowCount: number): GPUBuffer[] {
    const outgrown: GPUBuffer[] = [];
    const copy = (from: GPUBuffer, to: GPUBuffer, byteLength: number) =>
      encoder.copyBufferToBuffer(from, 0, to, 0, byteLength);
    for (const column of COLUMNS) {
      const from = memory.crowd[column];
      const byteLength = Math.min(rowCount * ROW_BYTES[column], from.size);
      if (byteLength > 0) copy(from, this.#columns[column], byteLength);
    }
    const targets = this.#targetsOf(memory.targets, outgrown);
    copy(memory.targets, targets, memory.targets.size);
    const { socketMatrices: now, previousSocketMatrices: previous } = memory;
    if (this.#matrices?.[0].size !== now.size) {
      outgrown.push(...(this.#matrices ?? []));
      this.#matrices = [this.#create('kept matrices', now.size), this.#create('kept matrices', now.size)];
    }
    const [keptNow, keptPrevious] = this.#matrices;
    copy(now, keptNow, now.size);
    copy(previous, keptPrevious, previous.size);
    const { columns } = memory;
    if (columns) {
      if (this.#named?.size !== columns.size) {
        if (this.#named) outgrown.push(this.#named);
        this.#named = this.#create('kept named columns', columns.size);
      }
      copy(columns, this.#named, columns.size);
    }
    for (const buffer of outgrown) this.#owned.delete(buffer);
    const { device, geometry, indices } = memory.crowd;
    this.last = {
      frame,
      memory: {
        crowd: { device, geometry, indices, ...this.#columns },
        targets,
        draws: this.#drawsOf(memory.draws),
        palettes: undefined,
        page: memory.page,
        socketMatrices: keptNow,
        previousSocketMatrices: keptPrevious,
        columns: this.#named,
      },
    };
    return outgrown;
  }

  destroy(): void {
    for (const buffer of this.#owned) buffer.destroy();
  }

  #drawsOf(draws: readonly PlacedDraws[]): readonly PlacedDraws[] {
    const kept = this.#draws.get(draws) ?? draws.map((draw) => ({ ...draw }));
    this.#draws.set(draws, kept);
    return kept;
  }

  #targetsOf(targets: GPUBuffer, outgrown: GPUBuffer[]): GPUBuffer {
    const known = this.#targets.get(targets);
    if (known) return known;
    // belongs to an earlier plan of pages: its frame has been drawn
    const before = this.last?.memory.targets;
    if (before) outgrown.push(before);
    const kept = this.#create('kept targets', targets.size);
    this.#targets.set(targets, kept);
    return kept;
  }

  #create(label: string, byteLength: number): GPUBuffer {
    const { STORAGE, UNIFORM, INDIRECT, VERTEX, COPY_DST, COPY_SRC } = GPUBufferUsage;
    const usage = STORAGE | UNIFORM | INDIRECT | VERTEX | COPY_DST | COPY_SRC;
    const buffer = createBuffer(this.#device, label, usage, byteLength);
    this.#owned.add(buffer);
    return buffer;
  }
}
