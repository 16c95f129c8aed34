import { bindings, reads, struct, uniform, writes } from '../layout/index.ts';

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
