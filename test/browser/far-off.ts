/** Share of pixels with a channel farther off than 2 codes of 255. Pixels have four bytes. */
export function farOff(one: readonly number[], other: readonly number[]): number {
  if (one.length !== other.length) return 1;
  let far = 0;
  for (let at = 0; at < one.length; at += 4) {
    if ([0, 1, 2].some((c) => Math.abs(one[at + c]! - other[at + c]!) > 2)) far++;
  }
  return far / (one.length / 4);
}
