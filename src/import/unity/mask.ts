import type { MaskModel } from '../../asset/controller/model.ts';
import type { Issue } from '../../errors.ts';
import { IssueList } from '../gltf/issue-list.ts';
import { mainObject, openUnityFile, UNITY_CLASS, type UnityFile } from './file.ts';

/** An avatar mask of Unity. */
export interface UnityMask {
  readonly name: string;
  /** Weights by path of the joint; undefined for a mask that lets everything through. */
  readonly mask: MaskModel | undefined;
  /** What could not be taken over. */
  readonly issues: readonly Issue[];
}

/**
 * Reads an avatar mask (`.mask`, class 319): its transforms and their weights. Body parts of humanoids, which name no
 * joint, are left out with a warning.
 *
 * @throws ManipleError UNITY_INVALID, UNITY_LIMIT.
 */
export function importUnityMask(text: string): UnityMask {
  const issues = new IssueList();
  const file = openUnityFile(text, issues);
  const mask = readMask(file, mainObject(file, UNITY_CLASS.mask, 'avatar mask'));
  issues.throwIfErrors();
  return { ...mask, issues: issues.list() };
}

/** The same out of an open file; issues go to the file's. */
export function readMask(file: UnityFile, fileID: string): Omit<UnityMask, 'issues'> {
  const name = file.fields(fileID, '').text('m_Name');
  const fields = file.fields(fileID, name);
  const { issues } = file;
  const parts = fields.has('m_Mask') ? fields.text('m_Mask') : '';
  // eight hexadecimal digits a part: 01000000 where it is let through
  if ((parts.match(/.{8}/g) ?? []).some((part) => /^0+$/.test(part))) {
    issues.warn(
      'UNITY_UNSUPPORTED',
      `${name}/m_Mask`,
      'body parts of humanoids are left out; only transforms are masked',
    );
  }
  const weights = new Map<string, number>();
  for (const element of fields.maps('m_Elements')) {
    const path = element.text('m_Path');
    const weight = element.number('m_Weight', 1);
    if (weight < 0 || weight > 1) issues.warn('UNITY_INVALID', `${element.path}/m_Weight`, `${weight} is not in 0 … 1`);
    // the object that carries the animator comes first in every mask; no joint stands for it
    if (path !== '') weights.set(path, Math.min(1, Math.max(0, weight)));
  }
  const isEmpty = fields.list('m_Elements').length === 0;
  return { name, mask: isEmpty ? undefined : Object.fromEntries(weights) };
}
