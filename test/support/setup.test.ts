import { expect, test } from 'vitest';

test('typed arrays are equal where their kind, their length and their numbers are', () => {
  const numbers = Uint32Array.of(1, 2, 3);
  expect(numbers).toEqual(Uint32Array.of(0, 1, 2, 3).subarray(1));
  expect(Float32Array.of(NaN)).toEqual(Float32Array.of(NaN));
  for (const other of [Uint32Array.of(1, 2, 4), Uint32Array.of(1, 2), Int32Array.of(1, 2, 3)]) {
    expect(numbers).not.toEqual(other);
    expect({ numbers }).not.toEqual({ numbers: other });
  }
});
