import { DataTexture, RGBAIntegerFormat, UnsignedIntType, type WebGPURenderer } from 'three/webgpu';
import type { Crowd } from '../../crowd/crowd.ts';
import { internalsOf } from '../../crowd/internals.ts';
import { fail } from '../../errors.ts';
import type { DrawMemory } from '../../frame/backend.ts';
import { copyTexelRows, TEXEL_ROW_BYTES } from '../../frame/tables/texel-rows.ts';
import type { CarriedDrawing, DrawContext } from '../crowd-drawing.ts';
import { type CrowdParts, DrawnCrowd } from '../drawn-crowd.ts';
import { deviceOf, gpuTextureOf } from '../internals.ts';
import { TEXELS_PER_ROW, type Table, type TexelTable } from '../rows.ts';
import type { DeviceTables } from '../storage-tables.ts';
import { deviceColumns } from './column-texture.ts';
import { NodeShading } from './node-shading.ts';
import { TableTexture, wholeRows } from './table-texture.ts';

/** A texture that the GPU fills from a buffer. Its CPU side has no data. */
class CopiedTable {
  readonly #renderer: WebGPURenderer;
  readonly #texture: DataTexture;
  #buffer: GPUBuffer;

  /** @throws ManipleError DEVICE_LIMIT */
  constructor(renderer: WebGPURenderer, buffer: GPUBuffer) {
    this.#renderer = renderer;
    this.#texture = new DataTexture(null, TEXELS_PER_ROW, 1, RGBAIntegerFormat, UnsignedIntType);
    this.#texture.source.dataReady = false; // three.js creates the texture and uploads nothing
    this.#texture.name = `copy of ${buffer.label}`;
    this.#buffer = buffer;
    this.#fit();
  }

  get table(): TexelTable {
    return { texture: this.#texture, firstTexel: 0 };
  }

  /** Copies another buffer from now on. Shaders go on to read the texture. @throws ManipleError DEVICE_LIMIT */
  follow(buffer: GPUBuffer): void {
    if (buffer === this.#buffer) return;
    this.#buffer = buffer;
    this.#texture.dispose(); // because its size changes
    this.#fit();
  }

  copy(encoder: GPUCommandEncoder): void {
    copyTexelRows(encoder, this.#buffer, gpuTextureOf(this.#renderer, this.#texture));
  }

  dispose(): void {
    this.#texture.dispose();
  }

  #fit(): void {
    const height = Math.max(1, Math.ceil(this.#buffer.size / TEXEL_ROW_BYTES));
    const limit = deviceOf(this.#renderer).limits.maxTextureDimension2D;
    if (height > limit) {
      const [size, most] = [this.#buffer.size, limit * TEXEL_ROW_BYTES];
      const message = `The buffer '${this.#buffer.label}' has ${size} bytes; draws of this device read ${most}.`;
      fail('DEVICE_LIMIT', 'maxTextureDimension2D', message, 'Make several crowds, or set a budget of bytes.');
    }
    this.#texture.image = { data: null as never, width: TEXELS_PER_ROW, height };
    this.#texture.needsUpdate = true;
    this.#renderer.initTexture(this.#texture);
  }
}

/** Tables in textures, for the compatibility tier: copies that each frame makes of the crowd's buffers. */
class CopiedTables implements DeviceTables {
  readonly #renderer: WebGPURenderer;
  readonly #copied = new Map<GPUBuffer, CopiedTable>();
  readonly #created: TableTexture[] = [];

  constructor(renderer: WebGPURenderer) {
    this.#renderer = renderer;
  }

  share(buffer: GPUBuffer): TexelTable {
    const copied = this.#copied.get(buffer) ?? new CopiedTable(this.#renderer, buffer);
    this.#copied.set(buffer, copied);
    return copied.table;
  }

  create(words: Uint32Array<ArrayBuffer>, name: string): TexelTable {
    const padded = new Uint32Array(wholeRows(words.length));
    padded.set(words);
    const texture = new TableTexture(padded, name);
    this.#created.push(texture);
    return texture.table;
  }

  copy(encoder: GPUCommandEncoder): void {
    for (const table of this.#copied.values()) table.copy(encoder);
  }

  dispose(): void {
    for (const table of [...this.#copied.values(), ...this.#created]) table.dispose();
  }
}

/** Parts of the compatibility tier that last as long as the crowd: attachments, and named columns. */
class CopiedParts implements CrowdParts {
  readonly #context: DrawContext<WebGPURenderer>;
  readonly #shading: NodeShading;
  #matrices: readonly [now: CopiedTable, previous: CopiedTable] | undefined;
  #columns: CopiedTable | undefined;

  constructor(context: DrawContext<WebGPURenderer>) {
    this.#context = context;
    this.#shading = new NodeShading(context);
    deviceColumns.set(context.crowd, () => this.#columnTable(context.crowd));
  }

  createTables(): DeviceTables {
    return new CopiedTables(this.#context.renderer);
  }

  carry(...[mesh, source, residents]: Parameters<CrowdParts['carry']>): CarriedDrawing {
    return this.#shading.carry(mesh, source, () => {
      const [now, previous] = this.#matrices!;
      // attachments read no other column
      const table = residents() as TexelTable;
      const columns = { residents: table, visible: table, transforms: table, previousTransforms: table };
      return { ...columns, matrices: now.table, previousMatrices: previous.table };
    });
  }

  copy({ socketMatrices, previousSocketMatrices }: DrawMemory, encoder: GPUCommandEncoder): void {
    const { renderer, crowd } = this.#context;
    const buffers = [socketMatrices, previousSocketMatrices] as const;
    this.#matrices ??= [new CopiedTable(renderer, buffers[0]), new CopiedTable(renderer, buffers[1])];
    this.#matrices.forEach((table, i) => {
      table.follow(buffers[i]!);
      table.copy(encoder);
    });
    const { buffer } = internalsOf(crowd).host.backend.columns;
    if (!this.#columns || !buffer) return;
    this.#columns.follow(buffer);
    this.#columns.copy(encoder);
  }

  dispose(): void {
    deviceColumns.delete(this.#context.crowd);
    for (const table of this.#matrices ?? []) table.dispose();
    this.#columns?.dispose();
    this.#shading.dispose();
  }

  /** Made when a material first reads a column, which is after the frame was submitted. */
  #columnTable(crowd: Crowd): Table {
    if (this.#columns) return this.#columns.table;
    const device = deviceOf(this.#context.renderer);
    this.#columns = new CopiedTable(this.#context.renderer, internalsOf(crowd).host.backend.columns.buffer!);
    const encoder = device.createCommandEncoder({ label: 'maniple columns' });
    this.#columns.copy(encoder);
    device.queue.submit([encoder.finish()]);
    return this.#columns.table;
  }
}

/** Draws of the compatibility tier: those of core, which read textures instead of buffers. */
export function createCopiedCrowd(context: DrawContext<WebGPURenderer>): DrawnCrowd {
  return new DrawnCrowd(context, new CopiedParts(context));
}
