import { expect, test } from 'vitest';
import { error, type Issue, warning } from '../errors.ts';
import { groupIssues } from './issue-groups.ts';

const note = (path: string, message: string): Issue => ({
  ...warning('UNITY_UNSUPPORTED', path, message),
  severity: 'info',
});

test('issues are grouped by kind: what refuses a file first, then what changes the result, then notes', () => {
  const issues = [
    note('A', '1 behaviour scripts are left out.'),
    warning('UNITY_DANGLING', 'B', 'The mask is not there.', 'Name it.'),
    note('C', '12 behaviour scripts are left out.'),
    error('UNITY_INVALID', 'D', 'There is no mode 7.'),
    warning('UNITY_DANGLING', 'E', 'The mask is not there.', 'Name it.'),
    warning('UNITY_DANGLING', 'F', 'The mask is not there.'),
    warning('UNITY_UNSUPPORTED', 'G', 'Foot IK is left out.'),
  ];
  const groups = groupIssues(issues);
  expect(groups.map(({ severity, places }) => [severity, places.map(({ path }) => path).join()])).toEqual([
    ['error', 'D'],
    ['warning', 'B,E'],
    ['warning', 'F'],
    ['warning', 'G'],
    ['info', 'A,C'],
  ]);
  expect(groups[1]).toEqual({
    code: 'UNITY_DANGLING',
    severity: 'warning',
    message: 'The mask is not there.',
    suggestion: 'Name it.',
    places: [
      { path: 'B', values: [] },
      { path: 'E', values: [] },
    ],
  });
});

test('a sentence keeps what its issues share, and the places keep the rest', () => {
  const guid = (letter: string) => `${letter.repeat(32)}:31900000`;
  const issues = [
    ['Hat', 'a', 2],
    ['Coat', 'b', 2],
  ].map(([name, letter, count]) =>
    warning('UNITY_DANGLING', 'x', `"${name}" of ${guid(letter as string)} and &-12 moves ${count} of -1.5e-7 joints.`),
  );
  const [group, ...more] = groupIssues(issues);
  expect(more).toEqual([]);
  expect(group!.message).toBe('… of … and &-12 moves 2 of -1.5e-7 joints.');
  expect(group!.places.map(({ values }) => values)).toEqual([
    ['"Hat"', guid('a')],
    ['"Coat"', guid('b')],
  ]);
});

test('text that only looks like a pattern stays as it is', () => {
  const message = 'KHR_texture_transform of "a" is ignored: 50 % of …';
  expect(groupIssues([warning('GLTF_EXTENSION_IGNORED', '', message)])).toEqual([
    { code: 'GLTF_EXTENSION_IGNORED', severity: 'warning', message, places: [{ path: '', values: [] }] },
  ]);
});

test('many issues are grouped in bounded time', () => {
  const issues = Array.from({ length: 20_000 }, (_, i) => warning('UNITY_DANGLING', `${i}`, `&${i} is not there.`));
  const start = performance.now();
  expect(groupIssues(issues)[0]!.places).toHaveLength(20_000);
  expect(performance.now() - start).toBeLessThan(2000);
});
