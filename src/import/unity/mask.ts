import type { MaskModel } from '../../controller/model.ts';
import { type Issue, type ManipleError, warning } from '../../errors.ts';
import { IssueList } from '../model-builder/issue-list.ts';
import { UNITY_CLASS, UnityFile } from './file.ts';
import { type Fields, UNITY_LIMITS } from './fields.ts';

/** An imported avatar mask. */
export interface UnityMask {
  readonly name: string;
  /** Weights by path of the joint, and by part of a humanoid's body; undefined for a mask that lets everything through. */
  readonly mask: MaskModel | undefined;
  /** Features that could not be imported. */
  readonly issues: readonly Issue[];
}

/**
 * Reads an avatar mask (`.mask`, class 319 or 1011): its transforms and their weights, and body parts of humanoids if any of them is off.
 * Parts move the bones of a character, transforms its other joints. Goals of hands and feet have no effect.
 *
 * @throws ManipleError UNITY_INVALID, UNITY_LIMIT.
 */
export function importUnityMask(text: string): UnityMask {
  const file = new UnityFile(text);
  return readMask(file, file.main(UNITY_CLASS.mask, 'avatar mask'), file.issues);
}

/** The same out of an open file. */
export function readMask(
  file: UnityFile,
  fileID: string,
  issues: IssueList = new IssueList(UNITY_LIMITS.issues),
): UnityMask {
  const name = file.fields(fileID, '', issues).text('m_Name');
  const fields = file.fields(fileID, name, issues);
  const parts = bodyParts(fields);
  const weights = new Map<string, number>();
  for (const element of fields.maps('m_Elements')) {
    const path = element.text('m_Path');
    const weight = element.number('m_Weight', 1);
    if (weight < 0 || weight > 1) element.warn('UNITY_INVALID', `${weight} is not in 0 … 1`, 'm_Weight');
    // the first object in every mask is the one with the animator, which has no joint
    if (path !== '') weights.set(path, Math.min(1, Math.max(0, weight)));
  }
  const isEmpty = fields.list('m_Elements').length === 0 && parts.length === 0;
  issues.throwIfErrors();
  return { name, mask: isEmpty ? undefined : Object.fromEntries([...weights, ...parts]), issues: issues.list() };
}

/** `AvatarMaskBodyPart` in Unity's scripting reference, in its order; goals of feet and hands follow. */
const BODY_PARTS = [
  'root',
  'body',
  'head',
  'leftLeg',
  'rightLeg',
  'leftArm',
  'rightArm',
  'leftFingers',
  'rightFingers',
] as const;

/** Weights of body parts, in eight hexadecimal digits each: 01000000 lets a part through. None if all are let through. */
function bodyParts(fields: Fields): (readonly [string, number])[] {
  const text = fields.has('m_Mask') ? fields.text('m_Mask') : '';
  const digits = text.match(/.{8}/g) ?? [];
  const weights = BODY_PARTS.flatMap((part, i) => {
    const flag = digits[i];
    return flag === undefined ? [] : [[`humanoid:${part}`, /^0+$/.test(flag) ? 0 : 1] as const];
  });
  return weights.some(([, weight]) => weight === 0) ? weights : [];
}

/** Fallback for a mask that cannot be read: it lets everything through. The reasons become warnings. */
export function unreadableMask({ issues }: ManipleError): UnityMask {
  const warnings = issues.map(({ code, path, message, suggestion }) =>
    warning(code, path, `${message} The mask cannot be read; layers that use it move all joints.`, suggestion),
  );
  return { name: '', mask: undefined, issues: warnings };
}
