import { type Character, isCharacter } from '../character/character.ts';
import { error, fail, ManipleError, quoted, type Issue } from '../errors.ts';
import type { SharingRules } from '../frame/tables/crowd-layout.ts';
import type { SkinStage } from '../frame/tables/crowd-types.ts';
import type { KernelChoice } from '../stages/kernel-choice.ts';
import { CHANNEL_NAME_LENGTH } from '../character/vertex-formats.ts';
import { KEPT_ROW_LIMIT, keptProviderRows, providerLayout } from '../stages/provider-layout.ts';
import type { ProviderResources } from '../stages/provider-resources.ts';
import { providersOf, type VertexProvider } from '../stages/providers.ts';
import { SKINNED_FORMATS, type SkinnedChannel } from '../stages/skinned-channel.ts';
import { isVariant } from '../stages/skin-vertices/variant.ts';
import { expectList, expectObject } from './arguments.ts';
import { CAPACITY_LIMIT } from './rows/ids.ts';
import type { RenderLimits } from './render-limits.ts';
import { expectProviders, providerLimitIssues, providerListIssues } from './rows/provider-rows.ts';
import type { KeepOptions } from '../state/auto-snapshot.ts';
import type { CrowdSnapshot } from '../state/snapshot.ts';

export type { SkinStage };

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
  readonly motions?: number;
  /** Joints, and runs of three morph weights, of one character that the host can change at once: 0 … 64, default 0. */
  readonly modifiers?: number;
  /** Events that one frame has room for; default: the capacity, 1,024 at least and 65,536 at most. */
  readonly events?: number;
  /** 'apply' (default): root motion moves the characters. 'report': it is only summed up for `readState` ('report'). */
  readonly rootMotion?: 'apply' | 'report';
  /**
   * Bytes that skinned vertices may take, 40 per vertex of a character that is seen (60 with three `copies`); default 4 GiB. Memory is taken page by
   * page as characters come, as long as it lasts for all of them at their finest level. When it does not, memory moves to the
   * sizes that are asked for, and those that are seen largest get slots first; the others are drawn at coarser levels, or not at all, and `readStats` counts them.
   */
  readonly vertexMemory?: number;
  /**
   * Copies of its vertices that a visible character has: this frame's and the last one's (2, default), or one more (3). With
   * three, a frame writes nothing that draws of the frame before it read, and keeps what else they read: transforms, the visible
   * list, arguments of draws. `render(encoder, { frame })` draws it then, after the next frame has been encoded. Takes half as
   * much vertex memory again and 144 bytes per character of capacity; see docs/adr/0026-copies-and-aliasing.md.
   */
  readonly copies?: 2 | 3;
  /**
   * Where characters are skinned: 'compute' (default) once a frame, for all views, into vertex memory; 'vertex' in every
   * draw, from this frame's palette and the last one: for devices with little memory. Then a character that is seen takes
   * 120 bytes per palette entry, and 40 per three morph weights, rounded up as slots are, whatever its mesh; each view
   * pays for the skinning of its vertices, and runs the providers of its meshes. A function answers for each character.
   */
  readonly skin?: SkinStage | ((character: Character) => SkinStage);
  /**
   * Where the crowd begins: as another one stood when it was saved, on either backend. Its characters have to be among
   * `characters`, and fit into `capacity`, `motions` and `modifiers`.
   */
  readonly from?: CrowdSnapshot;
  /**
   * Keeps snapshots, and what was done since the last one, so that `rebuildCrowd` loses nothing with a device. Default: none
   * are kept. Takes a copy of all host columns, the snapshot and the log; what a snapshot costs: docs/state.md.
   */
  readonly snapshots?: KeepOptions;
  /**
   * Characters that can be posed in one frame: a motion list and a palette each, which others can have in the next frame. Default:
   * the capacity. Characters over this limit keep their previous pose.
   */
  readonly poses?: number;
  /** Pixels by which a coarser level of detail may be off before a finer one is drawn; default 1. */
  readonly levelTolerance?: number;
  /**
   * Pixels across below which a character is posed only every 2nd, 4th, 8th frame, taken in turns; state machines run
   * always. Default [40, 20, 10]; false: every character in every frame. Needs views.
   */
  readonly rates?: readonly [number, number, number] | false;
  /**
   * Lets far characters that play the same clip at about the same time share one pose. Default: no character does. Needs views.
   * A character that is seen smaller than `below`, and shows little but one clip, shows that clip alone, as it stands in the
   * middle of the part that the character is in, of `phases` equal parts: it is at most half a part off, and without what lighter
   * clips add. Such poses are made when they are first needed and stay while a character shows them: `readPose` tells of one only in
   * the frame that makes it. Characters with modifiers, attachments, followers or a pose source share nothing.
   */
  readonly sharing?: SharingOptions;
  /**
   * Systems that make or change vertices: WGSL of yours, for the meshes that name it by its index in this list (`packCharacter`,
   * `providers`); at most 8. Mistakes that take a compiler to see are found by `checkProviders`; without it such meshes
   * do not move.
   */
  readonly providers?: readonly VertexProvider[];
  /** Objects that are bound for their resources, by provider and name; `setProviderResources` binds other objects later. */
  readonly providerResources?: ProviderResources;
  /**
   * A channel that is written with every skinned vertex, for later passes: the name of one that meshes have (`_WIND`), as
   * vertex providers leave it, or of one that they compute. It takes 8 bytes per vertex of a character that is seen. Where
   * draws skin, providers have it too, but nothing keeps it. Default: none.
   */
  readonly skinnedChannel?: string | SkinnedChannel;
  /** Which of equivalent kernels to run; default: what suits the device. Measurements of meshes: `tuneSkinning`. */
  readonly kernels?: Partial<KernelChoice>;
}

/** When far characters share poses. */
export interface SharingOptions {
  /** Pixels across, of the sphere that no pose leaves, below which a character may share. */
  readonly below: number;
  /**
   * Parts of each clip: 1 … 256, default 16. Each part of each clip of each type takes a character's row of the columns, whether
   * shown or not; 65,536 rows at most.
   */
  readonly phases?: number;
  /** Share of all that a character shows that its heaviest clip has at least: above 0.5, at most 1; default 0.9. */
  readonly weight?: number;
}

export const MOTION_LIMIT = 64;
const EVENT_LIMIT = 2 ** 20;
export const DEFAULT_MOTIONS = 4;
export const DEFAULT_LEVEL_TOLERANCE = 1;
const DEFAULT_RATES: readonly [number, number, number] = [40, 20, 10];
export const DEFAULT_VERTEX_MEMORY: number = 2 ** 32;

/** Render options with all defaults. */
export function renderLimitsOf(options: CrowdOptions): RenderLimits {
  const { vertexMemory, copies, poses, levelTolerance, rates } = options;
  const sharing = sharingOf(options);
  return {
    vertexMemory: vertexMemory ?? DEFAULT_VERTEX_MEMORY,
    copies: copies ?? 2,
    poses: poses ?? 0,
    levelTolerance: levelTolerance ?? DEFAULT_LEVEL_TOLERANCE,
    rates: rates === false ? [0, 0, 0] : (rates ?? DEFAULT_RATES),
    sharing: sharing ? [sharing.below, sharing.phases, sharing.weight] : [0, 0, 0],
  };
}

/** When characters share, with all defaults. */
export function sharingOf({ sharing }: CrowdOptions): SharingRules | undefined {
  return sharing && { phases: 16, weight: 0.9, ...sharing };
}

function snapshotIssues(snapshots: KeepOptions): Issue[] {
  const { everySeconds, logBytes = 2 ** 20 } = snapshots ?? {};
  if (isSize(everySeconds) && everySeconds < 2 ** 31 && isSize(logBytes) && logBytes >= 1024) return [];
  const message =
    typeof snapshots === 'object' && snapshots
      ? `are taken every ${quoted(everySeconds)} seconds, with ${quoted(logBytes)} bytes of log.`
      : `Got ${quoted(snapshots)} for snapshots; expected { everySeconds }.`;
  return [error('CROWD_BAD_ARGUMENT', 'snapshots', message, 'Use 0 seconds or more, and 1024 bytes or more.')];
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
    issues.push(error('CROWD_BAD_ARGUMENT', 'capacity', `is ${quoted(capacity)}; use 1 to ${CAPACITY_LIMIT}.`));
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
      return error('CROWD_BAD_ARGUMENT', 'skin', `of ${name} is ${quoted(where)}; use 'compute' or 'vertex'.`);
    }
    const runs = [batchRuns, ...lods.map((lod) => lod.batchRuns)].flat();
    const isProvided = runs.some(({ variant }) => providersOf(variant, providers.length) !== 0);
    if (!isProvided || rows <= KEPT_ROW_LIMIT) return [];
    // slots hold all that providers read, so that velocities are right
    const message = `The providers of ${quoted(name)} have ${rows} rows; draws that skin have room for ${KEPT_ROW_LIMIT}.`;
    return error('CROWD_LIMIT', 'skin', message, "Use buffers of your own (`resources`), or skin: 'compute'.");
  });
}

/** @throws ManipleError CROWD_BAD_ARGUMENT, PROVIDER_INVALID, PROVIDER_MISSING, with all that is wrong */
export function checkOptions(device: GPUDevice | undefined, options: CrowdOptions): void {
  expectObject('options', options);
  const { kernels = {}, providerResources = {} } = options;
  expectObject('kernels', kernels);
  expectObject('providerResources', providerResources);
  if (kernels.skinning !== undefined) expectList('kernels.skinning', kernels.skinning?.meshes);
  const issues = shapeIssues(options);
  const { rootMotion = 'apply', snapshots, from } = options;
  if (rootMotion !== 'apply' && rootMotion !== 'report')
    refuse(issues, 'rootMotion', rootMotion, "'apply' or 'report'");
  if (from !== undefined && !((from as { content?: unknown }).content instanceof ArrayBuffer)) {
    refuse(issues, 'from', from, 'a snapshot, as save() or readSnapshot() make them');
  }
  const { motions = DEFAULT_MOTIONS, backend = 'gpu', vertexMemory = 0 } = options;
  if (!Number.isInteger(motions) || motions < 1 || motions > MOTION_LIMIT) {
    issues.push(error('CROWD_BAD_ARGUMENT', 'motions', `is ${quoted(motions)}; use 1 to ${MOTION_LIMIT}.`));
  }
  const { modifiers = 0, events = 1, poses = 1, levelTolerance = 1, rates, providers = [] } = options;
  if (!Number.isInteger(poses) || poses < 1)
    issues.push(error('CROWD_BAD_ARGUMENT', 'poses', `is ${quoted(poses)}; use 1 or more.`));
  if (!isSize(levelTolerance)) refuse(issues, 'levelTolerance', levelTolerance, '0 pixels or more');
  if (rates && !(Array.isArray(rates) && rates.length === 3 && rates.every(isSize))) {
    refuse(issues, 'rates', rates, 'three sizes in pixels, or false');
  }
  if (!Number.isInteger(modifiers) || modifiers < 0 || modifiers > MOTION_LIMIT) {
    issues.push(error('CROWD_BAD_ARGUMENT', 'modifiers', `is ${quoted(modifiers)}; use 0 to ${MOTION_LIMIT}.`));
  }
  if (!Number.isInteger(events) || events < 1 || events > EVENT_LIMIT) {
    issues.push(error('CROWD_BAD_ARGUMENT', 'events', `is ${quoted(events)}; use 1 to ${EVENT_LIMIT}.`));
  }
  const { below, phases, weight } = sharingOf(options) ?? { below: 0, phases: 1, weight: 1 };
  const arePhases = Number.isInteger(phases) && phases >= 1 && phases <= 256;
  if (!isSize(below) || !arePhases || !isSize(weight) || !(weight > 0.5 && weight <= 1)) {
    const message = `below ${quoted(below)} pixels, ${quoted(phases)} phases, a weight of ${quoted(weight)}.`;
    const suggestion = 'Use 0 pixels or more, 1 to 256 phases, and a weight above 0.5, at most 1.';
    issues.push(error('CROWD_BAD_ARGUMENT', 'sharing', message, suggestion));
  }
  const { copies = 2 } = options;
  if (copies !== 2 && copies !== 3)
    issues.push(error('CROWD_BAD_ARGUMENT', 'copies', `is ${quoted(copies)}; use 2 or 3.`));
  if (!isSize(vertexMemory)) refuse(issues, 'vertexMemory', vertexMemory, '0 bytes or more');
  if (snapshots !== undefined) issues.push(...snapshotIssues(snapshots));
  const isDevice = typeof device?.createBuffer === 'function';
  if (backend === 'gpu' && isDevice) issues.push(...providerLimitIssues(device, providers, options.characters));
  if (backend === 'gpu' ? !isDevice : device && !isDevice) {
    const message = device ? `is ${quoted(device)}.` : 'is missing.';
    issues.push(error('CROWD_BAD_ARGUMENT', 'device', message, "Pass a GPUDevice, or backend: 'cpu'."));
  }
  const { name, format = 'unorm8' } = skinnedChannelOf(options) ?? { name: '_' };
  if (
    typeof name !== 'string' ||
    name.length === 0 ||
    name.length > CHANNEL_NAME_LENGTH ||
    !SKINNED_FORMATS.includes(format)
  ) {
    const suggestion = `Use a name of 1 to ${CHANNEL_NAME_LENGTH} characters, and ${SKINNED_FORMATS.join(', ')}.`;
    issues.push(error('CROWD_BAD_ARGUMENT', 'skinnedChannel', `is ${quoted(name)} in ${quoted(format)}.`, suggestion));
  }
  for (const { level, variant } of options.kernels?.skinning?.meshes ?? []) {
    if (isVariant(variant)) continue;
    issues.push(error('CROWD_BAD_ARGUMENT', 'kernels.skinning', `level ${level} has a variant that is none.`));
  }
  if (issues.length > 0) throw new ManipleError(issues);
}
