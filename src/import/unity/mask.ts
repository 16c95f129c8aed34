import type { MaskModel } from '../../controller/model.ts';
import { type Issue, type ManipleError, warning } from '../../errors.ts';
import { IssueList } from '../model-builder/issue-list.ts';
import { UNITY_CLASS, UnityFile } from './file.ts';
import { UNITY_LIMITS } from './fields.ts';

/** An imported avatar mask. */
export interface UnityMask {
  readonly name: string;
  /** Weights by path of the joint; undefined for a mask that lets everything through. */
  readonly mask: MaskModel | undefined;
  /** Features that could not be imported. */
  readonly issues: readonly Issue[];
}

/**
 * Reads an avatar mask (`.mask`, class 319 or 1011): its transforms and their weights. Body parts of humanoids, which name no
 * joint, are left out with a warning.
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
  const parts = fields.has('m_Mask') ? fields.text('m_Mask') : '';
  // eight hexadecimal digits a part: 01000000 where it is let through
  if ((parts.match(/.{8}/g) ?? []).some((part) => /^0+$/.test(part))) {
    fields.warn('UNITY_UNSUPPORTED', 'body parts of humanoids are left out; only transforms are masked', 'm_Mask');
  }
  const weights = new Map<string, number>();
  for (const element of fields.maps('m_Elements')) {
    const path = element.text('m_Path');
    const weight = element.number('m_Weight', 1);
    if (weight < 0 || weight > 1) element.warn('UNITY_INVALID', `${weight} is not in 0 … 1`, 'm_Weight');
    // the first object in every mask is the one with the animator, which has no joint
    if (path !== '') weights.set(path, Math.min(1, Math.max(0, weight)));
  }
  const isEmpty = fields.list('m_Elements').length === 0;
  issues.throwIfErrors();
  return { name, mask: isEmpty ? undefined : Object.fromEntries(weights), issues: issues.list() };
}

/** Fallback for a mask that cannot be read: it lets everything through. The reasons become warnings. */
export function unreadableMask({ issues }: ManipleError): UnityMask {
  const warnings = issues.map(({ code, path, message, suggestion }) =>
    warning(code, path, `${message} The mask cannot be read; layers that use it move all joints.`, suggestion),
  );
  return { name: '', mask: undefined, issues: warnings };
}
