import { IssueList } from '../model-builder/issue-list.ts';
import { readUnityDocuments, type UnityDocument } from './documents.ts';
import { Fields, refuseText, UNITY_LIMITS, type UnityReference } from './fields.ts';

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
export class UnityFile {
  readonly documents: ReadonlyMap<string, UnityDocument>;
  readonly issues = new IssueList(UNITY_LIMITS.issues);
  readonly #listed = new Set<string>();

  constructor(text: string) {
    this.documents = readUnityDocuments(text);
    // Unity's files end with a whole line
    if (text.endsWith('\n')) return;
    const message = 'the text ends inside a line; it may have been cut off';
    this.issues.warn('UNITY_INVALID', '', message, 'Compare it with its source.');
  }

  /** Returns true if the reference leads to an object of this class in this file. */
  is({ fileID, guid }: UnityReference, classId: number): boolean {
    return guid === undefined && classOf(this.documents.get(fileID)) === classId;
  }

  /**
   * The fields of an object; says so, once per object, if they are not whole.
   *
   * @param path Name of the object in issues.
   * @param issues List that receives them; default: the file's.
   */
  fields(fileID: string, path: string, issues: IssueList = this.issues): Fields {
    const document = this.documents.get(fileID)!;
    const fields = new Fields(document.value, path, issues);
    const missing = (ALWAYS[classOf(document)!] ?? []).filter((key) => !fields.has(key));
    if (missing.length > 0 && !this.#listed.has(fileID)) {
      this.#listed.add(fileID);
      const why = document.stripped ? 'it is stripped' : 'the file may have been cut off';
      fields.warn('UNITY_INVALID', `&${fileID} lacks ${missing.join(' and ')}; ${why}`);
    }
    return fields;
  }

  /** The fileID of the object of this class that the file is about: its first. */
  main(classId: number, what: string): string {
    for (const [fileID, document] of this.documents) if (classOf(document) === classId) return fileID;
    return refuseText('', `the file holds no ${what} (class ${classId})`);
  }
}

/** The class of an object, by its number today: up to Unity 2017, avatar masks had another. */
function classOf(document: UnityDocument | undefined): number | undefined {
  return document?.classId === OLD_MASK ? UNITY_CLASS.mask : document?.classId;
}
