import { createBindGroupLayout, type Bindings } from '../../layout/index.ts';
import { geometryBindings } from '../../stages/layout.ts';
import { kernels as contactCode } from './contact.gen.ts';
import { kernels as drawCode } from './draw.gen.ts';
import { frameBindings, materialBindings, pageBindings, viewBindings } from './layout.ts';
import { kernels as sceneCode } from './scene.gen.ts';

export const DEPTH_FORMAT: GPUTextureFormat = 'depth32float';
export const SHADOW_FORMAT: GPUTextureFormat = 'depth32float';

/** Bind group layouts and pipelines of the forward renderer. */
export interface ForwardPipelines {
  readonly layouts: {
    readonly frame: GPUBindGroupLayout;
    readonly view: GPUBindGroupLayout;
    readonly geometry: GPUBindGroupLayout;
    readonly page: GPUBindGroupLayout;
    readonly material: GPUBindGroupLayout;
  };
  readonly sky: GPURenderPipeline;
  readonly ground: GPURenderPipeline;
  readonly contact: GPURenderPipeline;
  readonly draw: (doubleSided: boolean) => GPURenderPipeline;
  readonly shadow: (doubleSided: boolean) => GPURenderPipeline;
}

interface Parts {
  readonly label: string;
  readonly module: GPUShaderModule;
  readonly vertex: string;
  readonly fragment: string;
  readonly layout: GPUPipelineLayout;
  readonly cullMode?: GPUCullMode;
  readonly topology?: GPUPrimitiveTopology;
  readonly depthCompare: GPUCompareFunction;
  readonly depthWrite: boolean;
  readonly blend?: GPUBlendState;
}

/** Multiplies what is there by the fragment's colour. */
const MULTIPLY: GPUBlendState = {
  color: { srcFactor: 'dst', dstFactor: 'zero', operation: 'add' },
  alpha: { srcFactor: 'zero', dstFactor: 'one', operation: 'add' },
};

/** Compiles everything that the renderer can need. Depth is reversed: nearer is greater. */
export function createForwardPipelines(
  device: GPUDevice,
  format: GPUTextureFormat,
  sampleCount: number,
): ForwardPipelines {
  const both = GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT;
  const layoutOf = (label: string, bindings: Bindings) => createBindGroupLayout(device, label, bindings, both);
  const layouts = {
    frame: layoutOf('frame', frameBindings),
    view: layoutOf('view', viewBindings),
    geometry: layoutOf('geometry', geometryBindings),
    page: layoutOf('page', pageBindings),
    material: layoutOf('material', materialBindings),
  };
  const { frame, view, geometry, page, material } = layouts;
  const pipelineLayout = (label: string, bindGroupLayouts: GPUBindGroupLayout[]) =>
    device.createPipelineLayout({ label, bindGroupLayouts });
  const sceneLayout = pipelineLayout('scene', [view]);
  const drawLayout = pipelineLayout('draw', [view, geometry, page, material]);
  const shadowLayout = pipelineLayout('shadow', [frame, geometry, page, material]);
  const compile = (label: string, code: string) => device.createShaderModule({ label, code });
  const scene = compile('scene', sceneCode.base);
  const drawModule = compile('draw', drawCode.base);
  const shadowModule = compile('shadow', drawCode.shadow);

  const create = ({ label, module, vertex, fragment, layout, blend, ...parts }: Parts) =>
    device.createRenderPipeline({
      label,
      layout,
      vertex: { module, entryPoint: vertex },
      fragment: { module, entryPoint: fragment, targets: [blend ? { format, blend } : { format }] },
      primitive: { topology: parts.topology ?? 'triangle-list', cullMode: parts.cullMode ?? 'none' },
      depthStencil: {
        format: DEPTH_FORMAT,
        depthCompare: parts.depthCompare,
        depthWriteEnabled: parts.depthWrite,
      },
      multisample: { count: sampleCount },
    });
  const createShadow = (cullMode: GPUCullMode) =>
    device.createRenderPipeline({
      label: 'shadow',
      layout: shadowLayout,
      vertex: { module: shadowModule, entryPoint: 'drawVertex' },
      fragment: { module: shadowModule, entryPoint: 'drawFragment', targets: [] },
      primitive: { topology: 'triangle-list', cullMode },
      depthStencil: {
        format: SHADOW_FORMAT,
        depthCompare: 'less',
        depthWriteEnabled: true,
        depthBias: 1,
        depthBiasSlopeScale: 1.5,
      },
    });
  const solid = { depthCompare: 'greater', depthWrite: true } as const;
  const draws = (['back', 'none'] as const).map((cullMode) =>
    create({
      label: 'draw',
      module: drawModule,
      vertex: 'drawVertex',
      fragment: 'drawFragment',
      layout: drawLayout,
      cullMode,
      ...solid,
    }),
  );
  const shadows = (['back', 'none'] as const).map(createShadow);
  const sceneParts = { module: scene, layout: sceneLayout } as const;
  return {
    layouts,
    sky: create({
      label: 'sky',
      ...sceneParts,
      vertex: 'skyVertex',
      fragment: 'skyFragment',
      depthCompare: 'always',
      depthWrite: false,
    }),
    ground: create({
      label: 'ground',
      ...sceneParts,
      vertex: 'groundVertex',
      fragment: 'groundFragment',
      topology: 'triangle-strip',
      ...solid,
    }),
    contact: create({
      label: 'contact',
      module: compile('contact', contactCode.base),
      vertex: 'contactVertex',
      fragment: 'contactFragment',
      layout: drawLayout,
      topology: 'triangle-strip',
      depthCompare: 'greater',
      depthWrite: false,
      blend: MULTIPLY,
    }),
    draw: (doubleSided) => draws[doubleSided ? 1 : 0]!,
    shadow: (doubleSided) => shadows[doubleSided ? 1 : 0]!,
  };
}
