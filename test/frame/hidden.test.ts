// Characters that are hidden, on the CPU backend.
import { describe, test } from 'vitest';
import { HIDDEN_CASES } from '../support/hidden-cases.ts';

describe('hidden characters', () => {
  test.each(Object.entries(HIDDEN_CASES))('%s', (_, run) => run(undefined));
});
