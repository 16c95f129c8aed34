import { error, fail, ManipleError, type Issue, quoted, reasonOf } from '../errors.ts';
import { adapterKind, describeAdapter, type AdapterDescription, type DeviceKind } from './adapter-kind.ts';
import { lostIssue } from './device-loss.ts';
import { deviceTier, type DeviceTier } from './tier.ts';
import { FEATURES, LIMITS, meetsLimit, readLimits, type LimitName } from './limits.ts';

/** Adapter and device to request. */
export interface DeviceOptions {
  /** Source of adapters. Default: `navigator.gpu`. In Node pass `(await nodeGpu()).gpu`, or call `nodeDevice`. */
  readonly gpu?: GPU;
  /** Default: `'high-performance'`. */
  readonly powerPreference?: GPUPowerPreference;
  /** True to use the software adapter even if there is a GPU. Default: false. */
  readonly forceFallbackAdapter?: boolean;
  /**
   * `'adapter'` (default) requests the adapter's maximum of all limits that Maniple can use.
   * `'default'` requests nothing: the device then has exactly the default limits of its level.
   */
  readonly limits?: 'adapter' | 'default';
  /**
   * Level of WebGPU. `'auto'` (default) requests the core level, and the compatibility level where there is no adapter of the core
   * level. The others request only that level: `'compatibility'` makes a device that refuses whatever this level lacks.
   */
  readonly featureLevel?: 'auto' | DeviceTier;
  /** Features to enable if the adapter has them. None is required. Default: every feature that Maniple can use. */
  readonly features?: readonly GPUFeatureName[];
  /** Label of the device and of its queue in error messages and captures. Default: `'maniple'`. */
  readonly label?: string;
}

/** A device with its adapter, features and limits. */
export interface RequestedDevice {
  readonly device: GPUDevice;
  readonly adapter: GPUAdapter;
  readonly info: AdapterDescription;
  readonly kind: DeviceKind;
  readonly tier: DeviceTier;
  /** Enabled features, sorted. */
  readonly features: readonly string[];
  /** The device's own limits, which may be lower than the adapter's. */
  readonly limits: Readonly<Partial<Record<LimitName, number>>>;
  /**
   * Resolves with a DEVICE_LOST issue when the device is lost. Never rejects.
   * The severity is `'info'` if the application destroyed the device itself.
   */
  readonly lost: Promise<Issue>;
}

/**
 * Requests a device for Maniple. The entry's function also starts the download of crowds.
 *
 * @throws ManipleError
 *  - DEVICE_UNAVAILABLE: no WebGPU here, an insecure page, no adapter of the level, or an adapter that refuses
 *  - DEVICE_LIMIT: the adapter stays below what Maniple needs; one issue for each limit
 *  - USAGE: an unknown level
 */
export async function requestDevice(options: DeviceOptions = {}): Promise<RequestedDevice> {
  const adapter = await requestAdapter(gpuOf(options), options);
  const tooLow = checkLimits(adapter.limits);
  if (tooLow.length > 0) throw new ManipleError(tooLow);

  const label = options.label ?? 'maniple';
  const wanted = options.features ?? FEATURES.map(({ name }) => name);
  const device = await openDevice(adapter, {
    label,
    defaultQueue: { label },
    requiredFeatures: wanted.filter((name) => adapter.features.has(name)),
    requiredLimits: options.limits === 'default' ? {} : raisedLimits(adapter.limits),
  });
  const info = describeAdapter(adapter.info);
  return {
    device,
    adapter,
    info,
    kind: adapterKind(adapter.info),
    tier: deviceTier(device),
    features: [...device.features].sort(),
    limits: readLimits(device.limits),
    lost: device.lost.then(lostIssue),
  };
}

/** Returns a DEVICE_LIMIT issue for each limit below Maniple's needs. Also for devices that other code created. */
export function checkLimits(limits: GPUSupportedLimits): Issue[] {
  return LIMITS.flatMap(({ name, needed, use }) => {
    const value: number | undefined = limits[name];
    if (value === undefined || meetsLimit(name, value, needed)) return [];
    const bound = name.startsWith('min') ? 'at most' : 'at least';
    const message = `${name} is ${value}, Maniple needs ${bound} ${needed} (${use}).`;
    const suggestion = 'Request the device with requestDevice(), or from another adapter.';
    return error('DEVICE_LIMIT', `device.limits.${name}`, message, suggestion);
  });
}

/** Returns the WebGPU of the options, else the page's. @throws ManipleError DEVICE_UNAVAILABLE, USAGE */
export function gpuOf(options: DeviceOptions): GPU {
  if (typeof options !== 'object' || options === null) {
    fail('USAGE', 'options', `Got ${quoted(options)} for options; expected an object.`);
  }
  return options.gpu ?? browserGpu();
}

/** The page's WebGPU. @throws ManipleError DEVICE_UNAVAILABLE */
function browserGpu(): GPU {
  const gpu: GPU | undefined = globalThis.navigator?.gpu;
  if (gpu) return gpu;
  const inNode = typeof process !== 'undefined' && process.versions?.node !== undefined;
  if (inNode) {
    fail('DEVICE_UNAVAILABLE', 'device', 'Node has no WebGPU of its own.', 'Use nodeDevice() from maniple/node.');
  }
  if (!globalThis.isSecureContext) {
    const suggestion = 'Serve it over https, or from localhost while developing.';
    fail('DEVICE_UNAVAILABLE', 'device', 'Browsers give WebGPU to secure pages only; this one is not.', suggestion);
  }
  const suggestion =
    'Use Chrome or Edge 113, Safari 26, Firefox 141, or newer. On Linux it may have to be switched on.';
  fail('DEVICE_UNAVAILABLE', 'device', 'This browser has no WebGPU.', suggestion);
}

const LEVELS: Readonly<Record<NonNullable<DeviceOptions['featureLevel']>, readonly DeviceTier[]>> = {
  auto: ['core', 'compatibility'],
  core: ['core'],
  compatibility: ['compatibility'],
};

async function requestAdapter(gpu: GPU, options: DeviceOptions): Promise<GPUAdapter> {
  const { featureLevel = 'auto', powerPreference = 'high-performance' } = options;
  const levels = LEVELS[featureLevel] as readonly DeviceTier[] | undefined;
  if (!levels) {
    const expected = Object.keys(LEVELS).join(', ');
    fail('USAGE', 'options.featureLevel', `Got ${quoted(featureLevel)}; expected one of ${expected}.`);
  }
  for (const level of levels) {
    const request: GPURequestAdapterOptions = {
      powerPreference,
      ...(options.forceFallbackAdapter === true && { forceFallbackAdapter: true }),
      ...(level === 'compatibility' && { featureLevel: level }),
    };
    const adapter = await gpu.requestAdapter(request).catch((reason: unknown) => unavailable('No adapter', reason));
    if (adapter) return adapter;
  }
  const suggestion =
    'Update the graphics driver and switch on hardware acceleration; chrome://gpu or `maniple doctor` says more.';
  fail('DEVICE_UNAVAILABLE', 'device', 'WebGPU is here, but it found no adapter.', suggestion);
}

async function openDevice(adapter: GPUAdapter, descriptor: GPUDeviceDescriptor): Promise<GPUDevice> {
  const device = await adapter
    .requestDevice(descriptor)
    .catch((reason: unknown) => unavailable('The adapter gives no device', reason));
  // if creation fails inside the driver, WebGPU returns a device that is already lost
  const lost = await Promise.race([device.lost, Promise.resolve(undefined)]);
  if (lost) unavailable('The adapter gave a device that was lost at once', lost.message);
  return device;
}

function unavailable(what: string, reason: unknown): never {
  const suggestion = 'Close other programs that use the GPU, or update the graphics driver, and try again.';
  fail('DEVICE_UNAVAILABLE', 'device', `${what}: ${reasonOf(reason)}.`, suggestion);
}

function raisedLimits(limits: GPUSupportedLimits): Record<string, number> {
  const raised = LIMITS.filter(({ raise }) => raise).map(({ name }) => [name, limits[name]] as const);
  return Object.fromEntries(raised.filter(([, value]) => typeof value === 'number'));
}
