// What packing does for controllers: clips, differences, masks, mirror tables, and what it says of what is missing.
import { describe, expect, test } from 'vitest';
import { coded, smallActor } from '../../../test/support/crowd-truth.ts';
import { Random } from '../../../test/support/random.ts';
import { clipOf, heldAt, jointAt, trackOf } from '../../../test/support/small-model.ts';
import { soldierModel } from '../../../test/support/soldiers.ts';
import { randomPose, reflectedPoint, symmetricModel } from '../../../test/support/symmetric-model.ts';
import { createCrowd } from '../../../test/support/create-crowd.ts';
import { formatIssue, ManipleError } from '../../errors.ts';
import { readBaked, writeBaked } from '../file/index.ts';
import type { Character } from '../character.ts';
import { defineController, param, blend1d } from '../../controller/builder.ts';
import type { ControllerModel, LayerModel, MotionModel } from '../../controller/model.ts';
import { withController } from '../bind-controller.ts';
import { packCharacter, type PackProgress } from './index.ts';
import { updateAndWait } from '../../../test/support/update-and-wait.ts';

const layer = (name: string, motion: MotionModel, more: Partial<LayerModel> = {}): LayerModel =>
  ({ name, machine: { default: 'Play', states: { Play: { motion } } }, ...more }) as LayerModel;

function withLayers(layers: readonly LayerModel[], more: Partial<ControllerModel> = {}): ControllerModel {
  return defineController({ name: 'test', parameters: { half: param.float(0.5) }, layers, ...more });
}

/** All that a call is refused for. */
function refusal(call: () => unknown): string[] {
  try {
    call();
  } catch (thrown) {
    if (thrown instanceof ManipleError) return thrown.issues.map(formatIssue);
    throw thrown;
  }
  return [];
}

/** Code and path of what is said of a character. */
const said = ({ issues }: Character) => issues.map(({ code, path }) => `${code} ${path}`);
const namesOf = ({ clips }: Character) => clips.map(({ name }) => name);

describe('packing with a controller', () => {
  const model = soldierModel();

  test('finds clips by name, and refuses those that it lacks, before it packs any', () => {
    const layers = [layer('base', blend1d('half', [0, 'walk'], [0.5, 'wlak'], [1, 'fly']))];
    const started: number[] = [];
    const onProgress = ({ done }: PackProgress) => started.push(done);
    const refused = refusal(() => packCharacter(model, { controller: withLayers(layers), onProgress }));
    expect(refused).toEqual([
      'CLIP_NOT_FOUND at clips/wlak: The controller plays "wlak", which "soldier" does not have. ' +
        'The nearest of its 3 clips: walk, idle, attack. ' +
        "With missingClips: 'warn' it counts as a clip of 1 s that loops and moves nothing.",
      'CLIP_NOT_FOUND at clips/fly: The controller plays "fly", which "soldier" does not have. ' +
        'The nearest of its 3 clips: idle, walk, attack. ' +
        "With missingClips: 'warn' it counts as a clip of 1 s that loops and moves nothing.",
    ]);
    expect(started).toEqual([]);
    const bare = soldierModel({ clips: [] });
    expect(refusal(() => packCharacter(bare, { controller: withLayers([layer('base', 'walk')]) }))[0]).toContain(
      'It has no clips.',
    );
  });

  test('refuses facts about clips that are neither played nor there, and reference poses of others', () => {
    const facts = { wlak: { events: [{ name: 'step', time: 0 }] }, attack: { loops: true } };
    const typo = withLayers([layer('base', 'walk')], { clips: facts });
    expect(refusal(() => packCharacter(model, { controller: typo }))[0]).toMatch(
      /^CLIP_NOT_FOUND at clips\/wlak: The controller has facts of "wlak", .* walk, /,
    );
    expect(said(packCharacter(model, { controller: typo, missingClips: 'warn' }))).toEqual([
      'CONTROLLER_CLIP_MISSING clips/wlak',
    ]);
    const added = withLayers([layer('base', 'idle'), layer('one', 'walk', { blend: 'additive' })], {
      clips: { walk: { reference: { clip: 'bind pose' } }, idle: { reference: { clip: 'of no use here' } } },
    });
    expect(refusal(() => packCharacter(model, { controller: added }))).toHaveLength(1);
    expect(refusal(() => packCharacter(model, { controller: added }))[0]).toMatch(
      /^CLIP_NOT_FOUND at clips\/walk\/reference: The controller takes the reference pose of "walk" from "bind pose"/,
    );
  });

  test('runs without missing clips if the option allows it', () => {
    const definition = withLayers([layer('base', blend1d('half', [0, 'walk'], [1, 'fly']))]);
    const packed = packCharacter(model, { controller: definition, missingClips: 'warn' });
    expect(said(packed)).toEqual(['CONTROLLER_CLIP_MISSING clips/fly']);
    expect(packed.controller!.clips.map(({ reference, length }) => [reference, length])).toEqual([
      ['walk', 2],
      ['fly', 1],
    ]);
  });

  test('takes facts of clips that are not packed, and names as three.js writes them', () => {
    const [idle, walk, attack] = model.clips;
    const clips = [{ ...idle!, name: 'idle.a' }, walk!, attack!];
    const layers = [layer('base', 'idlea')];
    const facts = { walk: { loops: true }, attack: { loops: false } };
    const packed = packCharacter(soldierModel({ clips }), { controller: withLayers(layers, { clips: facts }) });
    expect(namesOf(packed)).toEqual(['idle.a']);
    expect(packed.controller!.clips.map(({ rigClip }) => rigClip)).toEqual([0]);
    expect(said(packed)).toEqual([]);
  });

  test('packs a clip once more for additive layers, next to the clip', () => {
    const definition = withLayers([
      layer('base', 'walk'),
      layer('one', blend1d('half', [0, 'walk'], [1, 'idle']), { blend: 'additive' }),
      layer('two', 'walk', { blend: 'additive' }),
      layer('three', 'idle'),
    ]);
    const packed = packCharacter(model, { controller: definition });
    expect(said(packed)).toEqual([]);
    expect(namesOf(packed)).toEqual(['idle', 'walk', 'walk (additive)', 'idle (additive)']);
    const rigClips = packed.controller!.clips.map(({ reference, rigClip }) => [reference, rigClip]);
    expect(rigClips).toEqual([
      ['walk', 1],
      ['walk', 2],
      ['idle', 3],
      ['idle', 0],
    ]);
  });

  test('says what a reference pose lacks, once', () => {
    const definition = withLayers(
      [layer('base', 'idle'), layer('one', 'walk', { blend: 'additive' }), layer('two', 'walk', { blend: 'additive' })],
      { clips: { walk: { reference: { clip: 'bind pose' } } } },
    );
    const packed = packCharacter(model, { controller: definition, missingClips: 'warn' });
    expect(said(packed)).toEqual(['CONTROLLER_CLIP_MISSING clips/walk/reference']);
    expect(packed.issues[0]!.message).toContain('bind pose');
  });

  test('finds parts of a body by the bones of the model, and refuses them without any', () => {
    const definition = withLayers([layer('base', 'idle'), layer('upper', 'walk', { mask: { 'humanoid:head': 1 } })]);
    expect(refusal(() => packCharacter(model, { controller: definition }))).toEqual([
      'CONTROLLER_NAME_UNKNOWN at upper/mask: The mask names joints that "soldier" does not have: humanoid:head. ' +
        'Parts of a body need `humanoid`, as findHumanoid finds it. ' +
        "With missingJoints: 'warn' those names mean nothing.",
    ]);
    const humanoid = { head: model.joints.findIndex(({ name }) => name === 'head') };
    const packed = packCharacter({ ...model, humanoid }, { controller: definition });
    const byName = packCharacter(model, {
      controller: withLayers([layer('base', 'idle'), layer('upper', 'walk', { mask: { 'head/**': 1 } })]),
    });
    expect(packed.issues).toEqual([]);
    expect(packed.controller!.table).toEqual(byName.controller!.table);
    const bare = packCharacter(model);
    expect(withController(bare, definition, { humanoid }).controller!.table).toEqual(packed.controller!.table);
  });

  test('refuses masks that name no joint, and joints without another side; or warns of both', () => {
    const states = { Play: { motion: 'idle', mirror: true } };
    const definition = withLayers([
      { name: 'base', machine: { default: 'Play', states } },
      layer('upper', 'walk', { mask: { head: 1, tail: 1, 'arm/**': 1 } }),
    ]);
    const joints = [...model.joints, { ...jointAt([1, 0, 0], { parentIndex: 1 }), name: 'sword L' }];
    expect(refusal(() => packCharacter(soldierModel({ joints }), { controller: definition }))).toEqual([
      'CONTROLLER_NAME_UNKNOWN at upper/mask: The mask names joints that "soldier" does not have: tail, arm/**. ' +
        'The joints nearest to "tail": root, head, sword L. ' +
        "With missingJoints: 'warn' those names mean nothing.",
    ]);
    const packed = packCharacter(soldierModel({ joints }), { controller: definition, missingJoints: 'warn' });
    expect(said(packed)).toEqual(['CONTROLLER_NAME_UNKNOWN upper/mask']);
    expect(packed.issues[0]!.message).toContain('tail, arm/**');
    const lost = [
      ...joints.slice(0, 1),
      { ...joints[2]!, parentIndex: 0 },
      { ...joints[1]!, name: 'sword R', parentIndex: 1 },
    ];
    const lopsided = packCharacter(soldierModel({ joints: lost }), {
      controller: withLayers(definition.layers.slice(0, 1)),
    });
    expect(said(lopsided)).toEqual(['CONTROLLER_SIMPLIFIED mirror']);
  });

  test('takes root motion out of all clips, for the controller to move by', () => {
    const definition = withLayers([layer('base', 'attack')]);
    const packed = packCharacter(model, { controller: definition, rootMotion: { joint: 'root' } });
    expect(said(packed)).toEqual([]);
    expect(packed.controller!.hasRoot).toBe(true);
    expect(packCharacter(model, { controller: definition }).controller!.hasRoot).toBe(false);
    expect(() => packCharacter(model, { controller: definition, rootMotion: { joint: 'tail' } })).toThrow(
      coded('CLIP_ROOT_JOINT'),
    );
  });
});

describe('a controller given to a baked character', () => {
  /** Vertices after 0.25 and 0.375 s, and what the machines do. */
  async function play(character: Character): Promise<{ vertices: Float32Array; layers: unknown }> {
    const crowd = createCrowd(undefined, { characters: [character], capacity: 1, skinned: 'exact', backend: 'cpu' });
    const id = crowd.spawn(character).id(0);
    await updateAndWait(crowd, { dt: 0.25 });
    await updateAndWait(crowd, { dt: 0.375 });
    return { vertices: await crowd.readVertices(id), layers: (await crowd.readControllers(id))[0]!.layers };
  }

  test('plays as one that was packed with it: layers, masks, differences', async () => {
    const definition = withLayers([
      layer('base', blend1d('half', [0, 'clip 0'], [1, 'clip 2'])),
      layer('over', 'clip 1', { mask: { 'joint 2/**': 0.75 }, weight: 0.5 }),
      layer('added', 'clip 1', { blend: 'additive' }),
    ]);
    const packed = packCharacter(smallActor().model, { controller: definition });
    const baked = withController(readBaked(writeBaked(packed)), definition);
    expect(said(baked).filter((issue) => issue.startsWith('CONTROLLER'))).toEqual([]);
    const [a, b] = [await play(packed), await play(baked)];
    expect(b.layers).toEqual(a.layers);
    expect(Array.from(b.vertices)).toEqual(Array.from(a.vertices));
  });

  test('says what was not baked for it', () => {
    const model = soldierModel();
    const added = withLayers([layer('base', 'idle'), layer('added', 'walk', { blend: 'additive' })]);
    const bare = packCharacter(model);
    expect(refusal(() => withController(bare, added))).toEqual([
      'CLIP_NOT_FOUND at clips/walk: The controller adds "walk", which "soldier" was not packed for. ' +
        'Pack it with this controller, and with this clip among its `clips`. ' +
        "With missingClips: 'warn' it counts as a clip of 1 s that loops and moves nothing.",
    ]);
    expect(said(withController(bare, added, { missingClips: 'warn' }))).toEqual(['CONTROLLER_CLIP_MISSING clips/walk']);
    const few = packCharacter(model, { clips: ['idle'] });
    const walking = withLayers([layer('base', 'walk')], { clips: { attack: { loops: true } } });
    expect(refusal(() => withController(few, walking))).toEqual([
      expect.stringMatching(
        /^CLIP_NOT_FOUND at clips\/walk: The controller plays "walk", which "soldier" was not packed/,
      ),
    ]);
    const masked = withLayers([layer('base', 'idle'), layer('over', 'wave', { mask: { tail: 1 } })]);
    // all that is wrong at once
    expect(refusal(() => withController(bare, masked)).map((line) => line.split(':')[0])).toEqual([
      'CLIP_NOT_FOUND at clips/wave',
      'CONTROLLER_NAME_UNKNOWN at over/mask',
    ]);
    expect(said(withController(bare, masked, { missingClips: 'warn', missingJoints: 'warn' }))).toEqual([
      'CONTROLLER_CLIP_MISSING clips/wave',
      'CONTROLLER_NAME_UNKNOWN over/mask',
    ]);
  });

  test('keeps its reach as long as it holds this number of additive layers', () => {
    const added = (count: number) =>
      withLayers([
        layer('base', 'idle'),
        ...Array.from({ length: count }, (_, i) => layer(`added ${i}`, 'walk', { blend: 'additive' })),
      ]);
    const baked = readBaked(writeBaked(packCharacter(soldierModel(), { controller: added(1) })));
    expect(baked.reach).toMatchObject({ additiveLayers: 1 });
    const reaches = [0, 1, 2].map((count) => withController(baked, added(count)).reach);
    expect(reaches).toEqual([baked.reach, baked.reach, undefined]);
  });

  test('mirrors as one that was packed with it, and as a mirror does', async () => {
    const random = new Random(4);
    const symmetric = symmetricModel(random, 3, 2);
    const start = randomPose(random, symmetric);
    const model = { ...symmetric, clips: [{ ...start, name: 'pose' }] };
    const mirrored = (mirror: boolean) =>
      withLayers([{ name: 'base', machine: { default: 'Play', states: { Play: { motion: 'pose', mirror } } } }]);
    const options = { errorBudget: 0 };
    const as = async (character: Character) => (await play(character)).vertices;
    const plain = await as(packCharacter(model, { ...options, controller: mirrored(false) }));
    const packed = await as(packCharacter(model, { ...options, controller: mirrored(true) }));
    const baked = withController(readBaked(writeBaked(packCharacter(model, options))), mirrored(true));
    // its rest rotations have been rounded to floats before
    (await as(baked)).forEach((value, i) => expect(value).toBeCloseTo(packed[i]!, 5));
    // vertices come in pairs that mirror each other
    for (let v = 0; v < plain.length / 3; v++) {
      const other = reflectedPoint(Array.from(plain.subarray(3 * (v ^ 1), 3 * (v ^ 1) + 3)));
      other.forEach((value, c) => expect(packed[3 * v + c], `vertex ${v}`).toBeCloseTo(value, 4));
    }
  });

  test('adds differences to whatever lies below: worked out by hand', async () => {
    // the head turns by 30° and moves by 1 along X in the clip; below, it is turned by 60° and at y = 1
    const about = (degrees: number) =>
      [0, 0, Math.sin((degrees * Math.PI) / 360), Math.cos((degrees * Math.PI) / 360)] as const;
    const clips = [
      { ...clipOf(1, heldAt('rotation', 1, about(60))), name: 'bowed' },
      {
        ...clipOf(
          1,
          trackOf('rotation', 1, 'LINEAR', [0, ...about(10)], [1, ...about(40)]),
          trackOf('translation', 1, 'LINEAR', [0, 3, 0, 0], [1, 4, 0, 0]),
        ),
        name: 'nod',
        loops: false,
      },
    ];
    const definition = withLayers([layer('base', 'bowed'), layer('added', 'nod', { blend: 'additive' })]);
    const model = soldierModel({ clips });
    const mesh = {
      ...model.meshes[0]!,
      influences: { ...model.meshes[0]!.influences, bindings: Uint16Array.of(1, 1, 1) },
    };
    const character = packCharacter({ ...model, meshes: [mesh] }, { errorBudget: 0, controller: definition });
    const crowd = createCrowd(undefined, { characters: [character], capacity: 1, skinned: 'exact', backend: 'cpu' });
    const id = crowd.spawn(character).id(0);
    await updateAndWait(crowd, { dt: 2 });
    // at its end: turned by 60° + 30°, moved to 1, 1: the vertex 1, 0, 0 stands above that
    const [x, y, z] = await crowd.readVertices(id);
    [1, 2, 0].forEach((value, c) => expect([x, y, z][c]).toBeCloseTo(value, 5));
  });
});
