import type { MachineModel, MotionModel } from '../../controller/model.ts';
import type { IssueList } from '../model-builder/issue-list.ts';
import type { UnityClip } from './clip.ts';
import type { Fields } from './fields.ts';
import type { MachinePlan } from './machines.ts';
import type { LayerWithoutDefaults } from './scope.ts';

/** Properties that a clip moves, by the clip's name in the controller; undefined for an unknown clip. */
export type ResolveMoved = (clip: string) => readonly string[] | undefined;

/** Properties that a clip moves: a joint's translation, rotation or scale, a morph weight, or a bone of a humanoid. */
export function movedBy({ tracks, humanoid }: Pick<UnityClip, 'tracks' | 'humanoid'>): string[] {
  const bones = (humanoid?.clips[0]!.tracks ?? []).map(({ path, targetIndex }) =>
    JSON.stringify(['humanoid', path, humanoid!.joints[targetIndex]!.name]),
  );
  return [...tracks.map(({ path, channel, morph = '' }) => JSON.stringify([path, channel, morph])), ...bones];
}

/** The layer's states, if any of them has Write Defaults off. */
export function withoutDefaults(layer: string, plan: MachinePlan, machine: MachineModel): LayerWithoutDefaults[] {
  const states = statesOf(plan, machine);
  const off = states.filter(([fields]) => !fields.flag('m_WriteDefaultValues', true)).length;
  return off === 0 ? [] : [{ layer, off, motions: states.map(([, motion]) => motion) }];
}

type PlayedState = readonly [fields: Fields, motion: MotionModel | undefined];

function statesOf({ states, machines }: MachinePlan, machine: MachineModel): PlayedState[] {
  const own = states.map(({ name, fields }): PlayedState => [fields, machine.states[name]!.motion]);
  return [...own, ...machines.flatMap(({ name, plan }) => statesOf(plan, machine.machines![name]!))];
}

/**
 * Warns of layers in which Write Defaults off shows: a property keeps its last value in Unity only where one state
 * moves it and another does not. An unknown clip counts as one that moves other properties than every other clip.
 */
export function warnOfWriteDefaults(
  layers: readonly LayerWithoutDefaults[],
  resolveMoved: ResolveMoved,
  issues: IssueList,
): void {
  for (const { layer, off, motions } of layers) {
    const moved = motions.map((motion) => {
      const properties = clipsOf(motion).flatMap((clip) => resolveMoved(clip) ?? [`clip ${clip}`]);
      return [...new Set(properties)].sort().join('\n');
    });
    if (new Set(moved).size === 1) continue;
    const isKnown = motions.every((motion) => clipsOf(motion).every((clip) => resolveMoved(clip)));
    const message =
      `Write Defaults is off in ${off} of ${motions.length} states, and the states ${isKnown ? '' : 'may '}move ` +
      'different joints. A joint that a state does not move takes its rest pose instead of keeping its last one';
    issues.warn('UNITY_UNSUPPORTED', layer, message);
  }
}

function clipsOf(motion: MotionModel | undefined): string[] {
  if (motion === undefined) return [];
  return typeof motion === 'string' ? [motion] : motion.children.flatMap((child) => clipsOf(child.motion));
}
