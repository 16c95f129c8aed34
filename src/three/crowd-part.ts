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

/** What a crowd draws: layers and shadows are the crowd's, and whoever looks at it looks at the crowd. */
export abstract class CrowdPart extends Mesh<BufferGeometry, NodeMaterial> {
  readonly views: CrowdViews;

  constructor(crowd: Object3D, views: CrowdViews, geometry: BufferGeometry, material?: NodeMaterial) {
    super(geometry, material);
    this.views = views;
    this.matrixAutoUpdate = false;
    shareWithCrowd(this, crowd, ['layers', 'castShadow', 'receiveShadow']);
    // scenes are often traversed to set it; its bounds are those of one character at rest
    Object.defineProperty(this, 'frustumCulled', { get: () => false, set() {} });
  }

  override onBeforeRender(renderer: unknown, scene: Scene, camera: Camera): void {
    this.views.drawn(renderer as WebGPURenderer, scene, camera);
  }

  /** The crowd answers for all of its parts. */
  override raycast(): void {}
}

/** Has a part and its crowd share properties, whichever of them they are set on. */
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
