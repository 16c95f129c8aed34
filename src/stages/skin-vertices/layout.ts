import { bindings, reads, struct, uniform, writes } from '../../layout/index.ts';
import { RANGE_CAPACITY, VisibleCharacter } from '../layout.ts';

/** Consecutive workgroups that skin one run of batches for consecutive visible characters of one type. */
export const SkinRange = /* @__PURE__ */ struct('SkinRange', {
  firstGroup: 'u32',
  geometryRow: 'u32',
  firstVisible: 'u32',
  visibleCount: 'u32',
  firstBatch: 'u32',
  batchCount: 'u32',
  /** Characters that share a workgroup's memory with their palettes. */
  charactersPerGroup: 'u32',
  /** Workgroups that cover all batches once. */
  groupsPerSet: 'u32',
});

export const SkinRanges = /* @__PURE__ */ struct('SkinRanges', {
  rangeCount: 'u32',
  groupCount: 'u32',
  pad0: 'u32',
  pad1: 'u32',
  ranges: [SkinRange, RANGE_CAPACITY],
});

export const skinVerticesBindings = /* @__PURE__ */ bindings(0, {
  dispatch: uniform(SkinRanges),
  visible: reads(VisibleCharacter),
  palettes: reads('vec4f'),
  /** A page: rows of positions (`packPosition`), and two words of attributes to a row (octahedral normal, tangent, channel). */
  skinned: writes('vec2u'),
});

/** Batches that a workgroup skins one after the other; twice as many if it skins two at once. */
export const BATCHES_PER_GROUP = 8;
/** Characters that one workgroup can serve. */
export const CHARACTERS_PER_GROUP = 4;
/** Palette entries that fit into workgroup memory at default limits (16 KiB minus the slots). */
export const PALETTE_IN_WORKGROUP = 336;
