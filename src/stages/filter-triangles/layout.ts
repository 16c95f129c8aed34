import { bindings, reads, struct, uniform, writes } from '../../layout/index.ts';
import { Resident, Transform, VisibleCharacter } from '../layout.ts';
import { BatchRange, TriangleViews } from '../triangles.ts';

/** Runs that one renderer can have: levels of all types on all pages, and kinds of scenery. */
export const RUN_LIMIT = 4096;

export const CountParams = struct('CountParams', {
  runCount: 'u32',
  pageCount: 'u32',
  /** Batches that lists have room for, at most BATCH_LIMIT: rows beyond are not drawn. */
  batchCapacity: 'u32',
  /** Workgroups in one dimension of a dispatch. */
  dimensionLimit: 'u32',
});

/** Where the GPU has written which rows a run has. */
export const RunPlan = struct('RunPlan', {
  /** Word of `targets`: first row, count. RECORD_NONE: they never change, and are these. */
  recordWord: 'u32',
  firstRow: 'u32',
  rowCount: 'u32',
  pad: 'u32',
});
export const RECORD_NONE = 0xffffffff;

/** Runs of a page, which share their vertex memory. */
export const PagePlan = struct('PagePlan', {
  firstRun: 'u32',
  runCount: 'u32',
  /** Word of `ranges` where its BatchRange stands. */
  rangeWord: 'u32',
  pad: 'u32',
});

/** Of a page's range: words behind a BatchRange where arguments of its dispatch stand. */
export const RANGE_ARGUMENTS_WORD = 4;
/** Words of a page's range and arguments: a uniform's offset. The last one in use holds, in the first page's, all batches that were asked for. */
export const RANGE_WORDS = 64;
export const RANGE_WANTED_WORD = 8;

/** Counts batches; one workgroup. */
export const countBindings = bindings(0, {
  params: uniform(CountParams),
  plans: reads(RunPlan),
  pages: reads(PagePlan),
  targets: reads('u32'),
  drawn: writes('vec4u'),
  ranges: writes('u32'),
});

export const InstanceParams = struct('InstanceParams', {
  /** Runs that may have rows of this list, and the first of those. */
  firstRun: 'u32',
  runCount: 'u32',
  rowCount: 'u32',
  /** Instance that the list's first row is. */
  firstInstance: 'u32',
  /** 1: rows are a crowd's characters. */
  isCrowd: 'u32',
  pad0: 'u32',
  pad1: 'u32',
  pad2: 'u32',
});

/** Places instances: a thread per row. */
export const instanceBindings = bindings(0, {
  params: uniform(InstanceParams),
  views: uniform(TriangleViews),
  visible: reads(VisibleCharacter),
  transforms: reads(Transform),
  previousTransforms: reads(Transform),
  residents: reads(Resident),
  drawn: writes('vec4u'),
});

export const filterBindings = bindings(0, {
  views: uniform(TriangleViews),
  range: uniform(BatchRange),
  /** Runs, primitives and instances. */
  drawn: reads('vec4u'),
  indices1: reads('u32'),
  skinned: reads('vec4u'),
  lists: writes('atomic<u32>'),
});

/** Per view: arguments of what rasterises its lists. */
export const RasterArguments = struct('RasterArguments', {
  groupsX: 'u32',
  groupsY: 'u32',
  groupsZ: 'u32',
  pad0: 'u32',
  vertexCount: 'u32',
  instanceCount: 'u32',
  firstVertex: 'u32',
  firstInstance: 'u32',
});

export const argumentBindings = bindings(0, {
  views: uniform(TriangleViews),
  lists: reads('u32'),
  targets: writes(RasterArguments),
});
