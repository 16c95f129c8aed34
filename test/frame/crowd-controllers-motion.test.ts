// Root motion and what the host does to joints, on the CPU backend.
import { describe, test } from 'vitest';
import { checkJoints, checkLook, checkMany } from '../support/modifier-cases.ts';
import { checkReported, checkRoot } from '../support/root-cases.ts';

describe('characters on the CPU', () => {
  test('are carried along by root motion', () => checkRoot(undefined));
  test('get the distance that it would have moved them', () => checkReported(undefined));
  test('have joints set and turned', () => checkJoints(undefined));
  test('have all joints set, and morph weights, as far as there are places', () => checkMany(undefined));
  test('look at places', () => checkLook(undefined));
});
