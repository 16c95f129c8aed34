import type { MaterialTable } from '../materials/material-table.ts';
import { compileShader } from '../../wgsl/compile.ts';
import type { LazyPipeline } from '../../stages/lazy-pipeline.ts';
import type { DrawnProviders } from './drawn-providers.ts';
import { surfaceBindings } from './layout.ts';
import { kernels as backdropCode } from './backdrop.gen.ts';
import {
  createDrawPipeline,
  createPipelines,
  cullModeOf,
  SOLID,
  type ForwardLayouts,
  type PipelineFor,
  type PipelineParts,
  type DrawKind,
} from './pipelines.ts';
import { kernels as surfaceCode } from './surface.gen.ts';

/** Pipelines of a picture without light. */
export interface SurfacePipelines {
  readonly sky: LazyPipeline<GPURenderPipeline>;
  readonly ground: LazyPipeline<GPURenderPipeline>;
  readonly surface: PipelineFor;
}

/** Options that all pipelines of a picture share. */
type Look = Pick<PipelineParts, 'fragment' | 'targets' | 'sampleCount' | 'constants'>;

/** Shaders of characters, ground and sky without light. They are compiled once for targets, picks and debug views. */
export interface SurfaceShaders {
  createBackdrop(look: Look): Pick<SurfacePipelines, 'sky' | 'ground'>;
  createSurface(
    look: Look & Pick<PipelineParts, 'label'>,
    depth?: Pick<PipelineParts, 'depthCompare' | 'depthWrite'>,
  ): PipelineFor;
}

/** @param kinds Kinds of all primitives that are drawn. */
export function createSurfaceShaders(
  device: GPUDevice,
  { frame, geometry, surface, providedSurface, material }: ForwardLayouts,
  { constants: { baseColorTextures, secondTexcoords } }: MaterialTable,
  kinds: readonly DrawKind[],
  providers: DrawnProviders,
): SurfaceShaders {
  const compile = (label: string, code: string) => compileShader(device, label, code);
  const { standard, base: table, vertex: palette } = surfaceCode;
  const variants = { standard, table, palette, provided: palette };
  const surfaces = new Map(
    Array.from(new Set(kinds.map(({ source }) => source)), (source) => [
      source,
      source === 'provided'
        ? providers.compile(device, 'surface', variants[source], surfaceBindings)
        : compile('surface', variants[source]),
    ]),
  );
  const layoutOf = (group: GPUBindGroupLayout) =>
    device.createPipelineLayout({ bindGroupLayouts: [frame, geometry, group, material] });
  const [plain, provided] = [layoutOf(surface), layoutOf(providedSurface)];
  const backdrop = {
    module: compile('backdrop', backdropCode.base),
    layout: device.createPipelineLayout({ bindGroupLayouts: [frame] }),
  };
  return {
    createBackdrop(look) {
      const sky = createDrawPipeline(device, {
        ...look,
        ...backdrop,
        label: 'sky without light',
        vertex: 'skyVertex',
        depthCompare: 'always',
        depthWrite: false,
      });
      const ground = createDrawPipeline(device, {
        ...look,
        ...backdrop,
        ...SOLID,
        label: 'ground without light',
        vertex: 'groundVertex',
        topology: 'triangle-strip',
      });
      return { sky, ground };
    },
    createSurface(look, depth = SOLID) {
      return createPipelines(kinds, ['doubleSided', 'source'], (kind) =>
        createDrawPipeline(device, {
          ...look,
          ...depth,
          constants: { ...look.constants, baseColorTextures, secondTexcoords },
          vertexConstants: { secondTexcoords },
          module: surfaces.get(kind.source)!,
          layout: kind.source === 'provided' ? provided : plain,
          vertex: 'surfaceVertex',
          cullMode: cullModeOf(kind),
        }),
      );
    },
  };
}
