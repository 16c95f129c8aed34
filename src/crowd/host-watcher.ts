import type { Character } from '../asset/character.ts';
import type { GroundField } from '../frame/backend.ts';
import type { CrowdView } from '../frame/crowd-view.ts';
import type { CrowdType } from '../frame/types.ts';
import type { ColumnPlan } from './column-plan.ts';
import type { Origin } from './placement.ts';

/** Told of all that the host does to a crowd; what it writes to columns, they tell by `changed`. */
export interface HostWatcher {
  /** Rows from … to − 1 of a column have been written. */
  changed(column: number, from: number, to: number): void;
  settled(row: number, type: CrowdType): void;
  /** Somebody has gone, and the row is empty. */
  left(row: number): void;
  showed(row: number, parts: readonly [number, number], isFresh: boolean): void;
  tinted(row: number, tint: number): void;
  hid(row: number, hidden: boolean): void;
  followed(row: number, leader: number): void;
  forgotPast(row: number): void;
  followedGround(row: number, follows: boolean): void;
  setGround(ground: GroundField | undefined): void;
  /** What is known of places will be shifted; returns what to call when it is. */
  movingOrigin(): (to: Origin) => void;
  attached(attachment: HostAttachment): void;
  offset(index: number, jointFromLocal: ArrayLike<number>): void;
  detached(index: number): void;
  /** Columns will be others; returns what to call when they are. */
  reshaping(): (change: Reshaping) => void;
  /** A frame begins: nothing that comes now is part of it. */
  frame(dt: number, seenBy: SeenBy): void;
  /** What has come so far goes into a snapshot; returns what to call with it. */
  saving(): (snapshot: object) => void;
}

/** Something that a character will carry, at a row of its palette. */
export interface HostAttachment {
  readonly row: number;
  readonly socket: { readonly jointRow: number };
  /** Three rows of four. */
  readonly jointFromLocal: ArrayLike<number>;
  readonly hides: boolean;
}

/** How a crowd has changed beside its characters. */
export type Reshaping =
  | { readonly kind: 'grow'; readonly capacity: number }
  | { readonly kind: 'add'; readonly character: Character }
  | { readonly kind: 'remove'; readonly index: number }
  | { readonly kind: 'column'; readonly plan: ColumnPlan };

/** Who looks at a frame; 'all': everyone is seen, 'none': nobody. */
export type SeenBy = readonly CrowdView[] | 'all' | 'none';
