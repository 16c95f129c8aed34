import { fail } from '../../errors.ts';
import { bindGroupEntries, createBindGroupLayout, type Bindings } from '../../layout/index.ts';
import { resourceEntries, type UsedResource } from '../../stages/provider-resources.ts';
import { geometryBindings } from '../../stages/layout.ts';
import { kernels as contactCode } from './contact.gen.ts';
import { kernels as drawCode } from './draw.gen.ts';
import { frameBindings, viewBindings } from '../lighting/layout.ts';
import type { ChangedSurfaces } from '../lighting/changed-surfaces.ts';
import type { MaterialTable } from '../materials/material-table.ts';
import type { DrawnProviders } from './drawn-providers.ts';
import { compileShader } from '../../wgsl/compile.ts';
import { lazyRenderPipeline, type LazyPipeline } from '../../stages/lazy-pipeline.ts';
import { pageBindings, shadowBindings, surfaceBindings, wireBindings } from './layout.ts';
import type { PrimitiveKind } from './primitives.ts';
import { kernels as sceneCode } from './scene.gen.ts';

export const DEPTH_FORMAT: GPUTextureFormat = 'depth32float';
export const SHADOW_FORMAT: GPUTextureFormat = 'depth32float';
export const CONTACT_FORMAT: GPUTextureFormat = 'r8unorm';

/** Storage buffers that surfaces read in the vertex stage: `pageBindings`, or `surfaceBindings`, and the geometry. */
const VERTEX_STAGE_BUFFERS = 7;

/**
 * Checks that the vertex stage can read enough storage buffers.
 * @param resourceCount Storage buffers of the application that providers read there. @throws ManipleError DEVICE_LIMIT
 */
export function checkVertexStage({ limits }: Pick<GPUDevice, 'limits'>, resourceCount = 0): void {
  // devices without this limit allow the same number in every stage
  const { maxStorageBuffersPerShaderStage, maxStorageBuffersInVertexStage: own } = limits;
  const most = own ?? maxStorageBuffersPerShaderStage;
  const wanted = VERTEX_STAGE_BUFFERS + resourceCount;
  if (most >= wanted) return;
  const message = `The limit is ${most}; drawing a crowd takes ${wanted}.`;
  fail('DEVICE_LIMIT', 'maxStorageBuffersInVertexStage', message, 'Request the device with the limits of its adapter.');
}

/** All bind group layouts of the renderer. */
export type ForwardLayouts = ReturnType<typeof createForwardLayouts>;

/**
 * @param material Layout of the material table.
 * @param used Resources of the application that vertex providers read in draws.
 * @param change The application's change to lit surfaces.
 */
export function createForwardLayouts(
  device: GPUDevice,
  material: GPUBindGroupLayout,
  used: readonly UsedResource[] = [],
  change?: Pick<ChangedSurfaces, 'layout'>,
) {
  const both = GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT;
  const layoutOf = (label: string, bindings: Bindings) => createBindGroupLayout(device, label, bindings, both);
  return {
    frame: layoutOf('frame', frameBindings),
    shadow: layoutOf('shadow', shadowBindings),
    view: layoutOf('view', viewBindings),
    geometry: createBindGroupLayout(device, 'geometry', geometryBindings, GPUShaderStage.VERTEX),
    page: device.createBindGroupLayout({ label: 'page', entries: pageEntries() }),
    surface: layoutOf('surface', surfaceBindings),
    providedPage: providedLayout(device, pageEntries(), used),
    providedSurface: providedLayout(device, bindGroupEntries(surfaceBindings, both), used),
    wires: layoutOf('wires', wireBindings),
    material,
    /** Group 3 where surfaces are lit. */
    shaded: change?.layout ?? material,
  };
}

/**
 * Source of a draw's vertices. `standard` and `table` read slots and static geometry, in the standard or in any layout.
 * `palette` reads only the geometry, and skins it with the palettes in slots. `provided` also runs vertex providers.
 */
export type VertexSource = 'standard' | 'table' | 'palette' | 'provided';

/** Properties of a primitive that decide how it is drawn. */
export interface DrawKind extends PrimitiveKind {
  readonly source: VertexSource;
}

export type PipelineFor = (kind: DrawKind) => GPURenderPipeline;

/** Pipelines of the picture in light. */
export interface ForwardPipelines {
  readonly sky: LazyPipeline<GPURenderPipeline>;
  readonly ground: LazyPipeline<GPURenderPipeline>;
  readonly contact: (source: VertexSource) => GPURenderPipeline;
  readonly draw: PipelineFor;
  readonly shadow: PipelineFor;
}

/** Layout entries of a page's group. Fragments read only the uniforms, such as the primitive, and no rows. */
function pageEntries(): GPUBindGroupLayoutEntry[] {
  const { VERTEX, FRAGMENT } = GPUShaderStage;
  return bindGroupEntries(pageBindings, VERTEX | FRAGMENT).map((entry) =>
    entry.buffer?.type === 'uniform' ? entry : { ...entry, visibility: VERTEX },
  );
}

/** Layout of a page's group with the application's own resources after it, which only vertices read. */
function providedLayout(
  device: GPUDevice,
  own: readonly GPUBindGroupLayoutEntry[],
  used: readonly UsedResource[],
): GPUBindGroupLayout {
  const entries = [...own, ...resourceEntries(used, GPUShaderStage.VERTEX, own.length)];
  return device.createBindGroupLayout({ label: 'provided page', entries });
}

/** Parts of a pipeline. Depth is reversed: nearer is greater. */
export interface PipelineParts {
  readonly label: string;
  readonly module: GPUShaderModule;
  readonly vertex: string;
  readonly fragment: string;
  readonly layout: GPUPipelineLayout;
  /** Targets of fragments; `null` discards that output. */
  readonly targets: readonly (GPUColorTargetState | null)[];
  readonly sampleCount: number;
  readonly constants?: Readonly<Record<string, number>>;
  readonly vertexConstants?: Readonly<Record<string, number>>;
  readonly cullMode?: GPUCullMode;
  readonly topology?: GPUPrimitiveTopology;
  readonly depthCompare: GPUCompareFunction;
  readonly depthWrite: boolean;
}

export function createDrawPipeline(device: GPUDevice, parts: PipelineParts): LazyPipeline<GPURenderPipeline> {
  const { label, module, vertex, fragment, layout, targets, sampleCount, constants = {}, vertexConstants = {} } = parts;
  return lazyRenderPipeline(device, {
    label,
    layout,
    vertex: { module, entryPoint: vertex, constants: { ...vertexConstants } },
    fragment: { module, entryPoint: fragment, targets: [...targets], constants: { ...constants } },
    primitive: { topology: parts.topology ?? 'triangle-list', cullMode: parts.cullMode ?? 'none' },
    depthStencil: { format: DEPTH_FORMAT, depthCompare: parts.depthCompare, depthWriteEnabled: parts.depthWrite },
    multisample: { count: sampleCount },
  });
}

/**
 * Creates a pipeline for each kind. Kinds with equal `keys` share one.
 * @param keys Fields of a kind that a pipeline depends on.
 */
export function createPipelines<K extends keyof DrawKind>(
  kinds: readonly DrawKind[],
  keys: readonly K[],
  create: (kind: Pick<DrawKind, K>) => LazyPipeline<GPURenderPipeline>,
): PipelineFor {
  const keyOf = (kind: DrawKind) => keys.map((key) => kind[key]).join();
  const known = new Map<string, LazyPipeline<GPURenderPipeline>>();
  for (const kind of kinds) if (!known.has(keyOf(kind))) known.set(keyOf(kind), create(kind));
  return (kind) => known.get(keyOf(kind))!.pipeline;
}

export function cullModeOf({ doubleSided }: Pick<DrawKind, 'doubleSided'>): GPUCullMode {
  return doubleSided ? 'none' : 'back';
}

/** Depth state of solid surfaces. */
export const SOLID = { depthCompare: 'greater', depthWrite: true } as const;

/** Keeps the darkest value, so the picture does not depend on the order of draws, which follows from slots. */
export const DARKEST: GPUBlendComponent = { srcFactor: 'one', dstFactor: 'one', operation: 'min' };

/** Compiles the shader that draws lit surfaces from one vertex source. */
export function compileDraws(
  device: GPUDevice,
  source: VertexSource,
  providers: DrawnProviders,
  change: ChangedSurfaces | undefined,
): GPUShaderModule {
  const { standard, base, vertex } = change?.draws ?? drawCode;
  const link = (code: string) => change?.link(code) ?? code;
  if (source === 'provided') return providers.compile(device, 'draw', vertex, pageBindings, link);
  return compileShader(device, 'draw', link({ standard, table: base, palette: vertex }[source]));
}

/** Compiles the shaders of lit surfaces and of shadows, by vertex source. */
function compileModules(
  device: GPUDevice,
  kinds: readonly DrawKind[],
  providers: DrawnProviders,
  change: ChangedSurfaces | undefined,
): ReadonlyMap<VertexSource, Readonly<Record<'draw' | 'shadow', GPUShaderModule>>> {
  const { 'shadow+standard': standard, shadow: table, 'shadow+vertex': palette } = drawCode;
  const shadowCode = { standard, table, palette };
  return new Map(
    Array.from(new Set(kinds.map(({ source }) => source)), (source) => {
      const shadow =
        source === 'provided'
          ? providers.compile(device, 'shadow', palette, pageBindings)
          : compileShader(device, 'shadow', shadowCode[source]);
      return [source, { draw: compileDraws(device, source, providers, change), shadow }];
    }),
  );
}

export function createForwardPipelines(
  device: GPUDevice,
  { frame, shadow, view, geometry, page, providedPage, material, shaded }: ForwardLayouts,
  { constants }: MaterialTable,
  format: GPUTextureFormat,
  sampleCount: number,
  kinds: readonly DrawKind[],
  providers: DrawnProviders,
  change?: ChangedSurfaces,
): ForwardPipelines {
  const pipelineLayout = (label: string, bindGroupLayouts: GPUBindGroupLayout[]) =>
    device.createPipelineLayout({ label, bindGroupLayouts });
  const layoutsOf = (group: GPUBindGroupLayout) => ({
    draw: pipelineLayout('draw', [view, geometry, group, shaded]),
    shadow: pipelineLayout('shadow', [shadow, geometry, group, material]),
  });
  const [plain, provided] = [layoutsOf(page), layoutsOf(providedPage)];
  const layoutOf = (source: VertexSource) => (source === 'provided' ? provided : plain);
  const modules = compileModules(device, kinds, providers, change);
  const contacts = createContactPipelines(device, kinds, pipelineLayout('contact', [frame, geometry, page]));
  const { baseColorTextures, secondTexcoords } = constants;
  const alphaConstants = { baseColorTextures, secondTexcoords };
  const opaque = kinds.filter(({ blended }) => !blended);
  const common = { targets: [{ format }], sampleCount };
  const scene = {
    ...common,
    module: compileShader(device, 'scene', sceneCode.base),
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
    contact: (source) => contacts.get(source === 'palette')!.pipeline,
    draw: createPipelines(opaque, ['doubleSided', 'source', 'mapped'], (kind) =>
      createDrawPipeline(device, {
        ...common,
        ...SOLID,
        label: 'draw',
        module: modules.get(kind.source)!.draw,
        vertex: 'drawVertex',
        fragment: 'drawFragment',
        // without tangents, normal textures are not read
        constants: kind.mapped ? { ...constants } : { ...constants, normalTextures: 0 },
        vertexConstants: { hasTangents: Number(kind.mapped), secondTexcoords },
        layout: layoutOf(kind.source).draw,
        cullMode: cullModeOf(kind),
      }),
    ),
    shadow: createPipelines(kinds, ['doubleSided', 'source', 'masked'], (kind) => {
      const module = modules.get(kind.source)!.shadow;
      return lazyRenderPipeline(device, {
        label: 'shadow',
        layout: layoutOf(kind.source).shadow,
        vertex: { module, entryPoint: kind.masked ? 'drawVertex' : 'solidVertex', constants: { secondTexcoords } },
        ...(kind.masked && {
          fragment: { module, entryPoint: 'drawFragment', targets: [], constants: alphaConstants },
        }),
        primitive: { topology: 'triangle-list', cullMode: cullModeOf(kind) },
        depthStencil: { format: SHADOW_FORMAT, depthCompare: 'greater', depthWriteEnabled: true },
      });
    }),
  };
}

/** Pipelines of the shade of bodies, by whether draws skin them. */
function createContactPipelines(device: GPUDevice, kinds: readonly DrawKind[], layout: GPUPipelineLayout) {
  return new Map(
    Array.from(new Set(kinds.map(({ source }) => source === 'palette')), (isSkinned) => {
      const module = compileShader(device, 'contact', isSkinned ? contactCode.vertex : contactCode.base);
      const targets = [{ format: CONTACT_FORMAT, blend: { color: DARKEST, alpha: DARKEST } }];
      const pipeline = lazyRenderPipeline(device, {
        label: 'contact',
        layout,
        vertex: { module, entryPoint: 'contactVertex' },
        fragment: { module, entryPoint: 'contactFragment', targets },
        primitive: { topology: 'triangle-strip' },
      });
      return [isSkinned, pipeline];
    }),
  );
}
