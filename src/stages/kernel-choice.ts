import type { Character } from '../character/character.ts';
import { adapterKind } from '../device/adapter-kind.ts';
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

type GroupLimits = Pick<GPUSupportedLimits, 'maxComputeInvocationsPerWorkgroup' | 'maxComputeWorkgroupSizeX'>;

/** Returns true if a device can run wide workgroups of skin-vertices, even slowly. */
export function canSkinWide({ maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupSizeX }: GroupLimits): boolean {
  return Math.min(maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupSizeX) >= WIDE_SKIN;
}

/** `KernelChoice.groupThreads` of a device: half where it lacks large workgroups. */
export function groupThreadsOf({ maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupSizeX }: GroupLimits): number {
  const most = Math.min(maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupSizeX);
  return most < GROUP_THREADS ? GROUP_THREADS / 2 : GROUP_THREADS;
}

/**
 * The kernels for a device. Software adapters run barriers and workgroup memory several times slower than plain loops,
 * and take seconds to compile them; GPUs are the other way round (figures: docs/adr/0006).
 */
export function chooseKernels({
  adapterInfo,
  limits,
}: Pick<GPUDevice, 'adapterInfo'> & { readonly limits?: GPUSupportedLimits }): KernelChoice {
  const software = adapterKind(adapterInfo) === 'software';
  const wideSkins = !software && limits !== undefined && canSkinWide(limits);
  const groupThreads = limits ? groupThreadsOf(limits) : GROUP_THREADS;
  return { serialPoses: software, cachedPalettes: !software, serialLists: software, wideSkins, groupThreads };
}
