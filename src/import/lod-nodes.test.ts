import { describe, expect, it } from 'vitest';
import { codesOf, type Entry, GltfBuilder, importBuilt } from '../../test/import/build-gltf.ts';
import { posedTriangles, randomPose } from '../../test/support/lod-truth.ts';
import { Random } from '../../test/support/random.ts';
import { packCharacter } from '../character/pack/index.ts';
import type { CharacterModel } from '../character/model.ts';

const lods = (...ids: unknown[]): Entry => ({ extensions: { MSFT_lod: { ids } } });
const warnings = ({ issues }: CharacterModel) =>
  issues.filter(({ code }) => code === 'GLTF_LOD_IGNORED').map(({ path, message }) => `${path}: ${message}`);

/** A square of four triangles about its middle, or of two: side 2, in the xy plane. */
function square(
  gltf: GltfBuilder,
  triangles: 4 | 2,
  attributes: Record<string, number> = {},
  properties: Entry = {},
): Entry {
  const corners = [-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0, 0, 0, 0];
  const POSITION = gltf.accessor(corners, 'VEC3');
  const NORMAL = gltf.accessor(Array.from({ length: 5 }, () => [0, 0, 1]).flat(), 'VEC3');
  const list = triangles === 4 ? [0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4] : [0, 1, 2, 0, 2, 3];
  const indices = gltf.accessor(list, 'SCALAR', { componentType: 5123 });
  return { attributes: { POSITION, NORMAL, ...attributes }, indices, ...properties };
}

function fileWith(build: (gltf: GltfBuilder) => void): GltfBuilder {
  const gltf = new GltfBuilder();
  gltf.extra.extensionsUsed = ['MSFT_lod'];
  build(gltf);
  return gltf;
}

const counts = ({ lods: levels = [] }: CharacterModel) =>
  levels.map(({ meshes }) => meshes.map(({ indices }) => indices.length / 3));

describe('MSFT_lod on a node with a mesh', () => {
  it('becomes LODs, and no further mesh: outside the scene, inside it, or without scenes', async () => {
    for (const scene of [[0], [0, 1, 2], undefined]) {
      const gltf = fileWith((g) => {
        g.meshNode([square(g, 4)], { name: 'fine', ...lods(1, 2), extras: { MSFT_screencoverage: [0.5, 0.2, 0.01] } });
        g.meshNode([square(g, 2)], { name: 'middle' });
        g.meshNode([g.triangle()], { name: 'coarse' });
        if (scene) g.scenes.push({ nodes: scene });
        else g.extra.scenes = g.extra.scene = undefined;
      });
      const model = await importBuilt(gltf);
      expect(model.meshes.map(({ nodeName }) => nodeName)).toEqual(['fine']);
      expect(counts(model)).toEqual([[2], [1]]);
      // they look and are hidden like the finest
      expect(model.lods!.flatMap(({ meshes }) => meshes.map((m) => [m.nodeName, m.nodeIndex]))).toEqual([
        ['fine', 0],
        ['fine', 0],
      ]);
      expect(codesOf(model)).toEqual(scene ? [] : ['GLTF_SCENE_CHOSEN']);
      expect(model.joints).toHaveLength(1);
      const character = packCharacter(model);
      expect(character.lods.map(({ indices }) => indices.length)).toEqual([6, 3]);
      // the square in two triangles is the same square; a triangle of half its sides is not
      expect(character.lods[0]!.error).toBeCloseTo(0, 6);
      expect(character.lods[1]!.error).toBeCloseTo(1.1 * Math.SQRT2, 2);
    }
  });

  it('may be required', async () => {
    const gltf = fileWith((g) => {
      g.meshNode([square(g, 4)], lods(1));
      g.meshNode([square(g, 2)]);
      g.extra.extensionsRequired = ['MSFT_lod'];
    });
    expect(counts(await importBuilt(gltf))).toEqual([[2]]);
  });

  it('follows the skin, its own or the same', async () => {
    const gltf = fileWith((g) => {
      const joints = [g.nodes.push({ name: 'hip', children: [1] }) - 1, g.nodes.push({ translation: [0, 1, 0] }) - 1];
      const skin = g.skins.push({ joints }) - 1;
      const turned = g.skins.push({ joints: joints.toReversed() }) - 1;
      const set = (joint: number) => ({
        JOINTS_0: g.accessor(Array.from({ length: 5 }, () => [joint, 0, 0, 0]).flat(), 'VEC4', { componentType: 5123 }),
        WEIGHTS_0: g.accessor(Array.from({ length: 5 }, () => [1, 0, 0, 0]).flat(), 'VEC4'),
      });
      g.meshNode([square(g, 4, set(1))], { skin, ...lods(3, 4) });
      g.meshNode([square(g, 2, set(1))], { skin });
      g.meshNode([square(g, 2, set(0))], { skin: turned, translation: [9, 9, 9] });
      g.scenes.push({ nodes: [0, 2] });
      const turn = [0, 0, 0, 1, 0, 0, Math.SQRT1_2, Math.SQRT1_2];
      g.clip([{ node: 1, path: 'rotation', type: 'VEC4', times: [0, 1], values: turn }]);
    });
    const model = await importBuilt(gltf);
    // joint 1 of one skin is joint 0 of the other: the same palette entry; where the node of a skinned mesh stands is nothing
    expect(model.bindings).toHaveLength(1);
    expect(counts(model)).toEqual([[2], [2]]);
    expect(packCharacter(model).lods.map(({ error }) => error < 1e-5)).toEqual([true, true]);
  });

  it('of a rigid mesh is where its node says, below the parent of the finest, and moves with that one', async () => {
    const gltf = fileWith((g) => {
      g.nodes.push({ name: 'arm', children: [1], translation: [0, 0, 5] });
      g.meshNode([square(g, 4)], { translation: [3, 0, 0], scale: [2, 2, 2], ...lods(2) });
      g.meshNode([square(g, 2)], { translation: [3, 0, 0.5], scale: [2, 2, 2] });
      g.scenes.push({ nodes: [0] });
      g.clip([{ node: 1, path: 'translation', type: 'VEC3', times: [0, 1], values: [3, 0, 0, 3, 7, 0] }]);
    });
    const model = await importBuilt(gltf);
    expect(model.bindings).toHaveLength(2);
    const [lod] = model.lods!;
    const random = new Random(5);
    for (let n = 0; n < 3; n++) {
      const pose = randomPose(random, model);
      const [fine, coarse] = [posedTriangles(model, model.meshes, pose), posedTriangles(model, lod!.meshes, pose)];
      const lowest = (list: typeof fine, k: number) => Math.min(...list.flat().map((p) => p[k]!));
      expect(lowest(coarse, 1)).toBeCloseTo(lowest(fine, 1), 5);
      expect(lowest(coarse, 2)).toBeCloseTo(lowest(fine, 2) + 0.5, 5);
    }
    expect(packCharacter(model).lods[0]!.error).toBeCloseTo(1.1 * 0.5, 4);
  });

  it('counts in the bounds: a LOD may stick out', async () => {
    const gltf = fileWith((g) => {
      g.meshNode([square(g, 4)], lods(1));
      g.meshNode([square(g, 2)], { translation: [0, 0, 4] });
      g.scenes.push({ nodes: [0] });
      g.clip([{ node: 0, path: 'rotation', type: 'VEC4', times: [0, 1], values: [0, 0, 0, 1, 1, 0, 0, 0] }]);
    });
    const { reach, bounds, clips } = packCharacter(await importBuilt(gltf));
    expect(bounds.max[2]).toBeCloseTo(4, 5);
    expect(reach!.radius).toBeGreaterThanOrEqual(Math.hypot(1, 1, 4));
    expect(clips[0]!.bounds!.min[2]).toBeLessThanOrEqual(-4);
  });

  it('matches primitives by material; those without one vanish, and keep their place', async () => {
    const gltf = fileWith((g) => {
      g.materials.push({ name: 'skin' }, { name: 'eyes' });
      g.meshNode([square(g, 4, {}, { material: 1 }), square(g, 4, {}, { material: 0 })], lods(1));
      g.meshNode([square(g, 2, {}, { material: 0 })]);
    });
    const model = await importBuilt(gltf);
    expect(counts(model)).toEqual([[0, 2]]);
    const { primitives } = packCharacter(model).lods[0]!;
    expect(
      primitives.map(({ materialIndex, vertexCount, indexCount }) => [materialIndex, vertexCount, indexCount]),
    ).toEqual([
      [1, 0, 0],
      [0, 5, 6],
    ]);
  });

  it('has as many levels as the node with the most; others stay at their coarsest', async () => {
    const gltf = fileWith((g) => {
      g.meshNode([square(g, 4)], lods(3, 4));
      g.meshNode([square(g, 4)], lods(5));
      g.meshNode([square(g, 4)]);
      for (const triangles of [2, 2, 2] as const) g.meshNode([square(g, triangles)]);
      g.nodes[4]!.mesh = g.meshes.push({ primitives: [g.triangle()] }) - 1;
      g.scenes.push({ nodes: [0, 1, 2] });
    });
    expect(counts(await importBuilt(gltf))).toEqual([
      [2, 2, 4],
      [1, 2, 4],
    ]);
  });

  it('morphs with as many targets, or not at all', async () => {
    const delta = (g: GltfBuilder) => ({
      POSITION: g.accessor(
        Array.from({ length: 15 }, () => 0.5),
        'VEC3',
      ),
    });
    const gltf = fileWith((g) => {
      const targets = () => [delta(g), delta(g)];
      g.meshNode([square(g, 4, {}, { targets: targets() })], lods(1, 2, 3));
      g.meshNode([square(g, 2, {}, { targets: targets() })]);
      g.meshNode([square(g, 2, {}, { targets: [delta(g)] })]);
      g.meshNode([square(g, 2)]);
    });
    const model = await importBuilt(gltf);
    expect(model.lods!.map(({ meshes }) => [meshes[0]!.morphSetIndex, meshes[0]!.targets.length])).toEqual([
      [0, 2],
      [-1, 0],
    ]);
    expect(warnings(model)).toEqual([
      '/nodes/2: It cannot replace node 0: its primitive 0 has 1 morph targets, the finest 2.',
    ]);
    // what does not morph is as far away as the targets move, one at a time
    const [with2, without] = packCharacter(model).lods.map(({ error }) => error);
    expect(with2).toBeCloseTo(0, 5);
    expect(without).toBeGreaterThan(0.5);
  });
});

describe('MSFT_lod that cannot be followed is ignored with a warning', () => {
  it.each<[string, (g: GltfBuilder) => void, string]>([
    ['no ids', (g) => void Object.assign(g.nodes[0]!, { extensions: { MSFT_lod: {} } }), 'do not all name its'],
    ['invalid ids', (g) => void Object.assign(g.nodes[0]!, lods('1', -1, 2.5, 99)), 'do not all name its'],
    ['itself', (g) => void Object.assign(g.nodes[0]!, lods(0)), 'do not all name its'],
    ['a material that is not there', (g) => void Object.assign(g.nodes[0]!, lods(2)), 'has a material that none'],
    ['a node without a mesh', (g) => void Object.assign(g.nodes[0]!, lods(3)), 'it carries no mesh'],
    [
      'a skin of other joints',
      (g) => void Object.assign(g.nodes[0]!, lods(4)),
      'joints that the character does not have',
    ],
    ['a scale of nothing', (g) => void Object.assign(g.nodes[0]!, lods(1), { scale: [0, 1, 1] }), 'a scale of 0'],
  ])('%s', async (_, change, message) => {
    const gltf = fileWith((g) => {
      g.materials.push({});
      g.meshNode([square(g, 4)]);
      g.meshNode([square(g, 2)]);
      g.meshNode([square(g, 2, {}, { material: 0 })]);
      g.nodes.push({ name: 'empty' }, { name: 'other joint' });
      const skin = g.skins.push({ joints: [4] }) - 1;
      g.nodes[4] = { mesh: 1, skin, children: [5] };
      g.nodes.push({ name: 'other joint' });
      g.skins[skin] = { joints: [5] };
      g.scenes.push({ nodes: [0] });
      change(g);
    });
    const model = await importBuilt(gltf);
    expect(model.meshes).toHaveLength(1);
    expect(model.lods).toBeUndefined();
    expect(warnings(model).join('\n')).toContain(message);
  });

  it('on a node without a mesh: its LODs are not drawn in addition', async () => {
    const gltf = fileWith((g) => {
      g.nodes.push({ name: 'group', children: [1], ...lods(2) });
      g.meshNode([square(g, 4)], { name: 'fine' });
      g.nodes.push({ name: 'coarse group', children: [3] });
      g.meshNode([square(g, 2)], { name: 'coarse' });
    });
    const model = await importBuilt(gltf);
    expect(model.meshes.map(({ nodeName }) => nodeName)).toEqual(['fine']);
    expect(model.lods).toBeUndefined();
    expect(warnings(model)).toEqual([
      '/nodes/0/extensions/MSFT_lod: The node carries no mesh; only LODs of mesh nodes are imported.',
    ]);
  });

  it('names its ancestor, a LOD of its own, more than seven', async () => {
    const gltf = fileWith((g) => {
      g.nodes.push({ name: 'root', children: [1] });
      g.meshNode([square(g, 4)], lods(0, 2, 2, 2, 2, 2, 2, 2, 2));
      g.meshNode([square(g, 2)], lods(1));
      g.scenes.push({ nodes: [0] });
    });
    const model = await importBuilt(gltf);
    expect(model.meshes).toHaveLength(1);
    expect(model.lods).toHaveLength(7);
    expect(warnings(model)).toHaveLength(2);
  });

  it('on a material: it keeps its finest', async () => {
    const gltf = fileWith((g) => {
      g.materials.push(lods(1), {});
      g.meshNode([square(g, 4, {}, { material: 0 })]);
    });
    const model = await importBuilt(gltf);
    expect(codesOf(model)).toEqual(['GLTF_LOD_IGNORED']);
    expect(model.issues[0]).toMatchObject({ severity: 'info', path: '/materials/0/extensions/MSFT_lod' });
  });

  it('thousands of times over costs what its meshes cost, and is limited like them', async () => {
    const gltf = fileWith((g) => {
      const mesh = g.meshes.push({ primitives: [square(g, 2)] }) - 1;
      for (let i = 0; i < 700; i++) g.nodes.push({ mesh, ...lods(...Array.from({ length: 7 }, () => 700)) });
      g.nodes.push({ mesh });
    });
    await expect(importBuilt(gltf)).rejects.toMatchObject({ code: 'GLTF_LIMIT' });
  });
});
