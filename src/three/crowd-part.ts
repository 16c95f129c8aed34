import {
  type BufferGeometry,
  type Camera,
  Mesh,
  type NodeMaterial,
  type Object3D,
  type Scene,
  type WebGPURenderer,
} from 'three/webgpu';
import type { CrowdViews } from './views.ts';

/** Mesh that a crowd draws. It shares the crowd's layers and shadow flags. A camera that draws it becomes a view of the crowd. */
export abstract class CrowdPart extends Mesh<BufferGeometry, NodeMaterial> {
  readonly views: CrowdViews;

  constructor(crowd: Object3D, views: CrowdViews, geometry: BufferGeometry, material?: NodeMaterial) {
    super(geometry, material);
    this.views = views;
    this.matrixAutoUpdate = false;
    shareWithCrowd(this, crowd, ['layers', 'castShadow', 'receiveShadow']);
    // applications often traverse scenes to set it; the bounds are those of one character at rest
    Object.defineProperty(this, 'frustumCulled', { get: () => false, set() {} });
  }

  override onBeforeRender(renderer: unknown, scene: Scene, camera: Camera): void {
    this.views.drawn(renderer as WebGPURenderer, scene, camera);
  }

  /** Empty, because the crowd handles rays for all of its parts. */
  override raycast(): void {}
}

/** Makes a part read and write properties of its crowd. */
export function shareWithCrowd(part: Object3D, crowd: Object3D, keys: readonly (keyof Object3D)[]): void {
  for (const key of keys) {
    Object.defineProperty(part, key, {
      get: (): unknown => crowd[key],
      set(value: unknown) {
        Object.assign(crowd, { [key]: value });
      },
    });
  }
}
