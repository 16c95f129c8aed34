import { describe, expect, it } from 'vitest';
import { codesOf, GltfBuilder, importBuilt, refusalOf } from '../../test/import/build-gltf.ts';
import { sourcePositions } from '../../test/import/pose-model.ts';
import type { CharacterModel } from '../character/model.ts';

const REST = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0];
const ZERO = Array.from({ length: 12 }, () => 0);

/** A file with `count` joints in a skin, each a unit further up. */
function rig(count: number): GltfBuilder {
  const gltf = new GltfBuilder();
  for (let i = 0; i < count; i++) gltf.nodes.push({ name: `j${i}`, translation: [0, i, 0] });
  gltf.skins.push({ joints: gltf.nodes.map((_, i) => i) });
  return gltf;
}

/** What moves the mesh's first source vertex: joint names and weights. */
function influencesOf(model: CharacterModel, meshIndex = 0, source = 0): [string, number][] {
  const { influences, vertexOfSource } = model.meshes[meshIndex]!;
  const v = vertexOfSource[source]!;
  const run: [string, number][] = [];
  for (let i = influences.offsets[v]!; i < influences.offsets[v + 1]!; i++) {
    const { jointIndex } = model.bindings[influences.bindings[i]!]!;
    run.push([model.joints[jointIndex]!.name, Math.round(influences.weights[i]! * 1e5) / 1e5]);
  }
  return run;
}

describe('influences', () => {
  it('are gathered over all sets, merged, sorted and normalised', async () => {
    const gltf = rig(8);
    const attributes = {
      ...gltf.influences([0, 1, 2, 3, ...ZERO.slice(4)], [0.1, 0, 0.2, 0.1, ...REST.slice(4)]),
      JOINTS_1: gltf.accessor([7, 2, 0, 0, ...ZERO.slice(4)], 'VEC4', { componentType: 5121 }),
      WEIGHTS_1: gltf.accessor([0.35, 0.25, 0, 0, ...ZERO.slice(4)], 'VEC4'),
    };
    gltf.meshNode([gltf.triangle(attributes)], { skin: 0 });
    const model = await importBuilt(gltf);
    // joint 2 stands in both sets; equal weights keep the order of the file
    expect(influencesOf(model)).toEqual([
      ['j2', 0.45],
      ['j7', 0.35],
      ['j0', 0.1],
      ['j3', 0.1],
    ]);
    expect(codesOf(model)).toEqual([]);
    // joint 1 has no weight anywhere and no entry in the palette
    expect(model.bindings.map(({ jointIndex }) => model.joints[jointIndex]!.name)).toEqual(['j0', 'j2', 'j3', 'j7']);
  });

  it('that do not sum to 1 are scaled, NaN and negative ones dropped, both counted once', async () => {
    const gltf = rig(2);
    const weights = [0.5, 0.25, 0, 0, Number.NaN, 1, 0, 0, 2, -1, 0, 0];
    gltf.meshNode([gltf.triangle(gltf.influences([0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0], weights))], { skin: 0 });
    const model = await importBuilt(gltf);
    expect(influencesOf(model, 0, 0)).toEqual([
      ['j0', 0.66667],
      ['j1', 0.33333],
    ]);
    expect(influencesOf(model, 0, 1)).toEqual([['j1', 1]]);
    expect(influencesOf(model, 0, 2)).toEqual([['j0', 1]]);
    const repairs = model.issues.filter(({ code }) => code === 'GLTF_WEIGHTS_REPAIRED');
    expect(repairs).toHaveLength(1);
    expect(repairs[0]!.message).toContain('2 vertices have weights that do not sum to 1; 2 weights are NaN');
  });

  it('that are all zero leave a vertex where it is', async () => {
    const gltf = rig(2);
    gltf.nodes[0]!.translation = [0, 7, 0];
    gltf.meshNode([gltf.triangle(gltf.influences(ZERO, [0, 0, 0, 0, ...REST.slice(4)]))], { skin: 0 });
    const model = await importBuilt(gltf);
    expect(influencesOf(model)).toEqual([]);
    expect([...sourcePositions(model, undefined, 0)[0]!.positions]).toEqual([0, 0, 0, 1, 7, 0, 0, 8, 0]);
    expect(codesOf(model)).toContain('GLTF_WEIGHTS_ZERO');
  });

  it('that are zero everywhere still leave a palette', async () => {
    const gltf = rig(2);
    gltf.meshNode([gltf.triangle(gltf.influences(ZERO, ZERO))], { skin: 0 });
    expect((await importBuilt(gltf)).bindings).toHaveLength(1);
  });

  it('on joints that the skin lacks are refused, unless they weigh nothing', async () => {
    const unused = rig(1);
    unused.meshNode(
      [
        unused.triangle(
          unused.influences(
            [0, 9, 9, 9, 0, 0, 0, 0, 0, 0, 0, 0],
            REST.toSpliced(0, 12, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0),
          ),
        ),
      ],
      { skin: 0 },
    );
    expect(codesOf(await importBuilt(unused))).toEqual([]);
    const used = rig(1);
    used.meshNode(
      [used.triangle(used.influences([9, 0, 0, 0, ...ZERO.slice(4)], [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]))],
      { skin: 0 },
    );
    const error = await refusalOf(used);
    expect(error.code).toBe('GLTF_JOINT_OUT_OF_RANGE');
    expect(error.issues[0]!.message).toContain('first 9 of 1');
  });

  it('are at most 255, the heaviest', async () => {
    const gltf = rig(260);
    const attributes: Record<string, number> = {};
    for (let set = 0; set < 65; set++) {
      const joints = [0, 1, 2, 3].map((i) => Math.min(259, 4 * set + i));
      // later joints weigh more
      const weights = joints.map((joint) => (joint + 1) / 100);
      attributes[`JOINTS_${set}`] = gltf.accessor([...joints, ...joints, ...joints], 'VEC4', { componentType: 5123 });
      attributes[`WEIGHTS_${set}`] = gltf.accessor([...weights, ...weights, ...weights], 'VEC4');
    }
    gltf.meshNode([gltf.triangle(attributes)], { skin: 0 });
    const model = await importBuilt(gltf);
    const run = influencesOf(model);
    expect(run).toHaveLength(255);
    // 64 sets are read: joints 0 to 255, of which the lightest is dropped
    expect(run[0]![0]).toBe('j255');
    expect(run.at(-1)![0]).toBe('j1');
    expect(codesOf(model)).toContain('GLTF_WEIGHTS_REPAIRED');
  });

  it('without a skin make a rigid mesh, and a skin without influences too', async () => {
    const gltf = rig(1);
    const influences = gltf.influences(ZERO, [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
    gltf.meshNode([gltf.triangle(influences)], { name: 'no skin', translation: [3, 0, 0] });
    gltf.meshNode([gltf.triangle()], { name: 'no joints', skin: 0, translation: [4, 0, 0] });
    const model = await importBuilt(gltf);
    expect(codesOf(model).filter((code) => code === 'GLTF_MESH_WITHOUT_SKIN')).toHaveLength(2);
    expect(influencesOf(model, 0)).toEqual([['no skin', 1]]);
    expect(influencesOf(model, 1)).toEqual([['no joints', 1]]);
    expect(sourcePositions(model, undefined, 0).map(({ positions }) => positions[0])).toEqual([3, 4]);
  });

  it('need both halves of a set', async () => {
    const gltf = rig(2);
    const attributes = {
      ...gltf.influences(ZERO, [0.5, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]),
      JOINTS_1: gltf.accessor(ZERO, 'VEC4', { componentType: 5121 }),
    };
    gltf.meshNode([gltf.triangle(attributes)], { skin: 0 });
    expect(codesOf(await importBuilt(gltf))).toContain('GLTF_ATTRIBUTE_IGNORED');
  });

  it('read normalised weights', async () => {
    const gltf = rig(2);
    const WEIGHTS_0 = gltf.accessor([51, 204, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0], 'VEC4', {
      componentType: 5121,
      normalized: true,
    });
    const JOINTS_0 = gltf.accessor([0, 1, 0, 0, ...ZERO.slice(4)], 'VEC4', { componentType: 5121 });
    gltf.meshNode([gltf.triangle({ JOINTS_0, WEIGHTS_0 })], { skin: 0 });
    expect(influencesOf(await importBuilt(gltf))).toEqual([
      ['j1', 0.8],
      ['j0', 0.2],
    ]);
  });
});

describe('the palette', () => {
  const bind = (x: number): number[] => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, 0, 0, 1];
  const all = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0];

  it('has one entry per joint and inverse bind', async () => {
    const gltf = new GltfBuilder();
    gltf.nodes.push({ name: 'joint' });
    for (const x of [1, 2, 1]) gltf.skins.push({ joints: [0], inverseBindMatrices: gltf.accessor(bind(x), 'MAT4') });
    for (const skin of [0, 1, 2]) gltf.meshNode([gltf.triangle(gltf.influences(ZERO, all))], { skin });
    const model = await importBuilt(gltf);
    expect(model.joints).toHaveLength(1);
    expect(model.bindings.map(({ jointFromMesh }) => jointFromMesh[3])).toEqual([1, 2]);
    expect(sourcePositions(model, undefined, 0).map(({ positions }) => positions[0])).toEqual([1, 2, 1]);
  });

  it('serves one mesh under two skins', async () => {
    const gltf = new GltfBuilder();
    gltf.nodes.push({ name: 'a', translation: [1, 0, 0] }, { name: 'b', translation: [5, 0, 0] });
    gltf.skins.push({ joints: [0] }, { joints: [1] });
    const mesh = gltf.meshes.push({ primitives: [gltf.triangle(gltf.influences(ZERO, all))] }) - 1;
    gltf.nodes.push({ mesh, skin: 0 }, { mesh, skin: 1 });
    const model = await importBuilt(gltf);
    expect(model.meshes[0]!.positions).toBe(model.meshes[1]!.positions);
    expect(sourcePositions(model, undefined, 0).map(({ positions }) => positions[0])).toEqual([1, 5]);
  });

  it('mends an inverse bind with NaN from the rest pose', async () => {
    const gltf = new GltfBuilder();
    gltf.nodes.push({ name: 'joint', translation: [1, 2, 3], rotation: [0, 0, 1, 0], scale: [2, 2, 2] });
    const matrix = bind(0);
    matrix[5] = Number.NaN;
    gltf.skins.push({ joints: [0], inverseBindMatrices: gltf.accessor(matrix, 'MAT4') });
    gltf.meshNode([gltf.triangle(gltf.influences(ZERO, all))], { skin: 0 });
    const model = await importBuilt(gltf);
    expect(codesOf(model)).toContain('GLTF_VALUES_REPAIRED');
    [...sourcePositions(model, undefined, 0)[0]!.positions].forEach((value, i) =>
      expect(value).toBeCloseTo([0, 0, 0, 1, 0, 0, 0, 1, 0][i]!, 6),
    );
  });

  it('needs as many inverse binds as joints', async () => {
    const gltf = rig(2);
    gltf.skins[0]!.inverseBindMatrices = gltf.accessor(bind(0), 'MAT4');
    gltf.meshNode([gltf.triangle(gltf.influences(ZERO, all))], { skin: 0 });
    expect((await refusalOf(gltf)).code).toBe('GLTF_INVALID');
  });
});
