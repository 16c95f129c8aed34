// Ground and origin, on the CPU backend.
import { describe, test } from 'vitest';
import { PLACE_CASES } from '../support/place-cases.ts';

describe('places', () => {
  test.each(Object.entries(PLACE_CASES))('%s', (_, run) => run(undefined));
});
