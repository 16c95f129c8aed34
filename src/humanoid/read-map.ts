import { expectModel } from '../character/arguments.ts';
import { HUMAN_BONES, type HumanBone, type HumanoidMap } from '../character/humanoid.ts';
import type { CharacterModel } from '../character/model.ts';
import { error, type Issue, listed, ManipleError, quoted } from '../errors.ts';
import { isObject } from '../forms/rules.ts';

/**
 * Reads a humanoid map: JSON `{ "leftUpperArm": "arm_L", … }`, VRM's names of bones to a model's names of joints. Null
 * says that a bone is missing. Bones that the map leaves out keep what was found.
 *
 * @param value Parsed JSON.
 * @param found What {@link findHumanoid} found; left as it is.
 * @throws ManipleError HUMANOID_INVALID for unknown bones and joints, joints with two bones, and names that several joints have
 */
export function readHumanoidMap(
  value: unknown,
  model: Pick<CharacterModel, 'joints' | 'name'>,
  found: HumanoidMap = {},
): HumanoidMap {
  expectModel(model, ['joints']);
  if (!isObject(value)) {
    const suggestion = 'Write {"hips": "pelvis", "leftUpperArm": "arm_L"}.';
    throw new ManipleError(error('HUMANOID_INVALID', '', `Expected an object, got ${quoted(value)}.`, suggestion));
  }
  const issues: Issue[] = [];
  const map: Partial<Record<HumanBone, number>> = { ...found };
  const named = new Map<number, HumanBone>();
  for (const [key, name] of Object.entries(value)) {
    const bone = HUMAN_BONES.find((each) => each === key);
    const joint = bone === undefined ? undefined : jointOf(name, model, key, issues);
    if (bone === undefined)
      issues.push(error('HUMANOID_INVALID', key, `${quoted(key)} is not a bone.`, `Bones are ${listed(HUMAN_BONES)}`));
    else if (joint === undefined) delete map[bone];
    else {
      const other = named.get(joint);
      if (other)
        issues.push(
          error('HUMANOID_INVALID', key, `Joint ${quoted(name)} is ${other} already.`, 'Give each joint one bone.'),
        );
      named.set(joint, bone);
      map[bone] = joint;
    }
  }
  if (issues.length > 0) throw new ManipleError(issues);
  // a joint that the map gives to a bone is no longer what it was found to be
  for (const bone of HUMAN_BONES) {
    const owner = map[bone] === undefined ? undefined : named.get(map[bone]);
    if (owner !== undefined && owner !== bone) delete map[bone];
  }
  return map;
}

/** The joint of a name; undefined for null, or after reporting a name that is unknown or not unique. */
function jointOf(
  name: unknown,
  { joints, name: modelName }: Pick<CharacterModel, 'joints' | 'name'>,
  key: string,
  issues: Issue[],
): number | undefined {
  if (name === null) return undefined;
  const matches = joints.flatMap((joint, i) => (joint.name === name ? [i] : []));
  if (matches.length === 1) return matches[0];
  const names = joints.flatMap((joint) => (joint.name === '' ? [] : [joint.name]));
  const message =
    matches.length === 0
      ? `${quoted(modelName)} has no joint ${quoted(name)}.`
      : `${quoted(modelName)} has ${matches.length} joints named ${quoted(name)}.`;
  issues.push(
    error('HUMANOID_INVALID', key, message, matches.length === 0 ? `It has ${listed(names)}.` : 'Rename them.'),
  );
  return undefined;
}
