// Runs in the browser: players of a game on WebGLRenderer, drawn by three.js alone, and the same players as a crowd. It is the
// pattern of World of ClaudeCraft, written anew: a rig of several skinned parts, a clone with a mixer for each player, and
// materials that `onBeforeCompile` changes. See site/guide/from-webgl-game.md.
import {
  AnimationMixer,
  type Camera,
  DirectionalLight,
  HemisphereLight,
  Mesh,
  type MeshStandardMaterial,
  PerspectiveCamera,
  PlaneGeometry,
  Scene,
  SkinnedMesh,
  Vector3,
  WebGLRenderer,
  MeshLambertMaterial,
  type WebGLRenderTarget,
} from 'three';
import { type GLTF, GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { clone } from 'three/addons/utils/SkeletonUtils.js';
import { characterFromGltf, ManipleCrowd } from '../../src/three/index.ts';
import { coded, type Size, targetOf, read } from './three-renderers.ts';

export interface GameOptions {
  /** Draws players with three.js alone, or as a crowd. */
  readonly players: 'clones' | 'crowd';
  readonly count: number;
  readonly size: Size;
  readonly frames: number;
  /** False leaves out what `onBeforeCompile` adds. Default true. */
  readonly hasRim?: boolean;
}

export interface PlayedGame {
  readonly pixels: readonly number[];
  /** Milliseconds of CPU time of each frame, without waiting for the GPU. */
  readonly frameMs: readonly number[];
  /** Draw calls of a frame, with shadows. */
  readonly drawCalls: number;
  readonly errors: readonly string[];
}

/** Parts that a player does not carry. */
const PACKED_AWAY = [
  '1H_Sword_Offhand',
  'Badge_Shield',
  'Rectangle_Shield',
  'Round_Shield',
  'Spike_Shield',
  '2H_Sword',
];
const CLIP = 'Walking_A';

const loaded: Promise<GLTF> = new GLTFLoader().loadAsync('/knight.glb').then((gltf) => {
  for (const name of PACKED_AWAY) gltf.scene.getObjectByName(name)?.removeFromParent();
  return gltf;
});

/** Colour of a player's cloth. */
const dyeOf = (player: number) => new Vector3(1, 0.4 + 0.6 * ((player * 0.37) % 1), 0.4 + 0.6 * ((player * 0.61) % 1));
const phaseOf = (player: number) => (player * 0.23) % 1;
const placeOf = (player: number) => [(player % 20) - 9.5, 0, -1.2 * Math.floor(player / 20)] as const;

/**
 * Adds a glow at the edges of a player, and the dye of its cloth.
 * @param dye GLSL for its dye, and declarations that it needs.
 */
function withLook<M extends MeshStandardMaterial>(
  material: M,
  dye: { glsl: string; head?: string; value?: Vector3 },
): M {
  material.onBeforeCompile = (shader) => {
    if (dye.value) shader.uniforms.dye = { value: dye.value };
    shader.fragmentShader = `${dye.head ?? ''}\n${shader.fragmentShader}`
      .replace('#include <color_fragment>', `#include <color_fragment>\n\tdiffuseColor.rgb *= ${dye.glsl};`)
      .replace(
        '#include <opaque_fragment>',
        `float rim = pow(1.0 - saturate(dot(normal, normalize(vViewPosition))), 2.0);
        outgoingLight += rim * vec3(0.0, 0.6, 0.1);
        #include <opaque_fragment>`,
      );
  };
  material.customProgramCacheKey = () => `player ${dye.glsl}`;
  return material;
}

/** Players that are stepped before a frame is drawn. */
interface Players {
  step(dt: number): void;
  dispose(): void;
}

/** A clone of the rig for each player, with its own skeletons, mixer and materials. */
async function clones({ count, hasRim = true }: GameOptions, scene: Scene): Promise<Players> {
  const { scene: rig, animations } = await loaded;
  const clip = animations.find(({ name }) => name === CLIP)!;
  const mixers = Array.from({ length: count }, (_, player) => {
    const root = clone(rig);
    root.position.set(...placeOf(player));
    const looks = new Map<unknown, MeshStandardMaterial>();
    root.traverse((part) => {
      if (!(part instanceof Mesh)) return;
      const own = part.material as MeshStandardMaterial;
      const dye = { glsl: 'dye', head: 'uniform vec3 dye;', value: dyeOf(player) };
      if (!looks.has(own)) looks.set(own, hasRim ? withLook(own.clone(), dye) : own);
      part.material = looks.get(own)!;
      part.castShadow = part.receiveShadow = true;
      part.frustumCulled = !(part instanceof SkinnedMesh); // its bounds are those of the first pose
    });
    scene.add(root);
    const mixer = new AnimationMixer(root);
    mixer.clipAction(clip).play().time = phaseOf(player) * clip.duration;
    return mixer;
  });
  return {
    step: (dt) => mixers.forEach((mixer) => mixer.update(dt)),
    dispose: () => undefined,
  };
}

/** The same players as a crowd. */
async function crowdOf(
  { count, hasRim = true }: GameOptions,
  scene: Scene,
  renderer: WebGLRenderer,
  errors: string[],
): Promise<Players> {
  const knight = characterFromGltf(await loaded, { name: 'knight', clips: [CLIP] });
  const looks = new Map<unknown, MeshStandardMaterial>();
  const crowd = await ManipleCrowd.create(renderer, {
    characters: [knight],
    capacity: count,
    updateRates: false, // the same work as the mixers do
    materials: (given) => {
      const own = given as MeshStandardMaterial;
      if (!hasRim) return own;
      if (!looks.has(own)) looks.set(own, withLook(own.clone(), { glsl: 'crowdColumn_dye()' }));
      return looks.get(own)!;
    },
  });
  crowd.addEventListener('error', ({ error }) => errors.push(String(error)));
  crowd.column('dye', { size: 3 }); // before the materials are drawn
  const players = crowd.spawn(knight, { count, place: (player, at) => at.position.set(...placeOf(player)) });
  players.setClips((player) => [{ clip: CLIP, phase: phaseOf(player) }]);
  const dyes = players.column('dye');
  for (let player = 0; player < count; player++) dyes.set(player, dyeOf(player).toArray());
  scene.add(crowd);
  await crowd.ready();
  return { step: (dt) => crowd.update(dt), dispose: () => crowd.dispose() };
}

function stage(count: number): { readonly scene: Scene; readonly camera: Camera } {
  const scene = new Scene();
  const camera = new PerspectiveCamera(35, 4 / 3, 0.1, 100);
  const depth = 1.2 * Math.ceil(count / 20);
  camera.position.set(0, 5 + depth / 3, 14 + depth / 4);
  camera.lookAt(0, 0, -depth / 3);
  const sun = new DirectionalLight(0xffffff, 3);
  sun.position.set(4, 9, 6);
  sun.castShadow = true;
  Object.assign(sun.shadow.camera, { left: -14, right: 14, top: 14, bottom: -14, far: 60 });
  const ground = new Mesh(new PlaneGeometry(60, 60).rotateX(-Math.PI / 2), new MeshLambertMaterial());
  ground.receiveShadow = true;
  scene.add(sun, new HemisphereLight(0xffffff, 0x404040, 1), ground);
  return { scene, camera };
}

/** Plays some frames, and measures each. */
async function play(options: GameOptions): Promise<PlayedGame> {
  const { players: kind, count, size, frames } = options;
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = size;
  const renderer = new WebGLRenderer({ canvas });
  renderer.shadowMap.enabled = true;
  const { scene, camera } = stage(count);
  const errors: string[] = [];
  const players = kind === 'clones' ? await clones(options, scene) : await crowdOf(options, scene, renderer, errors);
  const target = targetOf(size);
  renderer.setRenderTarget(target as unknown as WebGLRenderTarget);
  const frameMs: number[] = [];
  const pixel = new Uint8Array(4);
  for (let i = 0; i < frames; i++) {
    const start = performance.now();
    players.step(1 / 60);
    renderer.render(scene, camera);
    frameMs.push(performance.now() - start);
    // waits for the GPU outside of the measured time
    renderer.readRenderTargetPixels(target as unknown as WebGLRenderTarget, 0, 0, 1, 1, pixel);
  }
  const drawCalls = renderer.info.render.calls;
  const pixels = await read(renderer, target);
  players.dispose();
  target.dispose();
  renderer.dispose();
  renderer.forceContextLoss();
  return { pixels, frameMs, drawCalls, errors };
}

declare global {
  interface Window {
    game: { play: (options: GameOptions) => Promise<PlayedGame> };
  }
}
window.game = { play: coded(play) };
