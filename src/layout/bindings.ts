import { measureField, type Field, type Primitive, type Struct } from './struct.ts';

/** `uniform`: one struct. `read` and `write`: runtime-sized arrays in storage; `write` may also be read. */
export interface Binding {
  readonly access: 'uniform' | 'read' | 'write';
  readonly element: Field;
}

export function uniform(element: Struct | readonly [Primitive | Struct, number]): Binding {
  return { access: 'uniform', element };
}

/** `array<element>` that this stage only reads. */
export function reads(element: Primitive | Struct): Binding {
  return { access: 'read', element };
}

/** `array<element>` that this stage writes (and may read). */
export function writes(element: Primitive | Struct): Binding {
  return { access: 'write', element };
}

/** One bind group: its WGSL declarations, its layout and its groups, all from one list of names. */
export interface Bindings<Names extends string = string> {
  readonly group: number;
  readonly entries: { readonly [N in Names]: Binding };
  /** `@group(g) @binding(i) var<…> name: …;` lines, in the list's order. */
  readonly wgsl: string;
  /** How many storage buffers the group takes of `maxStorageBuffersPerShaderStage`. */
  readonly storageBufferCount: number;
}

export function bindings<const E extends Readonly<Record<string, Binding>>>(
  group: number,
  entries: E,
): Bindings<keyof E & string> {
  const list: [string, Binding][] = Object.entries(entries);
  const wgsl = list.map(([name, { access, element }], index) => {
    const type = measureField(element).wgsl;
    const space = access === 'uniform' ? 'uniform' : access === 'read' ? 'storage, read' : 'storage, read_write';
    const store = access === 'uniform' ? type : `array<${type}>`;
    return `@group(${group}) @binding(${index}) var<${space}> ${name}: ${store};`;
  });
  return {
    group,
    entries,
    wgsl: wgsl.join('\n'),
    storageBufferCount: list.filter(([, binding]) => binding.access !== 'uniform').length,
  };
}

/** The GPU's description of the group. `visibility` defaults to compute. */
export function createBindGroupLayout(
  device: GPUDevice,
  label: string,
  { entries }: Bindings,
  visibility: GPUFlagsConstant = GPUShaderStage.COMPUTE,
): GPUBindGroupLayout {
  return device.createBindGroupLayout({
    label,
    entries: Object.values(entries).map(({ access, element }, binding) => ({
      binding,
      visibility,
      buffer: {
        type: access === 'uniform' ? 'uniform' : access === 'read' ? 'read-only-storage' : 'storage',
        minBindingSize: measureField(element).size,
      },
    })),
  });
}

/** Binds a buffer, or a range of one, to every name of the group. */
export function createBindGroup<N extends string>(
  device: GPUDevice,
  label: string,
  layout: GPUBindGroupLayout,
  { entries }: Bindings<N>,
  buffers: { readonly [K in N]: GPUBuffer | GPUBufferBinding },
): GPUBindGroup {
  return device.createBindGroup({
    label,
    layout,
    entries: (Object.keys(entries) as N[]).map((name, binding) => {
      const bound: GPUBuffer | GPUBufferBinding = buffers[name];
      return { binding, resource: 'buffer' in bound ? bound : { buffer: bound } };
    }),
  });
}
