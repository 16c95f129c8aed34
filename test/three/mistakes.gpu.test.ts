// What newcomers to three.js and to crowds get wrong: it works, or an error says what to do.
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import type * as THREE from 'three/webgpu';
import {
  BoxGeometry,
  type Material,
  Mesh,
  MeshBasicMaterial,
  type Object3D,
  PerspectiveCamera,
  RawShaderMaterial,
  RenderTarget,
  Scene,
  ShaderMaterial,
  WebGPURenderer,
} from 'three/webgpu';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import type { Character } from '../../src/character/character.ts';
import { addSockets } from '../../src/character/sockets.ts';
import { characterFromGltf, ManipleCrowd, type ManipleCrowdOptions } from '../../src/three/index.ts';
import { noGpu, testDevice } from '../support/gpu.ts';
import { disposedCrowds } from '../support/three-crowds.ts';
import { parseGlb } from '../support/three-files.ts';
import { canvasOf } from '../../src/bench/three/page.ts';
import { threePicture, threeRenderer } from '../support/three-renderer.ts';
import { saveSnapshot } from '../../src/state/index.ts';

const [WIDTH, HEIGHT] = [64, 48];

/** three.js once more, with everything of its own. */
async function secondCopy() {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'three-'));
  const three = path.join(folder, 'node_modules/three'); // which Vitest loads as it is
  const needed =
    /three($|\/(package\.json|build.*|examples(\/jsm(\/(loaders(\/GLTFLoader\.js)?|utils(\/\w+\.js)?))?)?)$)/;
  await cp('node_modules/three', three, { recursive: true, filter: (file) => needed.test(file) });
  const load = (file: string): Promise<unknown> =>
    import(/* @vite-ignore */ pathToFileURL(path.join(three, file)).href);
  const parts = await Promise.all(['build/three.webgpu.js', 'examples/jsm/loaders/GLTFLoader.js'].map(load));
  await rm(folder, { recursive: true });
  return Object.assign({}, ...parts) as typeof THREE & { GLTFLoader: typeof GLTFLoader };
}

describe.skipIf(noGpu())('mistakes', () => {
  let renderer: WebGPURenderer;
  let raider: Uint8Array;
  let soldier: Character;
  let target: RenderTarget;
  const camera = new PerspectiveCamera(30, WIDTH / HEIGHT, 0.1, 100);
  const white = new MeshBasicMaterial({ color: 0xffffff });
  const createCrowd = disposedCrowds();

  beforeAll(async () => {
    raider = await readFile('characters/raider.glb');
    soldier = addSockets(await load(new GLTFLoader()), ['hand_r']);
    renderer = await threeRenderer(WIDTH, HEIGHT);
    target = new RenderTarget(WIDTH, HEIGHT);
    camera.position.set(0, 1, 8);
  });

  async function load(loader: GLTFLoader): Promise<Character> {
    return characterFromGltf(await parseGlb(raider, loader), { clips: [], name: 'raider' });
  }
  async function crowdOf(
    materials: ManipleCrowdOptions['materials'] = () => white,
    character = soldier,
  ): Promise<ManipleCrowd> {
    const crowd = await createCrowd(renderer, { characters: [character], capacity: 4, materials: materials! });
    crowd.spawn(character);
    return crowd;
  }
  const draw = async (root: Object3D) => Array.from(await threePicture(renderer, root, camera, target));
  const lit = (picture: readonly number[]) => picture.filter((code, i) => i % 4 === 0 && code > 0).length;

  test('renderers that cannot have a crowd', async () => {
    const make = (given: unknown) =>
      expect(ManipleCrowd.create(given as WebGPURenderer, { characters: [soldier], capacity: 1 })).rejects;
    await make(new Scene()).toThrow(/THREE_UNSUPPORTED at renderer: Got \{.*expected a renderer of three/);
    await make(undefined).toThrow(/THREE_UNSUPPORTED at renderer: Got undefined/);
    const created = () => new ManipleCrowd(renderer, { characters: [soldier], capacity: 1 } as never);
    expect(created).toThrow(/CROWD_BAD_ARGUMENT at core: Got undefined.*await ManipleCrowd\.create/);
    const { device } = await testDevice();
    await make(new WebGPURenderer({ canvas: canvasOf(8, 8) })).toThrow(/no device yet.*await renderer\.init/);
    await make(new WebGPURenderer({ canvas: canvasOf(8, 8), forceWebGL: true })).toThrow(/no device yet/);
    const copy = await secondCopy();
    const stranger = new copy.WebGPURenderer({ canvas: canvasOf(8, 8), device });
    await stranger.init();
    await make(stranger).toThrow(/THREE_UNSUPPORTED at renderer: .*another copy of three\.js.*npm ls three/);
    // what its loaders have loaded is drawn all the same; its nodes are not
    const theirs = await load(new copy.GLTFLoader() as GLTFLoader);
    (await crowdOf((material) => material, theirs)).update(0);
    const pictures: number[][] = [];
    for (const [character, material] of [
      [soldier, white],
      [theirs, new copy.MeshBasicMaterial({ color: 0xffffff }) as Material],
    ] as const) {
      const crowd = await crowdOf(() => material, character);
      crowd.update(0);
      pictures.push(await draw(new Scene().add(crowd)));
    }
    expect(lit(pictures[0]!)).toBeGreaterThan(20);
    expect(pictures[1]).toEqual(pictures[0]);
    const node = await crowdOf(() => new copy.MeshBasicNodeMaterial() as Material);
    expect(() => node.update(0)).toThrow(/THREE_UNSUPPORTED at materials: MeshBasicNodeMaterial.*another copy/);
  });

  test('a scene that a second renderer draws', async () => {
    const crowd = await crowdOf();
    const scene = new Scene().add(crowd);
    crowd.update(0);
    const expected = await draw(scene);
    expect(lit(expected)).toBeGreaterThan(20);
    const second = await threeRenderer(WIDTH, HEIGHT);
    const theirs = () => threePicture(second, scene, camera, new RenderTarget(WIDTH, HEIGHT));
    await expect(theirs()).rejects.toThrow(/THREE_UNSUPPORTED at renderer: A second renderer draws.*CanvasTarget/);
    // neither is broken by it
    crowd.update(0);
    expect(await draw(scene)).toEqual(expected);
    crowd.layers.set(1);
    scene.add(new Mesh(new BoxGeometry(), white));
    expect(lit(Array.from(await theirs()))).toBeGreaterThan(20);
    await second.dispose();
  });

  test.each<[what: string, material: unknown, message: RegExp]>([
    ['a ShaderMaterial', new ShaderMaterial({ name: 'glow' }), /ShaderMaterial "glow" has no form.*wgslFn/],
    ['a RawShaderMaterial', new RawShaderMaterial(), /RawShaderMaterial "" has no form/],
    ['a list', [white, white], /list of 2 materials/],
    ['nothing', undefined, /Got undefined; expected a material/],
  ])('%s for a material', async (_, material, message) => {
    const crowd = await crowdOf(() => material as Material);
    expect(() => crowd.update(0)).toThrow(message);
    // the frame has run all the same: nothing waits for it
    await expect(saveSnapshot(crowd.core)).resolves.toBeDefined();
    const attach = () => crowd.attachMesh(crowd.ids, 'hand_r', new BoxGeometry(), material as Material);
    expect(attach).toThrow(message);
    expect(crowd.attachmentCount).toBe(0);
  });

  test('a mesh, a promise, a file for what was asked for', async () => {
    const crowd = await crowdOf();
    const attach = (geometry: unknown) => () => crowd.attachMesh(crowd.ids, 'hand_r', geometry as BoxGeometry, white);
    expect(attach(new Mesh(new BoxGeometry()))).toThrow(/THREE_UNSUPPORTED at attachMesh: Got Mesh.*mesh\.geometry/);
    expect(attach(undefined)).toThrow(/Got undefined; expected a BufferGeometry/);
    const loading = parseGlb(raider);
    expect(() => characterFromGltf(loading as never)).toThrow(/THREE_UNSUPPORTED.*Got a promise.*Await it/);
    expect(() => characterFromGltf('raider.glb' as never)).toThrow(/Got "raider\.glb".*loadModel\(url\)/);
    const gltf = await loading;
    const made = ManipleCrowd.create(renderer, { characters: [gltf as never], capacity: 1 });
    await expect(made).rejects.toThrow(
      /CROWD_BAD_ARGUMENT at characters: Got \{ scene, .*expected a character.*characterFromGltf/,
    );
    expect(() => crowd.spawn(gltf as never)).toThrow(/CROWD_BAD_ARGUMENT at spawn.*not one of this crowd's characters/);
    expect(() => crowd.update(undefined as never)).toThrow(/CROWD_BAD_ARGUMENT.*Got undefined for dt.*getDelta/);
    expect(() => crowd.update(NaN)).toThrow(/CROWD_BAD_ARGUMENT.*dt/);
    crowd.update({ dt: 0.5, cameras: [camera] });
    crowd.update(0.25);
    expect(crowd.time).toBe(0.75);
  });

  test('a crowd that is cloned, saved, cleared, traversed', async () => {
    const crowd = await crowdOf();
    const scene = new Scene().add(crowd);
    crowd.update(0);
    const expected = await draw(scene);
    expect(() => scene.clone()).toThrow(/THREE_UNSUPPORTED at crowd: A ManipleCrowd cannot be cloned.*spawn/);
    const { object } = scene.toJSON();
    expect(JSON.stringify(object).length).toBeLessThan(2000);
    scene.traverse((part) => {
      part.castShadow = false;
      part.receiveShadow = true;
      part.frustumCulled = true;
      part.renderOrder = 3;
    });
    expect([crowd.castShadow, crowd.receiveShadow, crowd.renderOrder]).toEqual([false, true, 3]);
    crowd.position.set(0, -0.01, 0); // the bounds of parts are not those of the crowd
    crowd.update(0);
    expect(lit(await draw(scene))).toBeGreaterThan(lit(expected) - 20);
    crowd.position.set(0, 0, 0);
    crowd.clear();
    crowd.update(0);
    expect(await draw(scene)).toEqual(expected);
  });

  test('a crowd that is turned, scaled and mirrored', async () => {
    const crowd = await crowdOf();
    const scene = new Scene().add(crowd);
    const [id] = crowd.ids;
    const turn = 2;
    crowd.setTransform(id!, (at) => {
      at.rotation.setYaw(turn);
      at.scale = 0.5;
    });
    crowd.update(0);
    const expected = await draw(scene);
    crowd.setTransform(id!, (at) => {
      at.rotation.setYaw(0);
      at.scale = 1;
    });
    crowd.rotation.y = turn;
    crowd.scale.setScalar(0.5);
    crowd.update(0);
    const turned = await draw(scene);
    const differing = turned.filter((code, i) => code !== expected[i]).length;
    expect(differing).toBeLessThan(4 * 4);
    crowd.scale.x = -0.5; // triangles face the other way, and are seen from outside all the same
    crowd.update(0);
    expect(Math.abs(lit(await draw(scene)) - lit(expected))).toBeLessThan(30);
  });

  test('methods of Object3D that are given ids', async () => {
    const crowd = await crowdOf();
    const { x, y, z, w } = crowd.quaternion;
    const anything = crowd as unknown as Record<'lookAt' | 'attach', (...values: unknown[]) => void>;
    expect(() => anything.lookAt([1], 'hand_r', { target: [0, 0, 0] })).toThrow(/lookAt: Got .*crowd\.core\.lookAt/);
    expect(() => anything.attach(1, 'hand_r')).toThrow(/attach: Got 1; expected an Object3D.*crowd\.socket/);
    expect([x, y, z, w]).toEqual([crowd.quaternion.x, crowd.quaternion.y, crowd.quaternion.z, crowd.quaternion.w]);
    crowd.lookAt(0, 0, 1);
    crowd.lookAt(crowd.position.clone().setZ(2));
    expect(crowd.quaternion.w).toBeCloseTo(1);
    crowd.dispose();
  });

  test('a crowd that has been disposed of', async () => {
    const crowd = await crowdOf();
    const scene = new Scene().add(crowd);
    crowd.update(0);
    crowd.dispose();
    crowd.dispose();
    expect(scene.children).toEqual([]);
    scene.add(crowd);
    expect(lit(await draw(scene))).toBe(0);
    const told = /CROWD_DESTROYED at crowd: The crowd has been disposed of/;
    expect(() => crowd.update(0)).toThrow(told);
    expect(() => crowd.attachMesh([], 'hand_r', new BoxGeometry(), white)).toThrow(told);
    expect(() => crowd.socket(0, 'hand_r')).toThrow(told);
    await expect(crowd.pick(camera, 0, 0)).rejects.toThrow(told);
    await expect(crowd.readBounds()).rejects.toThrow(told);
    expect(() => crowd.spawn(soldier)).toThrow(/CROWD_DESTROYED/);
  });
});
