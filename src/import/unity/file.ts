import type { IssueList } from '../gltf/issue-list.ts';
import { endsWhole, readUnityDocuments, type UnityDocument } from './documents.ts';
import { type Fields, fieldsOf, type UnityReference } from './fields.ts';
import { refuseText } from './value.ts';

/** Numbers of Unity's classes. */
export const UNITY_CLASS = {
  clip: 74,
  controller: 91,
  tree: 206,
  override: 221,
  mask: 319,
  transition: 1101,
  state: 1102,
  machine: 1107,
  entry: 1109,
} as const;

/** Fields that every version of Unity writes, near the end of what they stand in: without them something was cut off. */
const ALWAYS: Readonly<Record<number, readonly string[]>> = {
  74: ['m_AnimationClipSettings', 'm_Events'],
  91: ['m_AnimatorParameters', 'm_AnimatorLayers'],
  206: ['m_Childs', 'm_BlendType'],
  221: ['m_Clips'],
  319: ['m_Elements'],
  1101: ['m_Conditions', 'm_DstState'],
  1102: ['m_Transitions', 'm_Motion'],
  1107: ['m_ChildStates', 'm_DefaultState'],
  1109: ['m_Conditions', 'm_DstState'],
};

/** A text file of Unity, while something is imported out of it. */
export interface UnityFile {
  readonly documents: ReadonlyMap<string, UnityDocument>;
  readonly issues: IssueList;
  /** Whether the reference leads to an object of this class in this file. */
  is(reference: UnityReference, classId: number): boolean;
  /** Its fields; says so, once per object, if they are not whole. @param path What to call it in issues. */
  fields(fileID: string, path: string): Fields;
}

export function openUnityFile(text: string, issues: IssueList): UnityFile {
  const documents = readUnityDocuments(text);
  if (!endsWhole(text)) {
    issues.warn(
      'UNITY_INVALID',
      '',
      'the text ends inside a line; it may have been cut off',
      'Compare it with its source.',
    );
  }
  const told = new Set<string>();
  return {
    documents,
    issues,
    is: ({ fileID, guid }, classId) => guid === undefined && documents.get(fileID)?.classId === classId,
    fields(fileID, path) {
      const { classId, stripped, value } = documents.get(fileID)!;
      const fields = fieldsOf(value, path, issues);
      const missing = (ALWAYS[classId] ?? []).filter((key) => !fields.has(key));
      if (missing.length > 0 && !told.has(fileID)) {
        told.add(fileID);
        const why = stripped ? 'it is stripped' : 'the file may have been cut off';
        issues.warn('UNITY_INVALID', path, `&${fileID} lacks ${missing.join(' and ')}; ${why}`);
      }
      return fields;
    },
  };
}

/** The fileID of the object of this class that the file is about: its first. */
export function mainObject({ documents }: UnityFile, classId: number, what: string): string {
  for (const [fileID, document] of documents) if (document.classId === classId) return fileID;
  return refuseText('', `the file holds no ${what} (class ${classId})`);
}
