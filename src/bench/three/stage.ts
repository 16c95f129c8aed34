import {
  AmbientLight,
  Color,
  DirectionalLight,
  Mesh,
  MeshStandardMaterial,
  type Object3D,
  PerspectiveCamera,
  PlaneGeometry,
  RenderTarget,
  Scene,
} from 'three/webgpu';
import type { Plan } from './plan.ts';

export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

export interface Stage {
  readonly scene: Scene;
  readonly camera: PerspectiveCamera;
  readonly target: RenderTarget;
}

const FIELD_OF_VIEW = 35;

/** Creates a sunlit field that is entirely in the picture, with a shadow map or without. */
export function stageOf(
  object: Object3D,
  { width, depth }: Plan,
  picture: PictureSize,
  shadowTexels: number | undefined,
): Stage {
  const scene = new Scene();
  scene.background = new Color(0.35, 0.5, 0.7);
  const sun = new DirectionalLight(0xffffff, 3);
  const reach = Math.hypot(width, depth) / 2 + 2;
  sun.position.set(0.5 * reach, reach, 0.6 * reach);
  if (shadowTexels) {
    sun.castShadow = true;
    sun.shadow.mapSize.set(shadowTexels, shadowTexels);
    Object.assign(sun.shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, far: 3 * reach });
    sun.shadow.normalBias = 0.05;
  }
  const ground = new Mesh(
    new PlaneGeometry(2 * width + 40, 2 * depth + 40).rotateX(-Math.PI / 2),
    new MeshStandardMaterial({ color: 0x8a8a5c, roughness: 1 }),
  );
  ground.receiveShadow = true;
  scene.add(sun, new AmbientLight(0xffffff, 0.6), ground, object);
  const aspect = picture.width / picture.height;
  const camera = new PerspectiveCamera(FIELD_OF_VIEW, aspect, 0.5, 2000);
  const distance = Math.max((0.55 * width) / (aspect * Math.tan((FIELD_OF_VIEW * Math.PI) / 360)), 0.6 * depth) + 1.5;
  camera.position.set(0, 0.45 * distance, depth / 2 + 0.8 * distance);
  camera.lookAt(0, 0.8, 0);
  camera.updateMatrixWorld();
  return { scene, camera, target: new RenderTarget(picture.width, picture.height) };
}
