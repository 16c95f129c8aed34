import {
  Color,
  type DataTexture,
  DirectionalLight,
  Fog,
  HemisphereLight,
  InstancedMesh,
  Matrix4,
  Mesh,
  MeshStandardMaterial,
  NeutralToneMapping,
  PlaneGeometry,
  Quaternion,
  Scene,
  Vector3,
  type WebGPURenderer,
} from 'three/webgpu';
import type { WebGLRenderer } from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { type BattleScenery, PROPS, type Prop } from '../../src/battle/scenery.ts';
import { DEFAULT_LIGHTING, type Lighting as Light } from '../../src/render/index.ts';
import type { Shot } from './stand.ts';
import { skyTexture } from './three-sky.ts';

/** Here a white surface that faces a light of 1 has brightness 1. In three.js it is darker by a factor of π. */
const LIGHT = Math.PI;
/** Metres from the target to the sun, and texels of its shadow map. */
const SUN = 150;
/** Shares of the light from above that are the horizon's, and of the ground's colour that come from below. */
const [HORIZON, GROUND] = [0.45, 0.7];

/** Scenery and lights of a battle in a three.js scene. */
export interface Surroundings {
  readonly scene: Scene;
  tone(renderer: WebGPURenderer | WebGLRenderer): void;
  /** Moves light and shadow to the target of a shot. */
  follow(shot: Shot): void;
  dispose(): void;
}

/** @throws Error: a prop's file cannot be loaded */
export async function createSurroundings(
  { places }: BattleScenery,
  folder: string,
  isSlow: boolean,
): Promise<Surroundings> {
  const scene = new Scene();
  const sun = new DirectionalLight();
  sun.castShadow = true;
  sun.shadow.mapSize.setScalar(isSlow ? 512 : 2048);
  sun.shadow.normalBias = 0.03;
  const sky = new HemisphereLight();
  const fog = new Fog(0, 1, 2);
  scene.fog = fog;
  const ground = new Mesh(new PlaneGeometry(1, 1), new MeshStandardMaterial({ roughness: 1, metalness: 0 }));
  ground.rotation.x = -Math.PI / 2;
  ground.receiveShadow = true;
  scene.add(sun, sun.target, sky, ground);
  const loader = new GLTFLoader();
  const props = PROPS.filter((prop) => places[prop].length > 0);
  const meshes = await Promise.all(props.map((prop) => plant(loader, `${folder}${prop}.glb`, places[prop])));
  scene.add(...meshes.flat());
  let lit: Partial<Light> | undefined;
  let backdrop: DataTexture | undefined;

  return {
    scene,
    tone(renderer) {
      renderer.toneMapping = NeutralToneMapping;
      renderer.shadowMap.enabled = true;
    },
    follow({ camera: { eye, target }, lighting: wanted }) {
      const light = { ...DEFAULT_LIGHTING, ...wanted };
      if (lit !== wanted) setLight(light);
      lit = wanted;
      const distance = Math.hypot(...eye.map((value, axis) => value - target[axis]!));
      // a line that approximates the exponential fog of our own renderers
      [fog.near, fog.far] = [0, 0.5 * light.fadeDistance];
      const reach = 4 * light.fadeDistance;
      ground.scale.set(reach, reach, 1);
      ground.position.set(eye[0], light.groundHeight, eye[2]);
      // in steps, so that shadows do not move with the camera
      const half = 2 ** (Math.ceil(2 * Math.log2(Math.min(150, Math.max(6, 1.1 * distance)))) / 2);
      const texel = (2 * half) / sun.shadow.mapSize.x;
      const snapped = target.map((value) => Math.round(value / (32 * texel)) * 32 * texel) as [number, number, number];
      sun.target.position.set(...snapped);
      sun.position
        .set(...light.sunDirection)
        .setLength(SUN)
        .add(sun.target.position);
      const { camera } = sun.shadow;
      if (camera.right === half) return;
      Object.assign(camera, { left: -half, right: half, top: half, bottom: -half, near: 1, far: SUN + 2 * half });
      camera.updateProjectionMatrix();
    },
    dispose() {
      sun.dispose();
      backdrop?.dispose();
      ground.geometry.dispose();
      ground.material.dispose();
      for (const mesh of meshes.flat()) mesh.dispose();
    },
  };

  function setLight(light: Light): void {
    const { sunColor, skyColor, horizonColor, groundColor, exposure } = light;
    const scaled = (color: readonly number[], factor: number) =>
      new Color().setRGB(...(color.map((value) => factor * value) as [number, number, number]));
    sun.color = scaled(sunColor, LIGHT * exposure);
    sky.color = scaled(skyColor, LIGHT * exposure).lerp(scaled(horizonColor, LIGHT * exposure), HORIZON);
    sky.groundColor = scaled(groundColor, GROUND * LIGHT * exposure);
    fog.color = scaled(horizonColor, exposure);
    // the light of a battle does not change
    scene.background = backdrop ??= skyTexture(light);
    ground.material.color = scaled(groundColor, 1);
  }
}

/** Creates an instanced mesh for each part of a prop, with all its places. */
async function plant(
  loader: GLTFLoader,
  url: string,
  places: BattleScenery['places'][Prop],
): Promise<readonly InstancedMesh[]> {
  const { scene } = await loader.loadAsync(url);
  scene.updateMatrixWorld(true);
  const meshes: InstancedMesh[] = [];
  scene.traverse((object) => {
    if (!(object instanceof Mesh)) return;
    const mesh = new InstancedMesh(object.geometry, object.material, places.length);
    places.forEach(({ position, rotation, scale }, i) => {
      const placed = new Matrix4().compose(
        new Vector3(...position),
        new Quaternion(...rotation),
        new Vector3(scale, scale, scale),
      );
      mesh.setMatrixAt(i, placed.multiply(object.matrixWorld));
    });
    mesh.castShadow = mesh.receiveShadow = true;
    meshes.push(mesh);
  });
  return meshes;
}
