// Vertex memory that does not suffice for all, on the CPU backend.
import { describe, test } from 'vitest';
import { someSeeds } from '../support/setup.ts';
import { checkChurn, checkHandOver, checkOverflow, checkRelease, checkTooSmall } from '../support/memory-cases.ts';

describe('vertex memory', () => {
  test('draws as many as it holds, and counts the others', () => checkOverflow(undefined));
  test('that holds not even one of a type is refused', () => checkTooSmall(undefined));
  test('of one type goes to another', () => checkHandOver(undefined));
  test('is released when no character is left', () => checkRelease(undefined));
  test.each(someSeeds(1, 30))('stays sound while characters come and go: seed %i', (seed) =>
    checkChurn(undefined, seed, 25),
  );
});
