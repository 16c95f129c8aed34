import { fail } from '../../errors.ts';
import type { SkinStage } from '../../frame/types.ts';
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

/** Storage buffers that surfaces without light read in the vertex stage: `surfaceBindings` and the geometry. */
const VERTEX_STAGE_BUFFERS = 7;

/** Whether vertices can read what they are drawn from. @throws ManipleError DEVICE_LIMIT */
export function checkVertexStage({ limits }: Pick<GPUDevice, 'limits'>): void {
  // devices that do not tell the stages apart have as many in each
  const { maxStorageBuffersPerShaderStage, maxStorageBuffersInVertexStage: own } = limits;
  const most = own ?? maxStorageBuffersPerShaderStage;
  if (most >= VERTEX_STAGE_BUFFERS) return;
  const message = `is ${most}; drawing a crowd takes ${VERTEX_STAGE_BUFFERS}.`;
  fail('DEVICE_LIMIT', 'maxStorageBuffersInVertexStage', message, 'Request the device with the limits of its adapter.');
}

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

/** The pipeline of a surface: whether it is seen from both sides, and where its character is skinned. */
export type BySides = (doubleSided: boolean, skin: SkinStage) => GPURenderPipeline;

/** Pipelines of the picture in light. */
export interface ForwardPipelines {
  readonly sky: GPURenderPipeline;
  readonly ground: GPURenderPipeline;
  readonly contact: GPURenderPipeline;
  readonly draw: BySides;
  readonly shadow: BySides;
}

/** What a pipeline is made from. Depth is reversed: nearer is greater. */
export interface PipelineParts {
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

export function createDrawPipeline(device: GPUDevice, parts: PipelineParts): GPURenderPipeline {
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

/** All of a kind that characters need. */
export function createBySides(
  skins: ReadonlySet<SkinStage>,
  create: (cullMode: GPUCullMode, skin: SkinStage) => GPURenderPipeline,
): BySides {
  const known = new Map(Array.from(skins, (skin) => [skin, [create('back', skin), create('none', skin)]] as const));
  return (isDoubleSided, skin) => known.get(skin)![Number(isDoubleSided)]!;
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
  skins: ReadonlySet<SkinStage>,
): ForwardPipelines {
  const pipelineLayout = (label: string, bindGroupLayouts: GPUBindGroupLayout[]) =>
    device.createPipelineLayout({ label, bindGroupLayouts });
  const drawLayout = pipelineLayout('draw', [view, geometry, page, material]);
  const shadowLayout = pipelineLayout('shadow', [frame, geometry, page, material]);
  const compile = (label: string, code: string) => device.createShaderModule({ label, code });
  const modules = Object.fromEntries(
    Array.from(skins, (skin) => {
      const isVertex = skin === 'vertex';
      const draw = compile('draw', isVertex ? drawCode.vertex : drawCode.base);
      return [skin, { draw, shadow: compile('shadow', isVertex ? drawCode['shadow+vertex'] : drawCode.shadow) }];
    }),
  );
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
    draw: createBySides(skins, (cullMode, skin) =>
      createDrawPipeline(device, {
        ...common,
        ...SOLID,
        label: 'draw',
        module: modules[skin]!.draw,
        vertex: 'drawVertex',
        fragment: 'drawFragment',
        layout: drawLayout,
        cullMode,
      }),
    ),
    shadow: createBySides(skins, (cullMode, skin) =>
      device.createRenderPipeline({
        label: 'shadow',
        layout: shadowLayout,
        vertex: { module: modules[skin]!.shadow, entryPoint: 'drawVertex' },
        fragment: { module: modules[skin]!.shadow, entryPoint: 'drawFragment', targets: [] },
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
