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
    this.frustumCulled = false;
    this.matrixAutoUpdate = false;
    this.layers = crowd.layers;
    for (const key of ['castShadow', 'receiveShadow'] as const) {
      Object.defineProperty(this, key, { get: () => crowd[key] });
    }
  }

  override onBeforeRender(renderer: unknown, scene: Scene, camera: Camera): void {
    this.views.drawn(renderer as WebGPURenderer, scene, camera);
  }

  /** The crowd answers for all of its parts. */
  override raycast(): void {}
}
