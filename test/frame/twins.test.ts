import { expect, test } from 'vitest';
import { createCpuBackend } from '../../src/frame/cpu-backend.ts';
import type * as twins from '../../src/frame/twins.ts';
import { coded } from '../support/crowd-truth.ts';

test('twins are asked for until they are loaded', async () => {
  // a module of its own: the other one's twins have been loaded for all tests
  const fresh = '../../src/frame/twins.ts?fresh';
  const { loadedTwins, loadTwins } = (await import(/* @vite-ignore */ fresh)) as typeof twins;
  expect(loadedTwins).toThrow(coded('RUNTIME_NOT_LOADED'));
  expect(loadedTwins).toThrow('await loadTwins() first.');
  await Promise.all([loadTwins(), loadTwins()]);
  expect(loadedTwins().createCpuBackend).toBe(createCpuBackend);
});
