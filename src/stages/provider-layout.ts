import { bindings, reads, struct, uniform, writes } from '../layout/index.ts';
import type { VertexProvider } from './providers.ts';

/**
 * Layout of the memory of a crowd's providers, in rows of four words:
 *
 *     global rows      of each provider in the list's order, then two rows of view masks, a word per provider
 *     character rows   per character: one row of flags (enabled providers, first frame), then each provider's rows
 *     state            per character: for each provider with an update a row (frame, time) and its state rows
 *
 * The CPU writes the first two, update-characters writes the state.
 */
export interface ProviderLayout {
  /** First global row of each provider. */
  readonly globals: readonly number[];
  /** First row of the view masks; also the number of global rows. */
  readonly maskRow: number;
  /** Global rows and masks: what does not depend on the capacity. */
  readonly globalCount: number;
  /** First row of each provider among a character's rows. */
  readonly characters: readonly number[];
  readonly characterStride: number;
  /** Row (frame, time) of each provider's last update among a character's state rows; its state follows. */
  readonly states: readonly number[];
  readonly stateStride: number;
}

/** Rows of view masks: a word for each of eight providers. */
const MASK_ROWS = 2;

/** Sizes of a provider's memory, on which the layout depends. */
export type ProviderSizes = Pick<VertexProvider, 'rowCount' | 'characterRowCount' | 'stateRowCount'> & {
  readonly update?: object | undefined;
};

export function providerLayout(providers: readonly ProviderSizes[]): ProviderLayout {
  const sums = (first: number, count: (provider: ProviderSizes) => number) => {
    const starts = [first];
    for (const provider of providers) starts.push(starts.at(-1)! + count(provider));
    return starts;
  };
  const globals = sums(0, ({ rowCount = 0 }) => rowCount);
  const characters = sums(1, ({ characterRowCount = 0 }) => characterRowCount);
  const states = sums(0, ({ update, stateRowCount = 0 }) => (update ? 1 + stateRowCount : 0));
  const [maskRow, hasAny] = [globals.at(-1)!, providers.length > 0];
  return {
    globals,
    maskRow,
    globalCount: hasAny ? maskRow + MASK_ROWS : 0,
    characters,
    characterStride: hasAny ? characters.at(-1)! : 0,
    states,
    stateStride: states.at(-1)!,
  };
}

/** First character row, first state row and the end, for `capacity` characters. */
export function providerSections(
  { globalCount, characterStride, stateStride }: ProviderLayout,
  capacity: number,
): { readonly characterRow: number; readonly stateRow: number; readonly rowCount: number } {
  const stateRow = globalCount + capacity * characterStride;
  return { characterRow: globalCount, stateRow, rowCount: stateRow + capacity * stateStride };
}

/** Location of the state of characters for a capacity: the first byte, and bytes per character. */
export function stateBytes(layout: ProviderLayout, capacity: number): readonly [first: number, each: number] {
  return [16 * providerSections(layout, capacity).stateRow, 16 * layout.stateStride];
}

/**
 * First rows of a slot before its palette, where draws skin vertices with providers: (character, views, time, frame)
 * and (active providers). The global, character and state rows follow, as they were when the character was posed.
 */
export const KEPT_HEAD_ROWS = 2;

/** Rows before a kept palette. */
export function keptProviderRows({ globalCount, characterStride, stateStride }: ProviderLayout): number {
  return KEPT_HEAD_ROWS + globalCount + characterStride + stateStride;
}

/** Rows that a slot may take for providers: 16 KiB per character with both copies. */
export const KEPT_ROW_LIMIT = 512;

/** Data of the frame that providers read. */
export const ProviderFrame = /* @__PURE__ */ struct('ProviderFrame', {
  /** Seconds, modulo 4,096, so that half a millisecond still counts. */
  time: 'f32',
  frame: 'u32',
  /** Seconds that pass in this frame. */
  dt: 'f32',
  /** Where rows of characters and their state begin: `providerSections`. */
  characterRow: 'u32',
  stateRow: 'u32',
  pad0: 'u32',
  pad1: 'u32',
  pad2: 'u32',
});

/**
 * Provider memory that kernels read. Rows as in `ProviderLayout`, in words: masks and frames would not survive as
 * floats.
 */
const providerEntries = { providerFrame: uniform(ProviderFrame), providerRows: reads('vec4u') };
/** Group 2 of skin-vertices with providers. */
export const providerBindings = /* @__PURE__ */ bindings(2, providerEntries);
/** Group 1 of keep-palettes with providers. */
export const keptProviderBindings = /* @__PURE__ */ bindings(1, providerEntries);
/** Group 1 of update-characters. */
export const updateProviderBindings = /* @__PURE__ */ bindings(1, {
  ...providerEntries,
  providerRows: writes('vec4u'),
});

/** Place where a provider is called: the vertex, its character, and the time. */
export const VertexSite = /* @__PURE__ */ struct('VertexSite', {
  /** Index into the crowd's columns: the character's own number. */
  character: 'u32',
  /** Vertex of the character type, as the vertex loader counts. */
  vertex: 'u32',
  /** For `openVertices`. */
  geometryRow: 'u32',
  /** A bit per view that sees the character; all of them for one that is posed only for its followers. */
  views: 'u32',
  time: 'f32',
  frame: 'u32',
});
