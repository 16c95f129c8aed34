import { bindings, reads, struct, uniform, writes } from '../../../layout/index.ts';
import { Resident, Transform, VisibleCharacter } from '../../../stages/layout.ts';
import { ImpostorChoice } from '../../impostors/layout.ts';
import { BatchRange, TriangleViews } from '../triangles.ts';

/** Runs that one renderer can have: levels of all types on all pages, and kinds of scenery. */
export const RUN_LIMIT = 4096;

export const CountParams = /* @__PURE__ */ struct('CountParams', {
  runCount: 'u32',
  pageCount: 'u32',
  /** 1: only rows that selectInstances has ranked are drawn. */
  selects: 'u32',
  /** Workgroups in one dimension of a dispatch. */
  dimensionLimit: 'u32',
});

/** Where the GPU has written which rows a run has. */
export const RunPlan = /* @__PURE__ */ struct('RunPlan', {
  /** Word of `targets` where the DrawRecord begins. RECORD_NONE: rows never change, and are these. */
  recordWord: 'u32',
  firstRow: 'u32',
  rowCount: 'u32',
  pad: 'u32',
});
export const RECORD_NONE = 0xffffffff;

/** Runs of a page, which share their vertex memory. */
export const PagePlan = /* @__PURE__ */ struct('PagePlan', {
  firstRun: 'u32',
  runCount: 'u32',
  /** Word of `ranges` where its BatchRange begins. */
  rangeWord: 'u32',
  pad: 'u32',
});

/**
 * Words of a page's range where arguments begin: of its dispatch, of one that fills lists again, and of one that
 * counts.
 */
export const RANGE_ARGUMENTS_WORD = 8;
export const RANGE_AGAIN_WORD = 12;
export const RANGE_COUNT_WORD = 20;
/** Words of a page's range and arguments: a uniform's offset. One of the first page's holds the batches of all runs. */
export const RANGE_WORDS = 64;
export const RANGE_BATCHES_WORD = 16;

/** Counts batches, and says where lists begin; one workgroup. */
export const countBindings = /* @__PURE__ */ bindings(0, {
  params: uniform(CountParams),
  views: uniform(TriangleViews),
  plans: reads(RunPlan),
  pages: reads(PagePlan),
  targets: reads('u32'),
  drawn: writes('vec4u'),
  ranges: writes('u32'),
  /** By row of all lists, and one more: drawn rows before it, and RANK_DRAWN where it is drawn itself. */
  ranks: reads('u32'),
  lists: writes('u32'),
});
export const RANK_DRAWN = 0x80000000;

export const InstanceParams = /* @__PURE__ */ struct('InstanceParams', {
  /** Runs that may have rows of this list, and the first of those. */
  firstRun: 'u32',
  runCount: 'u32',
  rowCount: 'u32',
  /** Instance that the list's first row is. */
  firstInstance: 'u32',
  /** 1: rows are a crowd's characters. */
  isCrowd: 'u32',
  /** As in CountParams. */
  selects: 'u32',
  /** Rows of all lists. */
  instanceCount: 'u32',
  pad: 'u32',
});

/** Batches that an instance would take, and its key: see `keys.wesl`. */
export const InstanceCandidate = /* @__PURE__ */ struct('InstanceCandidate', {
  key: 'u32',
  id: 'u32',
  /** Batches, 24 bits, and above them the views that see it; 0: none does. */
  batchesAndViews: 'u32',
});
export const CANDIDATE_VIEW_SHIFT = 24;

/** Finds out which rows a view sees; a thread per row. */
export const sizeBindings = /* @__PURE__ */ bindings(0, {
  params: uniform(InstanceParams),
  views: uniform(TriangleViews),
  visible: reads(VisibleCharacter),
  transforms: reads(Transform),
  plans: reads(RunPlan),
  targets: reads('u32'),
  drawn: reads('vec4u'),
  candidates: writes(InstanceCandidate),
});

export const SelectParams = /* @__PURE__ */ struct('SelectParams', {
  /** Rows of all lists; the first ones are a crowd's characters. */
  instanceCount: 'u32',
  characterCount: 'u32',
  /** Batches that ids can distinguish, at most BATCH_LIMIT. */
  batchCapacity: 'u32',
  pad: 'u32',
});

/** Ranks rows that are drawn; one workgroup. */
export const selectBindings = /* @__PURE__ */ bindings(0, {
  params: uniform(SelectParams),
  candidates: reads(InstanceCandidate),
  ranks: writes('u32'),
  lists: writes('u32'),
});

/** An instance in a view: its key there, and triangles that it keeps. */
export const KeptInstance = /* @__PURE__ */ struct('KeptInstance', { key: 'u32', count: 'u32' });
/** A KeptInstance while triangles are counted. */
export const CountedInstance = /* @__PURE__ */ struct('CountedInstance', { key: 'u32', count: 'atomic<u32>' });

/** Places instances: a thread per row. */
export const instanceBindings = /* @__PURE__ */ bindings(0, {
  params: uniform(InstanceParams),
  views: uniform(TriangleViews),
  visible: reads(VisibleCharacter),
  transforms: reads(Transform),
  previousTransforms: reads(Transform),
  residents: reads(Resident),
  drawn: writes('vec4u'),
  ranks: reads('u32'),
  /** By instance and view; views go fastest. */
  kept: writes(KeptInstance),
  /** With impostors: by row of the crowd's list, those of shadow maps, and then those of the picture. */
  choices: reads(ImpostorChoice),
});

export const filterBindings = /* @__PURE__ */ bindings(0, {
  views: uniform(TriangleViews),
  range: uniform(BatchRange),
  /** Runs, primitives and instances. */
  drawn: reads('vec4u'),
  indices1: reads('u32'),
  skinned: reads('vec2u'),
  lists: writes('atomic<u32>'),
  /** As in instanceBindings. */
  kept: writes(CountedInstance),
});

export const DropParams = /* @__PURE__ */ struct('DropParams', {
  pageCount: 'u32',
  pad0: 'u32',
  pad1: 'u32',
  pad2: 'u32',
});

/** Says whether lists were long enough, and what becomes of them; one workgroup. */
export const planBindings = /* @__PURE__ */ bindings(0, {
  params: uniform(DropParams),
  views: uniform(TriangleViews),
  pages: reads(PagePlan),
  lists: writes('u32'),
  ranges: writes('u32'),
});

/** Drops instances where lists together cannot hold all; one workgroup. */
export const dropBindings = /* @__PURE__ */ bindings(0, {
  params: uniform(DropParams),
  views: uniform(TriangleViews),
  pages: reads(PagePlan),
  drawn: writes('vec4u'),
  kept: reads(KeptInstance),
  lists: writes('u32'),
  ranges: writes('u32'),
});

/** Per view: arguments of what rasterises its lists: of the dispatches for small and large triangles, and of the draw. */
export const RasterArguments = /* @__PURE__ */ struct('RasterArguments', {
  groupsX: 'u32',
  groupsY: 'u32',
  groupsZ: 'u32',
  pad0: 'u32',
  largeGroupsX: 'u32',
  largeGroupsY: 'u32',
  largeGroupsZ: 'u32',
  pad1: 'u32',
  vertexCount: 'u32',
  instanceCount: 'u32',
  firstVertex: 'u32',
  firstInstance: 'u32',
});

export const argumentBindings = /* @__PURE__ */ bindings(0, {
  views: uniform(TriangleViews),
  lists: reads('u32'),
  targets: writes(RasterArguments),
});
