import type { LayerModel, MachineModel, MaskModel, MotionModel, SyncModel } from '../../controller/model.ts';
import { ManipleError, quoted } from '../../errors.ts';
import { type Fields, isMap, readReference, type UnityReference } from './fields.ts';
import { UNITY_CLASS } from './file.ts';
import { type LayerPlan, planLayer, readMachine } from './machines.ts';
import { readMask, type UnityMask, unreadableMask } from './mask.ts';
import { readMotion } from './motions.ts';
import { type ControllerScope, placeOf, UniqueNames } from './scope.ts';
import { withoutDefaults } from './write-defaults.ts';

interface LayerDraft {
  readonly fields: Fields;
  readonly name: string;
  /** Index of the layer that owns the machine; −1 for a machine of its own. */
  readonly source: number;
  readonly plan: LayerPlan | undefined;
}

export function readLayers(controller: Fields, scope: ControllerScope): LayerModel[] {
  const names = new UniqueNames('layer', false, scope.issues);
  const all = controller.maps('m_AnimatorLayers');
  if (all.length === 0) scope.issues.error('UNITY_INVALID', 'm_AnimatorLayers', 'the controller has no layer');
  const sources = all.map((fields, i) => syncSource(fields, i, all.length));
  const drafts = all.map((fields, i): LayerDraft => {
    const name = names.add(fields.text('m_Name'), fields.path);
    const source = endsInMachine(sources, i) ? sources[i]! : -1;
    if (source !== sources[i] || (source < 0 && fields.number('m_SyncedLayerIndex', -1) >= 0)) {
      scope.issues.warn('UNITY_DANGLING', name, 'the layer that it is synced to is not there; it runs its own machine');
    }
    const machine = source < 0 ? fields.reference('m_StateMachine') : undefined;
    if (machine && scope.file.is(machine, UNITY_CLASS.machine)) {
      return { fields, name, source, plan: planLayer(machine.fileID, name, scope) };
    }
    if (source < 0) scope.issues.warn('UNITY_DANGLING', name, 'its state machine is not there; the layer stays empty');
    return { fields, name, source, plan: undefined };
  });
  return drafts.map((draft, i) => readLayer(draft, i === 0, drafts, scope));
}

function syncSource(fields: Fields, index: number, count: number): number {
  const source = fields.number('m_SyncedLayerIndex', -1);
  // the base layer has to have a machine of its own
  return index > 0 && Number.isInteger(source) && source >= 0 && source < count ? source : -1;
}

/** Returns true if following synced layers ends at one with a machine, and not in a circle. */
function endsInMachine(sources: readonly number[], from: number): boolean {
  const seen = new Set<number>();
  for (let at = from; at >= 0; at = sources[at]!) {
    if (seen.has(at)) return false;
    seen.add(at);
  }
  return true;
}

function readLayer(
  { fields, name, source, plan }: LayerDraft,
  isBase: boolean,
  drafts: readonly LayerDraft[],
  scope: ControllerScope,
): LayerModel {
  const { issues } = scope;
  const weight = isBase ? 1 : fields.number('m_DefaultWeight', 1);
  if (weight < 0 || weight > 1) issues.warn('UNITY_INVALID', `${name}/m_DefaultWeight`, `${weight} is not in 0 … 1`);
  const mode = fields.number('m_BlendingMode', 0);
  if (mode !== 0 && mode !== 1) issues.error('UNITY_INVALID', `${name}/m_BlendingMode`, `there is no mode ${mode}`);
  if (fields.flag('m_IKPass', false)) issues.warn('UNITY_UNSUPPORTED', name, 'its IK pass is left out');
  const behaviours = fields.maps('m_Behaviours').flatMap((entry) => entry.list('m_StateMachineBehaviours'));
  if (behaviours.some((item) => isMap(item) && readReference(item))) {
    issues.info('UNITY_UNSUPPORTED', name, `Behaviour scripts of its states that are left out: ${behaviours.length}`);
  }
  const mask = layerMask(fields, name, scope);
  const clamped = Math.min(1, Math.max(0, weight));
  return {
    name,
    ...(mode === 1 && { blend: 'additive' as const }),
    ...(clamped !== 1 && { weight: clamped }),
    ...(mask && { mask }),
    ...(source < 0
      ? { machine: ownMachine(name, plan, scope) }
      : { sync: readSync(fields, name, source, drafts, scope) }),
  };
}

function ownMachine(name: string, plan: LayerPlan | undefined, scope: ControllerScope): MachineModel {
  if (!plan) return { states: {} };
  const machine = readMachine(plan.root, [], plan.places);
  scope.withoutDefaults.push(...withoutDefaults(name, plan.root, machine));
  return machine;
}

function readSync(
  fields: Fields,
  name: string,
  source: number,
  drafts: readonly LayerDraft[],
  scope: ControllerScope,
): SyncModel {
  let root = drafts[source]!;
  while (root.source >= 0) root = drafts[root.source]!;
  const motions = new Map<string, MotionModel>();
  for (const entry of fields.maps('m_Motions')) {
    const state = entry.reference('m_State');
    const path = state && root.plan?.places.states.get(state.fileID);
    if (path === undefined) {
      const what = `&${state?.fileID ?? 0} is not a state of layer ${quoted(root.name)}`;
      entry.warn('UNITY_DANGLING', `${what}; its motion is left out`);
      continue;
    }
    const motion = readMotion(entry.named(placeOf(name, path)), 'm_Motion', scope);
    if (motion !== undefined) motions.set(path, motion);
  }
  return {
    layer: drafts[source]!.name,
    ...(fields.flag('m_SyncedLayerAffectsTiming', false) && { timing: true }),
    motions: Object.fromEntries(motions),
  };
}

function layerMask(fields: Fields, name: string, scope: ControllerScope): MaskModel | undefined {
  const reference = fields.reference('m_Mask');
  if (!reference) return undefined;
  const { issues } = scope;
  const { fileID, guid } = reference;
  const found = findMask(reference, scope);
  for (const issue of found?.issues ?? []) issues.add(issue);
  if (!found) {
    const place = guid === undefined ? `&${fileID}` : `${guid}:${fileID}`;
    issues.warn('UNITY_DANGLING', `${name}/m_Mask`, `the mask ${place} is not there; the layer moves all joints`);
  }
  return found?.mask;
}

/** A layer does without a mask that cannot be read. */
function findMask(reference: UnityReference, { file, resolveMask }: ControllerScope): UnityMask | undefined {
  const { fileID, guid } = reference;
  try {
    if (file.is(reference, UNITY_CLASS.mask)) return readMask(file, fileID);
    return guid === undefined ? undefined : resolveMask?.(guid, fileID);
  } catch (thrown) {
    if (thrown instanceof ManipleError) return unreadableMask(thrown);
    throw thrown;
  }
}
