import { compileShader } from '../../wgsl/compile.ts';
import type { DrawnImpostors } from '../impostors/quads.ts';
import { ID_FORMAT, VELOCITY_FORMAT } from '../target.ts';
import { kernels as backdropCode } from './backdrop.gen.ts';
import type { DrawnCrowd, DrawnRows } from './drawn-crowd.ts';
import { surfaceBindings } from './layout.ts';
import { PickedPixel } from './pick.ts';
import {
  compileSource,
  compileSources,
  createBackdrop,
  createDepth,
  createDrawPipeline,
  createPipelines,
  cullModeOf,
  drawBackdrop,
  drawLayouts,
  SOLID,
  type Backdrop,
  type PipelineFor,
  type PipelineParts,
} from './pipelines.ts';
import { kernels as surfaceCode } from './surface.gen.ts';
import type { PickHit } from './view.ts';

/** Pipelines of a picture without light. Without a backdrop it is black. */
export interface SurfacePipelines {
  readonly surface: PipelineFor;
  readonly backdrop?: Backdrop;
}

/** Options that all pipelines of a picture share. */
type Look = Pick<PipelineParts, 'targets' | 'sampleCount' | 'constants'> & { readonly fragment: string };

/** Targets for a picture's motion vectors and ids: one of them, or both. */
export interface SurfaceTargets {
  readonly velocity?: GPUTextureView | undefined;
  readonly ids?: GPUTextureView | undefined;
}

/** Draws characters, ground and sky without light. Its shaders are compiled once for targets, picks and debug views. */
export class Surfaces {
  readonly drawn: DrawnCrowd;
  /** Group 0: only the frame's uniforms. */
  readonly #frame: GPUBindGroup;
  readonly #modules: ReturnType<typeof compileSources>;
  readonly #layoutOf: ReturnType<typeof drawLayouts>;
  readonly #backdrop: Pick<PipelineParts, 'module' | 'layout'>;
  readonly #targets = new Map<string, SurfacePipelines>();

  constructor(drawn: DrawnCrowd, frame: GPUBindGroup) {
    const { device, layouts, kinds } = drawn;
    this.drawn = drawn;
    this.#frame = frame;
    const { standard, base: table, vertex: palette } = surfaceCode;
    const code = { standard, table, palette };
    this.#modules = compileSources(kinds, (source) => compileSource(drawn, 'surface', source, code, surfaceBindings));
    this.#layoutOf = drawLayouts(drawn, 'surface', layouts.frame, 'surface', layouts.material);
    this.#backdrop = {
      module: compileShader(device, 'backdrop', backdropCode.base),
      layout: device.createPipelineLayout({ bindGroupLayouts: [layouts.frame] }),
    };
  }

  createBackdrop({ fragment, ...look }: Look): Backdrop {
    const fragments = { sky: fragment, ground: fragment };
    return createBackdrop(this.drawn.device, { ...look, ...this.#backdrop }, ' without light', fragments);
  }

  createSurface(
    label: string,
    look: Look,
    depth: Pick<PipelineParts, 'depthCompare' | 'depthWrite'> = SOLID,
    fades = false,
  ): PipelineFor {
    const { device, kinds, materials } = this.drawn;
    const { baseColorTextures, secondTexcoords } = materials.constants;
    return createPipelines(kinds, ['doubleSided', 'source'], (kind) =>
      createDrawPipeline(device, {
        ...look,
        ...depth,
        label,
        constants: { ...look.constants, baseColorTextures, secondTexcoords, fades: Number(fades) },
        vertexConstants: { secondTexcoords },
        module: this.#modules.get(kind.source)!,
        layout: this.#layoutOf(kind.source),
        vertex: 'surfaceVertex',
        cullMode: cullModeOf(kind),
      }),
    );
  }

  /** Records a pass. @param over Draws over the surfaces. */
  draw(
    encoder: GPUCommandEncoder,
    descriptor: GPURenderPassDescriptor,
    { surface, backdrop }: SurfacePipelines,
    which: 'all' | 'opaque' = 'all',
    over?: (pass: GPURenderPassEncoder) => void,
    rows?: DrawnRows,
  ): void {
    const pass = encoder.beginRenderPass(descriptor);
    pass.setBindGroup(0, this.#frame);
    pass.setBindGroup(3, this.drawn.materials.group);
    if (backdrop) drawBackdrop(pass, backdrop);
    this.drawn.draw(pass, surface, 'surface', which, rows);
    over?.(pass);
    pass.end();
  }

  /**
   * Draws the surface that each pixel shows, and its motion. It takes one sample per pixel: neither can be averaged.
   * @param depth Depth of the same size, with one sample.
   * @param which 'opaque' for targets: blended surfaces would hide motion and ids of those that they cover. 'all' for picks,
   *   which find blended surfaces where they cover one half or more.
   * @param impostors Those that were chosen for this picture; default: all characters are meshes.
   */
  drawTargets(
    encoder: GPUCommandEncoder,
    { velocity, ids }: SurfaceTargets,
    depth: GPUTexture,
    which: 'all' | 'opaque',
    timestamps?: Pick<GPURenderPassDescriptor, 'timestampWrites'>,
    impostors?: DrawnImpostors,
  ): void {
    const clear = { clearValue: { r: 0, g: 0, b: 0, a: 0 }, loadOp: 'clear', storeOp: 'store' } as const;
    const descriptor: GPURenderPassDescriptor = {
      label: 'draw-surfaces',
      colorAttachments: [velocity, ids].map((view) => (view ? { view, ...clear } : null)),
      depthStencilAttachment: {
        view: depth.createView(),
        depthClearValue: 0,
        depthLoadOp: 'clear',
        depthStoreOp: 'discard',
      },
      ...timestamps,
    };
    const [hasVelocity, hasIds] = [velocity !== undefined, ids !== undefined];
    const form = hasVelocity ? (hasIds ? 'velocity ids' : 'velocity') : 'ids';
    const over = impostors && ((pass: GPURenderPassEncoder) => impostors.quads.draw(pass, form));
    const pipelines = this.#targetPipelines(hasVelocity, hasIds, impostors !== undefined);
    this.draw(encoder, descriptor, pipelines, which, over, impostors?.meshes);
  }

  #targetPipelines(hasVelocity: boolean, hasIds: boolean, fades: boolean): SurfacePipelines {
    const key = `${hasVelocity} ${hasIds} ${fades}`;
    const existing = this.#targets.get(key);
    if (existing) return existing;
    const targets = [hasVelocity ? { format: VELOCITY_FORMAT } : null, hasIds ? { format: ID_FORMAT } : null];
    const look = { targets, sampleCount: 1, fragment: 'targetFragment' };
    const surface = this.createSurface('surface', look, SOLID, fades);
    const pipelines = { surface, backdrop: this.createBackdrop(look) };
    this.#targets.set(key, pipelines);
    return pipelines;
  }
}

/** Draws the ids of a single pixel, and reads them. */
export class Picker {
  readonly #surfaces: Surfaces;
  readonly #ids: GPUTexture;
  /** Depth of its own, so that pictures keep theirs. */
  readonly #depth: GPUTexture;
  readonly #pixel: PickedPixel;

  constructor(surfaces: Surfaces) {
    const { device, crowd } = surfaces.drawn;
    this.#surfaces = surfaces;
    const usage = GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC;
    this.#ids = device.createTexture({ label: 'picked', size: [1, 1], format: ID_FORMAT, usage });
    this.#depth = createDepth(device, 'depth', 1, 1);
    this.#pixel = new PickedPixel(device, crowd);
  }

  /** Records the pixel. Call the returned function after submitting, before anything else is recorded. */
  draw(encoder: GPUCommandEncoder): () => Promise<PickHit | undefined> {
    this.#surfaces.drawTargets(encoder, { ids: this.#ids.createView() }, this.#depth, 'all');
    return this.#pixel.copy(encoder, this.#ids);
  }

  destroy(): void {
    for (const owned of [this.#ids, this.#depth, this.#pixel]) owned.destroy();
  }
}
