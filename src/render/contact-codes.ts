/**
 * Vertices that tell where the body of a character is, and how low, in whatever pose: words for `contact-points.wesl`, a vertex of
 * the mesh in the low bits and its part from CONTACT_PART_SHIFT on. First BODY_POINTS around the axis of the body at rest, one
 * for each part of its height, then FOOT_POINTS of what is lowest, in all directions. The first two, or four, of either kind are far
 * apart, and tell nearly the same.
 */
export const BODY_POINTS = 8;
export const FOOT_POINTS = 8;
export const CONTACT_PART_SHIFT = 26;
/** Pixels across below which a shade goes by the first two points of either kind that are shown, and by the first four. */
export const TWO_POINT_PIXELS = 4;
export const FOUR_POINT_PIXELS = 12;
