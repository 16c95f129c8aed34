/**
 * Contact points: vertices that show where a character's body is, and how low, in any pose. Each is a word for
 * `contact-points.wesl`: a vertex of the mesh in the low bits, and its part from CONTACT_PART_SHIFT on. First are
 * BODY_POINTS around the axis of the body at rest, one for each part of its height. Then follow FOOT_POINTS of the
 * lowest vertices, in all directions. The first two, or four, of either kind are far apart, and give nearly the same
 * result.
 */
export const BODY_POINTS = 8;
export const FOOT_POINTS = 8;
export const CONTACT_PART_SHIFT = 26;
/** Pixels across below which a shade uses the first two shown points of either kind, and the first four. */
export const TWO_POINT_PIXELS = 4;
export const FOUR_POINT_PIXELS = 12;
