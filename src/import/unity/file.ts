import type { IssueList } from '../model-builder/issue-list.ts';
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

/** Class of avatar masks before 319. */
const OLD_MASK = 1011;

/** Fields that all Unity versions write near the end of an object. Without them the file was cut off. */
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

/** A Unity text file during an import. */
export interface UnityFile {
  readonly documents: ReadonlyMap<string, UnityDocument>;
  readonly issues: IssueList;
  /** Returns true if the reference leads to an object of this class in this file. */
  is(reference: UnityReference, classId: number): boolean;
  /**
   * Its fields; says so, once per object, if they are not whole.
   *
   * @param path Name of the object in issues.
   * @param issues List that receives them; default: the file's.
   */
  fields(fileID: string, path: string, issues?: IssueList): Fields;
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
  const listed = new Set<string>();
  return {
    documents,
    issues,
    is: ({ fileID, guid }, classId) => guid === undefined && classOf(documents.get(fileID)) === classId,
    fields(fileID, path, list = issues) {
      const document = documents.get(fileID)!;
      const { stripped, value } = document;
      const fields = fieldsOf(value, path, list);
      const missing = (ALWAYS[classOf(document)!] ?? []).filter((key) => !fields.has(key));
      if (missing.length > 0 && !listed.has(fileID)) {
        listed.add(fileID);
        const why = stripped ? 'it is stripped' : 'the file may have been cut off';
        list.warn('UNITY_INVALID', path, `&${fileID} lacks ${missing.join(' and ')}; ${why}`);
      }
      return fields;
    },
  };
}

/** The class of an object, by its number today: up to Unity 2017, avatar masks had another. */
function classOf(document: UnityDocument | undefined): number | undefined {
  return document?.classId === OLD_MASK ? UNITY_CLASS.mask : document?.classId;
}

/** The fileID of the object of this class that the file is about: its first. */
export function mainObject({ documents }: UnityFile, classId: number, what: string): string {
  for (const [fileID, document] of documents) if (classOf(document) === classId) return fileID;
  return refuseText('', `the file holds no ${what} (class ${classId})`);
}
