import { createUniform } from '../../frame/tables/memory.ts';
import { createBindGroup } from '../../layout/index.ts';
import { createKernel, createStageLayout } from '../../stages/kernel.ts';
import { createDepth } from '../forward/pipelines.ts';
import { OVERSAMPLING, SCRATCH_COLUMNS, storeBindings, StoreParams, TILE_MIPS, TILES_AT_ONCE } from './layout.ts';
import type { ImpostorPlan } from './options.ts';
import { kernels } from './store.gen.ts';

/** Threads of a workgroup of store-tiles each way. */
const STORE_GROUP = 8;
const NAMES = ['Color', 'Normal', 'Material'] as const;
/** Colours are stored as sRGB, and written as such by shaders. */
const FORMATS = { Color: 'rgba8unorm-srgb', Normal: 'rgba8unorm', Material: 'rgba8unorm' } as const;

/** Larger sizes that are not stored: materials change less from texel to texel than colours do. */
const skippedMips = (name: (typeof NAMES)[number]) => (name === 'Material' ? 1 : 0);

/** Formats of the attachments that tiles are drawn to. */
export const SCRATCH_FORMATS = NAMES.map((name) => FORMATS[name]);

type Texture = (typeof NAMES)[number];

/** Textures that tiles are drawn to: TILES_AT_ONCE of them, OVERSAMPLING times as large as they are stored. */
export type Scratch = Readonly<Record<Texture, GPUTexture>>;

/** Pixels of the scratch. */
export function scratchSize(tilePx: number): readonly [width: number, height: number] {
  const drawn = OVERSAMPLING * tilePx;
  return [drawn * SCRATCH_COLUMNS, (drawn * TILES_AT_ONCE) / SCRATCH_COLUMNS];
}

const byName = <T>(create: (name: Texture) => T) =>
  Object.fromEntries(NAMES.map((name) => [name, create(name)])) as Record<Texture, T>;

/** The atlas, and the scratch that tiles are drawn to, larger, before they are stored there. */
export class Atlas {
  /** Views of all sizes, to be sampled. */
  readonly views: Readonly<Record<`tile${Texture}`, GPUTextureView>>;
  readonly #plan: ImpostorPlan;
  /** With all sizes; colours have codes of sRGB. */
  readonly textures: Readonly<Record<Texture, GPUTexture>>;
  readonly #scratch: Scratch;
  /** The scratch and its depth, where they are its own. */
  readonly #owned: readonly GPUTexture[];
  readonly #depth: GPUTexture | undefined;
  readonly #stores: readonly GPUBindGroup[];
  readonly #params: readonly GPUBuffer[];
  readonly #kernel: ReturnType<typeof createKernel>;

  /**
   * @param assigned Which tiles are stored: rows of AssignedTile.
   * @param scratch Default: one that `fill` draws to. With another one the caller draws, and calls `store`.
   */
  constructor(device: GPUDevice, plan: ImpostorPlan, params: GPUBuffer, assigned: GPUBuffer, scratch?: Scratch) {
    const { tilePx, columns, rows } = plan;
    this.#plan = plan;
    const { TEXTURE_BINDING, STORAGE_BINDING, RENDER_ATTACHMENT, COPY_SRC } = GPUTextureUsage;
    this.textures = byName((name) =>
      device.createTexture({
        label: `impostors ${name}`,
        size: [(tilePx * columns) >> skippedMips(name), (tilePx * rows) >> skippedMips(name)],
        mipLevelCount: TILE_MIPS - skippedMips(name),
        format: 'rgba8unorm',
        viewFormats: [FORMATS[name]],
        usage: TEXTURE_BINDING | STORAGE_BINDING | COPY_SRC,
      }),
    );
    const [width, height] = scratchSize(tilePx);
    const usage = TEXTURE_BINDING | RENDER_ATTACHMENT;
    this.#scratch =
      scratch ??
      byName((name) =>
        device.createTexture({ label: `tiles ${name}`, size: [width, height], format: FORMATS[name], usage }),
      );
    this.#depth = scratch ? undefined : createDepth(device, 'tiles', width, height);
    this.#owned = this.#depth ? [...Object.values(this.#scratch), this.#depth] : [];
    const sampled = (name: Texture) =>
      this.textures[name].createView({ format: FORMATS[name], usage: TEXTURE_BINDING });
    this.views = { tileColor: sampled('Color'), tileNormal: sampled('Normal'), tileMaterial: sampled('Material') };
    const layout = createStageLayout(device, 'store-tiles', [storeBindings]);
    this.#kernel = createKernel(device, {
      label: 'store-tiles',
      variant: 'base',
      code: kernels.base,
      entryPoint: 'storeTiles',
      layout: layout.pipeline,
    });
    this.#params = Array.from({ length: TILE_MIPS }, (_, mip) => createUniform(device, 'mip', StoreParams, { mip }));
    this.#stores = this.#params.map((store, mip) => {
      const stored = (name: Texture) =>
        this.textures[name].createView({
          // the largest size stores no material, and still binds one
          baseMipLevel: Math.max(0, mip - skippedMips(name)),
          mipLevelCount: 1,
          usage: STORAGE_BINDING,
        });
      return createBindGroup(device, 'store-tiles', layout.groups[0]!, storeBindings, {
        params,
        store,
        assigned,
        drawnColor: this.#scratch.Color.createView(),
        drawnNormal: this.#scratch.Normal.createView(),
        drawnMaterial: this.#scratch.Material.createView(),
        storedColor: stored('Color'),
        storedNormal: stored('Normal'),
        storedMaterial: stored('Material'),
      });
    });
  }

  /** Bytes of the atlas, and of its own scratch. */
  get byteLength(): number {
    const all = [...Object.values(this.textures), ...this.#owned];
    const bytes = ({ width, height, mipLevelCount }: GPUTexture) =>
      Array.from({ length: mipLevelCount }, (_, mip) => 4 * (width >> mip) * (height >> mip)).reduce((a, b) => a + b);
    return all.reduce((sum, texture) => sum + bytes(texture), 0);
  }

  /** Draws tiles to the scratch, by `draw`, and stores them. */
  fill(
    encoder: GPUCommandEncoder,
    draw: (pass: GPURenderPassEncoder) => void,
    timestamps?: Pick<GPUComputePassDescriptor, 'timestampWrites'>,
  ): void {
    const pass = encoder.beginRenderPass({
      label: 'draw-tiles',
      colorAttachments: NAMES.map((name) => ({
        view: this.#scratch[name].createView(),
        clearValue: [0, 0, 0, 0],
        loadOp: 'clear',
        storeOp: 'store',
      })),
      depthStencilAttachment: {
        view: this.#depth!.createView(),
        depthClearValue: 0,
        depthLoadOp: 'clear',
        depthStoreOp: 'discard',
      },
    });
    draw(pass);
    pass.end();
    this.store(encoder, timestamps);
  }

  /** Stores the tiles that the scratch shows. */
  store(encoder: GPUCommandEncoder, timestamps?: Pick<GPUComputePassDescriptor, 'timestampWrites'>): void {
    const store = encoder.beginComputePass({ label: 'store-tiles', ...timestamps });
    store.setPipeline(this.#kernel.pipeline);
    this.#stores.forEach((group, mip) => {
      const groups = Math.ceil((this.#plan.tilePx >> mip) / STORE_GROUP);
      store.setBindGroup(0, group);
      store.dispatchWorkgroups(groups, groups, this.#plan.tilesPerPicture);
    });
    store.end();
  }

  destroy(): void {
    for (const texture of [...Object.values(this.textures), ...this.#owned]) texture.destroy();
    for (const buffer of this.#params) buffer.destroy();
  }
}
