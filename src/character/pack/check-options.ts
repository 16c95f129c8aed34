import { fail, quoted } from '../../errors.ts';
import { expectController } from '../../controller/compile.ts';
import type { PackOptions } from './options.ts';

/**
 * Checks options that types forbid but JavaScript can pass. @throws ManipleError CROWD_BAD_ARGUMENT, CONTROLLER_INVALID
 */
export function checkPackOptions(options: PackOptions): void {
  const expect = (holds: boolean, name: string, value: unknown, expected: string): void => {
    if (!holds) fail('CROWD_BAD_ARGUMENT', name, `Got ${quoted(value)} for ${name}; expected ${expected}.`);
  };
  expect(typeof options === 'object' && options !== null && !Array.isArray(options), 'options', options, 'an object');
  const { errorBudget = 0, clips = [], maxClipWork = 0, controller, onProgress } = options;
  const isSize = (value: unknown): boolean => typeof value === 'number' && value >= 0;
  expect(isSize(errorBudget) && errorBudget < Infinity, 'errorBudget', errorBudget, 'metres, 0 or more');
  expect(isSize(maxClipWork), 'maxClipWork', maxClipWork, 'a number of 0 or more');
  expect(Array.isArray(clips) || typeof clips === 'function', 'clips', clips, 'a list or a function');
  expect(onProgress === undefined || typeof onProgress === 'function', 'onProgress', onProgress, 'a function');
  if (controller !== undefined) expectController(controller);
}
