// Arguments that types forbid and JavaScript passes: every public method refuses them with a code, and changes nothing.
import { expect, test } from 'vitest';
import { addSockets } from '../../src/character/sockets.ts';
import { packCharacter, writeBaked } from '../../src/character/index.ts';
import { captureFrame, readCapture } from '../../src/capture/index.ts';
import {
  checkProviders,
  ManipleError,
  requestDevice,
  tuneSkinning,
  withController,
  type Crowd,
  type CrowdOptions,
  type CharacterGroup,
} from '../../src/index.ts';
import {
  keepSnapshots,
  readSnapshot,
  rebuildCrowd,
  recordInputs,
  replayInputs,
  restoreCrowd,
  saveSnapshot,
} from '../../src/state/index.ts';
import { defineController } from '../../src/controller/index.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { addLods } from '../../src/import/lods/add-lods.ts';
import {
  clipFromWorld,
  createForwardRenderer,
  createReadableTarget,
  createReferenceRenderer,
  createScenery,
  createVisibilityRenderer,
  drawMemory,
  encodePng,
} from '../../src/render/index.ts';
import { stageParade } from '../../src/battle/parade.ts';
import { coded, smallActor } from '../support/crowd-truth.ts';
import { soldier } from '../support/soldiers.ts';
import { updateAndWait } from '../support/update-and-wait.ts';

const { model } = smallActor();
const plain = addSockets(packCharacter(model), 'all');
const fighter = soldier();
const STATE = fighter.controller!.machines[0]!.states[0];
const WALKER = defineController({
  name: 'walker',
  parameters: {},
  layers: [{ name: 'base', machine: { default: 'Walk', states: { Walk: { motion: 'walk' } } } }],
});
const newCrowd = (options: object = {}) =>
  createCrowd(undefined, { characters: [plain, fighter], capacity: 8, backend: 'cpu', maxModifiers: 2, ...options });
const view = { clipFromWorld: clipFromWorld({ eye: [0, 0, 9], target: [0, 0, 0] }, 1), height: 100 };

/** Wrong wherever numbers, functions, lists or objects are expected. */
const WRONG: readonly unknown[] = ['x', NaN, null, {}, Symbol('x')];

/** An object without anything: options that are all left out. */
const isPlain = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** JavaScript: no types. */
type Loose = any; // eslint-disable-line @typescript-eslint/no-explicit-any

test.each<[keyof CrowdOptions, readonly unknown[]]>([
  ['characters', [undefined, 5, 'ab', [undefined], [{}]]],
  ['capacity', ['8', undefined, null]],
  ['backend', ['metal', null, 1]],
  ['maxClips', ['4', {}]],
  ['maxModifiers', ['2']],
  ['maxEvents', ['9']],
  ['rootMotion', ['aply', 1]],
  ['maxVertexBytes', ['1e9', null]],
  ['copies', ['2']],
  ['skin', ['pixel']],
  ['maxPoses', ['3']],
  ['lodTolerancePx', ['1', NaN]],
  ['updateRates', [5, [1, 2, 3], { halfBelowPx: '1' }, { quarterBelowPx: -1 }, 'abc']],
  ['poseSharing', [5, { belowPx: '1' }, { belowPx: 1, minWeight: '1' }]],
  ['providers', [5, 'ab', [null], [{}], ['breeze'], [{ name: 'breeze' }]]],
  ['providerResources', [5, 'x', null]],
  ['kernels', [5, 'x', null, { skinning: null }, { skinning: { meshes: 5 } }]],
  ['kernels', [{ groupThreads: 64 }, { groupThreads: '128' }, { serialPoses: 1 }, { wideSkins: 'no' }]],
  ['kernels', [{ fewCharacters: -1 }, { fewCharacters: NaN }, { threads: 128 }]],
  ['skinnedChannel', [5, { name: 5 }]],
])('createCrowd refuses a wrong %s', (option, values) => {
  for (const value of values) {
    expect(() => newCrowd({ [option]: value }), String(value)).toThrow(coded('CROWD_BAD_ARGUMENT'));
  }
});

test('createCrowd refuses values that are not a device, or not options', () => {
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
  const untimed = [undefined, {}, { views: [view] }, { views: [] }, { dt: undefined }];
  const bad: unknown[] = [...untimed, null, 5, 'x', [], ...[NaN, -1, Infinity, '0.1', null, {}].map((dt) => ({ dt }))];
  for (const views of [5, 'ab', {}, [null], [5], [{}], [{ ...view, height: '1' }], [{ ...view, clipFromWorld: 5 }]]) {
    bad.push({ dt: 0.1, views });
  }
  bad.push({ dt: 0.1, seen: 'no' });
  for (const options of bad) {
    await expect(updateAndWait(crowd, options as Loose)).rejects.toThrow(coded('CROWD_BAD_ARGUMENT'));
    expect(() => crowd.encode(undefined, options)).toThrow(coded('CROWD_BAD_ARGUMENT'));
  }
  await expect(updateAndWait(crowd, undefined as Loose)).rejects.toThrow(
    'CROWD_BAD_ARGUMENT at dt: Got no seconds, so nothing would move.',
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
  setTransform: (c, f, __, wrong) => c.setTransform(f.id(0), wrong),
  'setTransform, an id': (c, _, __, wrong) => c.setTransform(wrong, () => 1),
  'setTransform, position': (c, f, __, wrong) => c.setTransform(f.id(0), (at: Loose) => at.position.set(wrong, 0, 0)),
  'setTransform, scale': (c, f, __, wrong) => c.setTransform(f.id(0), (at: Loose) => (at.scale = wrong)),
  teleport: (c, f, __, wrong) => c.teleport(f.id(0), wrong),
  'group.setTransform': (_, f, __, wrong) => f.setTransform(wrong),
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
  setClips: (c, _, p, wrong) => c.setClips(p.ids, wrong),
  'setClips, a clip': (c, _, p, wrong) => c.setClips(p.ids, [wrong]),
  'group.setClips': (_, __, p, wrong) => p.setClips(wrong),
  setParameter: (c, f, _, wrong) => c.setParameter(f.ids, 'speed', wrong),
  'setParameter, name': (c, f, _, wrong) => c.setParameter(f.ids, wrong, 1),
  setParameters: (c, f, _, wrong) => c.setParameters(f.ids, 'speed', wrong),
  'setParameters, a value': (c, f, _, wrong) => c.setParameters(f.ids, 'speed', [wrong, wrong]),
  'setParameters, ids': (c, _, __, wrong) => c.setParameters(wrong, 'speed', [1]),
  getParameter: (c, _, __, wrong) => c.getParameter(wrong, 'speed'),
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
  setPoseSource: (c, f, _, wrong) => c.setPoseSource(f.ids, wrong),
  setTint: (c, f, _, wrong) => c.setTint(f.ids, wrong),
  'setTint, red': (c, f, _, wrong) => c.setTint(f.ids, [wrong, 0, 0, 1]),
  showParts: (c, f, _, wrong) => c.showParts(f.ids, wrong),
  'hideParts, name': (c, f, _, wrong) => c.hideParts(f.ids, wrong),
  'attach, offset': (c, _, p, wrong) => c.attach(p.id(0), 0, { offset: wrong === null ? wrong : { position: wrong } }),
  'attach, socket': (c, _, p, wrong) => c.attach(p.id(0), wrong),
  'attach, an id': (c, _, __, wrong) => c.attach(wrong, 0),
  'attach, many': (c, _, __, wrong) => c.attach(wrong, 0),
  attachmentsOf: (c, _, __, wrong) => c.attachmentsOf(wrong),
  readSockets: (c, _, __, wrong) => c.readSockets(wrong),
  readPose: (c, _, __, wrong) => c.readPose(wrong),
  readTransforms: (c, _, __, wrong) => c.readTransforms(wrong),
  readVertices: (c, _, __, wrong) => c.readVertices(wrong),
  readControllers: (c, _, __, wrong) => c.readControllers(wrong),
  grow: (c, _, __, wrong) => c.grow(wrong),
  addCharacter: (c, _, __, wrong) => c.addCharacter(wrong),
  removeCharacter: (c, _, __, wrong) => c.removeCharacter(wrong),
  setBackend: (c, _, __, wrong) => c.setBackend(wrong),
  setProviderRows: (c, _, __, wrong) => c.setProviderRows(wrong, new Float32Array(4)),
  setProviderViews: (c, _, __, wrong) => c.setProviderViews(wrong, 1),
  setProviderResources: (c, _, __, wrong) => c.setProviderResources('none', wrong),
  'group.setProviderRows': (_, f, __, wrong) => f.setProviderRows('none', wrong, () => 1),
  keepSnapshots: (c, _, __, wrong) => keepSnapshots(c, wrong as never),
  'keepSnapshots, crowd': (_, __, ___, wrong) => keepSnapshots(wrong as never, { intervalSeconds: 1 }),
  'keepSnapshots, intervalSeconds': (c, _, __, wrong) => keepSnapshots(c, { intervalSeconds: wrong as never }),
  'keepSnapshots, maxLogBytes': (c, _, __, wrong) =>
    keepSnapshots(c, { intervalSeconds: 1, maxLogBytes: wrong as never }),
  'saveSnapshot, crowd': (_, __, ___, wrong) => saveSnapshot(wrong as never),
  'restoreCrowd, snapshot': (_, __, ___, wrong) =>
    restoreCrowd(undefined, { characters: [plain], capacity: 1, backend: 'cpu' }, wrong as never),
  'restoreCrowd, options': async (c, _, __, wrong) => restoreCrowd(undefined, wrong as never, await saveSnapshot(c)),
  recordInputs: (c, _, __, wrong) => recordInputs(c, { maxLogBytes: wrong as never }),
  replayInputs: (c, _, __, wrong) => replayInputs(c, wrong as never),
  hide: (c, _, __, wrong) => c.hide(wrong),
  'hide, an id': (c, _, __, wrong) => c.hide([wrong]),
  show: (c, _, __, wrong) => c.show(wrong),
  isHidden: (c, _, __, wrong) => c.isHidden(wrong),
  'group.isAlive': (_, f, __, wrong) => f.isAlive(wrong),
  'group.hide': (_, f, __, wrong) => f.hide(wrong),
  'group.show, an index': (_, f, __, wrong) => f.show([wrong]),
  'group.play, clip': (_, __, p, wrong) => p.play(wrong),
  'group.play, indices': (_, __, p, wrong) => p.play(0, {}, wrong),
  'group.setTint': (_, f, __, wrong) => f.setTint(wrong),
  'group.setTint, indices': (_, f, __, wrong) => f.setTint([1, 1, 1, 1], wrong),
  'group.trigger, indices': (_, f, __, wrong) => f.trigger('attack', wrong),
  'group.resetTrigger': (_, f, __, wrong) => f.resetTrigger(wrong),
  'group.teleport, indices': (_, f, __, wrong) => f.teleport(() => 1, wrong),
  'group.parts': (_, __, p, wrong) => p.hideParts(wrong),
  'group.parts, indices': (_, __, p, wrong) => p.showParts('node 0', wrong),
  'group.setClips, clips': (_, __, p, wrong) => p.setClips(() => wrong),
  'group.attach, socket': (_, __, p, wrong) => p.attach(wrong),
  'group.attach, whenCulled': (_, __, p, wrong) => p.attach(0, { whenCulled: wrong }),
  'group.attach, rotation': (_, __, p, wrong) => p.attach(0, { offset: { rotation: wrong } }),
  'group.attach, scale': (_, __, p, wrong) => p.attach(0, { offset: { scale: wrong } }),
  'attachments.setOffset': (_, __, p, wrong) => p.attach(0).setOffset(wrong, {}),
  'attachments.detach': (_, __, p, wrong) => wrong !== 'x' && p.attach(0).detach(wrong),
  'group.parameter': (_, f, __, wrong) => f.parameter(wrong),
  'column.fill': (_, f, __, wrong) => f.parameter('speed').fill(wrong),
  'column.set, index': (_, f, __, wrong) => f.parameter('speed').set(wrong, 1),
  'column.set, value': (_, f, __, wrong) => f.parameter('speed').set(0, wrong),
  'column.get': (_, f, __, wrong) => f.parameter('speed').get(wrong),
  'column.changed, from': (_, f, __, wrong) => f.parameter('speed').changed(wrong),
  'column.changed, to': (_, f, __, wrong) => f.parameter('speed').changed(0, wrong),
  row: (c, _, __, wrong) => c.row(wrong),
  'crowd.column, name': (c, _, __, wrong) => (wrong === 'x' ? false : c.column(wrong, {})),
  'crowd.column, size': (c, _, __, wrong) => c.column('heat', { size: wrong }),
  'crowd.column, default': (c, _, __, wrong) => c.column('heat', { size: 2, default: wrong }),
  'crowd.column, options': (c, _, __, wrong) => !isPlain(wrong) && c.column('heat', wrong),
  'crowd.column.set, an id': (c, _, __, wrong) => c.column('heat', {}).set([wrong], 1),
  'crowd.column.set, value': (c, f, __, wrong) => c.column('heat', {}).set(f.ids, wrong),
  'crowd.column.fill': (c, _, __, wrong) => c.column('heat', { size: 3 }).fill(wrong),
  'crowd.column.get': (c, _, __, wrong) => c.column('heat', {}).get(wrong),
  'crowd.column.changed': (c, _, __, wrong) => c.column('heat', {}).changed(wrong),
  'crowd.column.changed, to': (c, _, __, wrong) => c.column('heat', {}).changed(0, wrong),
  'group.column, size': (_, f, __, wrong) => f.column('heat', { size: wrong }),
  'group.column.set, index': (_, f, __, wrong) => f.column('heat', {}).set(wrong, 1),
  'group.column.set, value': (_, f, __, wrong) => f.column('heat', {}).set(0, wrong),
  'group.column.fill': (_, f, __, wrong) => f.column('heat', {}).fill(wrong),
  'group.column.get': (_, f, __, wrong) => f.column('heat', {}).get(wrong),
  'group.column.changed': (_, f, __, wrong) => f.column('heat', {}).changed(wrong),
  'play, speed': (c, _, p, wrong) => c.play(p.ids, 0, { speed: wrong }),
  'play, phase': (c, _, p, wrong) => c.play(p.ids, 0, { phase: wrong }),
  'play, weight': (c, _, p, wrong) => c.play(p.ids, 0, { weight: wrong }),
  'playState, layer': (c, f, _, wrong) => c.playState(f.ids, STATE, { layer: wrong }),
  'crossFade, layer': (c, f, _, wrong) => c.crossFade(f.ids, STATE, { layer: wrong }),
  'crossFade, phase': (c, f, _, wrong) => c.crossFade(f.ids, STATE, { phase: wrong }),
  'crossFade, durationUnit': (c, f, _, wrong) => c.crossFade(f.ids, STATE, { durationUnit: wrong }),
  'setParameters, from': (c, f, _, wrong) => c.setParameters(f.ids, 'speed', [1, 2], wrong),
  'setParameters, to': (c, f, _, wrong) => c.setParameters(f.ids, 'speed', [1, 2], 0, wrong),
  'setParameters, name': (c, f, _, wrong) => c.setParameters(f.ids, wrong, [1, 2]),
  'getParameter, name': (c, f, _, wrong) => c.getParameter(f.id(0), wrong),
  setGround: (c, _, __, wrong) => c.setGround(wrong),
  'followGround, ids': (c, _, __, wrong) => c.followGround(wrong),
  'setPoseSource, ids': (c, _, __, wrong) => c.setPoseSource(wrong, undefined),
  'setTint, ids': (c, _, __, wrong) => c.setTint(wrong, [1, 1, 1, 1]),
  'setSpeed, ids': (c, _, __, wrong) => c.setSpeed(wrong, 1),
  'setMorph, weight': (c, _, p, wrong) => c.setMorph(p.ids, plain.morphNames[0], wrong),
  'lookAt, joint': (c, f, _, wrong) => c.lookAt(f.ids, wrong, { target: [0, 0, 1] }),
  'lookAt, forward': (c, f, _, wrong) => c.lookAt(f.ids, 0, { target: [0, 0, 1], forward: wrong }),
  'lookAt, weight': (c, f, _, wrong) => c.lookAt(f.ids, 0, { target: [0, 0, 1], weight: wrong }),
  'readSockets, an attachment': (c, _, __, wrong) => c.readSockets([wrong]),
  'readTransforms, an id': (c, _, __, wrong) => c.readTransforms([wrong]),
  'log.since': (c, _, __, wrong) => recordInputs(c).since(wrong as never),
  'log.rotate': (c, _, __, wrong) => recordInputs(c).rotate(wrong as never),
  'recordInputs, crowd': (_, __, ___, wrong) => recordInputs(wrong as never),
  'replayInputs, crowd': (_, __, ___, wrong) => replayInputs(wrong as never, new Uint8Array(9)),
  'replayInputs, maxCapacity': (c, _, __, wrong) =>
    replayInputs(c, recordInputs(c).since(), { maxCapacity: wrong as never }),
  'rebuildCrowd, crowd': (_, __, ___, wrong) => rebuildCrowd(wrong as never, undefined),
  'rebuildCrowd, options': (c, _, __, wrong) => typeof wrong !== 'object' && rebuildCrowd(c, undefined, wrong as never),
  readSnapshot: (_, __, ___, wrong) => readSnapshot(wrong as never),
  'tuneSkinning, device': (_, __, ___, wrong) => tuneSkinning(wrong as never, [plain]),
  'captureFrame, crowd': (_, __, ___, wrong) => captureFrame(wrong as never, { dt: 0 }),
  'captureFrame, stages': (c, _, __, wrong) => captureFrame(c, { dt: 0, stages: wrong as never }),
  'addSockets, joints': (_, __, ___, wrong) => addSockets(plain, wrong as never),
  'addSockets, character': (_, __, ___, wrong) => addSockets(wrong as never, 'all'),
  'packCharacter, model': (_, __, ___, wrong) => packCharacter(wrong as never),
  'packCharacter, options': (_, __, ___, wrong) => !isPlain(wrong) && packCharacter(model, wrong as never),
  'packCharacter, clips': (_, __, ___, wrong) => packCharacter(model, { clips: wrong as never }),
  'packCharacter, errorBudget': (_, __, ___, wrong) =>
    wrong !== null && packCharacter(model, { errorBudget: wrong as never }),
  'packCharacter, controller': (_, __, ___, wrong) => packCharacter(model, { controller: wrong as never }),
  'packCharacter, onProgress': (_, __, ___, wrong) => packCharacter(model, { onProgress: wrong as never }),
  writeBaked: (_, __, ___, wrong) => writeBaked(wrong as never),
  'addLods, model': (_, __, ___, wrong) => addLods(wrong as never),
  'addLods, options': (_, __, ___, wrong) => !isPlain(wrong) && addLods(model, wrong as never),
  'addLods, ratios': (_, __, ___, wrong) => addLods(model, { ratios: wrong as never }),
  'createForwardRenderer, crowd': (_, __, ___, wrong) => createForwardRenderer({} as never, wrong as never),
  'createVisibilityRenderer, crowd': (_, __, ___, wrong) => createVisibilityRenderer({} as never, wrong as never),
  'createReferenceRenderer, crowd': (_, __, ___, wrong) => createReferenceRenderer(wrong as never),
  'createReferenceRenderer, options': (c, _, __, wrong) =>
    !isPlain(wrong) && createReferenceRenderer(c, wrong as never),
  drawMemory: (_, __, ___, wrong) => drawMemory(wrong as never),
  'reference renderer, view': async (c, _, __, wrong) =>
    !isPlain(wrong) && (await createReferenceRenderer(c)).render(wrong as never),
  'createPicture, device': (_, __, ___, wrong) => createReadableTarget(wrong as never, 8, 8),
  'createStatics, device': (_, __, ___, wrong) => createScenery(wrong as never, []),
  'createStatics, pieces': (_, __, ___, wrong) => createScenery({ createBuffer() {} } as never, wrong as never),
  encodePng: (_, __, ___, wrong) => encodePng(wrong as never),
  'stageParade, crowd': (_, __, ___, wrong) => stageParade(wrong as never, [plain], { count: 1 }),
  'stageParade, characters': (c, _, __, wrong) => stageParade(c, wrong as never, { count: 1 }),
  'stageParade, options': (c, _, __, wrong) => !isPlain(wrong) && stageParade(c, [plain], wrong as never),
  'checkProviders, device': (_, __, ___, wrong) => checkProviders(wrong as never, []),
  'checkProviders, providers': (_, __, ___, wrong) =>
    checkProviders({ createShaderModule() {} } as never, wrong as never),
  'requestDevice, options': (_, __, ___, wrong) => !isPlain(wrong) && requestDevice(wrong as never),
  readCapture: (_, __, ___, wrong) => readCapture(wrong as never),
  'clipFromWorld, camera': (_, __, ___, wrong) => clipFromWorld(wrong as never, 1),
  'clipFromWorld, eye': (_, __, ___, wrong) => clipFromWorld({ eye: wrong as never, target: [0, 0, 0] }, 1),
  'withController, character': (_, __, ___, wrong) => withController(wrong as never, WALKER),
  'withController, controller': (_, __, ___, wrong) => withController(plain, wrong as never),
  'withController, missingClips': (_, __, ___, wrong) =>
    wrong !== null && withController(plain, WALKER, { missingClips: wrong as never }),
};

test.each(Object.entries(CALLS))('%s', async (_, call) => {
  const crowd: Crowd = newCrowd();
  const groups: CharacterGroup[] = [crowd.spawn(fighter, { count: 2 }), crowd.spawn(plain, { count: 2 })];
  const before = crowd.ids;
  for (const wrong of WRONG) {
    const done = (async () => call(crowd, groups[0], groups[1], wrong))();
    const thrown: unknown = await done.then(
      (answer) => (answer === false ? 'skipped' : `nothing was thrown for ${String(wrong)}`),
      (reason: unknown) => reason,
    );
    if (thrown === 'skipped') continue;
    expect(thrown, String(wrong)).toBeInstanceOf(ManipleError);
    expect([
      'CROWD_BAD_ARGUMENT',
      'CROWD_BAD_ID',
      'CLIP_NOT_FOUND',
      'SOCKET_NOT_FOUND',
      'CONTROLLER_INVALID',
      'USAGE',
      'RENDER_FAILED',
    ]).toContain((thrown as ManipleError).code);
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
    () => newCrowd({ updateRates: many as never }),
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
