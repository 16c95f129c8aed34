import { bindings, reads, struct, uniform, writes } from '../../layout/index.ts';
import { RANGE_CAPACITY, VisibleCharacter } from '../layout.ts';

/** Consecutive workgroups that pose consecutive visible characters of one type. */
export const PoseRange = /* @__PURE__ */ struct('PoseRange', {
  firstGroup: 'u32',
  typeRow: 'u32',
  firstVisible: 'u32',
  visibleCount: 'u32',
  charactersPerGroup: 'u32',
  pad0: 'u32',
  pad1: 'u32',
  pad2: 'u32',
});

export const PoseRanges = /* @__PURE__ */ struct('PoseRanges', {
  rangeCount: 'u32',
  groupCount: 'u32',
  /** Motion records per character. */
  motionCapacity: 'u32',
  pad: 'u32',
  ranges: [PoseRange, RANGE_CAPACITY],
});

export const poseJointsBindings = /* @__PURE__ */ bindings(0, {
  dispatch: uniform(PoseRanges),
  visible: reads(VisibleCharacter),
  motions: reads('vec4u'),
  /** Palette rows: three per entry (modelFromMesh), then one per morph lane (three weights). */
  palettes: writes('vec4f'),
});
