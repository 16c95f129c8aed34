/** Calls into WebGPU by name, such as `GPUComputePassEncoder.setPipeline`. */
export type NativeCalls = Readonly<Record<string, number>>;

/** Counts all calls that work makes into WebGPU, on whatever objects of this device. */
export async function countNativeCalls(device: GPUDevice, work: () => Promise<void>): Promise<NativeCalls> {
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.end();
  const buffer = device.createBuffer({ size: 16, usage: GPUBufferUsage.COPY_DST });
  const prototypes = [device, device.queue, encoder, pass, buffer].map((one) => Object.getPrototypeOf(one) as object);
  buffer.destroy();
  const counts: Record<string, number> = {};
  const own = prototypes.map((prototype) => {
    const descriptors = Object.getOwnPropertyDescriptors(prototype) as Record<string, PropertyDescriptor>;
    for (const [name, { value, ...rest }] of Object.entries(descriptors)) {
      if (typeof value !== 'function' || name === 'constructor') continue;
      const call = value as (this: unknown, ...given: unknown[]) => unknown;
      Object.defineProperty(prototype, name, {
        ...rest,
        value(this: object, ...given: unknown[]) {
          const key = `${this.constructor.name}.${name}`;
          counts[key] = (counts[key] ?? 0) + 1;
          return call.apply(this, given);
        },
      });
    }
    return [prototype, descriptors] as const;
  });
  try {
    await work();
  } finally {
    for (const [prototype, descriptors] of own) Object.defineProperties(prototype, descriptors);
  }
  return counts;
}
