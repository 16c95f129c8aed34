import { fail } from '../errors.ts';
import type { Dispatch } from './kernel.ts';
import { perDevice } from './per-device.ts';
import { withoutComments } from './declarations.ts';
import type { ProviderBuffer, ProviderResource, ProviderTexture, VertexProvider } from './providers.ts';

/** An object that is bound for a resource. */
export type BoundResource = GPUBuffer | GPUTextureView | GPUSampler;

/** Objects by provider and resource name. */
export type ProviderResources = Readonly<Record<string, Readonly<Record<string, BoundResource>>>>;

export type ProviderUse = 'vertex' | 'update';

/** A resource that a kernel binds. */
export interface UsedResource {
  readonly provider: string;
  readonly name: string;
  readonly resource: ProviderResource;
  readonly use: ProviderUse;
}

/** Resources that the code of some providers mentions, in the order of the list. */
export function usedResources(providers: readonly VertexProvider[], mask: number, use: ProviderUse): UsedResource[] {
  return providers.flatMap(({ name: provider, code, update, resources = {} }, index) => {
    const text = use === 'vertex' ? code : update?.code;
    if (((mask >>> index) & 1) === 0 || text === undefined) return [];
    const words = new Set(withoutComments(text).match(/[A-Za-z_]\w*/g));
    return Object.entries(resources).flatMap(([name, resource]) =>
      words.has(name) ? [{ provider, name, resource, use }] : [],
    );
  });
}

/** Storage buffers among them. */
export function storageCount(used: readonly UsedResource[]): number {
  return used.filter(({ resource: { kind } }) => kind === 'storage').length;
}

export function resourcesWgsl(used: readonly UsedResource[], group: number, firstBinding = 0): string[] {
  return used.map(({ name, resource, use }, i) => {
    const space = spaceOf(resource, use);
    return `@group(${group}) @binding(${firstBinding + i}) var${space} ${name}: ${resource.type ?? 'sampler'};`;
  });
}

function spaceOf(resource: ProviderResource, use: ProviderUse): string {
  if (resource.kind === 'uniform') return '<uniform>';
  if (resource.kind !== 'storage') return '';
  return isWritten(resource, use) ? '<storage, read_write>' : '<storage, read>';
}

function isWritten({ writable = false }: ProviderBuffer, use: ProviderUse): boolean {
  return writable && use === 'update';
}

export function resourceEntries(
  used: readonly UsedResource[],
  visibility: GPUFlagsConstant,
  firstBinding = 0,
): GPUBindGroupLayoutEntry[] {
  return used.map(({ resource, use }, i) => ({ binding: firstBinding + i, visibility, ...entryOf(resource, use) }));
}

/** The layout of the application's own resources, where there are any: the same for the same resources. */
export function resourceLayoutOf(
  device: GPUDevice,
  label: string,
  used: readonly UsedResource[],
): GPUBindGroupLayout | undefined {
  if (used.length === 0) return undefined;
  const entries = resourceEntries(used, GPUShaderStage.COMPUTE);
  return perDevice(device, `${label} resources ${JSON.stringify(entries)}`, () =>
    device.createBindGroupLayout({ label: `${label} resources`, entries }),
  );
}

function entryOf(resource: ProviderResource, use: ProviderUse): Partial<GPUBindGroupLayoutEntry> {
  if (resource.kind === 'sampler') {
    return { sampler: { type: resource.type === 'sampler_comparison' ? 'comparison' : 'filtering' } };
  }
  if (resource.kind === 'texture') return { texture: textureEntry(resource) };
  const type =
    resource.kind === 'uniform' ? 'uniform' : isWritten(resource, use) ? 'storage' : ('read-only-storage' as const);
  return { buffer: { type, minBindingSize: resource.minBytes ?? 0 } };
}

function textureEntry({ type, filterable = true }: ProviderTexture): GPUTextureBindingLayout {
  const [, depth, multisampled, shape = '2d', format] = TEXTURE.exec(type)!;
  const float: GPUTextureSampleType = filterable && !multisampled ? 'float' : 'unfilterable-float';
  const sampled = { u32: 'uint', i32: 'sint', f32: float } as const;
  return {
    sampleType: depth ? 'depth' : sampled[format as 'f32'],
    viewDimension: shape.replace('_', '-') as GPUTextureViewDimension,
    multisampled: multisampled !== undefined,
  };
}

export const TEXTURE = /^texture_(depth_)?(multisampled_)?(2d|2d_array|3d|cube|cube_array)(?:<(f32|u32|i32)>)?$/;

/** Returns why an object cannot be bound for a resource; undefined if it can. */
export function wrongBinding(resource: ProviderResource, bound: unknown): string | undefined {
  const isObject = typeof bound === 'object' && bound !== null;
  const isBuffer = isObject && 'mapState' in bound;
  if (resource.kind === 'sampler' || resource.kind === 'texture') {
    const wanted = resource.kind === 'sampler' ? 'a GPUSampler' : 'a GPUTextureView';
    const isTexture = isObject && 'createView' in bound;
    return !isObject || isBuffer || isTexture ? `Expected ${wanted}.` : undefined;
  }
  if (!isBuffer) return 'Expected a GPUBuffer.';
  const { size, usage } = bound as GPUBuffer;
  const { minBytes = 0 } = resource;
  if (size < minBytes) return `The buffer has ${size} bytes; ${minBytes} are needed.`;
  const flag = resource.kind === 'uniform' ? GPUBufferUsage.UNIFORM : GPUBufferUsage.STORAGE;
  if ((usage & flag) === 0) return `The buffer lacks the usage ${resource.kind.toUpperCase()}.`;
  return undefined;
}

export type FindResource = (provider: string, name: string) => BoundResource | undefined;

/** Entries of a bind group. Every resource must be bound. */
export function boundEntries(used: readonly UsedResource[], find: FindResource, firstBinding = 0): GPUBindGroupEntry[] {
  return used.map(({ provider, name }, i) => {
    const bound = find(provider, name);
    if (!bound) fail('PROVIDER_RESOURCE', `provider ${provider}/${name}`, 'Nothing is bound for the resource.');
    return { binding: firstBinding + i, resource: 'mapState' in bound ? { buffer: bound } : bound };
  });
}

/** Bound resources of a crowd, as frames see them. */
export interface ResourceSource {
  /** Changes whenever another object is bound. */
  readonly version: number;
  readonly find: FindResource;
}

export const NO_RESOURCES: ResourceSource = { version: 0, find: () => undefined };

/** The memory of providers that kernels bind, and what the application has bound. */
export type ProviderBuffers = Readonly<Record<'providerFrame' | 'providerRows', GPUBuffer>> & {
  readonly resources?: ResourceSource;
};

/** The memory of providers by the names of bindings, where there is any. */
export function memoryOf(providers: ProviderBuffers | undefined): Readonly<Record<string, GPUBuffer>> {
  if (!providers) return {};
  const { providerFrame, providerRows } = providers;
  return { providerFrame, providerRows };
}

/**
 * A dispatch with the application's own resources after its groups: those that are bound when it is recorded. Their group
 * is made again when another object is bound, and only then.
 */
export function providedDispatch(
  device: GPUDevice,
  dispatch: Dispatch,
  used: readonly UsedResource[],
  source: ResourceSource = NO_RESOURCES,
): Dispatch {
  const { label } = dispatch.kernel;
  const layout = resourceLayoutOf(device, label, used);
  if (!layout) return dispatch;
  let bound: { readonly version: number; readonly group: GPUBindGroup } | undefined;
  return {
    ...dispatch,
    get groups() {
      const { version, find } = source;
      if (bound?.version !== version) {
        bound = { version, group: device.createBindGroup({ label, layout, entries: boundEntries(used, find) }) };
      }
      return [...dispatch.groups, bound.group];
    },
  };
}

/** Key of a kernel that one device has compiled: its text, and the layout of what it binds. */
export function textKey(code: string, used: readonly UsedResource[]): string {
  return `${code}${JSON.stringify(resourceEntries(used, 0))}`;
}
