import type { MotionModel, ParameterModel } from '../../controller/model.ts';
import type { IssueList } from '../model-builder/issue-list.ts';
import type { UnityFile } from './file.ts';
import type { ResolveMotion } from './references.ts';
import { refuseSize, UNITY_LIMITS } from './value.ts';

/** Shared state of the import of one controller. */
export interface ControllerScope {
  readonly file: UnityFile;
  readonly issues: IssueList;
  readonly parameters: ReadonlyMap<string, ParameterModel['type']>;
  /** Adds a parameter that stays 0 to the controller; conditions do not see it. */
  addZero(name: string): void;
  readonly resolveMotion: ResolveMotion | undefined;
  readonly ignoreMuteSolo: boolean;
  /** Names of clips in the controller's own file, by fileID; filled as motions name them. */
  nameEmbedded(fileID: string, path: string): string;
  /** Layers in which states have Write Defaults off; filled as layers are read. */
  readonly withoutDefaults: LayerWithoutDefaults[];
  /** Counts the parts of the controller. Shared machines and trees make more of them than the file holds. */
  count(what: 'states' | 'transitions' | 'treeChildren', by: number): void;
}

/** A layer in which states have Write Defaults off. */
export interface LayerWithoutDefaults {
  readonly layer: string;
  /** States with Write Defaults off. */
  readonly off: number;
  /** Motions of all its states. */
  readonly motions: readonly (MotionModel | undefined)[];
}

/** Where the states and machines of one layer ended up, by fileID; the root machine has the path ''. */
export interface LayerPlaces {
  /** In issues. */
  readonly layer: string;
  readonly states: ReadonlyMap<string, string>;
  readonly machines: ReadonlyMap<string, string>;
}

/** Name of a place in a layer, for issues. */
export function placeOf(layer: string, path: string): string {
  return path === '' ? layer : `${layer}/${path}`;
}

export function counter(): ControllerScope['count'] {
  const counts = { states: 0, transitions: 0, treeChildren: 0 };
  return (what, by) => {
    counts[what] += by;
    if (counts[what] > UNITY_LIMITS[what]) {
      refuseSize('', `the controller has over ${UNITY_LIMITS[what]} ${NAMES[what]}`);
    }
  };
}

const NAMES = { states: 'states', transitions: 'transitions', treeChildren: 'children of blend trees' } as const;
