import { createBindGroupLayout, type Bindings } from '../../layout/index.ts';
import { geometryBindings } from '../../stages/layout.ts';
import { kernels as contactCode } from './contact.gen.ts';
import { kernels as drawCode } from './draw.gen.ts';
import {
  frameBindings,
  materialBindings,
  pageBindings,
  surfaceBindings,
  viewBindings,
  wireBindings,
} from './layout.ts';
import { kernels as sceneCode } from './scene.gen.ts';

export const DEPTH_FORMAT: GPUTextureFormat = 'depth32float';
export const SHADOW_FORMAT: GPUTextureFormat = 'depth32float';

/** Bind group layouts of everything that the renderer draws with. */
export type ForwardLayouts = ReturnType<typeof createForwardLayouts>;

export function createForwardLayouts(device: GPUDevice) {
  const both = GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT;
  const layoutOf = (label: string, bindings: Bindings) => createBindGroupLayout(device, label, bindings, both);
  return {
    frame: layoutOf('frame', frameBindings),
    view: layoutOf('view', viewBindings),
    geometry: layoutOf('geometry', geometryBindings),
    page: layoutOf('page', pageBindings),
    surface: layoutOf('surface', surfaceBindings),
    wires: layoutOf('wires', wireBindings),
    material: layoutOf('material', materialBindings),
  };
}

/** One pipeline for surfaces that are seen from both sides, one for the others. */
export type BySides = (doubleSided: boolean) => GPURenderPipeline;

/** Pipelines of the picture in light. */
export interface ForwardPipelines {
  readonly sky: GPURenderPipeline;
  readonly ground: GPURenderPipeline;
  readonly contact: GPURenderPipeline;
  readonly draw: BySides;
  readonly shadow: BySides;
}

/** What a pipeline is made from. Depth is reversed: nearer is greater. */
interface Parts {
  readonly label: string;
  readonly module: GPUShaderModule;
  readonly vertex: string;
  readonly fragment: string;
  readonly layout: GPUPipelineLayout;
  /** Where fragments go; `null`: that output is dropped. */
  readonly targets: readonly (GPUColorTargetState | null)[];
  readonly sampleCount: number;
  readonly constants?: Readonly<Record<string, number>>;
  readonly cullMode?: GPUCullMode;
  readonly topology?: GPUPrimitiveTopology;
  readonly depthCompare: GPUCompareFunction;
  readonly depthWrite: boolean;
}

export function createDrawPipeline(device: GPUDevice, parts: Parts): GPURenderPipeline {
  const { label, module, vertex, fragment, layout, targets, sampleCount, constants = {} } = parts;
  return device.createRenderPipeline({
    label,
    layout,
    vertex: { module, entryPoint: vertex },
    fragment: { module, entryPoint: fragment, targets: [...targets], constants: { ...constants } },
    primitive: { topology: parts.topology ?? 'triangle-list', cullMode: parts.cullMode ?? 'none' },
    depthStencil: { format: DEPTH_FORMAT, depthCompare: parts.depthCompare, depthWriteEnabled: parts.depthWrite },
    multisample: { count: sampleCount },
  });
}

/** Both of a kind. */
export function createBySides(create: (cullMode: GPUCullMode) => GPURenderPipeline): BySides {
  const [oneSided, doubleSided] = [create('back'), create('none')];
  return (isDoubleSided) => (isDoubleSided ? doubleSided : oneSided);
}

/** Depth of what is solid. */
export const SOLID = { depthCompare: 'greater', depthWrite: true } as const;

/** Multiplies what is there by the fragment's colour. */
const MULTIPLY: GPUBlendState = {
  color: { srcFactor: 'dst', dstFactor: 'zero', operation: 'add' },
  alpha: { srcFactor: 'zero', dstFactor: 'one', operation: 'add' },
};

export function createForwardPipelines(
  device: GPUDevice,
  { frame, view, geometry, page, material }: ForwardLayouts,
  format: GPUTextureFormat,
  sampleCount: number,
): ForwardPipelines {
  const pipelineLayout = (label: string, bindGroupLayouts: GPUBindGroupLayout[]) =>
    device.createPipelineLayout({ label, bindGroupLayouts });
  const drawLayout = pipelineLayout('draw', [view, geometry, page, material]);
  const shadowLayout = pipelineLayout('shadow', [frame, geometry, page, material]);
  const compile = (label: string, code: string) => device.createShaderModule({ label, code });
  const drawModule = compile('draw', drawCode.base);
  const shadowModule = compile('shadow', drawCode.shadow);
  const common = { targets: [{ format }], sampleCount };
  const scene = {
    ...common,
    module: compile('scene', sceneCode.base),
    layout: pipelineLayout('scene', [view]),
  };
  return {
    sky: createDrawPipeline(device, {
      ...scene,
      label: 'sky',
      vertex: 'skyVertex',
      fragment: 'skyFragment',
      depthCompare: 'always',
      depthWrite: false,
    }),
    ground: createDrawPipeline(device, {
      ...scene,
      ...SOLID,
      label: 'ground',
      vertex: 'groundVertex',
      fragment: 'groundFragment',
      topology: 'triangle-strip',
    }),
    contact: createDrawPipeline(device, {
      label: 'contact',
      module: compile('contact', contactCode.base),
      vertex: 'contactVertex',
      fragment: 'contactFragment',
      layout: drawLayout,
      targets: [{ format, blend: MULTIPLY }],
      sampleCount,
      topology: 'triangle-strip',
      depthCompare: 'greater',
      depthWrite: false,
    }),
    draw: createBySides((cullMode) =>
      createDrawPipeline(device, {
        ...common,
        ...SOLID,
        label: 'draw',
        module: drawModule,
        vertex: 'drawVertex',
        fragment: 'drawFragment',
        layout: drawLayout,
        cullMode,
      }),
    ),
    shadow: createBySides((cullMode) =>
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
      }),
    ),
  };
}
