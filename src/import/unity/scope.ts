import type { MotionModel, ParameterModel } from '../../controller/model.ts';
import { type IssueList, quote } from '../model-builder/issue-list.ts';
import { refuseSize, type ResolveMotion, UNITY_LIMITS } from './fields.ts';
import type { UnityFile } from './file.ts';
import type { UnityMask } from './mask.ts';

const COUNTED = { states: 'states', transitions: 'transitions', treeChildren: 'children of blend trees' } as const;

/** Shared state of the import of one controller. */
export class ControllerScope {
  readonly issues: IssueList;
  /** Types of the parameters that the file has. */
  readonly parameters: ReadonlyMap<string, ParameterModel['type']>;
  /** Names of clips in the controller's own file, by fileID; filled as motions name them. */
  readonly embedded = new Map<string, string>();
  /** Layers in which states have Write Defaults off; filled as layers are read. */
  readonly withoutDefaults: LayerWithoutDefaults[] = [];
  readonly #clipNames: UniqueNames;
  readonly #counts = { states: 0, transitions: 0, treeChildren: 0 };

  /** @param written Parameters of the controller, to which `addZero` adds some that conditions do not see. */
  constructor(
    readonly file: UnityFile,
    readonly written: Map<string, ParameterModel>,
    readonly resolveMotion: ResolveMotion | undefined,
    readonly resolveMask: ((guid: string, fileID: string) => UnityMask | undefined) | undefined,
    readonly ignoreMuteSolo: boolean,
  ) {
    this.issues = file.issues;
    this.parameters = new Map(Array.from(written, ([name, { type }]) => [name, type]));
    this.#clipNames = new UniqueNames('clip', false, file.issues);
  }

  /** Adds a parameter that stays 0. */
  addZero(name: string): void {
    this.written.set(name, { type: 'float' });
  }

  nameEmbedded(fileID: string, path: string): string {
    const given = () => this.file.fields(fileID, path).text('m_Name') || `&${fileID}`;
    const name = this.embedded.get(fileID) ?? this.#clipNames.add(given(), path);
    this.embedded.set(fileID, name);
    return name;
  }

  /** Counts the parts of the controller. Shared machines and trees make more of them than the file holds. */
  count(what: keyof typeof COUNTED, by: number): void {
    this.#counts[what] += by;
    const limit = UNITY_LIMITS[what];
    if (this.#counts[what] > limit) refuseSize('', `the controller has over ${limit} ${COUNTED[what]}`);
  }
}

/** A layer in which states have Write Defaults off. */
export interface LayerWithoutDefaults {
  readonly layer: string;
  /** States with Write Defaults off. */
  readonly off: number;
  /** Motions of all its states. */
  readonly motions: readonly (MotionModel | undefined)[];
}

/** A layer, and where its states and machines ended up, by fileID; the root machine has the path ''. */
export interface LayerScope {
  readonly scope: ControllerScope;
  /** In issues. */
  readonly layer: string;
  readonly states: ReadonlyMap<string, string>;
  readonly machines: ReadonlyMap<string, string>;
}

/** Name of a place in a layer, for issues. */
export function placeOf(layer: string, path: string): string {
  return path === '' ? layer : `${layer}/${path}`;
}

/** Gives every name once: `Idle`, `Idle 2` …; names are keys in a controller. */
export class UniqueNames {
  readonly #taken = new Set<string>();
  // where to go on counting: a thousand equal names would otherwise be half a million look-ups
  readonly #next = new Map<string, number>();

  /**
   * @param kind What is named, for warnings.
   * @param inPaths Whether names are joined by dots: then a dot inside one becomes `_`.
   */
  constructor(
    readonly kind: string,
    readonly inPaths: boolean,
    readonly issues: IssueList,
  ) {}

  add(name: string, path: string): string {
    let plain = name;
    if (this.inPaths && (name === '' || name.includes('.'))) {
      plain = name === '' ? '_' : name.replaceAll('.', '_');
      this.#note(path, `${this.kind} ${quote(name)} is called ${quote(plain)}: dots separate names`);
    }
    let unique = plain;
    for (let i = this.#next.get(plain) ?? 2; this.#taken.has(unique); i++) {
      unique = `${plain} ${i}`;
      this.#next.set(plain, i + 1);
    }
    if (unique !== plain) this.#note(path, `a second ${this.kind} ${quote(plain)} is called ${quote(unique)}`);
    this.#taken.add(unique);
    return unique;
  }

  #note(path: string, message: string): void {
    this.issues.info('UNITY_UNSUPPORTED', path, message);
  }
}
