import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import {
  AmbientLight,
  AnimationMixer,
  Color,
  DoubleSide,
  Mesh,
  MeshBasicNodeMaterial,
  MeshStandardMaterial,
  type Object3D,
  PerspectiveCamera,
  PlaneGeometry,
  PointLight,
  RenderPipeline,
  RenderTarget,
  Scene,
  type WebGPURenderer,
} from 'three/webgpu';
import { mrt, output, pass, reflector, velocity } from 'three/tsl';
import { traa } from 'three/addons/tsl/display/TRAANode.js';
import { characterFromGltf, ManipleCrowd } from '../../src/three/index.ts';
import { noGpu } from '../support/gpu.ts';
import { full } from '../support/setup.ts';
import { parseGlb } from '../support/three-files.ts';
import { browserFrame, threeRenderer } from '../support/three-renderer.ts';

const [WIDTH, HEIGHT] = [160, 120];
const FRAMES = 6;
/** Codes of 255 on average. */
const LIMIT = 1;

interface Studio {
  readonly renderer: WebGPURenderer;
  readonly scene: Scene;
  readonly camera: PerspectiveCamera;
  readonly target: RenderTarget;
}

interface Cast {
  readonly subject: Object3D;
  readonly step: (dt: number) => void;
}

/** Ways of drawing a scene that cameras of three's own, or passes behind, take part in. */
const PASSES: Readonly<Record<string, (studio: Studio) => () => void>> = {
  'a lamp whose shadows go all ways': ({ renderer, scene, camera }) => {
    const lamp = new PointLight(0xffffff, 20);
    lamp.position.set(0.8, 1.5, 1.2);
    lamp.castShadow = true;
    lamp.shadow.mapSize.set(128, 128);
    scene.add(lamp);
    return () => renderer.render(scene, camera);
  },
  'a mirror': ({ renderer, scene, camera }) => {
    const mirrored = reflector({ resolutionScale: 1 });
    mirrored.target.position.set(0, 1, -1.2);
    const material = new MeshBasicNodeMaterial();
    material.colorNode = mirrored;
    const mirror = new Mesh(new PlaneGeometry(4, 2), material);
    mirror.position.set(0, 1, -1.2);
    scene.add(mirrored.target, mirror, new AmbientLight(0xffffff, 3));
    return () => renderer.render(scene, camera);
  },
  'temporal antialiasing': ({ renderer, scene, camera }) => {
    scene.add(new AmbientLight(0xffffff, 3));
    const drawn = pass(scene, camera);
    drawn.setMRT(mrt({ output, velocity }));
    const pipeline = new RenderPipeline(renderer);
    const [beauty, depth, motion] = ['output', 'depth', 'velocity'].map((name) => drawn.getTextureNode(name));
    pipeline.outputNode = traa(beauty!, depth!, motion!, camera);
    return () => pipeline.render();
  },
};

describe.skipIf(noGpu() || !full)('passes of three.js', () => {
  test.each(Object.keys(PASSES))('%s shows a crowd as it shows a SkinnedMesh', async (name) => {
    const bytes = await readFile('characters/raider.glb');
    const gltf = await parseGlb(bytes);
    const clip = gltf.animations.findIndex((animation) => animation.name === 'walk');
    const character = characterFromGltf(gltf, { clips: [clip] });

    const ours = await film(name, async (renderer) => {
      const crowd = await ManipleCrowd.create(renderer, { characters: [character], capacity: 1 });
      crowd.spawn(character).setClips(() => [{ clip: 0, time: 0.1 }]);
      return { subject: crowd, step: (dt) => crowd.update(dt) };
    });
    const theirs = await film(name, () => {
      gltf.scene.traverse((object) => {
        object.castShadow = object.receiveShadow = true;
        object.frustumCulled = false;
      });
      const mixer = new AnimationMixer(gltf.scene);
      mixer.clipAction(gltf.animations[clip]!).play();
      mixer.setTime(0.1);
      return { subject: gltf.scene, step: (dt) => mixer.update(dt) };
    });
    const difference = ours.reduce((sum, code, i) => sum + Math.abs(code - theirs[i]!), 0) / ours.length;
    const mean = ours.reduce((sum, code) => sum + code, 0) / ours.length;
    console.log(`${name}: ${difference.toFixed(4)} of 255, of ${mean.toFixed(1)} on average`);
    expect(new Set(theirs).size).toBeGreaterThan(100);
    expect(difference).toBeLessThan(LIMIT);
  });
});

async function film(name: string, cast: (renderer: WebGPURenderer) => Cast | Promise<Cast>): Promise<Uint8Array> {
  const renderer = await threeRenderer(WIDTH, HEIGHT);
  renderer.shadowMap.enabled = true;
  const scene = new Scene();
  scene.background = new Color(0.2, 0.3, 0.5);
  const room = new MeshStandardMaterial({ color: 0x998877, side: DoubleSide });
  const ground = new Mesh(new PlaneGeometry(8, 8).rotateX(-Math.PI / 2), room);
  const wall = new Mesh(new PlaneGeometry(8, 4), room);
  wall.position.set(0, 2, -1.5);
  ground.receiveShadow = wall.receiveShadow = true;
  const camera = new PerspectiveCamera(45, WIDTH / HEIGHT, 0.1, 30);
  const target = new RenderTarget(WIDTH, HEIGHT);
  const { subject, step } = await cast(renderer);
  scene.add(ground, wall, subject);
  const draw = PASSES[name]!({ renderer, scene, camera, target });
  renderer.setOutputRenderTarget(target);
  for (let frame = 0; frame < FRAMES; frame++) {
    camera.position.set(0.8 + 0.02 * frame, 1.4, 3);
    camera.lookAt(0, 0.9, 0);
    camera.updateMatrixWorld();
    step(frame === 0 ? 0 : 1 / 30);
    browserFrame();
    draw();
  }
  renderer.setOutputRenderTarget(null);
  const picture = await renderer.readRenderTargetPixelsAsync(target, 0, 0, WIDTH, HEIGHT);
  await renderer.dispose();
  return picture as unknown as Uint8Array;
}
