// Facts of characters that are small enough to know them beforehand.
import { describe, expect, it } from 'vitest';
import { GltfBuilder, importBuilt } from '../../../../test/import/build-gltf.ts';
import type { PackOptions } from '../../../character/pack/index.ts';
import { packCharacter } from '../../../character/pack/index.ts';
import { inspectCharacter, type Inspection } from './inspection.ts';

const inspectBuilt = async (gltf: GltfBuilder, options: PackOptions = {}): Promise<Inspection> =>
  inspectCharacter('built.glb', packCharacter(await importBuilt(gltf), options));

/** A turn about Y by degrees, as a quaternion. */
const aboutY = (degrees: number) => [0, Math.sin((degrees * Math.PI) / 360), 0, Math.cos((degrees * Math.PI) / 360)];

/** A node that stands `turn` degrees about Y, hips below it, and triangles below those: a foot each side, a head, a held pole. */
function figure(turn = 0): GltfBuilder {
  const gltf = new GltfBuilder();
  const part = (name: string, translation: readonly number[], scale: readonly number[] = [0.1, 0.1, 0.1]) =>
    gltf.meshNode([gltf.triangle()], { name, translation, scale });
  const feet = [part('foot_l', [0.2, 0, 0]), part('foot_r', [-0.3, 0, 0])];
  const pole = part('Pole', [0, 0, 0], [0.1, 3, 0.1]);
  const hand = gltf.nodes.push({ name: 'hand_r', translation: [-0.5, 1, 0], children: [pole] }) - 1;
  const hips = gltf.nodes.push({ name: 'hips', children: [...feet, part('head', [0, 1.7, 0]), hand] }) - 1;
  const root = gltf.nodes.push({ name: 'root', rotation: aboutY(turn), children: [hips] }) - 1;
  gltf.scenes.push({ nodes: [root] });
  return gltf;
}
const nodeOf = (gltf: GltfBuilder, name: string) => gltf.nodes.findIndex((node) => node.name === name);

describe('the size and facing of a character', () => {
  it('is measured with what hands hold, and without', async () => {
    const { stature, parts } = await inspectBuilt(figure());
    expect(stature.height).toBeCloseTo(4, 5);
    expect(stature.bodyHeight).toBeCloseTo(1.8, 5);
    for (const c of stature.feet) expect(c).toBeCloseTo(0, 5);
    expect(parts.map(({ name, hangsOn, isHeld }) => [name, hangsOn, isHeld])).toEqual([
      ['foot_l', 'hips', false],
      ['foot_r', 'hips', false],
      ['Pole', 'hand_r', true],
      ['head', 'hips', false],
    ]);
    expect(parts[2]!.bounds!.max[1]! - parts[2]!.bounds!.min[1]!).toBeCloseTo(3, 5);
    expect(parts[0]).toMatchObject({ meshes: 1, triangles: 1, vertices: 3, joints: ['foot_l'] });
  });

  it.each([0, 90, 180, -90, 30])('turned by %i degrees, it faces there', async (turn) => {
    const { facing } = (await inspectBuilt(figure(turn))).stature;
    expect(facing!.by).toBe('sides');
    expect(Math.cos(facing!.yaw - (turn * Math.PI) / 180)).toBeCloseTo(1, 6);
  });

  it('faces where toes point, or has no known facing', async () => {
    const gltf = new GltfBuilder();
    const toe = gltf.meshNode([gltf.triangle()], { name: 'Toe', translation: [-0.1, 0, 0] });
    gltf.nodes.push({ name: 'Foot', children: [toe] });
    const { facing } = (await inspectBuilt(gltf)).stature;
    expect(facing).toMatchObject({ by: 'toes', yaw: -Math.PI / 2 });
    gltf.nodes[1]!.name = 'Box';
    expect((await inspectBuilt(gltf)).stature.facing).toBeNull();
  });
});

describe('what a clip does from begin to end', () => {
  const walk = (gltf: GltfBuilder, values: number[], times = [0, 1, 2]) =>
    gltf.clip([{ node: nodeOf(gltf, 'hips'), path: 'translation', times, values, type: 'VEC3' }]);

  it('is nothing where its last pose is its first', async () => {
    const gltf = figure();
    walk(gltf, [0, 0, 0, 0, 0.1, 0, 0, 0, 0]);
    const [clip] = (await inspectBuilt(gltf)).clips;
    expect(clip).toMatchObject({ closes: true, loops: true, root: { joint: 'hips' } });
    expect(clip!.seam).toBeLessThan(0.001);
    expect(clip!.root.distance).toBeLessThan(0.001);
  });

  it('is travel and turn of the joint that carries all, which close all the same', async () => {
    const gltf = figure(90);
    const node = nodeOf(gltf, 'hips');
    const values = [0, 30, 60].flatMap(aboutY);
    gltf.clip([
      { node, path: 'translation', times: [0, 2], values: [0, 0, 0, 0, 0, 3], type: 'VEC3' },
      { node, path: 'rotation', times: [0, 1, 2], values, type: 'VEC4' },
    ]);
    const [clip] = (await inspectBuilt(gltf)).clips;
    expect(clip!.closes).toBe(true);
    expect(clip!.seam).toBeGreaterThan(2.5);
    expect(clip!.seamInPlace).toBeLessThan(0.005);
    const { distance, direction, speed, turn, rise } = clip!.root;
    expect(distance).toBeCloseTo(3, 3);
    expect(direction[0]).toBeCloseTo(3, 3); // +Z of a root that is turned to +X
    expect(speed).toBeCloseTo(1.5, 3);
    expect(rise).toBeCloseTo(0, 3);
    expect((turn * 180) / Math.PI).toBeCloseTo(60, 1);
  });

  it('is that of the first joint that moves, whatever moves vertices above it', async () => {
    const gltf = new GltfBuilder();
    const hips = gltf.meshNode([gltf.triangle()], { name: 'hips' });
    const root = gltf.meshNode([gltf.triangle()], { name: 'root', children: [hips] });
    const way = { path: 'translation', times: [0, 1], values: [0, 0, 0, 2, 0, 0], type: 'VEC3' };
    gltf.clip([{ ...way, node: hips }]);
    expect((await inspectBuilt(gltf)).clips[0]!.root).toMatchObject({ joint: 'hips', distance: expect.closeTo(2, 3) });
    gltf.animations.length = 0;
    gltf.clip([{ ...way, node: root }]);
    expect((await inspectBuilt(gltf)).clips[0]!.root).toMatchObject({ joint: 'root', distance: expect.closeTo(2, 3) });
  });

  it('counts whole turns', async () => {
    const gltf = figure();
    const times = [0, 1, 2, 3, 4];
    const values = [0, -90, -180, -270, -360].flatMap(aboutY);
    gltf.clip([{ node: nodeOf(gltf, 'hips'), path: 'rotation', times, values, type: 'VEC4' }]);
    const [clip] = (await inspectBuilt(gltf)).clips;
    expect((clip!.root.turn * 180) / Math.PI).toBeCloseTo(-360, 0);
    expect(clip!.closes).toBe(true);
  });

  it('leaves a gap where a part does not come back, larger than a last frame or not', async () => {
    const gltf = figure();
    const foot = { node: nodeOf(gltf, 'foot_l'), path: 'translation', type: 'VEC3' };
    gltf.clip([{ ...foot, times: [0, 1], values: [0.2, 0, 0, 0.2, 0.3, 0] }]);
    gltf.clip([{ ...foot, times: [0, 0.95, 1], values: [0.2, 0, 0, 0.2, 0, 0, 0.2, 0.02, 0] }]);
    const clips = (await inspectBuilt(gltf)).clips;
    for (const { closes } of clips) expect(closes).toBe(false);
    expect(clips[0]!.seamInPlace).toBeCloseTo(0.3, 3);
    expect(clips[0]!.lastStep).toBeCloseTo(0.01, 3);
    expect(clips[1]!.seamInPlace).toBeCloseTo(0.02, 3);
    expect(clips[1]!.lastStep).toBeGreaterThan(0.013);
  });

  it('does not close where a shape stays', async () => {
    const gltf = new GltfBuilder();
    const moved = gltf.accessor([0, 0, 0, 0, 0, 0, 0, 0, 1], 'VEC3');
    const node = gltf.meshNode([gltf.triangle({}, { targets: [{ POSITION: moved }] })]);
    const path = 'weights';
    gltf.clip([{ node, path, times: [0, 1], values: [0, 0.5], type: 'SCALAR' }]);
    gltf.clip([{ node, path, times: [0, 1, 2], values: [0, 0.5, 0], type: 'SCALAR' }]);
    expect((await inspectBuilt(gltf)).clips.map(({ closes }) => closes)).toEqual([false, true]);
  });
});

describe('materials', () => {
  it('have their textures by index, with sizes from their headers', async () => {
    const gltf = figure();
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAYAAAD0In+KAAAAD0lEQVR4AWNgYGD4D8QMAAMEAQAfvNlhAAAAAElFTkSuQmCC',
      'base64',
    );
    gltf.images.push({ name: 'skin', mimeType: 'image/png', bufferView: gltf.view(png) });
    gltf.images.push({ name: 'broken', mimeType: 'image/png', bufferView: gltf.view(png.subarray(0, 20)) });
    gltf.textures.push({ source: 0 }, { source: 1 });
    gltf.materials.push({
      name: 'Skin',
      alphaMode: 'MASK',
      pbrMetallicRoughness: { baseColorTexture: { index: 0 } },
      normalTexture: { index: 1 },
    });
    const { images, materials, memory } = await inspectBuilt(gltf);
    expect(materials).toMatchObject([
      { name: 'Skin', alphaMode: 'MASK', doubleSided: false, textures: { baseColorTexture: 0, normalTexture: 1 } },
    ]);
    expect(images).toEqual([
      { name: 'skin', format: 'png', width: 2, height: 1, bytes: png.length },
      { name: 'broken', format: null, width: null, height: null, bytes: 20 },
    ]);
    expect(memory).toMatchObject({ images: png.length + 20, textures: 0 });
    expect(memory.perVisibleCharacter).toBeGreaterThan(memory.perCharacter);
  });
});
