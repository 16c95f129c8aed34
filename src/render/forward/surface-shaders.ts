import type { SkinStage } from '../../frame/types.ts';
import { kernels as backdropCode } from './backdrop.gen.ts';
import {
  createBySides,
  createDrawPipeline,
  SOLID,
  type BySides,
  type ForwardLayouts,
  type PipelineParts,
} from './pipelines.ts';
import { kernels as surfaceCode } from './surface.gen.ts';

/** Pipelines of a picture without light, whatever it shows. */
export interface SurfacePipelines {
  readonly sky: GPURenderPipeline;
  readonly ground: GPURenderPipeline;
  readonly surface: BySides;
}

/** What pipelines of one picture have in common. */
type Look = Pick<PipelineParts, 'fragment' | 'targets' | 'sampleCount' | 'constants'>;

/** Shaders of characters, and of ground and sky, without light: compiled once, for targets, picks and debug views. */
export interface SurfaceShaders {
  createBackdrop(look: Look): Pick<SurfacePipelines, 'sky' | 'ground'>;
  createSurface(
    look: Look & Pick<PipelineParts, 'label'>,
    depth?: Pick<PipelineParts, 'depthCompare' | 'depthWrite'>,
  ): BySides;
}

/** @param skins Where characters are skinned. */
export function createSurfaceShaders(
  device: GPUDevice,
  { frame, geometry, surface, material }: ForwardLayouts,
  skins: ReadonlySet<SkinStage>,
): SurfaceShaders {
  const compile = (label: string, code: string) => device.createShaderModule({ label, code });
  const surfaces = new Map(
    Array.from(skins, (skin) => [skin, compile('surface', skin === 'vertex' ? surfaceCode.vertex : surfaceCode.base)]),
  );
  const surfaceLayout = device.createPipelineLayout({ bindGroupLayouts: [frame, geometry, surface, material] });
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
      return createBySides(skins, (cullMode, skin) =>
        createDrawPipeline(device, {
          ...look,
          ...depth,
          module: surfaces.get(skin)!,
          layout: surfaceLayout,
          vertex: 'surfaceVertex',
          cullMode,
        }),
      );
    },
  };
}
