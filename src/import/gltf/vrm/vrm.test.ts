import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { importBuilt, GltfBuilder } from '../../../../test/import/build-gltf.ts';
import { noShared, shared } from '../../../../test/support/setup.ts';
import { composeJoints, evaluateMorphWeights, restPose } from '../../../character/evaluate.ts';
import type { CharacterModel } from '../../../character/model.ts';
import { importModel } from '../../import-model.ts';

function restPositions(model: CharacterModel): number[][] {
  const modelFromJoint = composeJoints(model, restPose(model));
  return model.joints.map((_, i) => [3, 7, 11].map((at) => modelFromJoint[12 * i + at]!));
}

describe.skipIf(noShared())('avatars of others', () => {
  const rigs = path.join(shared, 'rigs');
  const read = (name: string) => importModel(readFileSync(path.join(rigs, `vrm/${name}.vrm`)), { name });

  it.each(['godette-vrm0', 'godette-vrm1', 'spring-capsule', 'spring-sphere'])(
    '%s has its bones where the reference says, and faces +Z',
    async (name) => {
      const model = await read(name);
      const reference = JSON.parse(readFileSync(path.join(rigs, `reference/vrm-${name}.vrm.json`), 'utf8')) as {
        humanBones: Record<string, { node: string; position: [number, number, number] }>;
      };
      const positions = restPositions(model);
      // 0.x faces −Z in the file, and was turned
      const sign = name === 'godette-vrm0' ? -1 : 1;
      const bones = Object.entries(reference.humanBones);
      for (const [bone, { node, position }] of bones) {
        const joint = model.joints.findIndex((each) => each.name === node);
        const [x, y, z] = position;
        const off = Math.hypot(...[sign * x, y, sign * z].map((value, axis) => value - positions[joint]![axis]!));
        expect(off, bone).toBeLessThan(1e-4);
        // thumbs have other names in 0.x: see below
        if (!bone.includes('Thumb')) expect(model.humanoid![bone as 'hips'], bone).toBe(joint);
      }
      expect(Object.keys(model.humanoid!)).toHaveLength(bones.length);
      const at = (bone: 'leftUpperArm' | 'rightUpperArm') => positions[model.humanoid![bone]!]![0]!;
      expect(at('leftUpperArm')).toBeGreaterThan(at('rightUpperArm'));
    },
  );

  it('names thumbs of both versions by anatomy', async () => {
    const [old, now] = [await read('godette-vrm0'), await read('godette-vrm1')];
    const names = ({ joints, humanoid }: CharacterModel) =>
      Object.entries(humanoid!).map(([bone, joint]) => [bone, joints[joint]!.name]);
    expect(Object.fromEntries(names(old))).toEqual(Object.fromEntries(names(now)));
    expect(old.humanoid).toHaveProperty('leftThumbMetacarpal');
  });

  it('has the same springs, colliders, expressions and clips in both versions', async () => {
    const [old, now] = [await read('godette-vrm0'), await read('godette-vrm1')];
    expect([old.vrm!.version, now.vrm!.version]).toEqual(['0.x', '1.0']);
    expect(old.vrm!.meta).toMatchObject({ title: 'Low-Poly Godette', authors: ['SirRichard94'], license: 'CC_BY' });
    expect(now.vrm!.meta.license).toBe('https://creativecommons.org/licenses/by/3.0/');
    const springs = ({ vrm, joints }: CharacterModel) =>
      new Set(vrm!.springs.map((spring) => spring.joints.map(({ jointIndex }) => joints[jointIndex]!.name).join()));
    expect(springs(old)).toEqual(springs(now));
    expect(springs(old).size).toBe(8);
    expect(old.vrm!.colliderGroups.map((group) => group.length)).toEqual([2, 2]);
    expect(old.vrm!.expressions.map(({ name }) => name).slice(0, 9)).toEqual([
      'neutral',
      'aa',
      'ih',
      'ou',
      'ee',
      'oh',
      'blink',
      'happy',
      'angry',
    ]);
    const clips = (model: CharacterModel) => new Map(model.clips.map((clip) => [clip.name, clip]));
    const [a, b] = [clips(old), clips(now)];
    expect(new Set(a.keys())).toEqual(new Set(b.keys()));
    const weights = (model: CharacterModel) => evaluateMorphWeights(model, clips(model).get('expression:happy'), 0);
    expect(weights(old)).toEqual(weights(now));
    expect(Array.from(weights(now).slice(9, 11))).toEqual([0.5, 0.25]);
  });
});

/** A skinless triangle that morphs, in a node tree of two. */
function avatar(extensions: Record<string, unknown>, material: Record<string, unknown> = {}): GltfBuilder {
  const gltf = new GltfBuilder();
  const moved = gltf.accessor([0, 0, 0, 0, 0, 0, 0, 0, 1], 'VEC3');
  gltf.materials.push(material);
  const node = gltf.meshNode([gltf.triangle({}, { targets: [{ POSITION: moved }], material: 0 })], { name: 'Face' });
  gltf.nodes.push({ name: 'Hips', translation: [1, 2, 3], children: [node] });
  gltf.scenes.push({ nodes: [1] });
  gltf.extra.extensions = extensions;
  return gltf;
}

describe('an avatar', () => {
  it('of VRM 0.x is turned, with its clips', async () => {
    const gltf = avatar({ VRM: { humanoid: { humanBones: [{ bone: 'hips', node: 1 }] } } });
    gltf.clip([{ node: 1, path: 'translation', times: [0, 1], values: [0, 0, 1, 2, 0, 0], type: 'VEC3' }]);
    gltf.clip([{ node: 1, path: 'rotation', times: [0], values: [0, 0, 0, 1], type: 'VEC4' }]);
    const model = await importBuilt(gltf);
    expect(restPositions(model)[0]!.map(Math.round)).toEqual([-1, 2, -3]);
    expect(Array.from(model.clips[0]!.tracks[0]!.values, (value) => Math.round(value) + 0)).toEqual([
      0, 0, -1, -2, 0, 0,
    ]);
    expect(Array.from(model.clips[1]!.tracks[0]!.values)).toEqual([0, 1, 0, 0]);
  });

  it('has colours of MToon 0.x where glTF has none', async () => {
    const property = {
      shader: 'VRM/MToon',
      vectorProperties: { _Color: [0.5, 1, 0, 0.25] },
      floatProperties: { _CullMode: 0, _Cutoff: 0.3 },
      tagMap: { RenderType: 'TransparentCutout' },
    };
    const [material] = (await importBuilt(avatar({ VRM: { materialProperties: [property] } }))).materials;
    expect(material).toMatchObject({
      metallic: 0,
      roughness: 1,
      alphaMode: 'MASK',
      alphaCutoff: 0.3,
      doubleSided: true,
    });
    expect(material!.baseColor[0]).toBeCloseTo(0.2140411, 5);
    const own = { pbrMetallicRoughness: { baseColorFactor: [1, 0, 0, 1] }, alphaMode: 'OPAQUE' };
    const [kept] = (await importBuilt(avatar({ VRM: { materialProperties: [property] } }, own))).materials;
    expect(kept).toMatchObject({ baseColor: [1, 0, 0, 1], alphaMode: 'OPAQUE', metallic: 0 });
  });

  it('with references that lead nowhere loses only those', async () => {
    const VRMC_vrm = {
      specVersion: '1.0',
      humanoid: { humanBones: { hips: { node: 1 }, tail: { node: 1 }, head: { node: 99 }, neck: 3 } },
      expressions: {
        preset: { happy: { morphTargetBinds: [{ node: 0, index: 7, weight: 1 }, { node: 9 }, 4] } },
        custom: 3,
      },
      lookAt: 'up',
      firstPerson: [],
      meta: { authors: 3 },
    };
    const VRMC_springBone = {
      springs: [{ joints: [{ node: -1 }, { node: 1 }], colliderGroups: [0, 5] }],
      colliders: [{}],
    };
    const model = await importBuilt(avatar({ VRMC_vrm, VRMC_springBone }));
    expect(model.humanoid).toEqual({ hips: 0 });
    expect(model.clips).toEqual([]);
    expect(model.vrm!.springs).toMatchObject([{ joints: [{ jointIndex: 0 }], colliderGroups: [] }]);
    expect(model.issues.filter(({ code }) => code === 'GLTF_VALUES_REPAIRED')).toHaveLength(3);
  });
});
