import { fail } from '../../errors.ts';
import { copyTexelRows } from '../../frame/tables/texel-rows.ts';
import type { MaterialTable } from '../materials/material-table.ts';
import { readingTextures, ROW_TEXELS } from './reading-textures.ts';
import { withUsedTextures } from './used-textures.ts';

/** Pictures after which the texture of a buffer that none of them has read is destroyed. */
const IDLE_PICTURES = 60;
const TEXEL_BYTES = 16;

interface RowTexture {
  readonly texture: GPUTexture;
  readonly view: GPUTextureView;
  isFilled: boolean;
  lastPicture: number;
}

/**
 * Copies of a crowd's buffers as textures, for draws on devices that have no storage buffers in vertex stages. A texel holds 16
 * bytes of a buffer. Every picture copies the buffers of its frame, and those that never change are copied once. The textures take as
 * much memory as the buffers, in steps of 32 KiB.
 */
export class RowTextures {
  readonly #device: GPUDevice;
  readonly #textures = new Map<GPUBuffer, RowTexture>();
  #picture = 0;

  constructor(device: GPUDevice) {
    this.#device = device;
  }

  get byteLength(): number {
    const sizes = Array.from(this.#textures.values(), ({ texture }) => texture.width * texture.height);
    return TEXEL_BYTES * sizes.reduce((sum, size) => sum + size, 0);
  }

  /**
   * The shader with textures in place of the tables of groups 1 and 2, and without textures that no material has. Lines keep
   * their numbers. @throws ManipleError DEVICE_LIMIT
   */
  shader(code: string, materials: Pick<MaterialTable, 'constants'>): string {
    return readingTextures(withUsedTextures(code, materials), [1, 2]);
  }

  /** Layout entries with textures in place of tables. */
  entries(entries: readonly GPUBindGroupLayoutEntry[]): GPUBindGroupLayoutEntry[] {
    return entries.map((entry) => {
      if (entry.buffer?.type !== 'read-only-storage') return entry;
      const { binding, visibility } = entry;
      return { binding, visibility, texture: { sampleType: 'uint' } };
    });
  }

  /** The texture of a buffer, to be bound in its place. @throws ManipleError DEVICE_LIMIT */
  view(buffer: GPUBuffer): GPUTextureView {
    return this.#textureOf(buffer).view;
  }

  /**
   * Copies a buffer to its texture. Call it for each buffer of a picture, before its passes.
   * @param buffer Has the usage COPY_SRC, and a multiple of 16 bytes.
   * @param isStatic True if its contents never change.
   * @throws ManipleError DEVICE_LIMIT
   */
  fill(encoder: GPUCommandEncoder, buffer: GPUBuffer, isStatic = false): void {
    const rows = this.#textureOf(buffer);
    rows.lastPicture = this.#picture;
    if (isStatic && rows.isFilled) return;
    rows.isFilled = true;
    copyTexelRows(encoder, buffer, rows.texture);
  }

  /**
   * Ends a picture.
   * @param retired Receives textures that are no longer drawn from. Groups that bind them are invalid.
   * @returns true if there are any
   */
  endPicture(retired: { destroy(): void }[]): boolean {
    this.#picture++;
    const idle = Array.from(this.#textures).filter(([, rows]) => this.#picture - rows.lastPicture > IDLE_PICTURES);
    for (const [buffer, { texture }] of idle) {
      retired.push(texture);
      this.#textures.delete(buffer);
    }
    return idle.length > 0;
  }

  destroy(): void {
    for (const { texture } of this.#textures.values()) texture.destroy();
  }

  #textureOf(buffer: GPUBuffer): RowTexture {
    const known = this.#textures.get(buffer);
    if (known) return known;
    const height = Math.max(1, Math.ceil(buffer.size / (TEXEL_BYTES * ROW_TEXELS)));
    const limit = this.#device.limits.maxTextureDimension2D;
    if (height > limit) {
      const most = limit * ROW_TEXELS * TEXEL_BYTES;
      const message = `The buffer '${buffer.label}' has ${buffer.size} bytes; draws of this device read ${most}.`;
      fail('DEVICE_LIMIT', 'maxTextureDimension2D', message, 'Make several crowds, or set a budget of bytes.');
    }
    const texture = this.#device.createTexture({
      label: `rows of ${buffer.label}`,
      size: [ROW_TEXELS, height],
      format: 'rgba32uint',
      usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
    });
    const rows = { texture, view: texture.createView(), isFilled: false, lastPicture: this.#picture };
    this.#textures.set(buffer, rows);
    return rows;
  }
}
