import type { ConditionModel } from '../../controller/model.ts';
import { quote } from '../model-builder/issue-list.ts';
import type { Fields } from './fields.ts';
import type { ControllerScope } from './scope.ts';

/** Remedy for files from Unity 4. */
export const OPEN_AND_SAVE = 'Open the project in Unity 5 or newer and save the controller again.';

/**
 * The conditions of a transition. Undefined, with a warning, if one can never hold because its parameter does not
 * exist: the transition then has no effect.
 */
export function readConditions(transition: Fields, scope: ControllerScope): ConditionModel[] | undefined {
  const conditions: ConditionModel[] = [];
  let canHold = true;
  for (const fields of transition.maps('m_Conditions')) {
    const parameter = fields.text('m_ConditionEvent');
    const condition = readCondition(fields, parameter, scope);
    if (condition) conditions.push(condition);
    if (!scope.parameters.has(parameter)) {
      canHold = false;
      scope.issues.warn(
        'UNITY_DANGLING',
        transition.path,
        `there is no parameter ${quote(parameter)}; the transition can never be taken and is left out`,
      );
    }
  }
  return canHold ? conditions : undefined;
}

function readCondition(fields: Fields, parameter: string, { issues }: ControllerScope): ConditionModel | undefined {
  const mode = fields.number('m_ConditionMode', 0);
  switch (mode) {
    case 1:
      return { parameter };
    case 2:
      return { parameter, is: false };
    // the misspelling is Unity's
    case 3:
      return { parameter, greater: fields.number('m_EventTreshold', 0) };
    case 4:
      return { parameter, less: fields.number('m_EventTreshold', 0) };
    case 6:
      return { parameter, equals: fields.number('m_EventTreshold', 0) };
    case 7:
      return { parameter, notEquals: fields.number('m_EventTreshold', 0) };
    default:
      if (mode === 5)
        issues.error('UNITY_UNSUPPORTED', fields.path, 'condition mode 5 belongs to Unity 4', OPEN_AND_SAVE);
      else issues.error('UNITY_INVALID', `${fields.path}/m_ConditionMode`, `there is no condition mode ${mode}`);
      return undefined;
  }
}
