/** `'null'` is a device that validates but runs nothing; only Node has one. */
export type DeviceKind = 'hardware' | 'software' | 'null';

/** What an adapter says about itself. Browsers may leave any of the strings empty. */
export interface AdapterDescription {
  readonly vendor: string;
  readonly architecture: string;
  readonly device: string;
  readonly description: string;
}

/** The adapter's own words, from browsers old and new: `adapter.info`, or `device.adapterInfo`. */
export function describeAdapter(info: GPUAdapterInfo | undefined): AdapterDescription {
  const { vendor = '', architecture = '', device = '', description = '' } = info ?? {};
  return { vendor, architecture, device, description };
}

/** Software adapters that do not all call themselves a fallback. */
const SOFTWARE = /swiftshader|llvmpipe|lavapipe|softpipe|\bwarp\b|basic render/i;

/** Whether an adapter is a GPU, a software renderer, or Dawn's null backend. Without a word from it: a GPU. */
export function adapterKind(info: GPUAdapterInfo | undefined): DeviceKind {
  const { vendor, architecture, device, description } = describeAdapter(info);
  if (device === 'null-backend') return 'null';
  const fallback = info?.isFallbackAdapter === true;
  return fallback || SOFTWARE.test(`${vendor} ${architecture} ${device} ${description}`) ? 'software' : 'hardware';
}
