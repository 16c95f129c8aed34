import path from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  AmbientLight,
  AnimationMixer,
  Color,
  DirectionalLight,
  Fog,
  type Material,
  type Matrix4,
  Mesh,
  MeshLambertMaterial,
  MeshNormalMaterial,
  MeshPhysicalMaterial,
  MeshStandardMaterial,
  MeshStandardNodeMaterial,
  MeshToonMaterial,
  Object3D,
  PerspectiveCamera,
  PlaneGeometry,
  Scene,
  type WebGPURenderer,
} from 'three/webgpu';
import { mrt, normalLocal, output, positionLocal, uv, vec3, velocity } from 'three/tsl';
import { characterFromGltf, ManipleCrowd } from '../../src/three/index.ts';
import type { SkinStage } from '../../src/index.ts';
import { noGpu } from '../support/gpu.ts';
import { full, noShared, shared } from '../support/setup.ts';
import { loadTexturedGltf } from '../support/three-files.ts';
import { browserFrame, floatTarget, threeRenderer } from '../support/three-renderer.ts';

const [WIDTH, HEIGHT] = [320, 240];
const [START, STEP] = [0.3, 1 / 30];
/** Codes of 255, on average over a picture; pixels, of all but a thousandth of those that show the character both times. */
const [COLOR_LIMIT, VELOCITY_LIMIT] = [1, 0.03];

/** Packing moves vertices by less than 0.1 mm. At a crease, a pixel may then show the next surface, which moves otherwise. */
const CREASES = 1 / 1000;

/** What its positions add has no past, in either: three leaves that to whoever writes such nodes. */
const NODES = 'nodes of colour and position';

/** Three takes vertices of morphs to have been at rest in the last frame. */
const MORPHS = 'basics/MorphStressTest.glb';

/** A material to draw with, from the one that a file has; and what a metre is in its space. */
type Change = (own: Material, metre: number) => Material;

const MATERIALS: Readonly<Record<string, Change>> = {
  "the file's own": (own) => own,
  MeshLambertMaterial: () => new MeshLambertMaterial({ color: 0xcc8844 }),
  MeshToonMaterial: () => new MeshToonMaterial({ color: 0x44aa88 }),
  MeshNormalMaterial: () => new MeshNormalMaterial({ flatShading: true }),
  MeshPhysicalMaterial: () => new MeshPhysicalMaterial({ clearcoat: 1, sheen: 0.5, roughness: 0.4, color: 0x5577dd }),
  [NODES]: (_, metre) => {
    const material = new MeshStandardNodeMaterial({ roughness: 0.6 });
    material.colorNode = vec3(uv(), 0.4);
    material.positionNode = positionLocal.add(normalLocal.mul(0.02 * metre));
    return material;
  },
};

/** Skins, rigid parts, morph targets, textures, several materials. */
const FILES: readonly (readonly [file: string, clip: number])[] = [
  ['characters/cesium-man.glb', 0],
  ['characters/kaykit-knight.glb', 10],
  ['characters/robot-expressive.glb', 6],
  ['characters/cyberpunk-character.glb', 1],
  ['creatures/khronos-fox.glb', 2],
  ['creatures/trex.glb', 1],
  [MORPHS, 0],
];
const SKINS = ['compute', 'vertex'] as const;
const CASES = [
  ...SKINS.flatMap((skin) => FILES.map(([file, clip]) => ({ file, clip, name: "the file's own", skin }))),
  ...Object.keys(MATERIALS)
    .slice(1)
    .map((name) => ({ file: 'characters/cesium-man.glb', clip: 0, name, skin: SKINS[0] })),
].filter(({ file, name }) => full || (file === 'creatures/khronos-fox.glb' && name === "the file's own"));

describe.skipIf(noShared() || noGpu())('a character in three.js', () => {
  test.each(CASES)(
    '$file with $name, skinned in $skin, is what SkinnedMesh and AnimationMixer show',
    async ({ file, clip, name, skin }) => {
      const stage = await setStage(file, clip, MATERIALS[name]!, skin);
      const ours = await stage.ours(() => placeAt(0), cameraAt);
      const theirs = await stage.theirs(() => placeAt(0), cameraAt);
      const nobody = await film(stage.renderer, new Object3D(), () => undefined, cameraAt);
      await stage.end();

      expect(shown(theirs, nobody).length).toBeGreaterThan(0.03 * WIDTH * HEIGHT);
      const color = meanDifference(ours.color, theirs.color);
      const motion = worstMotion(ours, theirs, nobody);
      console.log(`${file}, ${name}, ${skin}: colour ${color.toFixed(4)} of 255, velocity ${motion.toFixed(5)} px`);
      expect(color).toBeLessThan(COLOR_LIMIT);
      if (name !== NODES && file !== MORPHS) expect(motion).toBeLessThan(VELOCITY_LIMIT);
    },
  );

  // three takes the motion of skinned objects themselves twice (their last bones, brought from the world by where the object is
  // now), so it is asked about a camera that moves the other way instead
  test.runIf(full)('motion vectors of one that walks are those of a camera that moves past it', async () => {
    const stage = await setStage('characters/cesium-man.glb', 0, (own) => own);
    const ours = await stage.ours(placeAt, cameraAt);
    const passing = (step: number) =>
      placeAt(0).matrix.multiply(placeAt(step).matrix.invert()).multiply(cameraAt(step));
    const theirs = await stage.theirs(() => placeAt(0), passing);
    const nobody = await film(stage.renderer, new Object3D(), () => undefined, cameraAt);
    await stage.end();
    const motion = worstMotion(ours, theirs, nobody);
    console.log(`velocity of one that walks ${motion.toFixed(5)} px`);
    expect(motion).toBeLessThan(VELOCITY_LIMIT);
  });
});

/** Films one character, as the adapter draws it and as three.js does itself. */
async function setStage(file: string, clip: number, change: Change, skin: SkinStage = 'compute') {
  const renderer = await threeRenderer(WIDTH, HEIGHT);
  renderer.shadowMap.enabled = true;
  const gltf = await loadTexturedGltf(path.join(shared, 'assets', file));
  const character = characterFromGltf(gltf, { clips: [clip] });
  const scale = 1.8 / character.size;
  const changer = (metre: number) => {
    const changed = new Map<Material, Material>();
    return (own: Material): Material => {
      if (!changed.has(own)) changed.set(own, change(own, metre));
      return changed.get(own)!;
    };
  };
  return {
    renderer,
    async ours(place: (step: number) => Object3D, camera: (step: number) => Matrix4): Promise<Shot> {
      const materials = changer(1);
      const crowd = await ManipleCrowd.create(renderer, { characters: [character], capacity: 1, materials, skin });
      const problems: unknown[] = [];
      crowd.addEventListener('error', ({ error }) => problems.push(error));
      const one = crowd.spawn(character);
      one.setClips(() => [{ clip: 0, time: START }]);
      const show = (step: number) => {
        one.setTransform((_, at) => {
          const { position, quaternion } = place(step);
          at.position.set(position.x, position.y, position.z);
          at.rotation.set(quaternion.x, quaternion.y, quaternion.z, quaternion.w);
          at.scale = scale;
        });
        crowd.update(step * STEP);
      };
      const shot = await film(renderer, crowd, show, camera);
      crowd.dispose();
      expect(problems).toEqual([]);
      return shot;
    },
    async theirs(place: (step: number) => Object3D, camera: (step: number) => Matrix4): Promise<Shot> {
      const materialFor = changer(1 / scale);
      gltf.scene.traverse((object) => {
        object.castShadow = object.receiveShadow = true;
        object.frustumCulled = false;
        if (object instanceof Mesh) object.material = materialFor(object.material as Material);
      });
      const mixer = new AnimationMixer(gltf.scene);
      mixer.clipAction(gltf.animations[clip]!).play();
      const parent = new Object3D().add(gltf.scene);
      const show = (step: number) => {
        parent.copy(place(step), false);
        parent.scale.setScalar(scale);
        if (step === 0) mixer.setTime(START);
        else mixer.update(STEP);
      };
      return film(renderer, parent, show, camera);
    },
    end: () => renderer.dispose(),
  };
}

/** What was drawn in the second of two frames: codes of R, G and B, and motion in pixels. */
interface Shot {
  readonly color: Float32Array;
  readonly velocity: Float32Array;
}

/** It walks and turns. */
function placeAt(step: number): Object3D {
  const at = new Object3D();
  at.position.set(0.1 + 0.05 * step, 0, -0.1);
  at.rotation.y = 0.6 + 0.02 * step;
  at.updateMatrix();
  return at;
}

/** `worldFromCamera`: it moves, too. */
function cameraAt(step: number): Matrix4 {
  const at = new PerspectiveCamera();
  at.position.set(1.2 + 0.01 * step, 1.4, 2.6);
  at.lookAt(0, 0.6, 0);
  at.updateMatrix();
  return at.matrix;
}

/** Draws two frames of somebody in light, shadow and fog. */
async function film(
  renderer: WebGPURenderer,
  subject: Object3D,
  show: (step: number) => void,
  worldFromCamera: (step: number) => Matrix4,
): Promise<Shot> {
  const scene = new Scene();
  scene.background = new Color(0.2, 0.3, 0.5);
  scene.fog = new Fog(0x8090a0, 2, 12);
  const sun = new DirectionalLight(0xffffff, 3);
  sun.position.set(2, 4, 3);
  sun.castShadow = true;
  sun.shadow.mapSize.set(512, 512);
  Object.assign(sun.shadow.camera, { left: -3, right: 3, top: 3, bottom: -3 });
  const ground = new Mesh(
    new PlaneGeometry(20, 20).rotateX(-Math.PI / 2),
    new MeshStandardMaterial({ color: 0x889966 }),
  );
  ground.receiveShadow = true;
  scene.add(sun, new AmbientLight(0xffffff, 0.5), ground, subject);
  const camera = new PerspectiveCamera(40, WIDTH / HEIGHT, 0.1, 50);
  const target = floatTarget(WIDTH, HEIGHT, ['output', 'velocity']);
  renderer.setMRT(mrt({ output, velocity }));
  for (const step of [0, 1]) {
    worldFromCamera(step).decompose(camera.position, camera.quaternion, camera.scale);
    camera.updateMatrixWorld();
    show(step);
    browserFrame();
    renderer.setRenderTarget(target);
    renderer.render(scene, camera);
    renderer.setRenderTarget(null);
  }
  renderer.setMRT(null);
  const read = async (index: number) =>
    (await renderer.readRenderTargetPixelsAsync(target, 0, 0, WIDTH, HEIGHT, index)) as unknown as Float32Array;
  const [linear, motion] = [await read(0), await read(1)];
  const pixels = Array.from({ length: WIDTH * HEIGHT }, (_, pixel) => 4 * pixel);
  const shot = {
    color: Float32Array.from(pixels.flatMap((at) => [0, 1, 2].map((c) => code(linear[at + c]!)))),
    velocity: Float32Array.from(pixels.flatMap((at) => [(motion[at]! * WIDTH) / 2, (motion[at + 1]! * HEIGHT) / 2])),
  };
  target.dispose();
  return shot;
}

/** As a screen would show it: sRGB (IEC 61966-2-1), in steps of 1/255, not rounded. */
function code(linear: number): number {
  const c = Math.min(Math.max(linear, 0), 1);
  return 255 * (c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055);
}

/** Pixels that do not move as they do where nobody is: those of the character. */
function shown({ velocity }: Shot, nobody: Shot): number[] {
  return Array.from({ length: WIDTH * HEIGHT }, (_, pixel) => pixel).filter((pixel) =>
    [0, 1].some((c) => Math.abs(velocity[2 * pixel + c]! - nobody.velocity[2 * pixel + c]!) > 0.01),
  );
}

function meanDifference(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + Math.abs(value - b[i]!), 0) / a.length;
}

/** Pixels by which motion is off at most where both show the character, at creases excepted. */
function worstMotion(a: Shot, b: Shot, nobody: Shot): number {
  const others = new Set(shown(b, nobody));
  const both = shown(a, nobody).filter((pixel) => others.has(pixel));
  const distances = Float64Array.from(both, (pixel) =>
    Math.hypot(...[0, 1].map((c) => a.velocity[2 * pixel + c]! - b.velocity[2 * pixel + c]!)),
  ).sort();
  return distances[distances.length - 1 - Math.floor(CREASES * distances.length)] ?? 0;
}
