import type { ChildModel, MotionModel, TreeModel } from '../../controller/model.ts';
import { quote } from '../model-builder/issue-list.ts';
import { type Fields, motionName, refuseSize, UNITY_LIMITS } from './fields.ts';
import { UNITY_CLASS } from './file.ts';
import type { ControllerScope } from './scope.ts';

/** The motion that a field names; undefined for none, or, with a warning, for one that is not there. */
export function readMotion(fields: Fields, key: string, scope: ControllerScope, depth = 0): MotionModel | undefined {
  const reference = fields.reference(key);
  if (!reference) return undefined;
  const { path } = fields;
  const { fileID, guid } = reference;
  if (guid !== undefined) return motionName({ fileID, guid }, scope.resolveMotion);
  if (scope.file.is(reference, UNITY_CLASS.clip)) return scope.nameEmbedded(fileID, path);
  if (scope.file.is(reference, UNITY_CLASS.tree)) {
    // a tree that contains itself ends here as well
    if (depth === UNITY_LIMITS.treeDepth) {
      refuseSize(path, `blend trees are nested deeper than ${UNITY_LIMITS.treeDepth}`);
    }
    return readTree(scope.file.fields(fileID, path), scope, depth);
  }
  fields.warn('UNITY_DANGLING', `there is no motion &${fileID}; it stays empty`);
  return undefined;
}

const PLANES = ['directional', 'freeformDirectional', 'freeformCartesian'] as const;

function readTree(tree: Fields, scope: ControllerScope, depth: number): TreeModel | undefined {
  const name = tree.text('m_Name');
  const type = tree.number('m_BlendType', 0);
  const children = tree.maps('m_Childs').map((child, i) => child.named(`${tree.path}/children/${i}`));
  scope.count('treeChildren', children.length);
  const base = name === '' ? {} : { name };
  const models = children.map((child) => readChild(child, scope, depth));
  if (type === 0) {
    const parameter = blendParameter(tree, 'm_BlendParameter', scope);
    const at = children.map((child) => child.number('m_Threshold', 0));
    return { ...base, blend: '1d', parameter, children: models.map((model, i) => ({ ...model, at: at[i]! })) };
  }
  if (type === 4) {
    const weighted = models.map((model, i) => ({
      ...model,
      weightParameter: blendParameter(children[i]!, 'm_DirectBlendParameter', scope),
    }));
    const normalized = tree.flag('m_NormalizedBlendValues', false);
    return { ...base, blend: 'direct', ...(normalized && { normalized }), children: weighted };
  }
  const blend = PLANES[type - 1];
  if (!blend) {
    scope.issues.error('UNITY_UNSUPPORTED', tree.path, `there is no blend type ${type}`);
    return undefined;
  }
  const x = blendParameter(tree, 'm_BlendParameter', scope);
  const parameters = [x, blendParameter(tree, 'm_BlendParameterY', scope)] as const;
  const at = children.map(readPosition);
  return { ...base, blend, parameters, children: models.map((model, i) => ({ ...model, at: at[i]! })) };
}

function readChild(child: Fields, scope: ControllerScope, depth: number): ChildModel {
  const motion = readMotion(child, 'm_Motion', scope, depth + 1);
  const timeScale = child.number('m_TimeScale', 1);
  const cycleOffset = child.number('m_CycleOffset', 0);
  return {
    ...(motion !== undefined && { motion }),
    ...(timeScale !== 1 && { timeScale }),
    ...(cycleOffset !== 0 && { cycleOffset }),
    ...(child.flag('m_Mirror', false) && { mirror: true }),
  };
}

function readPosition(child: Fields): [number, number] {
  const position = child.map('m_Position');
  const [x, y] = [position?.x ?? '0', position?.y ?? '0'].map((value) => Number(value));
  if (Number.isFinite(x) && Number.isFinite(y)) return [x!, y!];
  child.refuse('m_Position', 'the position is not two finite numbers');
  return [0, 0];
}

/** The parameter that a tree reads. If the file has no such number, a parameter that stays 0 is added. */
function blendParameter(fields: Fields, key: string, scope: ControllerScope): string {
  const name = fields.text(key);
  const type = scope.parameters.get(name);
  if (type !== undefined && type !== 'trigger') return name;
  const added = type === undefined ? name : `${name} (0)`;
  fields.warn('UNITY_DANGLING', `there is no number parameter ${quote(name)}; it counts as 0`);
  scope.addZero(added);
  return added;
}
