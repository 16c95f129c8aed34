/** Whether single precision holds a number as a finite one, as what kernels read has to be: 1e39 is infinite there. */
export function isFloat(value: number): boolean {
  return Number.isFinite(Math.fround(value));
}
