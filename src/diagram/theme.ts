/** Colours: dark text on light grounds, all pairs at 4.5 : 1 or more. */

export const INK = '#1b2430';
export const MUTED = '#566273';
export const WARN = '#a8322a';
export const PANEL = '#ffffff';
export const PANEL_EDGE = '#cfd6df';
export const CLUSTERS: readonly string[] = ['#f1f4f9', '#e6ebf3', '#dbe3ee'];
export const CLUSTER_EDGE = '#a9b5c5';
export const GRID = '#e3e8ee';
export const AXIS = '#8f9bab';

/** Fill, border and text of a box. */
export interface BoxColours {
  readonly fill: string;
  readonly edge: string;
  readonly ink: string;
  readonly muted: string;
}

export const STATE: BoxColours = { fill: '#ffffff', edge: '#7d8b9d', ink: INK, muted: MUTED };
export const DEFAULT_STATE: BoxColours = { fill: '#ffe9cc', edge: '#c8761b', ink: INK, muted: '#5f4f3b' };
export const ENTRY: BoxColours = { fill: '#2c7a4b', edge: '#2c7a4b', ink: '#ffffff', muted: '#e6f4ea' };
export const ANY: BoxColours = { fill: '#1a6d8c', edge: '#1a6d8c', ink: '#ffffff', muted: '#e2f1f7' };
export const EXIT: BoxColours = { fill: '#a8322a', edge: '#a8322a', ink: '#ffffff', muted: '#fbe7e5' };
export const MISSING: BoxColours = { fill: '#fdeceb', edge: WARN, ink: WARN, muted: WARN };

export const EDGES: Readonly<Record<'state' | 'entry' | 'any', string>> = {
  state: '#4b5769',
  entry: '#a85f10',
  any: '#1a6d8c',
};

/** Background colours of the names of parameter types. */
export const PARAMETER_COLOURS: Readonly<Record<'float' | 'int' | 'bool' | 'trigger', string>> = {
  float: '#2f6db5',
  int: '#6a4fb0',
  bool: '#2c7a4b',
  trigger: '#a8522a',
};

/** Mid-tones that stay apart from each other, for areas and lines. */
export const SERIES: readonly string[] = [
  '#4c86c6',
  '#e0913a',
  '#59a86a',
  '#c9605b',
  '#8b6fc0',
  '#4fb0b5',
  '#c97fb0',
  '#a08a4f',
  '#6f7f92',
  '#93b84a',
];
