import type { Character } from '../character/character.ts';
import { adapterKind } from '../device/adapter-kind.ts';
import { error, type Issue } from '../errors.ts';
import type { SkinVariant } from './skin-vertices/variant.ts';

/** Threads of large workgroups, which devices of the core level have. */
export const GROUP_THREADS = 256;

/** Threads of wide workgroups of skin-vertices. */
const WIDE_SKIN = 512;

/** How a mesh is skinned: that of a level of detail of a character, the finest is 0. */
export interface SkinChoice {
  readonly character: Character;
  readonly level: number;
  readonly variant: SkinVariant;
}

/** Which of several equivalent kernels a device runs. */
export interface KernelChoice {
  /** pose-joints: one thread per character instead of one per joint. */
  readonly serialPoses: boolean;
  /** skin-vertices: palettes that fit are copied to workgroup memory first. */
  readonly cachedPalettes: boolean;
  /** skin-vertices: workgroups of 512 threads, where palettes are cached. Default: not. */
  readonly wideSkins?: boolean | undefined;
  /** skin-vertices: measured variants, by mesh (`tuneSkinning`); other meshes use `cachedPalettes`. */
  readonly skinning?: { readonly meshes: readonly SkinChoice[] };
  /** cull-characters: one thread hands out slots and makes lists. */
  readonly serialLists: boolean;
  /** cull-characters: up to this number of characters, one workgroup does what else takes several dispatches. Default: 2,048. */
  readonly fewCharacters?: number | undefined;
  /** Most threads of a workgroup, for kernels that have more than 64: 128 or 256 (default). Results are the same. */
  readonly groupThreads?: number | undefined;
}

/** Names of {@link KernelChoice}, which the compiler compares with its fields. */
export const KERNEL_OPTIONS: Readonly<Record<keyof KernelChoice, true>> = {
  serialPoses: true,
  cachedPalettes: true,
  wideSkins: true,
  skinning: true,
  serialLists: true,
  fewCharacters: true,
  groupThreads: true,
};

type GroupLimits = Pick<GPUSupportedLimits, 'maxComputeInvocationsPerWorkgroup' | 'maxComputeWorkgroupSizeX'>;

/** Most threads that a device has in a workgroup of one dimension. */
function mostThreads({ maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupSizeX }: GroupLimits): number {
  return Math.min(maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupSizeX);
}

/** Returns true if a device can run wide workgroups of skin-vertices, even slowly. */
export function canSkinWide(limits: GroupLimits): boolean {
  return mostThreads(limits) >= WIDE_SKIN;
}

/** `KernelChoice.groupThreads` of a device: half where it lacks large workgroups. */
export function groupThreadsOf(limits: GroupLimits): number {
  return mostThreads(limits) < GROUP_THREADS ? GROUP_THREADS / 2 : GROUP_THREADS;
}

/** Issues of chosen kernels with larger workgroups than a device allows. */
export function kernelLimitIssues(
  limits: GroupLimits,
  { groupThreads = 0, wideSkins }: Partial<KernelChoice>,
): Issue[] {
  const most = mostThreads(limits);
  const check = (name: 'groupThreads' | 'wideSkins', threads: number, advice: string) => {
    if (threads <= most) return [];
    const message = `The kernels have workgroups of ${threads} threads; this device allows ${most}.`;
    const suggestion = `${advice}, or request the device with the limits of its adapter.`;
    return [error('DEVICE_LIMIT', `kernels.${name}`, message, suggestion)];
  };
  return [
    ...check('groupThreads', groupThreads, `Leave it out, or set it to ${GROUP_THREADS / 2}`),
    ...check('wideSkins', wideSkins === true ? WIDE_SKIN : 0, 'Leave it out'),
  ];
}

/**
 * The kernels for a device. Software adapters run barriers and workgroup memory several times slower than plain loops,
 * and take seconds to compile them; GPUs are the other way round (figures: docs/adr/0006).
 * @param chosen Choices of the application. An undefined one counts as left out.
 */
export function chooseKernels(
  { adapterInfo, limits }: Pick<GPUDevice, 'adapterInfo'> & { readonly limits?: GPUSupportedLimits },
  chosen: Partial<KernelChoice> = {},
): KernelChoice {
  const software = adapterKind(adapterInfo) === 'software';
  const wideSkins = !software && limits !== undefined && canSkinWide(limits);
  const groupThreads = limits ? groupThreadsOf(limits) : GROUP_THREADS;
  const fitting = { serialPoses: software, cachedPalettes: !software, serialLists: software, wideSkins, groupThreads };
  const given = Object.entries(chosen).filter(([, choice]) => choice !== undefined);
  return { ...fitting, ...(Object.fromEntries(given) as Partial<KernelChoice>) };
}
