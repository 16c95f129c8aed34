import { bindings, reads, struct, uniform, writes } from '../layout/index.ts';

/** What providers know of the frame. */
export const ProviderFrame = struct('ProviderFrame', {
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

/** What kernels read of providers: rows as `ProviderLayout` has them, in words: masks and frames would not survive as floats. */
const providerEntries = { providerFrame: uniform(ProviderFrame), providerRows: reads('vec4u') };
/** Group 2 of skin-vertices with providers. */
export const providerBindings = bindings(2, providerEntries);
/** Group 1 of keep-palettes with providers. */
export const keptProviderBindings = bindings(1, providerEntries);
/** Group 1 of update-characters. */
export const updateProviderBindings = bindings(1, { ...providerEntries, providerRows: writes('vec4u') });

/** Where a provider is called: which vertex of whom, and when. */
export const VertexSite = struct('VertexSite', {
  /** Index into the crowd's columns: the character's own number. */
  character: 'u32',
  /** Of the character type: what the vertex loader counts. */
  vertex: 'u32',
  /** For `openVertices`. */
  geometryRow: 'u32',
  /** A bit per view that sees the character; all of them for one that is posed for its followers alone. */
  views: 'u32',
  time: 'f32',
  frame: 'u32',
});
