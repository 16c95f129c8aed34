import { bindings, reads, struct, uniform, writes } from '../../layout/index.ts';
import { Transform, VisibleCharacter } from '../layout.ts';

/** Views that one crowd can have: a bit each. */
export const VIEW_LIMIT = 32;
/** Planes of a view: unit normals that point inward, and the distance from the origin. */
export const VIEW_PLANES = 6;
/** Runs of the visible list: a thread each in a workgroup of GROUP_HOMES. */
export const BIN_LIMIT = 256;
/** Homes that one workgroup looks at. */
export const GROUP_HOMES = 256;

export const CullParams = struct('CullParams', {
  homeCount: 'u32',
  binCount: 'u32',
  viewCount: 'u32',
  /** Rows of a motion list. */
  motionRows: 'u32',
  planes: ['vec4f', VIEW_LIMIT * VIEW_PLANES],
});

/** What characters of a bin have in common. */
export const CullBin = struct('CullBin', {
  /** Sphere that no pose leaves, in model space; a radius below 0: there is none, and they are always seen. */
  center: 'vec3f',
  radius: 'f32',
});

/** Where a bin's characters stand in the visible list; of the last one and one, where all of them end, and their count. */
export const BinRange = struct('BinRange', { first: 'u32', count: 'u32' });

export const cullCharactersBindings = bindings(0, {
  params: uniform(CullParams),
  /** A row per living character, in any order; `motionRow` and vertex offsets mean nothing yet. */
  homes: reads(VisibleCharacter),
  transforms: reads(Transform),
  bins: reads(CullBin),
  /** Per home, a bit per view that sees it. */
  masks: writes('u32'),
  /** Per bin and workgroup how many are seen, then where they begin in their bin. */
  counts: writes('u32'),
  ranges: writes(BinRange),
  visible: writes(VisibleCharacter),
});

/** Workgroups that so many homes take. */
export function cullGroups(homeCount: number): number {
  return Math.ceil(homeCount / GROUP_HOMES);
}

/** Room for one dispatch: who it serves stands in ranges, how many workgroups it takes in its arguments. */
export const DispatchPlan = struct('DispatchPlan', {
  firstRange: 'u32',
  rangeCount: 'u32',
  /** Word of `targets` that says how many workgroups there are. */
  groupCountWord: 'u32',
  /** Word of `targets` from which on the arguments of an indirect dispatch stand: x, y, z. */
  argumentsWord: 'u32',
});

/** A range of a dispatch: the characters of one bin. */
export const RangePlan = struct('RangePlan', {
  bin: 'u32',
  charactersPerGroup: 'u32',
  /** Workgroups that such a group of characters takes. */
  groupsPerSet: 'u32',
  /** Word of `targets` where its record begins: firstGroup, a word that stays, firstVisible, visibleCount. */
  targetWord: 'u32',
});

export const PlaceParams = struct('PlaceParams', {
  dispatchCount: 'u32',
  /** Workgroups in one dimension of a dispatch. */
  dimensionLimit: 'u32',
  pad0: 'u32',
  pad1: 'u32',
});

export const placeRangesBindings = bindings(0, {
  params: uniform(PlaceParams),
  dispatches: reads(DispatchPlan),
  plans: reads(RangePlan),
  bins: reads(BinRange),
  targets: writes('u32'),
});
