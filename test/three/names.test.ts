// Joints, sockets, parts, masks and clips of files, in the spellings of the file and of three.js.
import { describe, expect, test } from 'vitest';
import { packCharacter } from '../../src/character/pack/index.ts';
import { type Character, addSockets, withController } from '../../src/index.ts';
import { defineController } from '../../src/controller/index.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { characterFromGltf } from '../../src/three/from-three/character-from-gltf.ts';
import { modelFromThree } from '../../src/three/from-three/model-from-three.ts';
import { GltfBuilder, importBuilt } from '../import/build-gltf.ts';
import { parseGlb } from '../support/three-files.ts';
import { updateAndWait } from '../support/update-and-wait.ts';
import { internalsOf } from '../../src/crowd/internals.ts';

/** Two arms with names that GLTFLoader changes, and a part of two primitives whose mesh has a number at its end. */
function kit(): GltfBuilder {
  const built = new GltfBuilder();
  built.meshes.push({ name: 'Arm_2', primitives: [built.triangle(), built.triangle(), built.triangle()] });
  const hand = built.nodes.push({ name: 'handslot.r', mesh: 0 }) - 1;
  const shield = built.meshNode([built.triangle()], { name: 'Round Shield.001' });
  built.nodes.push({ name: 'arm:r', children: [hand, shield] });
  built.scenes.push({ nodes: [2] });
  built.clip(
    [{ node: hand, path: 'translation', times: [0, 1], values: [0, 0, 0, 0, 1, 0], type: 'VEC3' }],
    'Idle: long',
  );
  return built;
}

/** As characters come: through three's loader, and through the importer. */
async function kits(): Promise<Record<'three' | 'importer', Character>> {
  const gltf = await parseGlb(kit().glb());
  return { three: characterFromGltf(gltf), importer: packCharacter(await importBuilt(kit())) };
}

describe('names', () => {
  test('are those of the file, with any loader', async () => {
    const { three, importer } = await kits();
    expect(three.joints.map(({ name }) => name)).toEqual(expect.arrayContaining(['arm:r', 'handslot.r']));
    expect(three.parts).toEqual(importer.parts);
    expect(three.parts).toEqual(['handslot.r', 'Round Shield.001']);
  });

  test('that three.js has made unique stay apart', async () => {
    const built = kit();
    built.nodes[1]!.name = 'handslotr';
    const gltf = await parseGlb(built.glb());
    const names = modelFromThree(gltf).meshes.map(({ nodeName }) => nodeName);
    expect(new Set(names).size).toBe(2);
  });

  test('of joints, parts, morphs and clips are taken in both spellings', async () => {
    for (const plain of Object.values(await kits())) {
      for (const [joint, part, clip] of [
        ['handslot.r', 'Round Shield.001', 'Idle: long'],
        ['handslotr', 'Round_Shield001', 'Idle_long'],
      ] as const) {
        const character = addSockets(plain, [joint]);
        const crowd = createCrowd(undefined, { characters: [character], capacity: 1, backend: 'cpu', maxModifiers: 1 });
        const group = crowd.spawn(character);
        crowd.attach(group.id(0), joint);
        group.hideParts(part);
        group.play(clip);
        crowd.modifyJoint(group.ids, joint, { rotation: [0, 0, 0, 1] });
        crowd.lookAt(group.ids, joint, { target: [0, 0, 9] });
        await updateAndWait(crowd, { dt: 0.1 });
        const row = (await internalsOf(crowd).host.backend.read(0))!.row;
        expect(row.get(0, 'parts')[0]! & 0b11).toBe(0b01);
        crowd.destroy();
      }
    }
  });

  test('of masks, root motion and controllers are taken in both spellings', async () => {
    const model = await importBuilt(kit());
    for (const [joint, clip] of [
      ['arm:r/handslot.r', 'Idle: long'],
      ['armr/handslotr', 'Idle_long'],
    ] as const) {
      const definition = defineController({
        name: 'masked',
        parameters: {},
        layers: [
          { name: 'body', machine: { default: 'A', states: { A: { motion: clip } } } },
          { name: 'arm', mask: { [joint]: 1 }, machine: { default: 'A', states: { A: { motion: clip } } } },
        ],
      });
      const packed = packCharacter(model, { controller: definition, rootMotion: { joint: joint.split('/')[1]! } });
      const codes = (character: Character) => character.issues.map(({ code }) => code);
      expect(codes(packed)).not.toContain('CONTROLLER_CLIP_MISSING');
      expect(codes(packed)).not.toContain('CONTROLLER_NAME_UNKNOWN');
      expect(codes(withController(packCharacter(model), definition))).not.toContain('CONTROLLER_CLIP_MISSING');
    }
  });

  test('that there are not are refused with the nearest that there are', async () => {
    const { three: plain } = await kits();
    expect(() => addSockets(plain, ['handslot_r'])).toThrow(
      /no joint "handslot_r".*nearest of its \d joints: handslot\.r/,
    );
    const character = addSockets(plain, ['handslot.r']);
    const crowd = createCrowd(undefined, { characters: [character], capacity: 1, backend: 'cpu', maxModifiers: 1 });
    const group = crowd.spawn(character);
    expect(() => group.attach('handslot_r')).toThrow(/SOCKET_NOT_FOUND.*no joint "handslot_r".*handslot\.r/);
    expect(() => group.attach('arm:r')).toThrow(
      /SOCKET_NOT_FOUND.*no socket "arm:r".*addSockets\(character, \["arm:r"\]\)/,
    );
    expect(() => group.hideParts('round')).toThrow(/no part "round".*nearest of its 2 parts: Round Shield/);
    expect(() => group.play('idle')).toThrow(/CLIP_NOT_FOUND.*nearest of its 1 clips: Idle: long/);
    crowd.destroy();
    const definition = defineController({
      name: 'masked',
      parameters: {},
      layers: [{ name: 'arm', mask: { 'Arms/handslot_r/**': 1 }, machine: { default: 'A', states: { A: {} } } }],
    });
    expect(() => withController(plain, definition)).toThrow(/nearest to "Arms\/handslot_r\/\*\*": handslot\.r/);
  });
});
