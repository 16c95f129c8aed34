import { measureField, type Field, type Primitive, type Struct } from './struct.ts';

/** `uniform`: one struct. `read` and `write`: runtime-sized arrays in storage; `write` may also be read. */
export interface BufferBinding {
  readonly access: 'uniform' | 'read' | 'write';
  readonly element: Field;
  /** True if a uniform uses a dynamic offset, passed to `setBindGroup`. */
  readonly dynamic?: boolean;
}

export interface TextureBinding {
  readonly access: 'texture';
  readonly wgsl: 'texture_2d<f32>' | 'texture_2d<u32>' | 'texture_2d_array<f32>' | 'texture_depth_2d';
  /** True if samplers may filter its texels. Formats with 32-bit floats cannot be filtered. */
  readonly filterable: boolean;
}

export interface StorageTextureBinding {
  readonly access: 'storage-texture';
  readonly wgsl: string;
  readonly format: GPUTextureFormat;
}

export interface SamplerBinding {
  readonly access: 'sampler';
  readonly wgsl: 'sampler' | 'sampler_comparison';
}

export type Binding = BufferBinding | TextureBinding | StorageTextureBinding | SamplerBinding;

export function uniform(
  element: Struct | readonly [Primitive | Struct, number],
  { dynamic = false }: { readonly dynamic?: boolean } = {},
): BufferBinding {
  return { access: 'uniform', element, dynamic };
}

/** `array<element>` that this stage only reads. */
export function reads(element: Primitive | Struct): BufferBinding {
  return { access: 'read', element };
}

/** `array<element>` that this stage writes (and may read). */
export function writes(element: Primitive | Struct): BufferBinding {
  return { access: 'write', element };
}

export function texture(
  wgsl: TextureBinding['wgsl'] = 'texture_2d<f32>',
  { filterable = true }: { readonly filterable?: boolean } = {},
): TextureBinding {
  return { access: 'texture', wgsl, filterable };
}

export function storageTexture(format: GPUTextureFormat): StorageTextureBinding {
  return { access: 'storage-texture', wgsl: `texture_storage_2d<${format}, write>`, format };
}

export function sampler(wgsl: SamplerBinding['wgsl'] = 'sampler'): SamplerBinding {
  return { access: 'sampler', wgsl };
}

/** One bind group: its WGSL declarations, its layout and its groups come from one list of names. */
export interface Bindings<Names extends string = string> {
  readonly group: number;
  readonly entries: { readonly [N in Names]: Binding };
  /** `@group(g) @binding(i) var<…> name: …;` lines, in the list's order. */
  readonly wgsl: string;
  /** Number of storage buffers of the group. They count towards `maxStorageBuffersPerShaderStage`. */
  readonly storageBufferCount: number;
}

export function bindings<const E extends Readonly<Record<string, Binding>>>(
  group: number,
  entries: E,
): Bindings<keyof E & string> {
  const list: [string, Binding][] = Object.entries(entries);
  return {
    group,
    entries,
    wgsl: list
      .map(([name, binding], index) => `@group(${group}) @binding(${index}) ${declare(name, binding)}`)
      .join('\n'),
    storageBufferCount: list.filter(([, { access }]) => access === 'read' || access === 'write').length,
  };
}

function declare(name: string, binding: Binding): string {
  if ('wgsl' in binding) return `var ${name}: ${binding.wgsl};`;
  const type = measureField(binding.element).wgsl;
  if (binding.access === 'uniform') return `var<uniform> ${name}: ${type};`;
  return `var<storage, ${binding.access === 'read' ? 'read' : 'read_write'}> ${name}: array<${type}>;`;
}

/** Creates the layout of the group. `visibility` defaults to compute. */
export function createBindGroupLayout(
  device: GPUDevice,
  label: string,
  { entries }: Bindings,
  visibility: GPUFlagsConstant = GPUShaderStage.COMPUTE,
): GPUBindGroupLayout {
  return device.createBindGroupLayout({ label, entries: bindGroupEntries({ entries }, visibility) });
}

/** Entries of the group's layout, for a group with additional entries. */
export function bindGroupEntries(
  { entries }: Pick<Bindings, 'entries'>,
  visibility: GPUFlagsConstant,
): GPUBindGroupLayoutEntry[] {
  return Object.values(entries).map((entry, binding) => ({ binding, visibility, ...layoutOf(entry) }));
}

/**
 * Part of the descriptor of textures that are bound as arrays. Devices of the compatibility level fix the dimension of views, which
 * is '2d' for textures of one layer.
 */
export const BOUND_AS_ARRAY = { textureBindingViewDimension: '2d-array' } as const;

function layoutOf(binding: Binding): Omit<GPUBindGroupLayoutEntry, 'binding' | 'visibility'> {
  if (binding.access === 'texture') {
    const number = binding.filterable ? 'float' : 'unfilterable-float';
    const sampled = binding.wgsl.endsWith('<u32>') ? 'uint' : number;
    return {
      texture: {
        sampleType: binding.wgsl === 'texture_depth_2d' ? 'depth' : sampled,
        viewDimension: binding.wgsl === 'texture_2d_array<f32>' ? '2d-array' : '2d',
      },
    };
  }
  if (binding.access === 'storage-texture') return { storageTexture: { access: 'write-only', format: binding.format } };
  if (binding.access === 'sampler') {
    return { sampler: { type: binding.wgsl === 'sampler' ? 'filtering' : 'comparison' } };
  }
  const type = binding.access === 'uniform' ? 'uniform' : binding.access === 'read' ? 'read-only-storage' : 'storage';
  const { dynamic = false } = binding;
  return { buffer: { type, minBindingSize: measureField(binding.element).size, hasDynamicOffset: dynamic } };
}

type Resource = GPUBuffer | GPUBufferBinding | GPUTextureView | GPUSampler;

/** Schema and resources of a bind group, which WebGPU does not expose. */
export interface BoundGroup {
  readonly bindings: Bindings;
  readonly resources: Readonly<Record<string, Resource>>;
}

const boundGroups = new WeakMap<GPUBindGroup, BoundGroup>();

/** Returns the resources that `createBindGroup` bound, by the names of the schema. */
export function boundGroup(group: GPUBindGroup): BoundGroup | undefined {
  return boundGroups.get(group);
}

/** Binds a buffer (or a range of one), a texture view or a sampler to every name of the group. */
export function createBindGroup<N extends string>(
  device: GPUDevice,
  label: string,
  layout: GPUBindGroupLayout,
  bindings: Bindings<N>,
  resources: { readonly [K in N]: Resource },
): GPUBindGroup {
  const group = device.createBindGroup({
    label,
    layout,
    entries: (Object.keys(bindings.entries) as N[]).map((name, binding) => {
      const bound: Resource = resources[name];
      const isBuffer = 'mapState' in bound;
      return { binding, resource: isBuffer ? { buffer: bound } : bound };
    }),
  });
  boundGroups.set(group, { bindings, resources });
  return group;
}
