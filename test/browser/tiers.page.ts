// Runs in the browser: the same scene in every tier of maniple/three.
import {
  AnimationMixer,
  BoxGeometry,
  type Material,
  Mesh,
  MeshBasicMaterial,
  MeshLambertMaterial,
  MeshNormalMaterial,
  PerspectiveCamera,
  Scene,
  ShaderMaterial,
} from 'three/webgpu';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { clone } from 'three/addons/utils/SkeletonUtils.js';
import type { CharacterId } from '../../src/crowd/rows/ids.ts';
import { ManipleCrowd, type CrowdTier } from '../../src/three/index.ts';
import { coded, nextFrame, read, render, rendererOf, targetOf } from './three-renderers.ts';
import { basic, characters, MATERIALS, placeOf, sceneOf, type SceneOptions } from './tiers.scene.ts';

export interface Drawn {
  readonly tier: CrowdTier;
  readonly pixels: readonly number[];
  readonly states: readonly unknown[];
  readonly events: readonly string[];
  readonly picked: number | undefined;
  readonly errors: readonly string[];
  readonly byteLength: number;
}

/** Draws the scene for some frames, and tells all that is to be the same in every tier. */
async function draw(options: SceneOptions): Promise<Drawn> {
  const { kind, count, size, frames, materials } = options;
  const renderer = await rendererOf(kind, size);
  const { scene, camera } = sceneOf(renderer, options);
  const types = await characters;
  const crowd = await ManipleCrowd.create(renderer, {
    characters: types,
    capacity: count,
    updateRates: false,
    materials: (own) => MATERIALS[materials](own),
  });
  const errors: string[] = [];
  crowd.addEventListener('error', ({ error }) => errors.push(String(error)));
  const events: string[] = [];
  crowd.on('event', ({ name, character }) => events.push(`${name} ${character}`));
  const controlled: CharacterId[] = [];
  types.forEach((type, t) => {
    const group = crowd.spawn(type, {
      count: Math.floor(count / types.length),
      place: (i, at) => {
        const { position, scale } = placeOf(t, types.length, i, type.bounds.max[1]!);
        at.position.set(...position);
        at.scale = scale;
      },
    });
    if (type.clips.length > 0 && !type.controller) group.setClips((i) => [{ clip: 0, phase: (i * 0.37) % 1 }]);
    for (const [i, id] of group.ids.entries()) if (i % 5 === 0) crowd.setTint(id, [1, 0.4, 0.4]);
    if (type.controller) {
      group.parameter('speed').fill(1);
      controlled.push(...group.ids);
    }
    if (type.sockets.length > 0) {
      crowd.attachMesh(group, 'hand.r', new BoxGeometry(0.1, 0.1, 1), new MeshLambertMaterial({ color: 0x20ff20 }));
    }
  });
  scene.add(crowd);
  await crowd.ready();
  const target = targetOf(size);
  for (let i = 0; i < frames; i++) {
    await nextFrame();
    crowd.update(1 / 30);
    render(renderer, scene, camera, target);
    if (i === 0) await crowd.ready(); // images of materials, which the first frame has made
  }
  await crowd.workDone();
  const pixels = await read(renderer, target);
  const hit = await crowd.pick(camera, size[0] / 2, size[1] / 2, { width: size[0], height: size[1] });
  const states = await crowd.readControllers(controlled);
  const drawn = {
    tier: crowd.tier,
    pixels,
    states: JSON.parse(JSON.stringify(states)) as unknown[],
    events: events.toSorted(),
    picked: hit?.id,
    errors,
    byteLength: crowd.core.byteLength,
  };
  crowd.dispose();
  target.dispose();
  await renderer.dispose();
  return drawn;
}

/** Draws the scene with three's own skinned meshes instead of a crowd, each with a mixer. */
async function drawMeshes(options: SceneOptions): Promise<readonly number[]> {
  const { kind, count, size, frames, materials } = options;
  const renderer = await rendererOf(kind, size);
  const { scene, camera } = sceneOf(renderer, options);
  const types = await characters;
  const mixers: AnimationMixer[] = [];
  for (const [t, type] of types.entries()) {
    const gltf = await new GLTFLoader().loadAsync(`/${'abc'[t]!}.glb`);
    for (let i = 0; i < Math.floor(count / types.length); i++) {
      const root = clone(gltf.scene);
      const { position, scale } = placeOf(t, types.length, i, type.bounds.max[1]!);
      root.position.set(...position);
      root.scale.setScalar(scale);
      root.traverse((object) => {
        if (!(object instanceof Mesh)) return;
        object.castShadow = object.receiveShadow = true;
        object.frustumCulled = false;
        object.material = MATERIALS[materials](object.material as Material);
      });
      const mixer = new AnimationMixer(root);
      const clip = gltf.animations.find(({ name }) => name === type.clips.at(-1)?.name);
      if (clip) mixer.clipAction(clip).play().time = ((i * 0.37) % 1) * clip.duration;
      mixers.push(mixer);
      scene.add(root);
    }
  }
  const target = targetOf(size);
  for (let i = 0; i < frames; i++) {
    await nextFrame();
    for (const mixer of mixers) mixer.update(1 / 30);
    render(renderer, scene, camera, target);
  }
  const pixels = await read(renderer, target);
  target.dispose();
  await renderer.dispose();
  return pixels;
}

/** Draws one character with a material of the application, and returns how many pixels have a colour. */
async function drawOwn(kind: 'shader' | 'changed' | 'normal override'): Promise<{ lit: number; errors: string[] }> {
  const size = [96, 72] as const;
  const renderer = await rendererOf('WebGLRenderer', size);
  const scene = new Scene();
  const camera = new PerspectiveCamera(30, 4 / 3, 0.1, 100);
  camera.position.set(0, 1, 6);
  const [type] = await characters;
  const shader = new ShaderMaterial({
    uniforms: { shade: { value: 1 } },
    vertexShader: `varying vec3 n; void main() { n = normal; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`,
    fragmentShader: `uniform float shade; varying vec3 n; void main() { gl_FragColor = vec4(0.0, shade, abs(n.z), 1.0); }`,
  });
  const changed = new MeshBasicMaterial({ color: 0x000000 });
  changed.onBeforeCompile = (compiled) => {
    compiled.uniforms.lift = { value: 0.2 };
    compiled.vertexShader = `uniform float lift;\n${compiled.vertexShader}`.replace(
      '#include <begin_vertex>',
      '#include <begin_vertex>\ntransformed.y += lift;',
    );
    compiled.fragmentShader = compiled.fragmentShader.replace(
      '#include <color_fragment>',
      '#include <color_fragment>\ndiffuseColor.g = crowdColumn_heat();',
    );
  };
  const crowd = await ManipleCrowd.create(renderer, {
    characters: [type!],
    capacity: 1,
    materials: () => (kind === 'shader' ? shader : kind === 'changed' ? changed : basic),
  });
  const errors: string[] = [];
  crowd.addEventListener('error', ({ error }) => errors.push(String(error)));
  const heat = crowd.column('heat', { size: 1 });
  crowd.spawn(type!);
  heat.fill(1);
  scene.add(crowd);
  if (kind === 'normal override') scene.overrideMaterial = new MeshNormalMaterial();
  const target = targetOf(size);
  for (let i = 0; i < 2; i++) {
    await nextFrame();
    crowd.update(1 / 30);
    render(renderer, scene, camera, target);
  }
  const pixels = await read(renderer, target);
  crowd.dispose();
  await renderer.dispose();
  return { lit: pixels.filter((code, i) => i % 4 === 1 && code > 100).length, errors };
}

declare global {
  interface Window {
    tiers: { draw: typeof draw; drawMeshes: typeof drawMeshes; drawOwn: typeof drawOwn };
  }
}
window.tiers = { draw: coded(draw), drawMeshes: coded(drawMeshes), drawOwn: coded(drawOwn) };
