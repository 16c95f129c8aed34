import { deviceTier } from '../../device/tier.ts';
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
import type { RowTextures } from '../compatibility/row-textures.ts';
import type { PrimitiveKind } from './primitives.ts';
import { kernels as sceneCode } from './scene.gen.ts';

/** Format of depth attachments and shadow maps. */
export const DEPTH_FORMAT: GPUTextureFormat = 'depth32float';
export const CONTACT_FORMAT: GPUTextureFormat = 'r8unorm';

/** A depth attachment with one sample: 4 bytes per pixel. */
export function createDepth(device: GPUDevice, label: string, width: number, height: number): GPUTexture {
  const usage = GPUTextureUsage.RENDER_ATTACHMENT;
  return device.createTexture({ label, size: [width, height], format: DEPTH_FORMAT, usage });
}

/** Storage buffers that surfaces read in the vertex stage: `pageBindings`, or `surfaceBindings`, and the geometry. */
const VERTEX_STAGE_BUFFERS = 7;

/**
 * @param resourceCount Storage buffers of the application that providers read in the vertex stage.
 * @throws ManipleError DEVICE_LIMIT
 */
export function checkVertexStage(device: GPUDevice, resourceCount = 0): void {
  // devices without this limit allow the same number in every stage
  const { maxStorageBuffersPerShaderStage, maxStorageBuffersInVertexStage: own } = device.limits;
  const most = own ?? maxStorageBuffersPerShaderStage;
  // at the compatibility level they read textures
  const wanted = resourceCount + (deviceTier(device) === 'core' ? VERTEX_STAGE_BUFFERS : 0);
  if (most >= wanted) return;
  const message = `The limit is ${most}; drawing a crowd takes ${wanted}.`;
  const suggestion =
    "Request the device with the limits of its adapter, or use skin: 'compute', which runs providers before draws.";
  fail('DEVICE_LIMIT', 'maxStorageBuffersInVertexStage', message, suggestion);
}

export type ForwardLayouts = ReturnType<typeof createForwardLayouts>;

export function createForwardLayouts(
  device: GPUDevice,
  material: GPUBindGroupLayout,
  used: readonly UsedResource[],
  change: ChangedSurfaces | undefined,
  rows: RowTextures | undefined,
) {
  const both = GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT;
  const layoutOf = (label: string, bindings: Bindings) => createBindGroupLayout(device, label, bindings, both);
  const tableLayout = (
    label: string,
    own: readonly GPUBindGroupLayoutEntry[],
    more: readonly GPUBindGroupLayoutEntry[] = [],
  ) => device.createBindGroupLayout({ label, entries: [...(rows?.entries(own) ?? own), ...more] });
  const [page, surface] = [pageEntries(), bindGroupEntries(surfaceBindings, both)];
  const provided = (own: readonly GPUBindGroupLayoutEntry[]) =>
    tableLayout('provided page', own, resourceEntries(used, GPUShaderStage.VERTEX, own.length));
  return {
    frame: layoutOf('frame', frameBindings),
    shadow: layoutOf('shadow', shadowBindings),
    view: layoutOf('view', viewBindings),
    geometry: tableLayout('geometry', bindGroupEntries(geometryBindings, GPUShaderStage.VERTEX)),
    page: tableLayout('page', page),
    surface: tableLayout('surface', surface),
    providedPage: provided(page),
    providedSurface: provided(surface),
    wires: tableLayout('wires', bindGroupEntries(wireBindings, both)),
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

export interface DrawKind extends PrimitiveKind {
  readonly source: VertexSource;
}

export type PipelineFor = (kind: DrawKind) => GPURenderPipeline;

/** Resources of draws that their pipelines depend on. */
export interface DrawContext {
  readonly device: GPUDevice;
  readonly layouts: ForwardLayouts;
  /** Kinds of all primitives that can be drawn. */
  readonly kinds: readonly DrawKind[];
  readonly materials: MaterialTable;
  readonly providers: DrawnProviders;
  /** The application's change to surfaces. */
  readonly change: ChangedSurfaces | undefined;
  /** Where draws cannot read buffers: the textures that they read. */
  readonly rows: RowTextures | undefined;
  /** Rewrites shaders that read the crowd, for these textures. */
  readonly rewrite: (code: string) => string;
}

export interface Backdrop {
  readonly sky: LazyPipeline<GPURenderPipeline>;
  readonly ground: LazyPipeline<GPURenderPipeline>;
}

/** Layout entries of a page's group. Fragments read only the uniforms, such as the primitive, and no rows. */
function pageEntries(): GPUBindGroupLayoutEntry[] {
  const { VERTEX, FRAGMENT } = GPUShaderStage;
  return bindGroupEntries(pageBindings, VERTEX | FRAGMENT).map((entry) =>
    entry.buffer?.type === 'uniform' ? entry : { ...entry, visibility: VERTEX },
  );
}

/** Parts of a pipeline. Depth is reversed: nearer is greater. */
export interface PipelineParts {
  readonly label: string;
  readonly module: GPUShaderModule;
  readonly vertex: string;
  /** Undefined if only depth is drawn. */
  readonly fragment?: string;
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
    ...(fragment && {
      fragment: { module, entryPoint: fragment, targets: [...targets], constants: { ...constants } },
    }),
    primitive: { topology: parts.topology ?? 'triangle-list', cullMode: parts.cullMode ?? 'none' },
    depthStencil: { format: DEPTH_FORMAT, depthCompare: parts.depthCompare, depthWriteEnabled: parts.depthWrite },
    multisample: { count: sampleCount },
  });
}

export const SOLID = { depthCompare: 'greater', depthWrite: true } as const;

/** @param note Follows the labels. @param fragments Entry points. */
export function createBackdrop(
  device: GPUDevice,
  look: Pick<PipelineParts, 'module' | 'layout' | 'targets' | 'sampleCount' | 'constants'>,
  note: string,
  fragments: Readonly<Record<keyof Backdrop, string>>,
): Backdrop {
  const sky = { label: `sky${note}`, vertex: 'skyVertex', depthCompare: 'always', depthWrite: false } as const;
  const ground = { label: `ground${note}`, vertex: 'groundVertex', topology: 'triangle-strip', ...SOLID } as const;
  return {
    sky: createDrawPipeline(device, { ...look, ...sky, fragment: fragments.sky }),
    ground: createDrawPipeline(device, { ...look, ...ground, fragment: fragments.ground }),
  };
}

export function drawBackdrop(pass: GPURenderPassEncoder, { sky, ground }: Backdrop): void {
  pass.setPipeline(sky.pipeline);
  pass.draw(3);
  pass.setPipeline(ground.pipeline);
  pass.draw(4);
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

/** Keeps the darkest value, so the picture does not depend on the order of draws, which follows from slots. */
export const DARKEST: GPUBlendComponent = { srcFactor: 'one', dstFactor: 'one', operation: 'min' };

/** Forms of group 2 with the application's own resources after it. */
export const PROVIDED = { page: 'providedPage', surface: 'providedSurface' } as const;

/** Pipeline layouts of draws by vertex source. @param form Form of group 2. */
export function drawLayouts(
  { device, layouts }: DrawContext,
  label: string,
  first: GPUBindGroupLayout,
  form: keyof typeof PROVIDED,
  last: GPUBindGroupLayout,
): (source: VertexSource) => GPUPipelineLayout {
  const [plain, provided] = [layouts[form], layouts[PROVIDED[form]]].map((group) =>
    device.createPipelineLayout({ label, bindGroupLayouts: [first, layouts.geometry, group, last] }),
  );
  return (source) => (source === 'provided' ? provided! : plain!);
}

export function compileSources(
  kinds: readonly DrawKind[],
  compile: (source: VertexSource) => GPUShaderModule,
): ReadonlyMap<VertexSource, GPUShaderModule> {
  return new Map(Array.from(new Set(kinds.map(({ source }) => source)), (source) => [source, compile(source)]));
}

/** A shader's variants by vertex source. Providers are linked into that of palettes. */
type SourceCode = Readonly<Record<Exclude<VertexSource, 'provided'>, string>>;

export function compileSource(
  { device, providers, rewrite }: Pick<DrawContext, 'device' | 'providers' | 'rewrite'>,
  label: string,
  source: VertexSource,
  code: SourceCode,
  bindings: Bindings = pageBindings,
  link = (text: string): string => text,
): GPUShaderModule {
  if (source !== 'provided') return compileShader(device, label, link(code[source]), rewrite);
  return providers.compile(device, label, code.palette, bindings, (text) => rewrite(link(text)));
}

/** Other variants of the shader that draws lit surfaces. */
export type DrawCode = Readonly<Record<'standard' | 'base' | 'vertex', string>>;

/** Compiles the shader that draws lit surfaces from one vertex source. */
export function compileDraws(
  drawn: Pick<DrawContext, 'device' | 'providers' | 'change' | 'rewrite'>,
  source: VertexSource,
  variants: DrawCode = drawn.change?.draws ?? drawCode,
): GPUShaderModule {
  const { change } = drawn;
  const { standard, base: table, vertex: palette } = variants;
  const link = (code: string) => change?.link(code) ?? code;
  return compileSource(drawn, 'draw', source, { standard, table, palette }, pageBindings, link);
}

export function createLitPipelines(
  drawn: DrawContext,
  kinds: readonly DrawKind[],
  look: Pick<PipelineParts, 'label' | 'fragment' | 'targets' | 'sampleCount' | 'depthCompare' | 'depthWrite'>,
  variants?: DrawCode,
): PipelineFor {
  const { device, layouts } = drawn;
  const { constants } = drawn.materials;
  const layoutOf = drawLayouts(drawn, look.label, layouts.view, 'page', layouts.shaded);
  const modules = compileSources(kinds, (source) => compileDraws(drawn, source, variants));
  return createPipelines(kinds, ['doubleSided', 'source', 'mapped'], (kind) =>
    createDrawPipeline(device, {
      ...look,
      module: modules.get(kind.source)!,
      vertex: 'drawVertex',
      // without tangents, normal textures are not read
      constants: kind.mapped ? constants : { ...constants, normalTextures: 0 },
      vertexConstants: { hasTangents: Number(kind.mapped), secondTexcoords: constants.secondTexcoords },
      layout: layoutOf(kind.source),
      cullMode: cullModeOf(kind),
    }),
  );
}

/** @param variants Other variants of the shader for opaque surfaces. */
export function createForwardPipelines(
  drawn: DrawContext,
  format: GPUTextureFormat,
  sampleCount: number,
  variants?: DrawCode,
) {
  const { device, layouts, kinds } = drawn;
  const common = { targets: [{ format }], sampleCount };
  const scene = {
    ...common,
    module: compileShader(device, 'scene', sceneCode.base),
    layout: device.createPipelineLayout({ label: 'scene', bindGroupLayouts: [layouts.view] }),
  };
  const opaque = kinds.filter(({ blended }) => !blended);
  return {
    backdrop: createBackdrop(device, scene, '', { sky: 'skyFragment', ground: 'groundFragment' }),
    contact: createContactPipelines(drawn),
    draw: createLitPipelines(drawn, opaque, { ...common, ...SOLID, label: 'draw', fragment: 'drawFragment' }, variants),
    shadow: createShadowPipelines(drawn),
  };
}

function createShadowPipelines(drawn: DrawContext): PipelineFor {
  const { device, layouts, kinds } = drawn;
  const { baseColorTextures, secondTexcoords } = drawn.materials.constants;
  const { 'shadow+standard': standard, shadow: table, 'shadow+vertex': palette } = drawCode;
  const code = { standard, table, palette };
  const modules = compileSources(kinds, (source) => compileSource(drawn, 'shadow', source, code));
  const layoutOf = drawLayouts(drawn, 'shadow', layouts.shadow, 'page', layouts.material);
  return createPipelines(kinds, ['doubleSided', 'source', 'masked'], (kind) =>
    createDrawPipeline(device, {
      ...SOLID,
      label: 'shadow',
      module: modules.get(kind.source)!,
      vertex: kind.masked ? 'drawVertex' : 'solidVertex',
      ...(kind.masked && { fragment: 'drawFragment', constants: { baseColorTextures, secondTexcoords } }),
      vertexConstants: { secondTexcoords },
      layout: layoutOf(kind.source),
      targets: [],
      sampleCount: 1,
      cullMode: cullModeOf(kind),
    }),
  );
}

/** Pipelines of the shade of bodies, by whether draws skin them. */
function createContactPipelines({
  device,
  layouts,
  kinds,
  rewrite,
}: DrawContext): (source: VertexSource) => GPURenderPipeline {
  const bindGroupLayouts = [layouts.frame, layouts.geometry, layouts.page];
  const layout = device.createPipelineLayout({ label: 'contact', bindGroupLayouts });
  const pipelines = new Map(
    Array.from(new Set(kinds.map(({ source }) => source === 'palette')), (isSkinned) => {
      const module = compileShader(device, 'contact', isSkinned ? contactCode.vertex : contactCode.base, rewrite);
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
  return (source) => pipelines.get(source === 'palette')!.pipeline;
}
