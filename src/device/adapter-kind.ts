/** `'null'` is a device that validates but runs nothing; only Node has one. */
export type DeviceKind = 'hardware' | 'software' | 'null';

/** An adapter's description of itself. Browsers may leave any of the strings empty. */
export interface AdapterDescription {
  readonly vendor: string;
  readonly architecture: string;
  readonly device: string;
  readonly description: string;
}

/** Reads the description from `adapter.info` or `device.adapterInfo`. */
export function describeAdapter(info: GPUAdapterInfo | undefined): AdapterDescription {
  const { vendor = '', architecture = '', device = '', description = '' } = info ?? {};
  return { vendor, architecture, device, description };
}

/** Names of software adapters, because not all of them report to be a fallback. */
const SOFTWARE = /swiftshader|llvmpipe|lavapipe|softpipe|\bwarp\b|basic render/i;

/** Kind of an adapter: GPU, software renderer, or Dawn's null backend. Without a description it counts as a GPU. */
export function adapterKind(info: GPUAdapterInfo | undefined): DeviceKind {
  const { vendor, architecture, device, description } = describeAdapter(info);
  if (device === 'null-backend') return 'null';
  const fallback = info?.isFallbackAdapter === true;
  return fallback || SOFTWARE.test(`${vendor} ${architecture} ${device} ${description}`) ? 'software' : 'hardware';
}
