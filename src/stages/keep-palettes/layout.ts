import { bindings, reads, struct, uniform, writes } from '../../layout/index.ts';
import { RANGE_CAPACITY, VisibleCharacter } from '../layout.ts';

/** Consecutive workgroups that keep the palettes of consecutive visible characters of one type, one each. */
export const KeepRange = /* @__PURE__ */ struct('KeepRange', {
  firstGroup: 'u32',
  /** Rows of a palette. Of types with providers, more rows precede them. */
  rowCount: 'u32',
  firstVisible: 'u32',
  visibleCount: 'u32',
});

export const KeepRanges = /* @__PURE__ */ struct('KeepRanges', {
  rangeCount: 'u32',
  groupCount: 'u32',
  pad0: 'u32',
  pad1: 'u32',
  ranges: [KeepRange, RANGE_CAPACITY],
});

export const keepPalettesBindings = /* @__PURE__ */ bindings(0, {
  dispatch: uniform(KeepRanges),
  visible: reads(VisibleCharacter),
  palettes: reads('vec4f'),
  /** A page's slots: a row of a palette takes a vertex's place. */
  kept: writes('vec4u'),
});
