import { type Character, isCharacter } from '../character/character.ts';
import type { DeviceTier } from '../device/tier.ts';
import { error, fail, ManipleError, quoted, type Issue } from '../errors.ts';
import type { SharingRules } from '../frame/tables/crowd-layout.ts';
import type { SkinStage } from '../frame/tables/crowd-types.ts';
import { GROUP_THREADS, KERNEL_OPTIONS, type KernelChoice, kernelLimitIssues } from '../stages/kernel-choice.ts';
import { CHANNEL_NAME_LENGTH } from '../character/vertex-formats.ts';
import { KEPT_ROW_LIMIT, keptProviderRows, providerLayout } from '../stages/provider-layout.ts';
import type { ProviderResources } from '../stages/provider-resources.ts';
import { providersOf, type VertexProvider } from '../stages/providers.ts';
import { SKINNED_FORMATS, type SkinnedChannel } from '../stages/skinned-channel.ts';
import { isVariant } from '../stages/skin-vertices/variant.ts';
import { expectList, expectObject, nameIssues } from './arguments.ts';
import { CAPACITY_LIMIT } from './rows/ids.ts';
import { expectProviders, providerLimitIssues, providerListIssues } from './rows/provider-rows.ts';

export type { SkinStage };

/**
 * Interface that a crowd runs on. 'core' has kernels on a WebGPU device. 'compatibility' has the same on a device of that level, where
 * draws read textures. In 'webgl2', which three.js has, the CPU steps and poses characters, and draws skin them.
 */
export type CrowdTier = DeviceTier | 'webgl2';

export interface CrowdOptions {
  /** The types of characters that can be spawned. */
  readonly characters: readonly Character[];
  /** Characters that can live at once; at most 2²⁴. */
  readonly capacity: number;
  /** 'gpu' (default) runs kernels; 'cpu' runs their twins, slowly, to the same result. */
  readonly backend?: 'gpu' | 'cpu';
  /**
   * Clips that can play on one character at once: 1 … 64, default 4, or what the controllers can need. When a controller's motions exceed it, those of least weight are dropped.
   */
  readonly maxClips?: number;
  /** Joints, and runs of three morph weights, of one character that the host can change at once: 0 … 64, default 0. */
  readonly maxModifiers?: number;
  /** Events that one frame has room for; default: the capacity, 1,024 at least and 65,536 at most. */
  readonly maxEvents?: number;
  /** 'apply' (default): root motion moves the characters. 'report': it is only summed up for `readControllers` ('report'). */
  readonly rootMotion?: 'apply' | 'report';
  /**
   * Bytes for skinned vertices: 8 per vertex of a visible character and copy, and 4 per word of attributes. Default 4 GiB. Pages are created as
   * characters are spawned, until the limit. After that, memory moves to the sizes that are requested, and the characters that are
   * largest on the screen get slots first. The others are drawn at coarser levels, or not at all. `readStats` counts them.
   */
  readonly maxVertexBytes?: number;
  /**
   * Copies of its vertices that a visible character has: this frame's and the last one's (2, default), only this frame's (1), or
   * one more (3). With one, memory is a third to two fifths less. There are then no motion vectors: renderers refuse `velocity` and
   * temporal antialiasing. With three, a frame writes nothing that draws of the frame before it read, and keeps what else they read: transforms, the visible
   * list, arguments of draws. `render(encoder, { frame })` draws it then, after the next frame has been encoded. Takes half as
   * much vertex memory again and 144 bytes per character of capacity; see docs/adr/0026-copies-and-aliasing.md.
   */
  readonly copies?: 1 | 2 | 3;
  /**
   * Place where characters are skinned. The default, 'compute', skins once a frame, for all views, into vertex memory. With 'vertex'
   * every draw skins, from this frame's palette and the previous one: for devices with little memory. A visible character then takes 96 bytes
   * per palette entry and 32 per three morph weights, rounded up to a slot. Every view pays for skinning, and runs the providers
   * of its meshes. A function returns the answer for each character. On devices of the compatibility level the default is 'vertex',
   * except with providers, `skinnedChannel` or exact positions: draws read copies of vertex memory there.
   */
  readonly skin?: SkinStage | ((character: Character) => SkinStage);
  /**
   * Characters that can be posed in one frame: a motion list and a palette each, which others can have in the next frame. Default:
   * the capacity. Characters over this limit keep their previous pose.
   */
  readonly maxPoses?: number;
  /** Pixels by which a coarser level of detail may be off before a finer one is drawn; default 1. */
  readonly lodTolerancePx?: number;
  /**
   * Lets small characters be posed only every 2nd, 4th or 8th frame, taken in turns. Their state machines run in every frame.
   * Default: see `UpdateRates`; false: every character in every frame. Needs views.
   */
  readonly updateRates?: UpdateRates | false;
  /**
   * Lets far characters that play the same clip at about the same time share one pose. Default: no character does. Needs views.
   * It applies to characters that are smaller than `belowPx` and show little but one clip. The clip is divided into `phases` equal
   * parts, and a character shows the middle of its part. The pose is at most half a part off, without the lighter clips. Poses are
   * made when they are first needed, and stay while a character shows them. `readPose` has one only in the frame that makes it.
   * Characters with modifiers, attachments, followers or a pose source share nothing.
   */
  readonly poseSharing?: PoseSharingOptions;
  /**
   * Systems that make or change vertices: WGSL of yours, for the meshes that name it by its index in this list (`packCharacter`,
   * `providers`); at most 8. Mistakes that take a compiler to see are found by `checkProviders`; without it such meshes
   * do not move.
   */
  readonly providers?: readonly VertexProvider[];
  /** Objects that are bound for their resources, by provider and name; `setProviderResources` binds other objects later. */
  readonly providerResources?: ProviderResources;
  /**
   * Name of a channel that is written with every skinned vertex, for later passes. Meshes have it (`_WIND`), or vertex providers
   * compute it. It has the value after all providers, and takes 4 to 8 bytes per vertex of a visible character. With
   * `skin: 'vertex'` providers can use it, but it is not stored. Default: none.
   */
  readonly skinnedChannel?: string | SkinnedChannel;
  /**
   * How skinned positions are kept. `compact`: 8 bytes each, off by half of 2^-18 times the power of two above the largest
   * coordinate (0.004 mm where that is 1 to 2 m). `exact`: this frame's as floats, too, for `readVertices` and `crowdExactPosition`;
   * 12 bytes more per vertex of a visible character. Renderers read the compact ones. Default: `compact`.
   */
  readonly skinned?: 'compact' | 'exact';
  /**
   * Limits that the crowd keeps to. `bytes` chooses where characters are skinned, if far ones share poses, and how many have
   * slots and poses; options that you set stay. `milliseconds` lets characters count as smaller while frames take longer: then levels
   * are coarser and poses rarer. It needs a device with `timestamp-query`, as `requestDevice` gives where there is one. `readStats`
   * has the state of both. Default: no limits.
   */
  readonly budget?: CrowdBudget;
  /** Which of equivalent kernels to run; default: what suits the device. Measurements of meshes: `tuneSkinning`. */
  readonly kernels?: Partial<KernelChoice>;
}

/** Limits of a crowd, for devices with little memory or time. Quality follows: see `CrowdOptions.budget`. */
export interface CrowdBudget {
  /** GPU memory of the crowd, `Crowd.byteLength`, at its capacity. Attachments, captures and snapshots are not counted. */
  readonly bytes?: number;
  /** GPU time of the crowd's own stages in a frame; drawing is not counted. */
  readonly milliseconds?: number;
}

/** Sizes in pixels across, of the sphere that no pose leaves. 0: no character. */
export interface UpdateRates {
  /** Below it a character is posed every 2nd frame; default 40. */
  readonly halfBelowPx?: number;
  /** Every 4th frame; default 20. */
  readonly quarterBelowPx?: number;
  /** Every 8th frame; default 10. */
  readonly eighthBelowPx?: number;
}

/** When far characters share poses. */
export interface PoseSharingOptions {
  /** Pixels across, of the sphere that no pose leaves, below which a character may share. */
  readonly belowPx: number;
  /**
   * Parts of each clip: 1 … 256, default 16. Each part of each clip of each type takes a character's row of the columns, whether
   * shown or not; 65,536 rows at most.
   */
  readonly phases?: number;
  /** Share of all that a character shows that its heaviest clip has at least: above 0.5, at most 1; default 0.9. */
  readonly minWeight?: number;
}

export const MOTION_LIMIT = 64;
const EVENT_LIMIT = 2 ** 20;
export const DEFAULT_MOTIONS = 4;
export const DEFAULT_LEVEL_TOLERANCE = 1;
export const DEFAULT_VERTEX_MEMORY: number = 2 ** 32;

/** Options that affect rendering but not simulation state. */
export interface RenderLimits {
  readonly vertexMemory: number;
  /** Copies of a slot: 1, 2 or 3. */
  readonly copies: number;
  /** 0: the number of living characters. */
  readonly poses: number;
  readonly levelTolerance: number;
  readonly rates: readonly [number, number, number];
  /** Size below which poses are shared, phases, weight; zeros: none are. */
  readonly sharing: readonly [number, number, number];
}

/** Options with those defaults that a device's level decides. */
export function tierOptions(options: CrowdOptions, tier: CrowdTier | undefined): CrowdOptions {
  const { skin, providers = [], skinnedChannel, skinned } = options;
  const needsVertices = providers.length > 0 || skinnedChannel !== undefined || skinned === 'exact';
  if (tier !== 'compatibility' || skin !== undefined || needsVertices) return options;
  return { ...options, skin: 'vertex' };
}

/** Render options with all defaults. */
export function renderLimitsOf(options: CrowdOptions): RenderLimits {
  const { maxVertexBytes, copies, maxPoses, lodTolerancePx } = options;
  const sharing = sharingOf(options);
  return {
    vertexMemory: maxVertexBytes ?? DEFAULT_VERTEX_MEMORY,
    copies: copies ?? 2,
    poses: maxPoses ?? 0,
    levelTolerance: lodTolerancePx ?? DEFAULT_LEVEL_TOLERANCE,
    rates: rateSizesOf(options),
    sharing: sharing ? [sharing.below, sharing.phases, sharing.weight] : [0, 0, 0],
  };
}

function rateSizesOf({ updateRates = {} }: Pick<CrowdOptions, 'updateRates'>): readonly [number, number, number] {
  if (updateRates === false) return [0, 0, 0];
  const { halfBelowPx = 40, quarterBelowPx = 20, eighthBelowPx = 10 } = updateRates;
  return [halfBelowPx, quarterBelowPx, eighthBelowPx];
}

/** When characters share, with all defaults. */
export function sharingOf({ poseSharing: sharing }: Pick<CrowdOptions, 'poseSharing'>): SharingRules | undefined {
  if (!sharing) return undefined;
  const { belowPx: below, phases = 16, minWeight: weight = 0.9 } = sharing;
  return { below, phases, weight };
}

/** Where each character is skinned. */
export function skinOf({ skin = 'compute' }: Pick<CrowdOptions, 'skin'>): (character: Character) => SkinStage {
  return typeof skin === 'function' ? skin : () => skin;
}

/** The channel that is written with every vertex. */
export function skinnedChannelOf({ skinnedChannel }: CrowdOptions): SkinnedChannel | undefined {
  return typeof skinnedChannel === 'string' ? { name: skinnedChannel } : skinnedChannel;
}

/** Checks the characters and the capacity. @throws ManipleError CROWD_BAD_ARGUMENT, PROVIDER_MISSING */
export function checkShape(options: CrowdOptions): void {
  const issues = shapeIssues(options);
  if (issues.length > 0) throw new ManipleError(issues);
}

function shapeIssues(options: CrowdOptions): Issue[] {
  const { characters, capacity, providers = [], backend = 'gpu' } = options;
  expectList('characters', characters);
  expectList('providers', providers);
  expectProviders(providers);
  const strangers = characters.filter((character) => !isCharacter(character));
  if (strangers.length > 0) {
    const suggestion = 'Use what loadCharacter, packCharacter or characterFromGltf return.';
    fail('CROWD_BAD_ARGUMENT', 'characters', `Got ${quoted(strangers[0])}; expected a character.`, suggestion);
  }
  const issues: Issue[] = [];
  if (backend !== 'gpu' && backend !== 'cpu') refuse(issues, 'backend', backend, "'gpu' or 'cpu'");
  if (characters.length === 0) issues.push(error('CROWD_BAD_ARGUMENT', 'characters', 'is empty.'));
  if (!Number.isInteger(capacity) || capacity < 1 || capacity > CAPACITY_LIMIT) {
    refuse(issues, 'capacity', capacity, `1 to ${CAPACITY_LIMIT}`);
  }
  issues.push(...providerListIssues(providers, characters, backend), ...skinIssues(options));
  return issues;
}

/** A number of 0 or more, be it infinite. */
const isSize = (value: unknown): boolean => typeof value === 'number' && value >= 0;

function refuse(issues: Issue[], name: string, value: unknown, expected: string): void {
  issues.push(error('CROWD_BAD_ARGUMENT', name, `Got ${quoted(value)} for ${name}; expected ${expected}.`));
}

function skinIssues(options: CrowdOptions): Issue[] {
  const skin = skinOf(options);
  const { providers = [] } = options;
  const rows = keptProviderRows(providerLayout(providers));
  return options.characters.flatMap((character) => {
    const { name, batchRuns, lods } = character;
    const where: string = skin(character);
    if (where === 'compute') return [];
    if (where !== 'vertex') {
      return error('CROWD_BAD_ARGUMENT', 'skin', `Got ${quoted(where)} for ${name}; use 'compute' or 'vertex'.`);
    }
    const runs = [batchRuns, ...lods.map((lod) => lod.batchRuns)].flat();
    const isProvided = runs.some(({ variant }) => providersOf(variant, providers.length) !== 0);
    if (!isProvided || rows <= KEPT_ROW_LIMIT) return [];
    // slots hold all that providers read, so that velocities are right
    const message = `The providers of ${quoted(name)} have ${rows} rows; draws that skin have room for ${KEPT_ROW_LIMIT}.`;
    return error('CROWD_LIMIT', 'skin', message, "Use buffers of your own (`resources`), or skin: 'compute'.");
  });
}

/** A check of one option, apart from the others. */
interface Check<T> {
  readonly isValid: (value: T) => boolean;
  readonly expected: string;
}

function count(least: number, most: number): Check<number> {
  const isValid = (value: number) => Number.isInteger(value) && value >= least && value <= most;
  return { isValid, expected: `${least} to ${most}` };
}

const isRecord = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

const areRates: Check<UpdateRates | false> = {
  isValid: (rates) => rates === false || (isRecord(rates) && rateSizesOf({ updateRates: rates }).every(isSize)),
  expected: 'sizes of 0 pixels or more, or false',
};

const areSharingRules: Check<PoseSharingOptions> = {
  isValid: (poseSharing) => {
    const { below, phases, weight } = sharingOf({ poseSharing }) ?? { below: -1, phases: 0, weight: 0 };
    const arePhases = Number.isInteger(phases) && phases >= 1 && phases <= 256;
    return isRecord(poseSharing) && isSize(below) && arePhases && isSize(weight) && weight > 0.5 && weight <= 1;
  },
  expected: '0 pixels or more, 1 to 256 phases, a weight above 0.5, at most 1',
};

const isBudget: Check<CrowdBudget> = {
  isValid: (budget) =>
    isRecord(budget) &&
    Object.entries(budget).every(
      ([name, limit]) =>
        (name === 'bytes' || name === 'milliseconds') && (limit === undefined || (isSize(limit) && limit > 0)),
    ),
  expected: '{ bytes, milliseconds }, both above 0',
};

/** Checks in the order of their issues. All options are here, so that a misspelt one is not ignored; undefined: checked with others. */
const CHECKS: { readonly [K in keyof CrowdOptions]-?: Check<NonNullable<CrowdOptions[K]>> | undefined } = {
  characters: undefined,
  capacity: undefined,
  backend: undefined,
  rootMotion: undefined,
  skin: undefined,
  providers: undefined,
  providerResources: undefined,
  skinnedChannel: undefined,
  skinned: { isValid: (kind) => kind === 'compact' || kind === 'exact', expected: "'compact' or 'exact'" },
  budget: isBudget,
  kernels: undefined,
  lodTolerancePx: { isValid: isSize, expected: '0 pixels or more' },
  maxVertexBytes: { isValid: isSize, expected: '0 bytes or more' },
  updateRates: areRates,
  poseSharing: areSharingRules,
  maxClips: count(1, MOTION_LIMIT),
  maxModifiers: count(0, MOTION_LIMIT),
  maxEvents: count(1, EVENT_LIMIT),
  maxPoses: count(1, CAPACITY_LIMIT),
  copies: { isValid: (copies) => copies === 1 || copies === 2 || copies === 3, expected: '1, 2 or 3' },
};

/** Issues of chosen kernels that no device can run. */
function kernelIssues(kernels: Partial<KernelChoice>): Issue[] {
  const issues = nameIssues(kernels, KERNEL_OPTIONS, 'kernels.');
  for (const name of ['serialPoses', 'cachedPalettes', 'wideSkins', 'serialLists'] as const) {
    const flag: unknown = kernels[name];
    if (flag !== undefined && typeof flag !== 'boolean') refuse(issues, `kernels.${name}`, flag, 'true or false');
  }
  const { groupThreads = GROUP_THREADS, fewCharacters = 0 } = kernels;
  if (groupThreads !== GROUP_THREADS && groupThreads !== GROUP_THREADS / 2)
    refuse(issues, 'kernels.groupThreads', groupThreads, `${GROUP_THREADS / 2} or ${GROUP_THREADS}`);
  if (!isSize(fewCharacters)) refuse(issues, 'kernels.fewCharacters', fewCharacters, '0 characters or more');
  for (const { level, variant } of kernels.skinning?.meshes ?? []) {
    if (isVariant(variant)) continue;
    issues.push(error('CROWD_BAD_ARGUMENT', 'kernels.skinning', `Level ${level} has an invalid variant.`));
  }
  return issues;
}

/** @throws ManipleError CROWD_BAD_ARGUMENT, PROVIDER_INVALID, PROVIDER_MISSING, DEVICE_LIMIT, with all that is wrong */
export function checkOptions(device: GPUDevice | undefined, options: CrowdOptions): void {
  expectObject('options', options);
  const { kernels = {}, providerResources = {} } = options;
  expectObject('kernels', kernels);
  expectObject('providerResources', providerResources);
  if (kernels.skinning !== undefined) expectList('kernels.skinning', kernels.skinning?.meshes);
  const issues = shapeIssues(options);
  const { rootMotion = 'apply' } = options;
  if (rootMotion !== 'apply' && rootMotion !== 'report')
    refuse(issues, 'rootMotion', rootMotion, "'apply' or 'report'");
  issues.push(...nameIssues(options, CHECKS), ...kernelIssues(kernels));
  for (const [name, check] of Object.entries(CHECKS)) {
    const value = options[name as keyof CrowdOptions];
    if (value !== undefined && check && !check.isValid(value as never)) refuse(issues, name, value, check.expected);
  }
  const { backend = 'gpu', providers = [] } = options;
  const isDevice = typeof device?.createBuffer === 'function';
  if (backend === 'gpu' && isDevice) issues.push(...providerLimitIssues(device, providers, options.characters));
  // also for the CPU backend: a crowd with a device can change to the GPU
  if (isDevice) issues.push(...kernelLimitIssues(device.limits, kernels));
  if (backend === 'gpu' ? !isDevice : device && !isDevice) {
    refuse(issues, 'device', device, "a GPUDevice, or backend: 'cpu'");
  }
  const { name, format = 'unorm8' } = skinnedChannelOf(options) ?? { name: '_' };
  if (
    typeof name !== 'string' ||
    name.length === 0 ||
    name.length > CHANNEL_NAME_LENGTH ||
    !SKINNED_FORMATS.includes(format)
  ) {
    const expected = `a name of 1 to ${CHANNEL_NAME_LENGTH} characters, and ${SKINNED_FORMATS.join(', ')}`;
    refuse(issues, 'skinnedChannel', [name, format], expected);
  }
  if (issues.length > 0) throw new ManipleError(issues);
}
