// Arguments that types forbid and JavaScript passes: every public method refuses them with a code, and changes nothing.
import { expect, test } from 'vitest';
import { addSockets, packCharacter } from '../../src/asset/index.ts';
import {
  createCrowd,
  ManipleError,
  recordInputs,
  replay,
  type Crowd,
  type CrowdOptions,
  type Group,
} from '../../src/index.ts';
import { clipFromWorld } from '../../src/render/camera.ts';
import { coded, smallActor } from '../support/crowd-truth.ts';
import { soldier } from '../support/soldiers.ts';

const plain = addSockets(packCharacter(smallActor().model), 'all');
const fighter = soldier();
const newCrowd = (options: object = {}) =>
  createCrowd(undefined, { characters: [plain, fighter], capacity: 8, backend: 'cpu', modifiers: 2, ...options });
const view = { clipFromWorld: clipFromWorld({ eye: [0, 0, 9], target: [0, 0, 0] }, 1), height: 100 };

/** Wrong wherever numbers, functions, lists or objects are expected. */
const WRONG: readonly unknown[] = ['x', NaN, null, {}, Symbol('x')];

/** JavaScript: no types. */
type Loose = any; // eslint-disable-line @typescript-eslint/no-explicit-any

test.each<[keyof CrowdOptions, readonly unknown[]]>([
  ['characters', [undefined, 5, 'ab', [undefined], [{}]]],
  ['capacity', ['8', undefined, null]],
  ['backend', ['metal', null, 1]],
  ['motions', ['4', {}]],
  ['modifiers', ['2']],
  ['events', ['9']],
  ['rootMotion', ['aply', 1]],
  ['vertexMemory', ['1e9', null]],
  ['copies', ['2']],
  ['skin', ['pixel']],
  ['from', [1, {}, 'x', new Uint8Array(8)]],
  [
    'snapshots',
    [1, true, 'x', {}, null, { everySeconds: '1' }, { everySeconds: NaN }, { everySeconds: 1, logBytes: '9e9' }],
  ],
  ['poses', ['3']],
  ['levelTolerance', ['1', NaN]],
  ['rates', [5, [1, 2], ['1', '2', '3'], 'abc']],
  ['sharing', [5, { below: '1' }, { below: 1, weight: '1' }]],
  ['providers', [5, 'ab']],
  ['skinnedChannel', [5, { name: 5 }]],
])('createCrowd refuses a wrong %s', (option, values) => {
  for (const value of values) {
    expect(() => newCrowd({ [option]: value }), String(value)).toThrow(coded('CROWD_BAD_ARGUMENT'));
  }
});

test('createCrowd refuses what is no device, and no options', () => {
  for (const device of [{}, 5, 'x']) {
    expect(() => createCrowd(device as never, { characters: [plain], capacity: 1 })).toThrow(
      coded('CROWD_BAD_ARGUMENT'),
    );
  }
  for (const options of [undefined, null, 5]) {
    expect(() => createCrowd(undefined, options as never)).toThrow(coded('CROWD_BAD_ARGUMENT'));
  }
});

test('a frame refuses wrong seconds, views and options', async () => {
  const crowd = newCrowd() as Loose;
  // without seconds nothing would move, and nobody would know why
  const untimed = [undefined, {}, { views: [view] }, { seen: false }, { dt: undefined }];
  const bad: unknown[] = [...untimed, null, 5, 'x', [], ...[NaN, -1, Infinity, '0.1', null, {}].map((dt) => ({ dt }))];
  for (const views of [5, 'ab', {}, [null], [5], [{}], [{ ...view, height: '1' }], [{ ...view, clipFromWorld: 5 }]]) {
    bad.push({ dt: 0.1, views });
  }
  bad.push({ dt: 0.1, seen: 'no' });
  for (const options of bad) {
    await expect(crowd.update(options)).rejects.toThrow(coded('CROWD_BAD_ARGUMENT'));
    expect(() => crowd.encode(undefined, options)).toThrow(coded('CROWD_BAD_ARGUMENT'));
  }
  await expect(crowd.update()).rejects.toThrow(
    'CROWD_BAD_ARGUMENT at dt: No seconds were given: the crowd would stand still.',
  );
  expect([crowd.frame, crowd.time]).toEqual([0, 0]);
  for (const scale of [NaN, -1, Infinity, 1e7, '2', undefined, null]) {
    expect(() => (crowd.timeScale = scale), String(scale)).toThrow(coded('CROWD_BAD_ARGUMENT'));
  }
  expect(crowd.timeScale).toBe(1);
});

/** Calls with one wrong argument each. `f`: a group with a controller, `p`: one without. */
const CALLS: Readonly<Record<string, (c: Loose, f: Loose, p: Loose, wrong: unknown) => unknown>> = {
  'on, listener': (c, _, __, wrong) => c.on('event', wrong),
  'on, kind': (c, _, __, wrong) => c.on(wrong, () => 1),
  'spawn, character': (c, _, __, wrong) => c.spawn(wrong),
  'spawn, count': (c, _, __, wrong) => c.spawn(plain, { count: wrong }),
  'spawn, place': (c, _, __, wrong) => c.spawn(plain, { place: wrong }),
  despawn: (c, _, __, wrong) => c.despawn(wrong),
  'despawn, an id': (c, _, __, wrong) => c.despawn([wrong]),
  group: (c, _, __, wrong) => c.group(wrong),
  'group.id': (_, f, __, wrong) => f.id(wrong),
  'group.despawn': (_, f, __, wrong) => f.despawn(wrong),
  place: (c, f, __, wrong) => c.place(f.id(0), wrong),
  'place, an id': (c, _, __, wrong) => c.place(wrong, () => 1),
  'place, position': (c, f, __, wrong) => c.place(f.id(0), (at: Loose) => at.position.set(wrong, 0, 0)),
  'place, scale': (c, f, __, wrong) => c.place(f.id(0), (at: Loose) => (at.scale = wrong)),
  teleport: (c, f, __, wrong) => c.teleport(f.id(0), wrong),
  'group.place': (_, f, __, wrong) => f.place(wrong),
  'group.teleport': (_, f, __, wrong) => f.teleport(wrong),
  moveOrigin: (c, _, __, wrong) => c.moveOrigin(wrong),
  'moveOrigin, y': (c, _, __, wrong) => c.moveOrigin([0, wrong, 0]),
  'setGround, heights': (c, _, __, wrong) => c.setGround({ heights: wrong, columns: 2, rows: 2 }),
  'setGround, columns': (c, _, __, wrong) => c.setGround({ heights: new Float32Array(4), columns: wrong, rows: 2 }),
  'setGround, origin': (c, _, __, wrong) =>
    c.setGround({ heights: new Float32Array(4), columns: 2, rows: 2, origin: wrong }),
  'setGround, spacing': (c, _, __, wrong) =>
    c.setGround({ heights: new Float32Array(4), columns: 2, rows: 2, spacing: wrong }),
  'setGround, lean': (c, _, __, wrong) =>
    c.setGround({ heights: new Float32Array(4), columns: 2, rows: 2, lean: wrong }),
  followGround: (c, f, __, wrong) => c.followGround(f.ids, wrong),
  'play, clip': (c, _, p, wrong) => c.play(p.ids, wrong),
  'play, options': (_, __, p, wrong) => wrong !== null && p.play(0, typeof wrong === 'object' ? 5 : wrong),
  'play, fade': (c, _, p, wrong) => c.play(p.ids, 0, { fade: wrong }),
  'play, time': (c, _, p, wrong) => c.play(p.ids, 0, { time: wrong ?? NaN }),
  'play, loops': (c, _, p, wrong) => c.play(p.ids, 0, { loops: wrong }),
  motions: (c, _, p, wrong) => c.motions(p.ids, wrong),
  'motions, a clip': (c, _, p, wrong) => c.motions(p.ids, [wrong]),
  'group.motions': (_, __, p, wrong) => p.motions(wrong),
  setParameter: (c, f, _, wrong) => c.setParameter(f.ids, 'speed', wrong),
  'setParameter, name': (c, f, _, wrong) => c.setParameter(f.ids, wrong, 1),
  writeParameter: (c, f, _, wrong) => c.writeParameter(f.ids, 'speed', wrong),
  'writeParameter, a value': (c, f, _, wrong) => c.writeParameter(f.ids, 'speed', [wrong, wrong]),
  'writeParameter, ids': (c, _, __, wrong) => c.writeParameter(wrong, 'speed', [1]),
  parameter: (c, _, __, wrong) => c.parameter(wrong, 'speed'),
  trigger: (c, f, _, wrong) => c.trigger(f.ids, wrong),
  playState: (c, f, _, wrong) => c.playState(f.ids, wrong),
  'playState, phase': (c, f, _, wrong) =>
    c.playState(f.ids, fighter.controller!.machines[0]!.states[0], { phase: wrong }),
  'crossFade, duration': (c, f, _, wrong) =>
    c.crossFade(f.ids, fighter.controller!.machines[0]!.states[0], { duration: wrong }),
  setSpeed: (c, f, _, wrong) => c.setSpeed(f.ids, wrong),
  'modifyJoint, joint': (c, f, _, wrong) => c.modifyJoint(f.ids, wrong, {}),
  'modifyJoint, rotation': (c, f, _, wrong) => c.modifyJoint(f.ids, 0, { rotation: wrong }),
  'modifyJoint, z': (c, f, _, wrong) => c.modifyJoint(f.ids, 0, { translation: [0, 0, wrong] }),
  'modifyJoint, weight': (c, f, _, wrong) => c.modifyJoint(f.ids, 0, { weight: wrong }),
  'modifyJoint, mode': (c, f, _, wrong) => c.modifyJoint(f.ids, 0, { mode: wrong }),
  setMorph: (c, f, _, wrong) => c.setMorph(f.ids, wrong, 1),
  lookAt: (c, f, _, wrong) => c.lookAt(f.ids, 0, wrong),
  'lookAt, target': (c, f, _, wrong) => c.lookAt(f.ids, 0, { target: wrong }),
  'lookAt, limit': (c, f, _, wrong) => c.lookAt(f.ids, 0, { target: [0, 0, 1], limit: wrong }),
  clearModifiers: (c, _, __, wrong) => c.clearModifiers(wrong),
  poseFrom: (c, f, _, wrong) => c.poseFrom(f.ids, wrong),
  setTint: (c, f, _, wrong) => c.setTint(f.ids, wrong),
  'setTint, red': (c, f, _, wrong) => c.setTint(f.ids, [wrong, 0, 0, 1]),
  showParts: (c, f, _, wrong) => c.showParts(f.ids, wrong, true),
  'showParts, shown': (c, p, _, wrong) => c.showParts(p.ids, fighter.parts[0], wrong),
  'attach, offset': (c, _, p, wrong) => c.attach(p.id(0), 0, { offset: wrong === null ? wrong : { position: wrong } }),
  'attach, socket': (c, _, p, wrong) => c.attach(p.id(0), wrong),
  'attach, an id': (c, _, __, wrong) => c.attach(wrong, 0),
  attachAll: (c, _, __, wrong) => c.attachAll(wrong, 0),
  attachmentsOf: (c, _, __, wrong) => c.attachmentsOf(wrong),
  readSockets: (c, _, __, wrong) => c.readSockets(wrong),
  readPose: (c, _, __, wrong) => c.readPose(wrong),
  readTransforms: (c, _, __, wrong) => c.readTransforms(wrong),
  readVertices: (c, _, __, wrong) => c.readVertices(wrong),
  readState: (c, _, __, wrong) => c.readState(wrong),
  grow: (c, _, __, wrong) => c.grow(wrong),
  addCharacter: (c, _, __, wrong) => c.addCharacter(wrong),
  removeCharacter: (c, _, __, wrong) => c.removeCharacter(wrong),
  setBackend: (c, _, __, wrong) => c.setBackend(wrong),
  setProviderRows: (c, _, __, wrong) => c.setProviderRows(wrong, new Float32Array(4)),
  setProviderViews: (c, _, __, wrong) => c.setProviderViews(wrong, 1),
  setProviderResources: (c, _, __, wrong) => c.setProviderResources('none', wrong),
  'group.setProviderRows': (_, f, __, wrong) => f.setProviderRows('none', wrong, () => 1),
  recordInputs: (c, _, __, wrong) => recordInputs(c, { maxBytes: wrong as never }),
  replay: (c, _, __, wrong) => replay(c, wrong as never),
};

test.each(Object.entries(CALLS))('%s', async (_, call) => {
  const crowd: Crowd = newCrowd();
  const groups: Group[] = [crowd.spawn(fighter, { count: 2 }), crowd.spawn(plain, { count: 2 })];
  const before = crowd.ids;
  for (const wrong of WRONG) {
    const done = (async () => call(crowd, groups[0], groups[1], wrong))();
    const thrown: unknown = await done.then(
      (answer) => (answer === false ? 'skipped' : `nothing was thrown for ${String(wrong)}`),
      (reason: unknown) => reason,
    );
    if (thrown === 'skipped') continue;
    expect(thrown, String(wrong)).toBeInstanceOf(ManipleError);
    expect(['CROWD_BAD_ARGUMENT', 'CROWD_BAD_ID', 'CLIP_NOT_FOUND', 'SOCKET_NOT_FOUND']).toContain(
      (thrown as ManipleError).code,
    );
  }
  expect(crowd.ids).toEqual(before);
  crowd.destroy();
});

test('a message quotes little of a long value', () => {
  const crowd = newCrowd() as Loose;
  const long = 'x'.repeat(1e6);
  const many = Array.from({ length: 1e5 }, (_, i) => i);
  const { ids } = crowd.spawn(plain);
  const calls = [
    () => crowd.play(ids, long),
    () => crowd.setTint(ids, many),
    () => crowd.modifyJoint(ids, long, {}),
    () => crowd.on(long, () => 1),
    () => crowd.moveOrigin(many),
    () => crowd.despawn([long]),
    () => newCrowd({ backend: long }),
    () => newCrowd({ rates: many }),
  ];
  for (const call of calls) {
    let message = '';
    try {
      call();
    } catch (thrown) {
      ({ message } = thrown as Error);
    }
    expect(message).toMatch(/…/);
    expect(message.length).toBeLessThan(400);
  }
});
