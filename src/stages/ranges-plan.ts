/** A range of a dispatch: a run of the visible list. Only the GPU knows its characters, which change in every frame. */
export interface PlannedRange {
  readonly bin: number;
  readonly charactersPerGroup: number;
  /** Workgroups that such a group of characters takes. */
  readonly groupsPerSet: number;
  /**
   * Offset of its record in the ranges: firstGroup, a word that stays, firstVisible, visibleCount, and words that stay.
   */
  readonly byteOffset: number;
}

/** The ranges of one dispatch, without the numbers that change from frame to frame. */
export interface RangesPlan {
  /** The data that the kernel binds as its ranges. */
  readonly ranges: ArrayBuffer;
  readonly bins: readonly PlannedRange[];
  /** Offset of the number of workgroups in the ranges. */
  readonly groupCountByte: number;
}
