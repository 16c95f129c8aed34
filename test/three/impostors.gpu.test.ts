// Far soldiers as impostors in three.js, beside the same soldiers as meshes.
import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  AmbientLight,
  Color,
  DirectionalLight,
  Mesh,
  MeshStandardMaterial,
  PerspectiveCamera,
  PlaneGeometry,
  type RenderTarget,
  Scene,
  type WebGPURenderer,
} from 'three/webgpu';
import { mrt, output, vec4, velocity } from 'three/tsl';
import sharp from 'sharp';
import type { Character } from '../../src/character/character.ts';
import { packCharacter } from '../../src/character/pack/index.ts';
import type { CharacterGroup } from '../../src/crowd/group.ts';
import { importGltf } from '../../src/import/index.ts';
import { crowdId, crowdTint, ManipleCrowd, type ManipleCrowdOptions } from '../../src/three/index.ts';
import { noCore, noGpu } from '../support/gpu.ts';
import { browserFrame, floatTarget, threeRenderer } from '../support/three-renderer.ts';

const [WIDTH, HEIGHT] = [192, 108];
const COUNT = 9;
/** Of a soldier, metres. */
const TALL = 2.007;
/** A part of a picture of 1,080 rows with the usual lens. */
const FOV = 2 * Math.atan((Math.tan(Math.PI / 8) * HEIGHT) / 1080);

function cameraFor(pixels: number): PerspectiveCamera {
  const distance = (TALL * HEIGHT) / 2 / Math.tan(FOV / 2) / pixels;
  const camera = new PerspectiveCamera((FOV * 180) / Math.PI, WIDTH / HEIGHT, 1, 1000);
  camera.position.set(0.3 * distance, 0.9 + 0.2 * distance, 0.93 * distance);
  camera.lookAt(0, 0.9, 0);
  camera.updateMatrixWorld();
  return camera;
}

class FarScene {
  readonly scene = new Scene();
  army!: CharacterGroup;
  crowd!: ManipleCrowd;
  constructor(readonly renderer: WebGPURenderer, readonly target: RenderTarget) {}

  async fill(character: Character, options: Partial<ManipleCrowdOptions>) {
    this.crowd = await ManipleCrowd.create(this.renderer, {
      characters: [character],
      capacity: COUNT,
      poseSharing: { belowPx: 1e4, phases: 8 },
      ...options,
    });
    this.army = this.crowd.spawn(character, { count: COUNT });
    this.army.setClips((i) => [{ clip: i % 4, phase: (0.37 * i) % 1, speed: 0 }]);
    this.place(0);
    const ground = new Mesh(
      new PlaneGeometry(40, 40).rotateX(-Math.PI / 2),
      new MeshStandardMaterial({ color: 0x777766, roughness: 1 }),
    );
    ground.receiveShadow = true;
    const sun = new DirectionalLight(0xffffff, 3);
    sun.position.set(6, 10, 4);
    sun.castShadow = true;
    sun.shadow.mapSize.set(512, 512);
    Object.assign(sun.shadow.camera, { left: -6, right: 6, top: 6, bottom: -6, near: 1, far: 30 });
    this.scene.background = new Color(0.3, 0.4, 0.6);
    this.scene.add(ground, sun, new AmbientLight(0xffffff, 1), this.crowd);
    await this.crowd.ready();
    return this;
  }

  place(steps: number): void {
    this.army.setTransform((i, at) => {
      at.position.set(1.7 * ((i % 3) - 1) + 0.3 * steps, 0, 1.7 * (Math.floor(i / 3) - 1));
      at.rotation.setYaw(2.4 * i + 0.1 * steps);
    });
  }

  async draw(camera: PerspectiveCamera) {
    const { renderer, target } = this;
    this.crowd.update(1 / 60, { cameras: [camera] });
    browserFrame();
    renderer.shadowMap.enabled = true;
    renderer.setRenderTarget(target);
    renderer.setMRT(mrt({ output, velocity: vec4(velocity as never, crowdId.toFloat(), crowdTint.a) }));
    renderer.render(this.scene, camera);
    renderer.setMRT(null);
    renderer.setRenderTarget(null);
    const [color, motion] = await Promise.all(
      [0, 1].map((i) => renderer.readRenderTargetPixelsAsync(target, 0, 0, WIDTH, HEIGHT, i)),
    );
    return { color: color as unknown as Float32Array, motion: motion as unknown as Float32Array };
  }

  async settle(camera: PerspectiveCamera) {
    for (let i = 0; i < 6; i++) await this.draw(camera);
    return this.draw(camera);
  }
}
type Drawn = Awaited<ReturnType<FarScene['draw']>>;

const code = (linear: number) => 255 * (linear <= 0.0031308 ? 12.92 * linear : 1.055 * Math.min(linear, 1) ** (1 / 2.4) - 0.055);

function compare(a: Drawn, b: Drawn) {
  let [covered, same, sum, outside] = [0, 0, 0, 0];
  for (let pixel = 0; pixel < WIDTH * HEIGHT; pixel++) {
    const difference = [0, 1, 2].reduce((all, c) => all + Math.abs(code(a.color[4 * pixel + c]!) - code(b.color[4 * pixel + c]!)), 0) / 3;
    const [first, second] = [a, b].map(({ motion }) => (motion[4 * pixel + 3]! > 0 ? motion[4 * pixel + 2]! + 1 : 0));
    if (!first && !second) { outside += difference; continue; }
    covered++;
    same += Number(first === second);
    sum += difference;
  }
  return { covered, same: same / covered, average: sum / covered, outside: outside / (WIDTH * HEIGHT - covered) };
}

async function save(name: string, picture: Drawn) {
  const data = Uint8Array.from({ length: WIDTH * HEIGHT * 3 }, (_, i) => code(picture.color[4 * Math.floor(i / 3) + (i % 3)]!));
  await sharp(data, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } }).resize(WIDTH * 5, HEIGHT * 5, { kernel: 'nearest' }).png().toFile(`/tmp/h/${name}.png`);
}

describe.skipIf(noGpu() || noCore())('impostors in three.js', () => {
  let meshes: FarScene;
  let far: FarScene;
  beforeAll(async () => {
    const bytes = new Uint8Array(await readFile('characters/legionary.glb'));
    const character = packCharacter(await importGltf({ name: 'legionary', bytes }));
    const renderer = await threeRenderer(WIDTH, HEIGHT);
    const target = floatTarget(WIDTH, HEIGHT, ['output', 'velocity']);
    meshes = await new FarScene(renderer, target).fill(character, {});
    far = await new FarScene(renderer, target).fill(character, { impostors: {} });
  }, 120_000);
  afterAll(() => {
    for (const each of [meshes, far]) each?.crowd.dispose();
  });

  test.each([18])('%d pixels', async (pixels) => {
    const camera = cameraFor(pixels);
    const a = await meshes.settle(camera);
    console.log(performance.now());
    const b = await far.settle(camera);
    console.log(performance.now(), far.crowd.impostors!.refused, await far.crowd.impostors!.readStats());
    console.log(compare(a, b));
    await save(`m${pixels}`, a);
    await save(`i${pixels}`, b);
  }, 300_000);
});
