import { isMainThread } from 'node:worker_threads';
import { error, fail, ManipleError, type Issue } from '../errors.ts';
import { adapterKind, type DeviceKind } from '../device/adapter-kind.ts';
import { importDawn } from './software-adapter/packages.ts';
import { requestDevice, type DeviceOptions, type RequestedDevice } from '../device/request-device.ts';
import {
  bundledVulkan,
  hasBundledVulkan,
  hasDriverManifest,
  loadBundledVulkan,
  loadSystemVulkan,
  withOnlyDriver,
} from './software-adapter/vulkan.ts';

/** `'auto'`: a GPU if there is one, else a software adapter. */
export type NodeGpuKind = 'auto' | DeviceKind;

/** Which WebGPU to open in Node. */
export interface NodeGpuOptions {
  /** Default: the environment variable MANIPLE_GPU, else `'auto'`. */
  readonly kind?: NodeGpuKind;
  /** Further flags for Dawn, such as `'enable-dawn-features=dump_shaders'`. */
  readonly flags?: readonly string[];
}

/** WebGPU in Node. */
export interface NodeGpu {
  readonly gpu: GPU;
  readonly kind: DeviceKind;
  /** True if adapters of this kind must be requested with `forceFallbackAdapter`. */
  readonly forceFallbackAdapter: boolean;
}

const KINDS: readonly NodeGpuKind[] = ['auto', 'hardware', 'software', 'null'];

interface Registry {
  /** Keeps all GPU objects: Dawn aborts the process when one is garbage-collected. */
  readonly kept: GPU[];
  readonly opened: Map<string, Promise<NodeGpu>>;
  /** The last opening. Opening changes the environment for a moment, so only one runs at a time. */
  last: Promise<unknown>;
}

/** One registry per process, even if several copies of this module are loaded. */
const registry = ((globalThis as { [key: symbol]: unknown })[Symbol.for('maniple.dawn')] ??= {
  kept: [],
  opened: new Map(),
  last: Promise.resolve(),
}) as Registry;

/**
 * Opens WebGPU in Node, through Dawn (package `webgpu`).
 *
 * `'auto'` and `'hardware'` use a GPU that Dawn finds. This includes containers with a GPU driver but no Vulkan loader.
 * Without a GPU, `'auto'` uses a software adapter, as `'software'` always does: SwiftShader (package `@sparticuz/chromium`,
 * x64 Linux), else a software adapter of the system. `'null'` validates calls and shaders and runs nothing.
 * The result is kept for the life of the process and shared by equal calls. WebGPU's global constants are defined.
 *
 * Cost: the first call loads Dawn and a driver (13 ms with SwiftShader). The first call with SwiftShader on a machine also
 * unpacks 7 MB to a folder of this user in the temporary folder (TMPDIR), in 0.1 s. Later processes find it there. Equal
 * calls cost nothing.
 *
 * @throws ManipleError
 *  - DEVICE_UNAVAILABLE: a package is missing (the suggestion is the line that installs it), or there is no such adapter
 *  - USAGE: MANIPLE_GPU is not auto, hardware, software or null
 */
export async function nodeGpu(options: NodeGpuOptions = {}): Promise<NodeGpu> {
  const kind = options.kind ?? kindFromEnvironment();
  const flags = withDisabled(options.flags ?? [], FINE_TIMES);
  const key = JSON.stringify([kind, flags]);
  const known = registry.opened.get(key);
  if (known) return known;
  const opened = registry.last.then(() => open(kind, flags));
  registry.last = opened.catch(() => undefined);
  registry.opened.set(key, opened);
  void opened.catch(() => registry.opened.delete(key)); // what failed may be installed later
  return opened;
}

/**
 * Requests a device in Node with `nodeGpu` and `requestDevice`.
 *
 * The environment variable MANIPLE_TIER, `core` or `compatibility`, is the default of `featureLevel`.
 *
 * @throws ManipleError DEVICE_UNAVAILABLE, DEVICE_LIMIT or USAGE, as those two
 * @example const { device, kind } = await nodeDevice(); // kind → 'software' where there is no GPU
 */
export async function nodeDevice(
  options: NodeGpuOptions & Omit<DeviceOptions, 'gpu' | 'forceFallbackAdapter'> = {},
): Promise<RequestedDevice> {
  const { gpu, forceFallbackAdapter } = await nodeGpu(options);
  const ownLevel = (process.env.MANIPLE_TIER || 'auto') as NonNullable<DeviceOptions['featureLevel']>;
  const { featureLevel = ownLevel } = options;
  return requestDevice({ ...options, featureLevel, gpu, forceFallbackAdapter });
}

function kindFromEnvironment(): NodeGpuKind {
  const value = process.env.MANIPLE_GPU || 'auto';
  const kind = KINDS.find((known) => known === value);
  return kind ?? fail('USAGE', 'MANIPLE_GPU', `is ${value}.`, `Use one of ${KINDS.join(', ')}.`);
}

/** Disabled to get timestamps in full resolution, not in the 65 µs steps that protect browsers against timing attacks. */
const FINE_TIMES = 'timestamp_quantization';
/** Disabled on SwiftShader, which compiles a store for every cleared word: 48 KiB take ten times as long as a kernel with a loop. */
const CLEARED_AT_ONCE = 'use_vulkan_zero_initialize_workgroup_memory_extension';

/** Adds features to the disabled ones in the caller's flags, as one flag: Dawn reads only one of this kind. */
function withDisabled(flags: readonly string[], ...features: string[]): string[] {
  const prefix = 'disable-dawn-features=';
  const disabled = flags.filter((flag) => flag.startsWith(prefix)).map((flag) => flag.slice(prefix.length));
  const others = flags.filter((flag) => !flag.startsWith(prefix));
  return [...others, prefix + [...features, ...disabled].join(',')];
}

async function open(kind: NodeGpuKind, flags: string[]): Promise<NodeGpu> {
  if (kind === 'null') {
    return { gpu: await create([...flags, 'backend=null']), kind, forceFallbackAdapter: false };
  }
  await importDawn(); // if it fails nothing else can succeed, and its error is the one to report
  const problems: Issue[] = [];
  const attempt = async (work: () => Promise<NodeGpu | undefined>) => {
    try {
      return await work();
    } catch (reason) {
      if (!(reason instanceof ManipleError)) throw reason;
      problems.push(...reason.issues);
      return undefined;
    }
  };
  const found =
    (kind === 'software' ? undefined : await attempt(() => openSystem(flags, 'hardware'))) ??
    (kind === 'hardware' || !hasBundledVulkan ? undefined : await attempt(() => openBundled(flags))) ??
    (kind === 'hardware' ? undefined : await attempt(() => openSystem(flags, 'software')));
  if (found) return found;
  const distinct = new Map(problems.map((problem) => [problem.message, problem]));
  throw new ManipleError([noAdapter(kind, distinct.size === 0), ...distinct.values()]);
}

/** Opens an adapter of the system's own drivers. */
async function openSystem(flags: string[], kind: 'hardware' | 'software'): Promise<NodeGpu | undefined> {
  if (process.platform === 'linux' && !loadSystemVulkan()) {
    if (!hasDriverManifest() || !hasBundledVulkan) return undefined;
    loadBundledVulkan(await bundledVulkan()); // a driver without a loader, as in many containers
  }
  const gpu = await create(flags);
  for (const forceFallbackAdapter of kind === 'software' ? [true, false] : [false]) {
    const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance', forceFallbackAdapter });
    if (adapter && adapterKind(adapter.info) === kind) return { gpu, kind, forceFallbackAdapter };
  }
  return undefined;
}

/** Opens the bundled SwiftShader. */
async function openBundled(flags: string[]): Promise<NodeGpu | undefined> {
  const bundled = await bundledVulkan();
  if (!loadSystemVulkan()) loadBundledVulkan(bundled);
  return withOnlyDriver(bundled.driver, async () => {
    const gpu = await create(withDisabled(flags, CLEARED_AT_ONCE));
    // Dawn creates its Vulkan instance here, while the environment names the driver, and keeps it for later requests
    const adapter = await gpu.requestAdapter();
    return adapter ? { gpu, kind: 'software', forceFallbackAdapter: false } : undefined;
  });
}

async function create(flags: string[]): Promise<GPU> {
  const dawn = await importDawn();
  for (const [name, value] of Object.entries(dawn.globals)) {
    if (!(name in globalThis)) Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  }
  const gpu = dawn.create(flags);
  registry.kept.push(gpu);
  return gpu;
}

/** `unexplained`: true if no other problem was found, so that the advice must be general. */
function noAdapter(kind: Exclude<NodeGpuKind, 'null'>, unexplained: boolean): Issue {
  const what = { auto: 'neither a GPU nor a software adapter', hardware: 'no GPU', software: 'no software adapter' };
  const message = `Dawn found ${what[kind]}.`;
  if (!unexplained) return error('DEVICE_UNAVAILABLE', 'device', message);
  const software = isMainThread
    ? 'Install a GPU driver with Vulkan, Metal or Direct3D 12; the bundled software adapter is for x64 Linux only.'
    : 'In a worker thread a driver is found only if the worker was started with `env: SHARE_ENV`.';
  const hardware =
    'Install a driver with Vulkan, Metal or Direct3D 12, or set MANIPLE_GPU=auto to accept a software adapter.';
  return error('DEVICE_UNAVAILABLE', 'device', message, kind === 'hardware' ? hardware : software);
}
