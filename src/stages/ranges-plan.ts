/** A range of a dispatch: a run of the visible list. Whom it serves is known to the GPU only, in every frame anew. */
export interface PlannedRange {
  readonly bin: number;
  readonly charactersPerGroup: number;
  /** Workgroups that such a group of characters takes. */
  readonly groupsPerSet: number;
  /** Of its record in the ranges: firstGroup, a word that stays, firstVisible, visibleCount, and words that stay. */
  readonly byteOffset: number;
}

/** What one dispatch serves, but for the numbers that change from frame to frame. */
export interface RangesPlan {
  /** What the kernel binds as its ranges. */
  readonly ranges: ArrayBuffer;
  readonly bins: readonly PlannedRange[];
  /** Where the ranges say how many workgroups there are. */
  readonly groupCountByte: number;
}
