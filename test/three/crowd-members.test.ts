// One vocabulary: a ManipleCrowd has the members of its crowd, or there is a reason.
import { expect, test } from 'vitest';
import type { Crowd } from '../../src/index.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { CROWD_MEMBERS, delegateMembers } from '../../src/three/crowd-members.ts';
import { ManipleCrowd } from '../../src/three/index.ts';
import { smallActor } from '../support/crowd-truth.ts';

/** Public members of `Crowd` that are not handed on; the compiler compares the list. */
const REASONS: Record<Exclude<keyof Crowd, (typeof CROWD_MEMBERS)[number]>, string> = {
  update: 'takes cameras of three.js instead of views',
  encode: 'frames are submitted by update; three.js draws by encoders of its own',
  destroy: 'is dispose, as everywhere in three.js',
  setBackend: 'three.js draws from the memory of a GPU only',
  attach: 'is Object3D.attach; socket gives an attachment with an object, attachMesh draws many',
  ready: 'waits for the images of materials as well',
  lookAt: 'is Object3D.lookAt; core.lookAt turns joints',
  tier: 'is the level of a device; the renderer of three.js may have none',
};

/** Names that a crowd has at run time: its own and those of what it extends. */
function namesOf(object: object): Set<string> {
  const names = new Set<string>();
  for (let at = object; at !== Object.prototype; at = Object.getPrototypeOf(at) as object) {
    for (const name of Object.getOwnPropertyNames(at)) names.add(name);
  }
  return names;
}

test('every member of a crowd is handed on, or there is a reason why not', () => {
  const crowd = createCrowd(undefined, { characters: [smallActor().character], capacity: 1, backend: 'cpu' });
  const names = namesOf(crowd);
  for (const name of [...CROWD_MEMBERS, ...Object.keys(REASONS)]) expect(names, name).toContain(name);
  expect(new Set(CROWD_MEMBERS).size).toBe(CROWD_MEMBERS.length);
  // what three.js has by the same name is left alone
  const threes = namesOf(Object.getPrototypeOf(ManipleCrowd.prototype) as object);
  for (const name of CROWD_MEMBERS) {
    expect(threes, name).not.toContain(name);
    expect(Object.hasOwn(ManipleCrowd.prototype, name), name).toBe(true);
  }
  crowd.destroy();
});

test('members are those of the crowd: methods, what is read, what is set', () => {
  class Adapter {
    constructor(readonly core: Crowd) {}
  }
  delegateMembers(Adapter.prototype);
  const { character } = smallActor();
  const core = createCrowd(undefined, { characters: [character], capacity: 4, backend: 'cpu' });
  const adapter = new Adapter(core) as Adapter & Pick<Crowd, (typeof CROWD_MEMBERS)[number]>;
  const { spawn } = adapter; // bound to its crowd
  const group = spawn(character, { count: 2 });
  adapter.despawn(group.id(0));
  expect([adapter.count, adapter.capacity, adapter.ids]).toEqual([1, 4, [group.id(1)]]);
  adapter.timeScale = 0.5;
  expect(core.timeScale).toBe(0.5);
  expect(() => (adapter.timeScale = NaN)).toThrow('CROWD_BAD_ARGUMENT');
  expect(() => Object.assign(adapter, { capacity: 3 })).toThrow(TypeError);
  core.destroy();
});
