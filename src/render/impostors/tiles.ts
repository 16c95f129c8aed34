import type { CrowdType } from '../../frame/tables/crowd-types.ts';
import { createBindGroup, createBindGroupLayout } from '../../layout/index.ts';
import type { DrawnCrowd, DrawnRows } from '../forward/drawn-crowd.ts';
import {
  compileSource,
  compileSources,
  createDrawPipeline,
  createPipelines,
  cullModeOf,
  drawLayouts,
  SOLID,
  type PipelineFor,
} from '../forward/pipelines.ts';
import { SCRATCH_FORMATS } from './atlas.ts';
import { tileBindings } from './layout.ts';
import type { ImpostorLists } from './lists.ts';
import { kernels as tileCode } from './tile.gen.ts';

/** Pipelines that draw tiles. */
export class TilePipelines {
  readonly #drawn: DrawnCrowd;
  readonly #layout: GPUBindGroupLayout;
  readonly #pipelines: PipelineFor;
  #group: GPUBindGroup | undefined;

  constructor(drawn: DrawnCrowd, isHeld: (type: CrowdType) => boolean) {
    this.#drawn = drawn;
    this.#layout = createBindGroupLayout(drawn.device, 'tiles', tileBindings, GPUShaderStage.VERTEX);
    this.#pipelines = createTilePipelines(drawn, this.#layout, isHeld);
  }

  bind(params: GPUBuffer, { plan }: ImpostorLists): void {
    this.#group = createBindGroup(this.#drawn.device, 'tiles', this.#layout, tileBindings, { params, plan });
  }

  draw(pass: GPURenderPassEncoder, rows: DrawnRows): void {
    pass.setBindGroup(0, this.#group!);
    pass.setBindGroup(3, this.#drawn.materials.group);
    this.#drawn.draw(pass, this.#pipelines, 'page', 'opaque', rows);
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
