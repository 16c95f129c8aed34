/** 2³² − 1, in place of an index: nothing is attached there. */
export const NOT_ATTACHED = 0xffffffff;
