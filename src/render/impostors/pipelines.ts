import type { DrawnMemory } from '../../frame/backend.ts';
import type { CrowdType } from '../../frame/tables/crowd-types.ts';
import { createBindGroup, createBindGroupLayout } from '../../layout/index.ts';
import { lazyRenderPipeline, type LazyPipeline } from '../../stages/lazy-pipeline.ts';
import { compileShader } from '../../wgsl/compile.ts';
import type { DrawnCrowd, DrawnRows } from '../forward/drawn-crowd.ts';
import {
  compileSource,
  compileSources,
  createDrawPipeline,
  createPipelines,
  cullModeOf,
  DEPTH_FORMAT,
  drawLayouts,
  SOLID,
  type PipelineFor,
} from '../forward/pipelines.ts';
import { ID_FORMAT, VELOCITY_FORMAT } from '../target.ts';
import { SCRATCH_FORMATS, type Atlas } from './atlas.ts';
import { kernels as impostorCode } from './impostor.gen.ts';
import { impostorBindings, tileBindings } from './layout.ts';
import type { ImpostorLists } from './lists.ts';
import { kernels as tileCode } from './tile.gen.ts';

/** The target of impostors: a picture in light, a shadow map, or motion vectors and ids, where there are such targets. */
export type ImpostorForm = 'picture' | 'shadow' | 'velocity' | 'ids' | 'velocity ids';

/** Pipelines that draw tiles and impostors. */
export class ImpostorPipelines {
  readonly #drawn: DrawnCrowd;
  readonly #tiles: PipelineFor;
  readonly #tileLayout: GPUBindGroupLayout;
  readonly #layout: GPUBindGroupLayout;
  readonly #sampler: GPUSampler;
  readonly #pipelines: Readonly<Record<ImpostorForm, LazyPipeline<GPURenderPipeline>>>;
  #tileGroup: GPUBindGroup | undefined;
  #group: GPUBindGroup | undefined;

  constructor(drawn: DrawnCrowd, format: GPUTextureFormat, sampleCount: number, isHeld: (type: CrowdType) => boolean) {
    const { device, layouts } = drawn;
    this.#drawn = drawn;
    const both = GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT;
    this.#tileLayout = createBindGroupLayout(device, 'tiles', tileBindings, GPUShaderStage.VERTEX);
    this.#layout = createBindGroupLayout(device, 'impostors', impostorBindings, both);
    this.#sampler = device.createSampler({ magFilter: 'linear', minFilter: 'linear', mipmapFilter: 'linear' });
    this.#tiles = createTilePipelines(drawn, this.#tileLayout, isHeld);
    const create = (
      variant: keyof typeof impostorCode,
      first: GPUBindGroupLayout,
      targets: (GPUColorTargetState | null)[],
      samples = 1,
    ) =>
      lazyRenderPipeline(device, {
        label: `impostors ${variant}`,
        layout: device.createPipelineLayout({ label: 'impostors', bindGroupLayouts: [first, this.#layout] }),
        vertex: { module: modules[variant], entryPoint: 'impostorVertex' },
        fragment: {
          module: modules[variant],
          entryPoint: 'impostorFragment',
          targets,
          ...(variant === 'base' && { constants: { samples } }),
        },
        primitive: { topology: 'triangle-strip' },
        depthStencil: { format: DEPTH_FORMAT, depthCompare: 'greater', depthWriteEnabled: true },
        multisample: { count: samples },
      });
    const compile = (variant: keyof typeof impostorCode) =>
      compileShader(device, `impostors ${variant}`, impostorCode[variant]);
    const modules = { base: compile('base'), shadow: compile('shadow'), surface: compile('surface') };
    const [velocity, ids] = [{ format: VELOCITY_FORMAT }, { format: ID_FORMAT }];
    this.#pipelines = {
      picture: create('base', layouts.view, [{ format }], sampleCount),
      shadow: create('shadow', layouts.shadow, []),
      velocity: create('surface', layouts.frame, [velocity, null]),
      ids: create('surface', layouts.frame, [null, ids]),
      'velocity ids': create('surface', layouts.frame, [velocity, ids]),
    };
  }

  bind(params: GPUBuffer, { plan, impostors }: ImpostorLists, { crowd }: DrawnMemory, { views }: Atlas): void {
    const { device } = this.#drawn;
    const { visible, transforms, previousTransforms, residents } = crowd;
    this.#tileGroup = createBindGroup(device, 'tiles', this.#tileLayout, tileBindings, { params, plan });
    this.#group = createBindGroup(device, 'impostors', this.#layout, impostorBindings, {
      params,
      plan,
      impostors,
      visible,
      transforms,
      previousTransforms,
      residents,
      ...views,
      tileSampler: this.#sampler,
    });
  }

  drawTiles(pass: GPURenderPassEncoder, rows: DrawnRows): void {
    pass.setBindGroup(0, this.#tileGroup!);
    pass.setBindGroup(3, this.#drawn.materials.group);
    this.#drawn.draw(pass, this.#tiles, 'page', 'opaque', rows);
  }

  set(pass: GPURenderPassEncoder, form: ImpostorForm): void {
    pass.setPipeline(this.#pipelines[form].pipeline);
    pass.setBindGroup(1, this.#group!);
  }
}

function createTilePipelines(
  drawn: DrawnCrowd,
  first: GPUBindGroupLayout,
  isHeld: (type: CrowdType) => boolean,
): PipelineFor {
  const { device, layouts, materials } = drawn;
  const kinds = drawn.kindsOf(isHeld);
  const { standard, base: table, vertex: palette } = tileCode;
  const code = { standard, table, palette };
  const modules = compileSources(kinds, (source) => compileSource(drawn, 'tiles', source, code));
  const layoutOf = drawLayouts(drawn, 'tiles', first, 'page', layouts.material);
  const { constants } = materials;
  return createPipelines(kinds, ['doubleSided', 'source', 'mapped'], (kind) =>
    createDrawPipeline(device, {
      ...SOLID,
      label: 'tiles',
      module: modules.get(kind.source)!,
      vertex: 'tileVertex',
      fragment: 'tileFragment',
      // without tangents, normal textures are not read
      constants: { ...constants, ...(kind.mapped ? {} : { normalTextures: 0 }) },
      vertexConstants: { hasTangents: Number(kind.mapped), secondTexcoords: constants.secondTexcoords },
      layout: layoutOf(kind.source),
      targets: SCRATCH_FORMATS.map((format) => ({ format })),
      sampleCount: 1,
      cullMode: cullModeOf(kind),
    }),
  );
}
