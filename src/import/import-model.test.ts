import { FbxBuilder } from '../../test/import/build-fbx.ts';
import { describe, expect, it } from 'vitest';
import { GltfBuilder } from '../../test/import/build-gltf.ts';
import { composeJoints, evaluatePose, evaluateVertices } from '../character/evaluate.ts';
import { packCharacter } from '../character/pack/index.ts';
import { addStickFigure, importModel } from './index.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const BVH = `HIERARCHY
ROOT Hips { OFFSET 0 1 0 CHANNELS 3 Zrotation Xrotation Yrotation
JOINT Knee { OFFSET 0 -0.5 0 CHANNELS 3 Zrotation Xrotation Yrotation
End Site { OFFSET 0 -0.5 0 } } }
MOTION
Frames: 2
Frame Time: 1
0 0 0 0 0 0
0 0 0 90 0 0
`;

describe('the format of a model', () => {
  const gltf = new GltfBuilder();
  gltf.meshNode([gltf.triangle()]);

  it('is found by its content, and the name is passed on', async () => {
    expect(await importModel(gltf.glb(), { name: 'a' })).toMatchObject({ name: 'a', meshes: [{}] });
    const buffer = `data:;base64,${Buffer.from(gltf.binary()).toString('base64')}`;
    const json = JSON.stringify({ ...gltf.json(), buffers: [{ byteLength: gltf.binary().length, uri: buffer }] });
    expect(await importModel(bytesOf(`\n ${json}`))).toMatchObject({ name: 'model', meshes: [{}] });
    for (const text of [BVH, `\ufeff\n${BVH}`, BVH.replace('HIERARCHY', 'Hierarchy')]) {
      expect(await importModel(bytesOf(text), { name: 'b', bvh: { unit: 1 } })).toMatchObject({
        clips: [{ name: 'b' }],
      });
    }
  });

  it('is FBX by its content, binary or ASCII', async () => {
    const fbx = new FbxBuilder();
    fbx.model('hips', 'LimbNode');
    for (const bytes of [fbx.binary(), fbx.text()]) {
      expect(await importModel(bytes, { name: 'f' })).toMatchObject({ name: 'f', joints: [{ name: 'hips' }] });
    }
  });

  it.each([
    ['', /an empty file/],
    ['BLENDER-v300', /a Blender file/],
    ['hello world', /begins with "hello world"/],
    [`\u0001\u0002${'x'.repeat(1000)}`, /begins with "\\u0001\\u0002x{18,22}"/],
  ])('is refused where it is unknown: %j', async (text, words) => {
    const refusal = importModel(bytesOf(text));
    await expect(refusal).rejects.toMatchObject({ code: 'FILE_NOT_A_MODEL' });
    await expect(refusal).rejects.toThrow(words);
  });
});

describe('a stick figure', () => {
  it('follows the joints of a skeleton, and says that it is one', async () => {
    const model = await importModel(bytesOf(BVH), { bvh: { unit: 1 } });
    const figure = addStickFigure(model);
    const [mesh] = figure.meshes;
    const at = (time: number) => {
      const joints = composeJoints(figure, evaluatePose(figure, figure.clips[0], time));
      return evaluateVertices(figure, mesh!, joints, new Float64Array());
    };
    const box = (positions: Float64Array, axis: number) => {
      const values = Array.from({ length: positions.length / 3 }, (_, i) => positions[3 * i + axis]!);
      return [Math.min(...values), Math.max(...values)];
    };
    // the only bone but that below the root, from knee to foot, swings out to the side
    expect(box(at(0), 1).map((value) => value.toFixed(3))).toEqual(['0.000', '0.500']);
    expect(box(at(1), 0).map((value) => value.toFixed(3))).toEqual(['0.000', '0.500']);
    expect(figure.issues.map(({ code }) => code)).toEqual(['MODEL_NO_MESH']);
    expect(packCharacter(figure).vertexCount).toBe(24);
  });

  it('has no bones from the ground to the hips, nor from the hips to marks on the ground', async () => {
    const joint = (name: string, offset: string, ...children: string[]) =>
      `JOINT ${name} { OFFSET ${offset} CHANNELS 1 Xrotation ${children.join('\n')} }`;
    const leg = (side: number) => joint('Leg', `${side} 0 0`, joint('Knee', '0 -0.5 0', joint('Foot', '0 -0.4 0')));
    const rig = joint('Reference', '0 0 0', joint('Hips', '0 1 0', leg(0.1), leg(-0.1), joint('Footsteps', '0 -1 0')));
    const text = `HIERARCHY\nROOT Armature { OFFSET 0 0 0 CHANNELS 1 Xrotation ${rig} }\nMOTION Frames: 0 Frame Time: 1`;
    const [mesh] = addStickFigure(await importModel(bytesOf(text), { bvh: { unit: 1 } })).meshes;
    // from the hips to both legs, and two bones each below
    expect(mesh!.vertexCount).toBe(6 * 24);
    expect(Math.min(...mesh!.positions.filter((_, i) => i % 3 === 1))).toBeCloseTo(0.1);
  });

  it('has faces that look outwards', async () => {
    const { meshes } = addStickFigure(await importModel(bytesOf(BVH), { bvh: { unit: 1 } }));
    const { positions, normals, vertexCount } = meshes[0]!;
    const centre = [0, 0.4, 0];
    for (let v = 0; v < vertexCount; v++) {
      const outward = centre.reduce((sum, c, axis) => sum + (positions[3 * v + axis]! - c) * normals[3 * v + axis]!, 0);
      expect(outward).toBeGreaterThan(0);
    }
  });

  it('is not made of a model with meshes, or without bones', async () => {
    const gltf = new GltfBuilder();
    gltf.meshNode([gltf.triangle()]);
    const model = await importModel(gltf.glb());
    expect(addStickFigure(model)).toBe(model);
    const joint = 'HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 1 Xrotation }\nMOTION Frames: 1 Frame Time: 1 5';
    const point = await importModel(bytesOf(joint));
    expect(addStickFigure(point)).toBe(point);
  });
});
