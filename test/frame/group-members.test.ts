// One vocabulary: what a group does is called as on its crowd, or there is a reason.
import { expect, test } from 'vitest';
import { Crowd } from '../../src/crowd/crowd.ts';
import { CharacterGroup } from '../../src/crowd/group.ts';

/** The same on both: for ids of the crowd, for indices of the group. */
const BOTH = [
  'attach',
  'column',
  'count',
  'crossFade',
  'despawn',
  'hide',
  'hideParts',
  'ids',
  'isAlive',
  'play',
  'playState',
  'resetTrigger',
  'setClips',
  'setProvider',
  'setTint',
  'setTransform',
  'show',
  'showParts',
  'teleport',
  'trigger',
] as const satisfies readonly (keyof Crowd & keyof CharacterGroup)[];

/** Another name on the group, because it does the same in another form. */
const OTHER_NAMES = {
  setParameter: 'parameter', // a column: `fill`, `set`, `get`, `values`
  setParameters: 'parameter',
  getParameter: 'parameter',
  setProviderCharacterRows: 'setProviderRows', // a callback fills the rows of each
} as const satisfies Partial<Record<keyof Crowd, keyof CharacterGroup>>;

/** Of indices, which a crowd does not have. */
const OF_GROUPS = ['id', 'indexOf', 'rows', 'size', 'spawned'] as const;

/** Calls that take `group.ids`: one call for all of them is enough. */
const OF_IDS = [
  'attachmentsOf',
  'clearModifiers',
  'followGround',
  'group',
  'isHidden',
  'lookAt',
  'modifyJoint',
  'readControllers',
  'readPose',
  'readSockets',
  'readTransforms',
  'readVertices',
  'row',
  'setMorph',
  'setPoseSource',
  'setSpeed',
] as const;

/** Of the crowd as a whole. */
const OF_CROWDS = [
  'addCharacter',
  'attachmentCount',
  'byteLength',
  'capacity',
  'destroy',
  'droppedEventCount',
  'encode',
  'frame',
  'grow',
  'moveOrigin',
  'on',
  'origin',
  'previousSocketMatrices',
  'providerViews',
  'readStats',
  'ready',
  'removeCharacter',
  'setBackend',
  'setGround',
  'setProviderResources',
  'setProviderRows',
  'setProviderViews',
  'socketMatrices',
  'spawn',
  'tier',
  'time',
  'timeScale',
  'timings',
  'update',
  'workDone',
] as const;

const namesOf = (prototype: object) =>
  Object.getOwnPropertyNames(prototype)
    .filter((name) => name !== 'constructor')
    .toSorted();

test('every member of a crowd is one of a group under the same name, or there is a reason', () => {
  const listed = [...BOTH, ...Object.keys(OTHER_NAMES), ...OF_IDS, ...OF_CROWDS];
  expect(namesOf(Crowd.prototype)).toEqual(listed.toSorted());
});

test('every member of a group is one of its crowd under the same name, or there is a reason', () => {
  const own = new Set(['spawned']); // a field, not of the prototype
  const listed = [...BOTH, ...new Set(Object.values(OTHER_NAMES)), ...OF_GROUPS].filter((name) => !own.has(name));
  expect(namesOf(CharacterGroup.prototype)).toEqual(listed.toSorted());
});
