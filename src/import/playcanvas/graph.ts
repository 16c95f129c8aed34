/**
 * An anim state graph as PlayCanvas reads it, in one form for both of its JSON forms. Defaults are filled in, and
 * references are by name. Every part has the JSON pointer of its place.
 */
export interface Graph {
  /** By name. */
  readonly parameters: ReadonlyMap<string, GraphParameter>;
  readonly layers: readonly GraphLayer[];
}

export interface GraphParameter {
  readonly path: string;
  readonly type: 'INTEGER' | 'FLOAT' | 'BOOLEAN' | 'TRIGGER';
  readonly value: number | boolean;
}

export interface GraphLayer {
  readonly path: string;
  readonly name: string;
  readonly isAdditive: boolean;
  /** 0 to 1. */
  readonly weight: number;
  /** By slash path; whether the bones below count as well. */
  readonly mask: ReadonlyMap<string, boolean> | undefined;
  /** Those that play something, by name: not START, END and ANY. */
  readonly states: ReadonlyMap<string, GraphState>;
  /** In file order. */
  readonly transitions: readonly GraphTransition[];
}

export interface GraphState {
  readonly path: string;
  readonly name: string;
  readonly speed: number;
  readonly loops: boolean;
  readonly isDefault: boolean;
  readonly tree: GraphTree | undefined;
}

export interface GraphTree {
  readonly path: string;
  readonly name: string;
  readonly type: '1D' | '2D_DIRECTIONAL' | '2D_CARTESIAN' | 'DIRECT';
  readonly parameters: readonly string[];
  /** True if the speeds of its clips are matched. */
  readonly isSynced: boolean;
  readonly children: readonly GraphChild[];
}

export interface GraphChild {
  readonly path: string;
  readonly name: string;
  /** One number for 1D, two for 2D, none for DIRECT. */
  readonly point: readonly number[];
  readonly speed: number;
  readonly tree: GraphTree | undefined;
}

export interface GraphTransition {
  readonly path: string;
  /** The name of a state, START or ANY. */
  readonly from: string;
  /** The name of a state, START or END. */
  readonly to: string;
  readonly seconds: number;
  readonly priority: number;
  /** As it is written; 0 means none. */
  readonly exitTime: number | undefined;
  /** As it is written; it counts only between 0 and 1. */
  readonly offset: number | undefined;
  readonly interruption: GraphInterruption;
  readonly conditions: readonly GraphCondition[];
}

export type GraphInterruption = (typeof INTERRUPTIONS)[number];
export const INTERRUPTIONS = [
  'NONE',
  'PREV_STATE',
  'NEXT_STATE',
  'PREV_STATE_NEXT_STATE',
  'NEXT_STATE_PREV_STATE',
] as const;

export interface GraphCondition {
  readonly parameter: string;
  readonly predicate: GraphPredicate;
  readonly value: number | boolean;
}

export type GraphPredicate = (typeof PREDICATES)[number];
export const PREDICATES = [
  'GREATER_THAN',
  'LESS_THAN',
  'GREATER_THAN_EQUAL_TO',
  'LESS_THAN_EQUAL_TO',
  'EQUAL_TO',
  'NOT_EQUAL_TO',
] as const;

/** Names that are not states: where a layer begins, what leads back there, and the source that every state has. */
export const START = 'START';
export const END = 'END';
export const ANY = 'ANY';
export const CONTROL_STATES: readonly string[] = [START, END, ANY];

/** The longest name, and the most of everything, that a graph may have. */
export const GRAPH_LIMITS = {
  bytes: 16 * 2 ** 20,
  depth: 64,
  name: 256,
  parameters: 1024,
  layers: 32,
  states: 4096,
  transitions: 65_536,
  conditions: 64,
  maskPaths: 4096,
  children: 16,
  treeDepth: 4,
} as const;
