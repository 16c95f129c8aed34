import { readFile } from 'node:fs/promises';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  type Camera,
  Color,
  DirectionalLight,
  type Material,
  Mesh,
  MeshBasicMaterial,
  MeshBasicNodeMaterial,
  MeshLambertMaterial,
  PerspectiveCamera,
  PlaneGeometry,
  Raycaster,
  RenderTarget,
  Scene,
  Vector2,
  type WebGPURenderer,
} from 'three/webgpu';
import { vec3 } from 'three/tsl';
import type { Character, CharacterPrimitive } from '../../src/character/character.ts';
import { addSockets } from '../../src/character/sockets.ts';
import { packCharacter } from '../../src/character/pack/index.ts';
import { createCrowd as createCore } from '../support/create-crowd.ts';
import { importGltf } from '../../src/import/index.ts';
import { crowdId, crowdTint, ManipleCrowd } from '../../src/three/index.ts';
import { coded } from '../support/crowd-truth.ts';
import { noGpu, testDevice } from '../support/gpu.ts';
import { disposedCrowds } from '../support/three-crowds.ts';
import { threePicture, threeRenderer } from '../support/three-renderer.ts';

const [WIDTH, HEIGHT] = [96, 72];
const WHITE = [255, 255, 255];

describe.skipIf(noGpu())('a crowd in a scene of three.js', () => {
  let renderer: WebGPURenderer;
  let soldier: Character;
  let scene: Scene;
  let camera: PerspectiveCamera;
  let target: RenderTarget;
  const material = new MeshBasicMaterial({ color: 0xffffff });
  const createCrowd = disposedCrowds();

  beforeAll(async () => {
    const bytes = await readFile('characters/raider.glb');
    const model = await importGltf({ name: 'raider', bytes });
    const clips = [model.clips.findIndex(({ name }) => name === 'walk')];
    soldier = addSockets(packCharacter(model, { clips }), ['hand_r']);
    renderer = await threeRenderer(WIDTH, HEIGHT);
    target = new RenderTarget(WIDTH, HEIGHT);
  });
  beforeEach(() => {
    scene = new Scene();
    scene.background = new Color(0, 0, 0);
    camera = new PerspectiveCamera(30, WIDTH / HEIGHT, 0.1, 100);
    camera.position.set(0, 1, 8);
  });

  test('is refused where its own draws would have to run vertex providers', async () => {
    const provided = {
      ...soldier,
      batchRuns: soldier.batchRuns.map((run) => ({ ...run, variant: run.variant | 0b100 })),
    };
    const code = 'fn wind(site: VertexSite, surface: Surface) -> Surface { return surface; }';
    const options = {
      characters: [provided],
      capacity: 1,
      providers: [{ name: 'wind', space: 'model', code }],
    } as const;
    const refused = coded('THREE_UNSUPPORTED') as Error;
    await expect(createCrowd(renderer, { ...options, skin: 'vertex' })).rejects.toThrow(refused);
    await createCrowd(renderer, options);
  });

  async function crowdOf(capacity = 8, own: MeshBasicMaterial | MeshLambertMaterial = material): Promise<ManipleCrowd> {
    const crowd = await createCrowd(renderer, { characters: [soldier], capacity, materials: () => own });
    crowd.addEventListener('error', ({ error }) => expect.fail(String(error)));
    scene.add(crowd);
    return crowd;
  }
  const draw = (by: Camera = camera) => threePicture(renderer, scene, by, target);
  /** A pixel of a picture, from its left and top edges as shares of it. */
  const at = (picture: ArrayLike<number>, x: number, y: number): number[] => {
    const first = 4 * (Math.floor(y * HEIGHT) * WIDTH + Math.floor(x * WIDTH));
    return [0, 1, 2].map((c) => picture[first + c]!);
  };
  const lit = (picture: ArrayLike<number>) =>
    Array.from({ length: WIDTH * HEIGHT }, (_, pixel) => picture[4 * pixel]!).filter((red) => red > 0).length;

  test('is where the object is, tinted, and moves with it', async () => {
    const crowd = await crowdOf();
    const group = crowd.spawn(soldier, { count: 2, place: (i, at) => at.position.set(2 * i - 1, 0, 0) });
    group.setTint([1, 0, 0, 1], [1]);
    crowd.update(0);
    const picture = await draw();
    expect(at(picture, 0.32, 0.5)).toEqual(WHITE);
    expect(at(picture, 0.68, 0.5)).toEqual([255, 0, 0]);
    expect(at(picture, 0.5, 0.5)).toEqual([0, 0, 0]);
    crowd.position.x = 1;
    crowd.update(-1); // a clock that began late
    expect(crowd.core.time).toBe(0);
    const moved = await draw();
    expect(at(moved, 0.5, 0.5)).toEqual(WHITE);
    crowd.visible = false;
    crowd.update(0);
    expect(lit(await draw())).toBe(0);
    crowd.visible = true;
    crowd.layers.set(3);
    crowd.update(0);
    expect(lit(await draw())).toBe(0);
  });

  test('follows materials that change, and is drawn by several cameras', async () => {
    const own = new MeshBasicMaterial({ color: 0x00ff00 });
    const crowd = await crowdOf(2, own);
    crowd.spawn(soldier);
    crowd.update(0);
    expect(at(await draw(), 0.5, 0.5)).toEqual([0, 255, 0]);
    const versions = () => crowd.children.map((mesh) => ((mesh as Mesh).material as MeshBasicMaterial).version);
    const before = versions();
    own.color.set(0x0000ff);
    crowd.update(0);
    // numbers go to the shaders that there are
    expect(before.length).toBeGreaterThan(0);
    expect(versions()).toEqual(before);
    expect(at(await draw(), 0.5, 0.5)).toEqual([0, 0, 255]);
    own.side = 1; // back faces: the inside is seen
    own.needsUpdate = true;
    const behind = camera.clone();
    behind.position.z = -8;
    behind.lookAt(0, 1, 0);
    crowd.update(0);
    expect(at(await draw(behind), 0.5, 0.5)).toEqual([0, 0, 255]);
    crowd.update(0);
    await draw();
    await draw(behind);
    crowd.update(0);
    expect(await crowd.core.readStats()).toMatchObject({ listed: 1 });
  });

  test('draws edges where a material does, from the next frame on', async () => {
    const wire = new MeshBasicMaterial({ color: 0xffffff });
    const solid = new MeshBasicMaterial({ color: 0x0000ff });
    const isWired = (primitive: CharacterPrimitive) => soldier.primitives.indexOf(primitive) % 2 === 1;
    const materials = (_own: Material, _character: Character, primitive: CharacterPrimitive) =>
      isWired(primitive) ? wire : solid;
    const crowd = await createCrowd(renderer, { characters: [soldier], capacity: 1, materials });
    scene.add(crowd);
    const { ids } = crowd.spawn(soldier);
    crowd.update(0);
    const before = lit(await draw());
    wire.wireframe = true;
    crowd.update(0);
    const picture = await draw();
    expect(lit(picture)).toBeGreaterThan(0);
    // the same by three alone
    const positions = Float32Array.from(await crowd.core.readVertices(ids[0]!));
    const own = [wire, solid].map((material) => {
      const geometry = new BufferGeometry();
      geometry.setAttribute('position', new BufferAttribute(positions, 3));
      const drawn = soldier.primitives.filter((primitive) => isWired(primitive) === (material === wire));
      const indices = drawn.flatMap(({ firstIndex, indexCount }) =>
        Array.from(soldier.indices.subarray(firstIndex, firstIndex + indexCount)),
      );
      return new Mesh(geometry.setIndex(indices), material);
    });
    crowd.visible = false;
    scene.add(...own);
    const expected = await draw();
    expect(Array.from(picture)).toEqual(Array.from(expected));
    scene.remove(...own);
    crowd.visible = true;
    wire.wireframe = false;
    crowd.update(0);
    expect(lit(await draw())).toBe(before);
  });

  test('fades by the alpha of tints where materials are transparent', async () => {
    const glass = new MeshBasicMaterial({ color: 0xffffff, opacity: 0.5 });
    const crowd = await crowdOf(1, glass);
    const soldiers = crowd.spawn(soldier);
    soldiers.setTint([1, 1, 1, 0.5]);
    crowd.update(0);
    expect(at(await draw(), 0.5, 0.5)).toEqual(WHITE);
    glass.transparent = true;
    crowd.update(0);
    const [faded] = at(await draw(), 0.5, 0.5);
    soldiers.setTint([1, 1, 1, 1]);
    crowd.update(0);
    const [half] = at(await draw(), 0.5, 0.5);
    expect(faded).toBeGreaterThan(30);
    expect(faded).toBeLessThan(half! - 30);
    expect(half).toBeLessThan(250);
  });

  test('skins only characters in cameras and shadow maps that draw it', async () => {
    renderer.shadowMap.enabled = true;
    const crowd = await crowdOf(8, new MeshLambertMaterial());
    // one in the picture, one behind the camera whose shadow falls into it, one far away
    const places = [0, 12, 60];
    crowd.spawn(soldier, { count: 3, place: (i, { position }) => position.set(0, 0, places[i]!) });
    const sun = new DirectionalLight(0xffffff, 3);
    sun.position.set(0, 3, 20);
    Object.assign(sun.shadow.camera, { left: -5, right: 5, top: 20, bottom: -20, far: 60 });
    sun.castShadow = true;
    sun.shadow.mapSize.set(256, 256);
    const ground = new Mesh(new PlaneGeometry(40, 40).rotateX(-Math.PI / 2), new MeshLambertMaterial());
    ground.receiveShadow = true;
    scene.add(sun, ground);
    crowd.update(0);
    await draw();
    crowd.update(0);
    const shaded = await draw();
    expect(await crowd.core.readStats()).toMatchObject({ listed: 2 });
    crowd.castShadow = false;
    for (let frame = 0; frame < 8; frame++) {
      crowd.update(0);
      await draw();
    }
    const bright = await draw();
    expect(await crowd.core.readStats()).toMatchObject({ listed: 1 });
    const darker = Array.from(bright).filter((code, i) => code > shaded[i]! + 20);
    expect(darker.length).toBeGreaterThan(3 * 50);
    renderer.shadowMap.enabled = false;
  });

  test('is picked exactly, and met by rays where it was read last', async () => {
    const crowd = await crowdOf();
    crowd.position.set(1, 0, 0);
    const group = crowd.spawn(soldier, { count: 2, place: (i, { position }) => position.set(-1, 0, -4 * i) });
    crowd.update(0);
    await draw();
    const ray = new Raycaster();
    ray.setFromCamera(new Vector2(0, 0), camera);
    expect(ray.intersectObject(scene)).toEqual([]);
    await crowd.readBounds();
    const hits = ray.intersectObject(scene) as unknown as { characterId: number; distance: number }[];
    expect(hits.map(({ characterId }) => characterId)).toEqual([group.id(0), group.id(1)]);
    expect(hits[1]!.distance - hits[0]!.distance).toBeCloseTo(4, 2);
    const hit = await crowd.pick(camera, WIDTH / 2, HEIGHT / 2);
    expect(hit?.id).toBe(group.id(0));
    expect(hit!.point.x).toBeCloseTo(0, 1);
    expect(hit!.point.z).toBeGreaterThan(-0.5);
    expect(hit!.distance).toBeGreaterThan(7.5);
    // canvases are shown larger than they are drawn, and cameras fill parts of them
    const canvas = renderer.domElement as { clientWidth?: number; clientHeight?: number };
    Object.assign(canvas, { clientWidth: 3 * WIDTH, clientHeight: 2 * HEIGHT });
    expect((await crowd.pick(camera, 1.5 * WIDTH, HEIGHT))?.id).toBe(group.id(0));
    expect(await crowd.pick(camera, WIDTH / 2, HEIGHT / 2)).toBeUndefined();
    const viewport = { x: 350, y: 10, width: 120, height: 90 };
    expect((await crowd.pick(camera, 350 + 60, 10 + 45, viewport))?.id).toBe(group.id(0));
    expect(await crowd.pick(camera, 60, 45, viewport)).toBeUndefined();
    Object.assign(canvas, { clientWidth: undefined, clientHeight: undefined });
    // pages that draw several cameras clear by themselves
    renderer.autoClear = false;
    renderer.setScissorTest(true);
    expect(await crowd.pick(camera, 2, 2)).toBeUndefined();
    expect([renderer.autoClear, renderer.getScissorTest()]).toEqual([false, true]);
    renderer.autoClear = true;
    renderer.setScissorTest(false);
    // nothing of it is left behind
    expect(lit(await draw())).toBeGreaterThan(20);
    // nothing meets one that is hidden
    group.hide([0]);
    crowd.update(0);
    expect((await crowd.pick(camera, WIDTH / 2, HEIGHT / 2))?.id).toBe(group.id(1));
    const met = ray.intersectObject(scene) as unknown as { characterId: number }[];
    expect(met.map(({ characterId }) => characterId)).toEqual([group.id(1)]);
    group.show([0]);
    crowd.update(0);
    expect((await crowd.pick(camera, WIDTH / 2, HEIGHT / 2))?.id).toBe(group.id(0));
    group.despawn([0]);
    crowd.update(0);
    expect((await crowd.pick(camera, WIDTH / 2, HEIGHT / 2))?.id).toBe(group.id(1));
  });

  test('carries meshes at its joints, and objects that follow', async () => {
    const crowd = await crowdOf(3, new MeshBasicMaterial({ color: 0x000000 }));
    const group = crowd.spawn(soldier, { count: 2, place: (i, { position }) => position.set(2 * i - 1, 0, 0) });
    const blue = new MeshBasicMaterial({ color: 0x0000ff });
    const carried = crowd.attachMesh(group.ids, 'hand_r', new BoxGeometry(0.5, 0.5, 0.5), blue);
    const lamp = crowd.socket(group.id(0), 'hand_r');
    crowd.update(0);
    const picture = await draw();
    const spots = Array.from({ length: WIDTH * HEIGHT }, (_, pixel) => pixel).filter(
      (pixel) => picture[4 * pixel + 2]! > 0,
    );
    const columns = spots.map((pixel) => pixel % WIDTH);
    expect(columns.some((x) => x < WIDTH / 2)).toBe(true);
    expect(columns.some((x) => x > WIDTH / 2)).toBe(true);
    await expect
      .poll(() => {
        crowd.update(0);
        return lamp.visible;
      })
      .toBe(true);
    const [matrix] = await crowd.core.readSockets([lamp.attachment]);
    lamp.updateWorldMatrix(true, false);
    expect(Array.from(lamp.matrixWorld.elements)).toEqual(Array.from(matrix!));
    // what a hidden character carries does not show, either
    const blueOnTheLeft = (picture: ArrayLike<number>) =>
      Array.from({ length: WIDTH * HEIGHT }, (_, pixel) => pixel).filter(
        (pixel) => pixel % WIDTH < WIDTH / 2 && picture[4 * pixel + 2]! > 0,
      );
    group.hide([0]);
    await expect
      .poll(() => {
        crowd.update(0);
        return lamp.visible;
      })
      .toBe(false);
    expect(blueOnTheLeft(await draw())).toEqual([]);
    group.show([0]);
    crowd.update(0);
    expect(blueOnTheLeft(await draw())).toEqual(blueOnTheLeft(picture));
    group.despawn([0]);
    crowd.spawn(soldier, { place: (_, { position }) => position.set(-1, 0, 0) });
    crowd.core.attach(crowd.core.ids[1]!, 'hand_r'); // takes the row of the one that has ended
    crowd.update(0);
    expect(blueOnTheLeft(await draw())).toEqual([]);
    carried.dispose();
    crowd.update(0);
    expect(Array.from(await draw()).some((code, i) => i % 4 === 2 && code > 0)).toBe(false);
  });

  test('gives nodes of attached things the carrier, for any spawns and despawns', async () => {
    const crowd = await crowdOf(8, new MeshBasicMaterial({ color: 0x000000 }));
    const spawn = (x: number, color: [number, number, number, number]) => {
      const group = crowd.spawn(soldier, { place: (_, { position }) => position.set(x, 0, 0) });
      group.setTint(color);
      return group;
    };
    const first = spawn(-1, [1, 0.2, 0, 1]);
    const sign = new MeshBasicNodeMaterial();
    // the tint's red and green, and what row it is
    sign.colorNode = vec3(crowdTint.x, crowdTint.y, crowdId.toFloat().div(3));
    const big = new BoxGeometry(3, 3, 3);
    const signs = crowd.attachMesh(() => true, 'hand_r', big, sign, { offset: { scale: 0.2 } });
    crowd.update(0);
    const colors = async () => {
      const picture = await draw();
      const all = Array.from({ length: WIDTH * HEIGHT }, (_, p) => [0, 1, 2].map((c) => picture[4 * p + c]!).join(' '));
      return new Set(all);
    };
    const black = '0 0 0';
    const left = '255 51 0';
    expect(await colors()).toEqual(new Set([black, left]));
    // more than there was room for
    const others = [0, 1, 2].map((i) => spawn(i, [0, 1, 0, 1]));
    crowd.update(0);
    expect(signs.ids).toEqual([first, ...others].flatMap(({ ids }) => [...ids]));
    expect(await colors()).toEqual(new Set([black, left, ...[1, 2, 3].map((row) => `0 255 ${85 * row}`)]));
    first.despawn();
    others[0]!.despawn();
    signs.attachmentOf(others[1]!.id(0))!.detach();
    crowd.update(0);
    expect(await colors()).toEqual(new Set([black, '0 255 255']));
    others[2]!.despawn();
    crowd.update(0);
    expect([signs.visible, signs.parent === null]).toEqual([false, false]);
    expect(await colors()).toEqual(new Set([black]));
    const last = spawn(0, [1, 1, 1, 1]);
    const single = crowd.attachMesh(last.ids, 'hand_r', big, sign);
    last.despawn();
    crowd.update(0);
    expect([single.parent, signs.parent !== null]).toEqual([null, true]);
  });

  test('shows an existing crowd, and does not change it', async () => {
    const { device } = await testDevice();
    const core = createCore(device, { characters: [soldier], capacity: 1 });
    core.spawn(soldier);
    const other = await threeRenderer(WIDTH, HEIGHT);
    const crowd = new ManipleCrowd(other, { core, materials: () => material });
    crowd.attachMesh(core.ids, 'hand_r', new BoxGeometry(), material);
    scene.add(crowd);
    crowd.update(0);
    expect(at(await threePicture(other, scene, camera, target), 0.5, 0.5)).toEqual(WHITE);
    crowd.dispose();
    target.dispose();
    await other.dispose();
    // it can go on elsewhere
    const again = new ManipleCrowd(renderer, { core, materials: () => material });
    scene.add(again);
    again.update(0.1);
    expect(at(await draw(), 0.5, 0.5)).toEqual(WHITE);
    again.dispose();
    expect((await core.readVertices(core.ids[0]!)).length).toBeGreaterThan(0);
    core.destroy();
    const twin = createCore(device, { characters: [soldier], capacity: 1, backend: 'cpu' });
    expect(() => new ManipleCrowd(renderer, { core: twin })).toThrow(/THREE_UNSUPPORTED at core/);
    twin.destroy();
  });

  test('grows, adds types, and leaves no buffer', async () => {
    const crowd = await crowdOf(1);
    crowd.spawn(soldier, { place: (_, { position }) => position.set(-1, 0, 0) });
    crowd.update(0);
    await draw();
    crowd.core.grow(4);
    crowd.core.addCharacter({ ...soldier, name: 'another' });
    crowd.spawn(soldier, { place: (_, { position }) => position.set(1, 0, 0) });
    crowd.update(0);
    const picture = await draw();
    expect([at(picture, 0.32, 0.5), at(picture, 0.68, 0.5)]).toEqual([WHITE, WHITE]);
    crowd.dispose();
    expect(scene.children).toEqual([]);
    expect(lit(await draw())).toBe(0);
  });
});
