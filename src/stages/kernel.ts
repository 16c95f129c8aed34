import { createBindGroup, createBindGroupLayout, type Bindings } from '../layout/index.ts';
import { compileShader } from '../wgsl/compile.ts';
import { lazyComputePipeline, type LazyPipeline } from './lazy-pipeline.ts';
import { perDevice } from './per-device.ts';

export type Kernel = LazyPipeline<GPUComputePipeline>;

export interface KernelDescriptor {
  /** The stage's name: GPU label and timing key. */
  readonly label: string;
  readonly variant: string;
  readonly code: string;
  /** Distinguishes its code from others of the same variant. */
  readonly key?: string | undefined;
  readonly entryPoint: string;
  readonly layout: GPUPipelineLayout;
  readonly constants?: Readonly<Record<string, number>> | undefined;
}

/** One per device; `variant` names the code, which is checked here and compiled later: see {@link LazyPipeline}. */
export function createKernel(
  device: GPUDevice,
  { label, variant, code, key = '', entryPoint, layout, constants = {} }: KernelDescriptor,
): Kernel {
  return perDevice(device, `${label} ${variant} ${entryPoint} ${JSON.stringify(constants)} ${key}`, () => {
    const module = compileShader(device, `${label} ${variant}`, code);
    return lazyComputePipeline(device, { label, layout, compute: { module, entryPoint, constants } });
  });
}

/**
 * The layouts of a stage's groups, and the pipeline layout made of them.
 * @param last A group that the schema does not know: the application's own resources.
 */
export function createStageLayout(
  device: GPUDevice,
  label: string,
  groups: readonly Bindings[],
  last?: GPUBindGroupLayout,
): { readonly groups: readonly GPUBindGroupLayout[]; readonly pipeline: GPUPipelineLayout } {
  const own = perDevice(device, `${label} layout`, () => {
    const layouts = groups.map((bindings) => createBindGroupLayout(device, `${label} ${bindings.group}`, bindings));
    return { groups: layouts, pipeline: device.createPipelineLayout({ label, bindGroupLayouts: layouts }) };
  });
  if (!last) return own;
  const bindGroupLayouts = [...own.groups, last];
  return { groups: own.groups, pipeline: device.createPipelineLayout({ label, bindGroupLayouts }) };
}

/** Buffers for the bindings of some groups, by their names. */
export type BuffersOf<B extends Bindings> = {
  readonly [N in B extends Bindings<infer Names> ? Names : never]: GPUBuffer | GPUBufferBinding;
};

interface KernelText<G extends readonly Bindings[]> {
  readonly label: string;
  /** Name of the part of a stage; its layout has it, too. */
  readonly part?: string;
  readonly variant?: string | undefined;
  readonly code: string;
  readonly key?: string | undefined;
  /** Bind groups, from group 0 on. */
  readonly groups: G;
  /** As in {@link createStageLayout}; its group is bound elsewhere. */
  readonly last?: GPUBindGroupLayout | undefined;
}

/** The kernels of one text, which bind the same groups. */
interface KernelGroup<B extends Bindings> {
  kernel(entryPoint: string, constants?: Readonly<Record<string, number>>): Kernel;
  bind(buffers: BuffersOf<B>): readonly GPUBindGroup[];
}

export function createKernelGroup<const G extends readonly Bindings[]>(
  device: GPUDevice,
  { label, part, variant = part ?? 'base', code, key, groups, last }: KernelText<G>,
): KernelGroup<G[number]> {
  const name = part ? `${label} ${part}` : label;
  const layout = createStageLayout(device, name, groups, last);
  return {
    kernel: (entryPoint, constants) =>
      createKernel(device, { label, variant, code, key, entryPoint, layout: layout.pipeline, constants }),
    bind: (buffers) =>
      groups.map((bindings, index) => groupFor(device, name, layout.groups[index]!, bindings, buffers)),
  };
}

/** Groups that bind one buffer under all their names. */
const groupsOfBuffers = new WeakMap<GPUBuffer, Map<GPUBindGroupLayout, GPUBindGroup>>();

/** Binds buffers. A group of a single buffer, such as a table, is the same for all dispatches, so that a pass sets it once. */
function groupFor<B extends Bindings>(
  device: GPUDevice,
  name: string,
  layout: GPUBindGroupLayout,
  bindings: B,
  buffers: BuffersOf<B>,
): GPUBindGroup {
  const create = () => createBindGroup(device, name, layout, bindings, buffers);
  const [first, ...others] = new Set(Object.keys(bindings.entries).map((key) => buffers[key as keyof typeof buffers]));
  if (!first || others.length > 0 || !('mapState' in first)) return create();
  let groups = groupsOfBuffers.get(first);
  if (!groups) groupsOfBuffers.set(first, (groups = new Map()));
  let group = groups.get(layout);
  if (!group) groups.set(layout, (group = create()));
  return group;
}

/** Threads of a workgroup, where a thread serves one item: a character, say. */
export const ITEM_GROUP = 64;

/** A stage of one kernel that runs a thread per item. */
export interface ItemStage<B extends Bindings> {
  /** Binds the buffers. The returned function makes the dispatch for a number of items. */
  bind(buffers: BuffersOf<B>): (count: number) => Dispatch;
}

export function createItemStage<const G extends readonly Bindings[]>(
  device: GPUDevice,
  {
    entryPoint,
    constants = {},
    ...text
  }: KernelText<G> & { readonly entryPoint: string; readonly constants?: Readonly<Record<string, number>> },
): ItemStage<G[number]> {
  const own = createKernelGroup(device, text);
  const kernel = own.kernel(entryPoint, { WORKGROUP_SIZE: ITEM_GROUP, ...constants });
  return {
    bind(buffers) {
      const groups = own.bind(buffers);
      return (count) => ({ kernel, groups, groupCount: Math.ceil(count / ITEM_GROUP) });
    },
  };
}

/** Workgroups in one dispatch dimension, at default limits. */
export const DIMENSION_LIMIT = 65535;

/**
 * Two dimensions for any number of workgroups; kernels number them x + y × width and ignore those beyond the end.
 * Tests lower the limit, so that a few workgroups take a second row.
 */
export function grid(groupCount: number, dimensionLimit: number = DIMENSION_LIMIT): [x: number, y: number] {
  const y = Math.max(1, Math.ceil(groupCount / dimensionLimit));
  return [Math.ceil(groupCount / y), y];
}

/** Workgroup counts x, y, z that a kernel has written; see {@link grid}. */
export interface IndirectGroups {
  readonly buffer: GPUBuffer;
  readonly byteOffset: number;
}

/** One recorded dispatch: a kernel, its groups, and the number of workgroups or the buffer that holds it. */
export interface Dispatch {
  readonly kernel: Kernel;
  readonly groups: readonly GPUBindGroup[];
  /** The only part that changes from frame to frame. */
  groupCount: number | IndirectGroups;
}

/** Records a dispatch, if it has any workgroups; for the limit see {@link grid}. */
export function encodeDispatch(pass: GPUComputePassEncoder, dispatch: Dispatch, dimensionLimit?: number): void {
  encodeDispatches(pass, [dispatch], dimensionLimit);
}

/**
 * Records the first dispatches of a pass, those with workgroups. Pipelines and groups stay set in a pass, so what dispatches share
 * is set once. Calls into WebGPU are most of a frame's CPU time.
 */
export function encodeDispatches(
  pass: GPUComputePassEncoder,
  dispatches: readonly Dispatch[],
  dimensionLimit?: number,
): void {
  let pipeline: GPUComputePipeline | undefined;
  const bound: GPUBindGroup[] = [];
  for (const { kernel, groups, groupCount } of dispatches) {
    if (groupCount === 0) continue;
    if (pipeline !== kernel.pipeline) pass.setPipeline((pipeline = kernel.pipeline));
    for (let index = 0; index < groups.length; index++) {
      if (bound[index] !== groups[index]) pass.setBindGroup(index, (bound[index] = groups[index]!));
    }
    if (typeof groupCount === 'number') pass.dispatchWorkgroups(...grid(groupCount, dimensionLimit));
    else pass.dispatchWorkgroupsIndirect(groupCount.buffer, groupCount.byteOffset);
  }
}
