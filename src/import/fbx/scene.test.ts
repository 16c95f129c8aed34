import { describe, expect, it } from 'vitest';
import { array, FbxBuilder, floats, integers, record } from '../../../test/import/build-fbx.ts';
import { clipVertices, posedVertices } from '../../../test/support/posed-vertices.ts';
import { composeJoints, evaluateMorphWeights, evaluatePose, restPose } from '../../character/evaluate.ts';
import type { CharacterModel } from '../../character/model.ts';
import { importModel } from '../import-model.ts';
import { importFbx } from './import-fbx.ts';

const codes = ({ issues }: CharacterModel): string[] => issues.map(({ code }) => code);
const TRIANGLE = [0, 0, 0, 100, 0, 0, 0, 100, 0];

/** The matrix of a joint, three rows of four, at a time of the first clip. */
function matrixAt(model: CharacterModel, name: string, time?: number): number[] {
  const joint = model.joints.findIndex((each) => each.name === name);
  const clip = time === undefined ? undefined : model.clips[0];
  const all = composeJoints(model, evaluatePose(model, clip, time ?? 0));
  return Array.from(all.subarray(12 * joint, 12 * joint + 12));
}

type Matrix = number[][];
const multiply = (...list: Matrix[]): Matrix =>
  list.reduce((a, b) => a.map((row) => [0, 1, 2, 3].map((c) => row.reduce((sum, v, k) => sum + v * b[k]![c]!, 0))));
const move = (x: number, y: number, z: number): Matrix => [[1, 0, 0, x], [0, 1, 0, y], [0, 0, 1, z], [0, 0, 0, 1]]; // prettier-ignore
const scale = (x: number, y: number, z: number): Matrix => [[x, 0, 0, 0], [0, y, 0, 0], [0, 0, z, 0], [0, 0, 0, 1]]; // prettier-ignore
function turn(axis: number, degrees: number): Matrix {
  const [c, s] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
  const out = move(0, 0, 0);
  out[u]![u] = out[v]![v] = c;
  out[u]![v] = -s;
  out[v]![u] = s;
  return out;
}
/** Turns about X first. */
const euler = (x: number, y: number, z: number): Matrix => multiply(turn(2, z), turn(1, y), turn(0, x));

function expectMatrix(actual: readonly number[], expected: Matrix): void {
  expected.slice(0, 3).flat().forEach((value, i) => expect(actual[i]).toBeCloseTo(value, 5)); // prettier-ignore
}

describe('transforms', () => {
  it.each([
    [0, [2, 1, 0]],
    [1, [1, 2, 0]],
    [2, [0, 2, 1]],
    [3, [2, 0, 1]],
    [4, [1, 0, 2]],
    [5, [0, 1, 2]],
  ])('of rotation order %i turn about the axes %j, the last one first', async (order, axes) => {
    const fbx = new FbxBuilder();
    const angles = [30, 50, -70];
    fbx.model('a', 'LimbNode', { RotationActive: 1, RotationOrder: order, 'Lcl Rotation': angles });
    const expected = multiply(...axes.map((axis) => turn(axis, angles[axis]!)));
    expectMatrix(matrixAt(await fbx.import(), 'a'), expected);
  });

  it('follow the formula with pivots, offsets, pre- and post-rotation', async () => {
    const fbx = new FbxBuilder();
    const properties = {
      RotationActive: 1,
      'Lcl Translation': [100, 200, 300],
      'Lcl Rotation': [10, 20, 30],
      'Lcl Scaling': [1, 2, 3],
      PreRotation: [40, 50, 60],
      PostRotation: [5, -6, 7],
      RotationOffset: [10, 0, 0],
      RotationPivot: [0, 20, 0],
      ScalingOffset: [0, 0, 30],
      ScalingPivot: [40, 0, 50],
    };
    fbx.model('a', 'LimbNode', properties);
    const post = turn(0, -5);
    const expected = multiply(
      move(1, 2, 3), move(0.1, 0, 0), move(0, 0.2, 0), euler(40, 50, 60), euler(10, 20, 30),
      // the inverse of post-rotation turns backwards, about Z first
      multiply(post, turn(1, 6), turn(2, -7)),
      move(0, -0.2, 0), move(0, 0, 0.3), move(0.4, 0, 0.5), scale(1, 2, 3), move(-0.4, 0, -0.5),
    ); // prettier-ignore
    expectMatrix(matrixAt(await fbx.import(), 'a'), expected);
  });

  it('ignore order and pre-rotation without RotationActive', async () => {
    const fbx = new FbxBuilder();
    fbx.model('a', 'LimbNode', { RotationOrder: 5, PreRotation: [90, 0, 0], 'Lcl Rotation': [10, 20, 30] });
    expectMatrix(matrixAt(await fbx.import(), 'a'), euler(10, 20, 30));
  });

  it('say that a spheric order is taken as XYZ', async () => {
    const fbx = new FbxBuilder();
    fbx.model('a', 'LimbNode', { RotationActive: 1, RotationOrder: 6 });
    expect(codes(await fbx.import())).toContain('FBX_SIMPLIFIED');
  });

  const parent = { 'Lcl Scaling': [2, 3, 4], 'Lcl Rotation': [0, 0, 30], 'Lcl Translation': [100, 0, 0] };
  const child = { 'Lcl Scaling': [1, 1, 5], 'Lcl Rotation': [20, 0, 0], 'Lcl Translation': [0, 100, 0] };
  it.each([
    [1, multiply(scale(2, 3, 4), move(0, 1, 0), turn(0, 20), scale(1, 1, 5))],
    // the place follows the parent's scale, the axes do not
    [2, multiply(move(0, 3, 0), turn(0, 20), scale(1, 1, 5))],
    // scales multiply along the child's own axes
    [0, multiply(move(0, 3, 0), turn(0, 20), scale(2, 3, 20))],
  ])('of inherit type %i', async (InheritType, local) => {
    const fbx = new FbxBuilder();
    const above = fbx.model('above', 'LimbNode', { ...parent, InheritType: 1 });
    fbx.model('below', 'LimbNode', { ...child, InheritType }, above);
    expectMatrix(matrixAt(await fbx.import(), 'below'), multiply(move(1, 0, 0), turn(2, 30), local));
  });

  it('of inherit type 2 follow an animated scale', async () => {
    const fbx = new FbxBuilder();
    const above = fbx.model('above', 'LimbNode', { InheritType: 1 });
    const below = fbx.model('below', 'LimbNode', { InheritType: 2, 'Lcl Translation': [0, 100, 0] }, above);
    fbx.model('last', 'LimbNode', { InheritType: 1, 'Lcl Translation': [100, 0, 0] }, below);
    const { layers } = fbx.take('grow', 0, 1);
    fbx.curves(layers[0]!, above, 'Lcl Scaling', { X: [[0, 1], [1, 3]], Y: [[0, 1], [1, 5]], Z: [[0, 1]] }); // prettier-ignore
    expectMatrix(matrixAt(await fbx.import(), 'last', 0.5), move(1, 3, 0));
  });

  it('come in metres and Y up', async () => {
    const fbx = new FbxBuilder();
    fbx.settings = { UnitScaleFactor: 2.54, UpAxis: 2, UpAxisSign: 1, FrontAxis: 1, FrontAxisSign: -1, CoordAxis: 0 };
    fbx.model('a', 'LimbNode', { 'Lcl Translation': [100, 200, 300] });
    expectMatrix(matrixAt(await fbx.import(), 'a'), multiply(turn(0, -90), move(2.54, 5.08, 7.62)));
  });

  it('of left-handed axes are mirrored', async () => {
    const fbx = new FbxBuilder();
    fbx.settings = { FrontAxis: 2, FrontAxisSign: -1 };
    const above = fbx.model('above', 'LimbNode', { 'Lcl Rotation': [10, 20, 30] });
    fbx.model('a', 'LimbNode', { 'Lcl Translation': [100, 200, 300] }, above);
    fbx.mesh(TRIANGLE, [[0, 1, 2]]);
    const model = await fbx.import();
    expectMatrix(matrixAt(model, 'a'), multiply(scale(1, 1, -1), euler(10, 20, 30), move(1, 2, 3)));
    // front faces stay at the front
    expect(Array.from(model.meshes[0]!.indices)).not.toEqual([0, 1, 2]);
  });

  it('of geometry move the mesh and not its children', async () => {
    const fbx = new FbxBuilder();
    const { geometry } = fbx.mesh(TRIANGLE, [[0, 1, 2]]);
    const moved = fbx.add('Model', 'moved', 'Mesh', [], {
      GeometricTranslation: [0, 0, 100],
      'Lcl Scaling': [2, 2, 2],
    });
    fbx.connect(geometry, moved);
    fbx.connect(moved, 0);
    fbx.model('below', 'LimbNode', {}, moved);
    const built = await fbx.import();
    expectMatrix(matrixAt(built, 'below'), scale(2, 2, 2));
    const [, vertices] = posedVertices(built, restPose(built), new Float64Array());
    expect(Array.from(vertices!).filter((_, i) => i % 3 === 2)).toEqual([2, 2, 2]);
  });
});

describe('meshes', () => {
  const square = [0, 0, 0, 100, 0, 0, 100, 100, 0, 0, 100, 0];
  const layer = (mapping: string, reference: string, values: readonly number[], index?: readonly number[]) =>
    record('LayerElementNormal', [0], [
      record('MappingInformationType', [mapping]),
      record('ReferenceInformationType', [reference]),
      floats('Normals', values),
      ...(index ? [integers('NormalsIndex', index)] : []),
    ]); // prettier-ignore

  it.each([
    ['ByPolygonVertex', 'Direct', [0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 1, 0], undefined],
    ['ByVertice', 'IndexToDirect', [0, 1, 0, 0, 0, 1], [1, 1, 1, 0]],
    ['ByPolygon', 'Direct', [1, 0, 0], undefined],
    ['AllSame', 'Direct', [1, 0, 0], undefined],
  ])('have normals %s, %s', async (mapping, reference, values, index) => {
    const fbx = new FbxBuilder();
    fbx.mesh(square, [[0, 1, 2, 3]], [layer(mapping, reference, values, index)]);
    const { meshes } = await fbx.import();
    const { normals, vertexCount, positions } = meshes[0]!;
    expect(vertexCount).toBe(4);
    const last = [0, 1, 2, 3].find((v) => positions[3 * v] === 0 && positions[3 * v + 1] === 1)!;
    const expected =
      mapping.startsWith('ByP') && values.length === 12 ? [0, 1, 0] : mapping === 'ByVertice' ? [0, 1, 0] : [1, 0, 0];
    expect(Array.from(normals.subarray(3 * last, 3 * last + 3))).toEqual(expected);
  });

  it('with a mapping that is not known get normals of their own', async () => {
    const fbx = new FbxBuilder();
    fbx.mesh(square, [[0, 1, 2, 3]], [layer('ByEdge', 'Direct', [0, 0, 1])]);
    expect(codes(await fbx.import())).toEqual(
      expect.arrayContaining(['GLTF_ATTRIBUTE_IGNORED', 'GLTF_NORMALS_GENERATED']),
    );
  });

  it('are cut into triangles that fill a concave polygon', async () => {
    // an L of area 3 in the plane of x and z
    const outline = [0, 0, 0, 200, 0, 0, 200, 0, 100, 100, 0, 100, 100, 0, 200, 0, 0, 200];
    const fbx = new FbxBuilder();
    fbx.mesh(outline, [[0, 1, 2, 3, 4, 5]]);
    const { positions, indices } = (await fbx.import()).meshes[0]!;
    let area = 0;
    for (let t = 0; t < indices.length; t += 3) {
      const [a, b, c] = [0, 1, 2].map((k) => [positions[3 * indices[t + k]!]!, positions[3 * indices[t + k]! + 2]!]);
      area += Math.abs((b![0]! - a![0]!) * (c![1]! - a![1]!) - (b![1]! - a![1]!) * (c![0]! - a![0]!)) / 2;
    }
    expect(indices).toHaveLength(12);
    expect(area).toBeCloseTo(3);
  });

  it('are parts by the material of their polygons', async () => {
    const fbx = new FbxBuilder();
    const materials = record('LayerElementMaterial', [0], [
      record('MappingInformationType', ['ByPolygon']),
      record('ReferenceInformationType', ['IndexToDirect']),
      integers('Materials', [1, 0]),
    ]); // prettier-ignore
    const { model } = fbx.mesh(square, [[0, 1, 2], [0, 2, 3]], [materials]); // prettier-ignore
    for (const [name, color] of [['red', [1, 0, 0]], ['green', [0, 1, 0]]] as const) {
      fbx.connect(fbx.add('Material', name, '', [], { DiffuseColor: color, DiffuseFactor: 0.5 }), model);
    } // prettier-ignore
    const { meshes, materials: read } = await fbx.import();
    expect(meshes.map(({ materialIndex }) => read[materialIndex]!.baseColor)).toEqual([
      [0.5, 0, 0, 1],
      [0, 0.5, 0, 1],
    ]);
  });

  it('with an index out of range are refused', async () => {
    const fbx = new FbxBuilder();
    fbx.mesh(TRIANGLE, [[0, 1, 3]]);
    await expect(fbx.import()).rejects.toMatchObject({ code: 'GLTF_INDEX_OUT_OF_RANGE' });
  });

  /** Row-major matrix as the file has it. */
  const columns = (matrix: Matrix): number[] => [0, 1, 2, 3].flatMap((c) => matrix.map((row) => row[c]!));

  it('follow their clusters, with Transform of the mesh and weights scaled to 1', async () => {
    const fbx = new FbxBuilder();
    const { geometry } = fbx.mesh(TRIANGLE, [[0, 1, 2]]);
    const bones = [fbx.model('a', 'LimbNode', { 'Lcl Translation': [0, 0, 100] }), fbx.model('b', 'LimbNode')];
    const skin = fbx.add('Deformer', 'skin', 'Skin');
    fbx.connect(skin, geometry);
    for (const [i, points] of [[0, [0, 1]], [1, [1]]] as const) {
      const cluster = fbx.add('Deformer', `c${i}`, 'Cluster', [
        integers('Indexes', points),
        floats('Weights', points.map(() => 3)),
        floats('Transform', columns(i === 0 ? move(0, 0, 100) : move(100, 0, 0))),
      ]);
      fbx.connect(cluster, skin);
      fbx.connect(bones[i]!, cluster);
    } // prettier-ignore
    const model = await fbx.import();
    const [vertices] = posedVertices(model, restPose(model), new Float64Array());
    // point 0 by a alone, point 1 half by each, point 2 without weight
    expect(Array.from(vertices!)).toEqual([0, 0, 2, 1.5, 0, 1, 0, 1, 0]);
    expect(codes(model)).toContain('GLTF_WEIGHTS_ZERO');
  });

  it('have blend shapes, with their weights and clips; shapes in between are an issue', async () => {
    const fbx = new FbxBuilder();
    const { geometry } = fbx.mesh(TRIANGLE, [[0, 1, 2]]);
    const deformer = fbx.add('Deformer', 'shapes', 'BlendShape');
    fbx.connect(deformer, geometry);
    const channel = fbx.add('Deformer', 'smile', 'BlendShapeChannel', [floats('FullWeights', [50, 100])], {
      DeformPercent: 25,
    });
    fbx.connect(channel, deformer);
    for (const name of ['half', 'whole']) {
      const offset = name === 'half' ? 7 : 100;
      const shape = fbx.add('Geometry', name, 'Shape', [integers('Indexes', [1]), floats('Vertices', [0, 0, offset])]);
      fbx.connect(shape, channel);
    }
    const { layers } = fbx.take('smiles', 0, 1);
    fbx.curves(layers[0]!, channel, 'DeformPercent', { DeformPercent: [[0, 0], [1, 100]] }); // prettier-ignore
    const model = await fbx.import();
    expect(model.morphSets).toEqual([{ nodeIndex: 0, names: ['smile'], weights: [0.25] }]);
    const highest = (list: Float64Array[]) => Math.max(...list[0]!.filter((_, i) => i % 3 === 2));
    expect(highest(posedVertices(model, restPose(model), evaluateMorphWeights(model, undefined, 0)))).toBeCloseTo(0.25);
    expect(highest(clipVertices(model, model.clips[0]!, 0.5))).toBeCloseTo(0.5);
    expect(codes(model)).toContain('FBX_SIMPLIFIED');
  });

  it('have images that are in the file or beside it', async () => {
    const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
    const build = (children: ReturnType<typeof record>[]) => {
      const fbx = new FbxBuilder();
      const { model } = fbx.mesh(TRIANGLE, [[0, 1, 2]]);
      const material = fbx.add('Material', 'm', '');
      const texture = fbx.add('Texture', 't', '');
      fbx.connect(material, model);
      fbx.connect(texture, material, 'DiffuseColor');
      fbx.connect(fbx.add('Video', 'v', 'Clip', children), texture);
      return fbx;
    };
    const embedded = build([record('Content', [png])]);
    for (const bytes of [embedded.binary(), embedded.text()]) {
      const { images, materials } = await importFbx(bytes);
      expect(images).toEqual([{ name: 'v', mimeType: 'image/png', bytes: png }]);
      expect(materials[0]!.baseColorTexture).toMatchObject({ imageIndex: 0, wrapS: 'REPEAT' });
    }
    const asked: string[] = [];
    const resolve = (path: string) => {
      asked.push(path);
      return Promise.resolve(png);
    };
    const outside = build([record('RelativeFilename', ['..\\textures\\skin.png'])]);
    const found = await importFbx({ name: 'm', bytes: outside.binary(), resolve });
    expect([asked, found.images.map(({ name }) => name)]).toEqual([['skin.png'], ['skin']]);
    expect(codes(await outside.import())).toContain('GLTF_TEXTURE_IGNORED');
  });
});

describe('the size of a file', () => {
  it.each([
    [1, 1.8, ['FBX_SIZE_UNLIKELY']],
    [1, 180, []],
    [1, 1.8e4, ['FBX_SIZE_UNLIKELY']],
    [100, 1.8, []],
    [100, 180, ['FBX_SIZE_UNLIKELY']],
    [1, 0, []],
  ])('in units of %f cm, %f long', async (unit, length, expected) => {
    const fbx = new FbxBuilder();
    fbx.settings = { UnitScaleFactor: unit };
    const hips = fbx.model('hips', 'LimbNode');
    fbx.model('head', 'LimbNode', { 'Lcl Translation': [0, length, 0] }, hips);
    expect(codes(await fbx.import()).filter((code) => code === 'FBX_SIZE_UNLIKELY')).toEqual(expected);
  });
});

describe('a unit that is given', () => {
  it('replaces that of the file, and is told', async () => {
    const fbx = new FbxBuilder();
    fbx.settings = { UnitScaleFactor: 100 };
    const hips = fbx.model('hips', 'LimbNode');
    fbx.model('head', 'LimbNode', { 'Lcl Translation': [0, 149, 0] }, hips);
    const wrong = await importModel(fbx.binary());
    expect([wrong.joints[1]!.translation[1], codes(wrong)]).toEqual([
      149,
      expect.arrayContaining(['FBX_SIZE_UNLIKELY']),
    ]);
    const model = await importModel(fbx.binary(), { fbx: { unit: 0.01 } });
    expect(model.joints[1]!.translation[1]).toBeCloseTo(1.49, 6);
    expect(codes(model)).not.toContain('FBX_SIZE_UNLIKELY');
    expect(model.issues.find(({ code }) => code === 'FBX_UNIT_GIVEN')!.message).toBe(
      'One unit is 0.01 m, as given; the file says 1 m.',
    );
    for (const unit of [0, -1, Number.NaN, Infinity])
      await expect(importModel(fbx.binary(), { fbx: { unit } })).rejects.toMatchObject({ code: 'USAGE' });
  });
});

describe('files with nothing to draw', () => {
  it('tell what has no effect', async () => {
    const fbx = new FbxBuilder();
    fbx.model('a', 'LimbNode');
    fbx.add('NodeAttribute', 'sun', 'Light');
    fbx.model('camera', 'Camera');
    fbx.add('Geometry', 'curve', 'NurbsCurve', [record('Points', [array('d', [1])])]);
    const model = await fbx.import();
    expect(model.joints).toHaveLength(1);
    expect(codes(model)).toEqual(expect.arrayContaining(['FBX_IGNORED', 'GLTF_NO_MESH']));
  });
});
