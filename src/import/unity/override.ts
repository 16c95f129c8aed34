import { refuseArgument } from '../../character/arguments.ts';
import type { ControllerModel, LayerModel, MachineModel, MotionModel, StateModel } from '../../controller/model.ts';
import type { Issue } from '../../errors.ts';
import { IssueList } from '../model-builder/issue-list.ts';
import { type Fields, motionName, type ResolveMotion, UNITY_LIMITS, type UnityReference } from './fields.ts';
import { UNITY_CLASS, UnityFile } from './file.ts';

/** An animator override controller: other clips for the states of a controller. */
export interface UnityOverride {
  readonly name: string;
  /** The asset that it changes; undefined if it names none. */
  readonly controllerGuid: string | undefined;
  /** In file order. Without an override the original stays. */
  readonly clips: readonly {
    readonly original: Required<UnityReference>;
    readonly override: Required<UnityReference> | null;
  }[];
  /** Features that could not be imported. */
  readonly issues: readonly Issue[];
}

/**
 * Reads an override controller (`.overrideController`, class 221).
 *
 * @throws ManipleError UNITY_INVALID, UNITY_LIMIT.
 */
export function importUnityOverride(text: string): UnityOverride {
  const file = new UnityFile(text);
  const { issues } = file;
  const fileID = file.main(UNITY_CLASS.override, 'override controller');
  const name = file.fields(fileID, '').text('m_Name');
  const fields = file.fields(fileID, name);
  const clips = fields.maps('m_Clips').flatMap((pair) => {
    const original = assetOf(pair, 'm_OriginalClip');
    if (original) return { original, override: assetOf(pair, 'm_OverrideClip') ?? null };
    issues.info('UNITY_DANGLING', pair.path, 'it names no clip to override; it is left out');
    return [];
  });
  const controllerGuid = fields.reference('m_Controller')?.guid;
  issues.throwIfErrors();
  return { name, controllerGuid, clips, issues: issues.list() };
}

function assetOf(pair: Fields, key: string): Required<UnityReference> | undefined {
  const reference = pair.reference(key);
  if (reference === undefined) return undefined;
  const { fileID, guid } = reference;
  if (guid !== undefined) return { fileID, guid };
  pair.warn('UNITY_DANGLING', `&${fileID} is in no other file`, key);
  return undefined;
}

/**
 * Returns the controller with an override's clips in place of its own, by reference: in states, trees and synced
 * layers. The caller must make sure that the override names this controller's asset.
 *
 * @param resolveMotion The function that the controller was imported with, if any.
 */
export function applyUnityOverride(
  controller: ControllerModel,
  override: UnityOverride,
  resolveMotion?: ResolveMotion,
): ControllerModel {
  if (!Array.isArray(controller?.layers)) refuseArgument('controller', controller, 'a controller');
  if (!Array.isArray(override?.clips)) refuseArgument('override', override, 'what importUnityOverride returns');
  const issues = new IssueList(UNITY_LIMITS.issues);
  const replacements = new Map<string, { readonly by: string; isUsed: boolean }>();
  for (const { original, override: by } of override.clips) {
    if (by === null) continue;
    replacements.set(motionName(original, resolveMotion), { by: motionName(by, resolveMotion), isUsed: false });
  }
  const layers = controller.layers.map((layer) => mapLayer(layer, replaced));
  for (const [clip, { isUsed }] of replacements) {
    if (!isUsed) issues.warn('UNITY_DANGLING', `${override.name}/${clip}`, 'the controller plays no such clip');
  }
  return { ...controller, layers, issues: [...(controller.issues ?? []), ...override.issues, ...issues.list()] };

  function replaced(clip: string): string {
    const replacement = replacements.get(clip);
    if (!replacement) return clip;
    replacement.isUsed = true;
    return replacement.by;
  }
}

type MapClip = (clip: string) => string;

function mapLayer(layer: LayerModel, map: MapClip): LayerModel {
  const { machine, sync } = layer;
  const motions = sync && mapRecord(sync.motions, (motion) => mapMotion(motion, map));
  return {
    ...layer,
    ...(machine && { machine: mapMachine(machine, map) }),
    ...(sync && { sync: { ...sync, motions: motions! } }),
  };
}

function mapMachine(machine: MachineModel, map: MapClip): MachineModel {
  const { states, machines } = machine;
  return {
    ...machine,
    states: mapRecord(states, (state): StateModel => {
      return state.motion === undefined ? state : { ...state, motion: mapMotion(state.motion, map) };
    }),
    ...(machines && { machines: mapRecord(machines, (inner) => mapMachine(inner, map)) }),
  };
}

function mapMotion(motion: MotionModel, map: MapClip): MotionModel {
  if (typeof motion === 'string') return map(motion);
  const children = motion.children.map((child) =>
    child.motion === undefined ? child : { ...child, motion: mapMotion(child.motion, map) },
  );
  // children of one kind of tree stay children of that kind
  return { ...motion, children } as MotionModel;
}

function mapRecord<T>(record: Readonly<Record<string, T>>, map: (value: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
