import { describe, expect, it } from 'vitest';
import { stopwatch } from '../../test/support/stopwatch.ts';
import { codesOf, GltfBuilder, importBuilt, refusalOf } from '../../test/import/build-gltf.ts';
import { sourcePositions } from '../../test/import/pose-model.ts';
import type { CharacterModel } from '../character/model.ts';
import { affineFromPose } from '../math/affine.ts';
import { decompose } from './model-builder/node-transforms.ts';

const names = (model: CharacterModel): string[] => model.joints.map(({ name }) => name);
const first = (model: CharacterModel): number[] => [...sourcePositions(model, undefined, 0)[0]!.positions];
const near = (actual: ArrayLike<number>, expected: readonly number[], digits = 6): void => {
  expect(actual.length).toBe(expected.length);
  expected.forEach((value, i) => expect(actual[i]).toBeCloseTo(value, digits));
};

describe('joints', () => {
  it('are skin joints, nodes with meshes and their ancestors, depth first, in file order', async () => {
    const gltf = new GltfBuilder();
    gltf.nodes.push(
      { name: 'root', children: [4, 1] },
      { name: 'right', children: [2] },
      { name: 'hand' },
      { name: 'camera rig', children: [] },
      { name: 'left', children: [5] },
      { name: 'hand' },
    );
    gltf.skins.push({ joints: [5, 2] });
    const influences = gltf.influences([0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0], [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
    gltf.meshNode([gltf.triangle(influences)], { skin: 0, name: 'body' });
    const model = await importBuilt(gltf);
    // neither the camera's node nor the skinned mesh's own moves a vertex
    expect(names(model)).toEqual(['root', 'left', 'hand', 'right', 'hand']);
    expect(model.joints.map(({ nodeIndex }) => nodeIndex)).toEqual([0, 4, 5, 1, 2]);
    expect(model.joints.map(({ parentIndex }) => parentIndex)).toEqual([-1, 0, 1, 0, 3]);
  });

  it('count even where they hang outside the scene', async () => {
    const gltf = new GltfBuilder();
    gltf.nodes.push({ name: 'outside', translation: [0, 5, 0] });
    gltf.skins.push({ joints: [0] });
    const influences = gltf.influences([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
    const node = gltf.meshNode([gltf.triangle(influences)], { skin: 0, translation: [9, 9, 9] });
    gltf.scenes.push({ nodes: [node] });
    const model = await importBuilt(gltf);
    expect(names(model)).toEqual(['outside']);
    near(first(model), [0, 5, 0, 1, 5, 0, 0, 6, 0]);
  });

  it('come from the chosen scene only', async () => {
    const gltf = new GltfBuilder();
    gltf.meshNode([gltf.triangle()], { name: 'sword' });
    gltf.meshNode([gltf.triangle()], { name: 'shield' });
    gltf.scenes.push({ nodes: [0] }, { nodes: [1] });
    const byDefault = await importBuilt(gltf);
    expect(names(byDefault)).toEqual(['sword']);
    expect(byDefault.issues).toMatchObject([{ code: 'GLTF_SCENE_CHOSEN', path: '/scenes/0', severity: 'info' }]);
    const chosen = await importBuilt(gltf, { scene: 1 });
    expect(names(chosen)).toEqual(['shield']);
    expect(chosen.issues).toEqual([]);
    gltf.extra.scene = 1;
    expect(names(await importBuilt(gltf))).toEqual(['shield']);
    expect((await refusalOf(gltf, { scene: 2 })).code).toBe('USAGE');
  });

  it('come from all roots if the file has no scene', async () => {
    const gltf = new GltfBuilder();
    gltf.meshNode([gltf.triangle()], { name: 'sword' });
    gltf.meshNode([gltf.triangle()], { name: 'shield' });
    gltf.extra.scenes = undefined;
    gltf.extra.scene = undefined;
    const model = await importBuilt(gltf);
    expect(names(model)).toEqual(['sword', 'shield']);
    expect(model.issues).toMatchObject([{ code: 'GLTF_SCENE_CHOSEN', path: '/scenes', severity: 'info' }]);
  });

  it('of a file without meshes are those that its clips move', async () => {
    const gltf = new GltfBuilder();
    gltf.nodes.push({ name: 'hips', children: [1, 2] }, { name: 'spine' }, { name: 'unmoved' });
    gltf.clip([{ node: 1, path: 'translation', times: [0, 1], values: [0, 0, 0, 1, 0, 0], type: 'VEC3' }]);
    const model = await importBuilt(gltf);
    expect(names(model)).toEqual(['hips', 'spine']);
    expect(model.clips[0]!.tracks).toHaveLength(1);
    expect(codesOf(model)).toContain('GLTF_NO_MESH');
  });

  it('of a file with a skin alone are those of the skin', async () => {
    const gltf = new GltfBuilder();
    gltf.nodes.push({ name: 'hips', children: [1] }, { name: 'spine' }, { name: 'other' });
    gltf.skins.push({ joints: [0, 1] });
    const model = await importBuilt(gltf);
    expect([names(model), model.clips]).toEqual([['hips', 'spine'], []]);
    expect(codesOf(model)).toEqual(['GLTF_NO_MESH']);
  });

  it('without mesh, skin and clip there is nothing to import', async () => {
    const gltf = new GltfBuilder();
    gltf.nodes.push({ name: 'empty' });
    expect((await refusalOf(gltf)).code).toBe('GLTF_NO_MESH');
    // a mesh that cannot be drawn is no skeleton
    gltf.meshNode([gltf.triangle({}, { mode: 0 })]);
    expect((await refusalOf(gltf)).code).toBe('GLTF_NO_MESH');
  });

  it('may rest unnormalised, which is repaired', async () => {
    const gltf = new GltfBuilder();
    gltf.meshNode([gltf.triangle()], { rotation: [0, 0, 2, 0] });
    gltf.meshNode([gltf.triangle()], { rotation: [0, 0, 0, 0] });
    const model = await importBuilt(gltf);
    expect(model.joints.map(({ rotation }) => rotation)).toEqual([
      [0, 0, 1, 0],
      [0, 0, 0, 1],
    ]);
    expect(codesOf(model).filter((code) => code === 'GLTF_VALUES_REPAIRED')).toHaveLength(2);
  });

  it.each(['translation', 'rotation', 'scale', 'matrix'])('may not have an infinite %s', async (property) => {
    const gltf = new GltfBuilder();
    const values = { translation: 3, rotation: 4, scale: 3, matrix: 16 }[property]!;
    gltf.meshNode([gltf.triangle()], { [property]: Array.from({ length: values }, () => 7e77) });
    const error = await refusalOf(gltf);
    expect(error.code).toBe('GLTF_INVALID');
    expect(error.issues[0]!.path).toBe(`/nodes/0/${property}/0`);
  });
});

describe('node matrices', () => {
  const columns = (rows: readonly number[]): number[] =>
    [0, 1, 2].flatMap((c) => [rows[c]!, rows[c + 4]!, rows[c + 8]!, 0]).concat([rows[3]!, rows[7]!, rows[11]!, 1]);

  it('become translation, rotation and scale', async () => {
    const gltf = new GltfBuilder();
    // a quarter turn about z, scaled by 2, 3, 4
    gltf.meshNode([gltf.triangle()], { matrix: columns([0, -3, 0, 5, 2, 0, 0, 6, 0, 0, 4, 7]) });
    const model = await importBuilt(gltf);
    expect(model.joints).toHaveLength(1);
    near(model.joints[0]!.translation, [5, 6, 7]);
    near(model.joints[0]!.rotation, [0, 0, Math.SQRT1_2, Math.SQRT1_2]);
    near(model.joints[0]!.scale, [2, 3, 4]);
  });

  it('that shear become two joints, exactly', async () => {
    const gltf = new GltfBuilder();
    gltf.meshNode([gltf.triangle()], {
      name: 'bent',
      matrix: columns([1, 0.5, 0, 5, 0, 1, 0.25, 6, 0, 0, 1, 7]),
      children: [1],
    });
    gltf.meshNode([gltf.triangle()], { name: 'child', translation: [0, 2, 0] });
    const model = await importBuilt(gltf);
    expect(model.joints.map(({ nodeIndex, parentIndex }) => [nodeIndex, parentIndex])).toEqual([
      [-1, -1],
      [0, 0],
      [1, 1],
    ]);
    expect(codesOf(model)).toContain('GLTF_MATRIX_SHEAR');
    const [bent, child] = sourcePositions(model, undefined, 0);
    near(bent!.positions, [5, 6, 7, 6, 6, 7, 5.5, 7, 7]);
    near(child!.positions, [6, 8, 7, 7, 8, 7, 6.5, 9, 7]);
  });

  it('that shear cannot be animated', async () => {
    const gltf = new GltfBuilder();
    gltf.meshNode([gltf.triangle()], { matrix: columns([1, 0.5, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]) });
    gltf.clip([{ node: 0, path: 'translation', times: [0, 1], values: [0, 0, 0, 1, 0, 0], type: 'VEC3' }]);
    const model = await importBuilt(gltf);
    expect(model.clips[0]!.tracks).toEqual([]);
    expect(codesOf(model)).toContain('GLTF_CHANNEL_IGNORED');
  });

  const compose = (matrix: readonly number[]): number[] => {
    const { outer, inner } = decompose(matrix);
    const out = new Float64Array(12);
    affineFromPose([...outer.translation, ...outer.rotation, ...outer.scale], 0, out, 0);
    if (!inner) return [...out];
    const turn = new Float64Array(12);
    affineFromPose([0, 0, 0, ...inner, 1, 1, 1], 0, turn, 0);
    return [0, 4, 8].flatMap((row) =>
      [0, 1, 2, 3].map(
        (column) =>
          out[row]! * turn[column]! +
          out[row + 1]! * turn[column + 4]! +
          out[row + 2]! * turn[column + 8]! +
          (column === 3 ? out[row + 3]! : 0),
      ),
    );
  };

  it.each([
    ['the identity', [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]],
    ['a mirror', [-1, 0, 0, 1, 0, 1, 0, 2, 0, 0, 1, 3]],
    ['three mirrors', [-1, 0, 0, 1, 0, -2, 0, 2, 0, 0, -3, 3]],
    ['half a turn', [-1, 0, 0, 1, 0, -1, 0, 2, 0, 0, 1, 3]],
    ['a flat one', [2, 0, 0, 1, 0, 0, 0, 2, 0, 0, 3, 3]],
    ['a flat turned one', [0, -2, 0, 1, 3, 0, 0, 2, 0, 0, 0, 3]],
    ['a line', [0, 0, 0, 1, 0, 0, 2, 2, 0, 0, 0, 3]],
    ['nothing', [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]],
    ['a sheared plane', [1, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]],
    ['a sheared line', [1, 2, 3, 0, 2, 4, 6, 0, 3, 6, 9, 0]],
    ['a sheared mirror', [-1, 0.5, 0.1, 4, 0.2, 1, -0.3, 5, 0, 0.7, 1, 6]],
    ['tiny axes', [1e-12, 0, 0, 4, 0, 1e-12, 0, 5, 0, 0, 1e-12, 6]],
    ['huge axes', [1e9, 5e8, 0, 4, 0, 1e9, 0, 5, 0, 0, 1e9, 6]],
  ])('%s is restored', (_, rows) => {
    const size = Math.max(...rows.map(Math.abs), 1e-300);
    compose(columns(rows)).forEach((value, i) => expect(Math.abs(value - rows[i]!) / size).toBeLessThan(1e-9));
  });
});

describe('deep hierarchies', () => {
  const chain = (gltf: GltfBuilder, length: number): void => {
    for (let i = 0; i < length; i++) gltf.nodes.push(i + 1 < length ? { children: [i + 1] } : {});
  };

  it('of 100,000 nodes outside the character cost nothing except time', async () => {
    const gltf = new GltfBuilder();
    chain(gltf, 100_000);
    const node = gltf.meshNode([gltf.triangle()]);
    gltf.scenes.push({ nodes: [0, node] });
    const elapsed = stopwatch();
    expect((await importBuilt(gltf)).joints).toHaveLength(1);
    expect(elapsed()).toBeLessThan(5_000);
  });

  it('of 100,000 nodes above a mesh are too many joints', async () => {
    const gltf = new GltfBuilder();
    chain(gltf, 100_000);
    const node = gltf.meshNode([gltf.triangle()]);
    gltf.nodes[99_999]!.children = [node];
    expect((await refusalOf(gltf)).code).toBe('CHARACTER_TOO_MANY_JOINTS');
  });

  it('of 4,096 joints are the most', async () => {
    const gltf = new GltfBuilder();
    chain(gltf, 4_095);
    const node = gltf.meshNode([gltf.triangle()]);
    gltf.nodes[4_094]!.children = [node];
    expect((await importBuilt(gltf)).joints).toHaveLength(4_096);
  });

  it('with a cycle far down are found', async () => {
    const gltf = new GltfBuilder();
    chain(gltf, 50_000);
    // unreachable from any root: 1 … 49,999 form a ring
    gltf.nodes[0]!.children = [];
    gltf.nodes[49_999]!.children = [1];
    gltf.meshNode([gltf.triangle()]);
    const error = await refusalOf(gltf);
    expect(error.code).toBe('GLTF_INVALID');
    expect(error.issues[0]!.message).toContain('cycle');
  });
});
