import type { Character } from '../character/character.ts';
import type { GroundField } from '../frame/backend.ts';
import type { CrowdView } from '../frame/tables/crowd-view.ts';
import type { ColumnPlan } from '../frame/tables/named-columns.ts';
import type { Origin } from './placement.ts';

/** Types of fields, and their values; `state/change-codec.ts` has their bytes. */
export interface FieldValues {
  count: number;
  /** Row of a living character. */
  row: number;
  /** Index of an attachment that has not ended. */
  attachment: number;
  word: number;
  twoWords: readonly [number, number];
  flag: boolean;
  float: number;
  origin: Origin;
  /** Three rows of four floats. */
  matrix: ArrayLike<number>;
  ground: GroundField | undefined;
  character: Character;
  column: ColumnPlan;
}

/** One kind of change: its code in logs, and its fields in the order of their bytes. */
export interface ChangeRow {
  readonly code: number;
  readonly fields: Readonly<Record<string, keyof FieldValues>>;
  /** Changes of columns before it go into a record of their own. */
  readonly closesRecord?: boolean;
  /** Columns that the change itself rewrites, on replay as well: those of its `row`, the transforms, or all. */
  readonly rewrites?: 'row' | 'transforms' | 'columns';
}

/** All changes of a crowd, apart from values in columns and commands to controllers. Logs keep their codes for ever. */
export const CHANGES = {
  spawn: { code: 1, fields: { type: 'count', row: 'count' } },
  despawn: { code: 2, fields: { row: 'row' }, rewrites: 'row' },
  hideParts: { code: 3, fields: { row: 'row', parts: 'twoWords' } },
  showParts: { code: 4, fields: { row: 'row', parts: 'twoWords' } },
  timeScale: { code: 5, fields: { scale: 'float' } },
  grow: { code: 6, fields: { capacity: 'count' }, closesRecord: true, rewrites: 'columns' },
  addCharacter: { code: 7, fields: { character: 'character' }, closesRecord: true, rewrites: 'columns' },
  removeCharacter: { code: 8, fields: { type: 'count' }, closesRecord: true, rewrites: 'columns' },
  poseSource: { code: 9, fields: { row: 'row', source: 'row' } },
  resetHistory: { code: 10, fields: { row: 'row' } },
  tint: { code: 11, fields: { row: 'row', tint: 'word' } },
  ground: { code: 12, fields: { ground: 'ground' } },
  followGround: { code: 13, fields: { row: 'row', follows: 'flag' } },
  origin: { code: 14, fields: { to: 'origin' }, closesRecord: true, rewrites: 'transforms' },
  attach: { code: 15, fields: { row: 'row', jointRow: 'count', hides: 'flag', jointFromLocal: 'matrix' } },
  attachmentOffset: { code: 16, fields: { index: 'attachment', jointFromLocal: 'matrix' } },
  detach: { code: 17, fields: { index: 'attachment' } },
  addColumn: { code: 18, fields: { plan: 'column' }, closesRecord: true, rewrites: 'columns' },
  hidden: { code: 19, fields: { row: 'row', hidden: 'flag' } },
} as const satisfies Readonly<Record<string, ChangeRow>>;

export type ChangeKind = keyof typeof CHANGES;

type ValuesOf<F> = { readonly [K in keyof F]: F[K] extends keyof FieldValues ? FieldValues[F[K]] : never };

export type ChangeFields = { readonly [K in ChangeKind]: ValuesOf<(typeof CHANGES)[K]['fields']> };

/** A change with its fields. */
export type Change = { [K in ChangeKind]: { readonly kind: K; readonly fields: ChangeFields[K] } }[ChangeKind];

/** Views of a frame: 'all' shows every character, 'none' shows none. */
export type FrameViews = readonly CrowdView[] | 'all' | 'none';

/** Follows all changes of a crowd. */
export interface ChangeWatcher {
  /** A change is about to happen; it may still fail. */
  before?(kind: ChangeKind): void;
  /** A change has happened. */
  after?(change: Change): void;
  /** Rows from … to − 1 of a column have been written. */
  columnChanged?(column: number, from: number, to: number): void;
  /** A frame begins; later changes belong to the next one. */
  frame?(dt: number, views: FrameViews): void;
  /** All encoded frames have been submitted. */
  submitted?(): void;
  /** A snapshot of the present state begins. Returns a function to call with it. */
  saving?(): (snapshot: object) => void;
}
