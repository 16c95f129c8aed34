import {
  type BufferGeometry,
  type Camera,
  Mesh,
  type NodeMaterial,
  type Scene,
  type WebGPURenderer,
} from 'three/webgpu';
import type { Object3D } from 'three/webgpu';
import type { CrowdViews } from './views.ts';

/**
 * What one material draws of one level of one character type, in one page of vertices: an indirect draw of all who show it. Layers and
 * shadows are its crowd's.
 */
export class CrowdMesh extends Mesh<BufferGeometry, NodeMaterial> {
  /** Word of the crowd's draw targets that holds the first row of the visible list. */
  readonly runWord: number;
  readonly views: CrowdViews;
  readonly #crowd: Object3D;

  /** Materials multiply their colours with the tint: see `crowdPosition`. */
  readonly instanceColor = true;

  constructor(crowd: Object3D, views: CrowdViews, geometry: BufferGeometry, material: NodeMaterial, runWord: number) {
    super(geometry, material);
    this.#crowd = crowd;
    this.views = views;
    this.runWord = runWord;
    this.frustumCulled = false;
    this.layers = crowd.layers;
    this.matrixAutoUpdate = false;
    Object.defineProperties(this, {
      castShadow: { get: () => this.#crowd.castShadow },
      receiveShadow: { get: () => this.#crowd.receiveShadow },
      renderOrder: { get: () => this.#crowd.renderOrder },
    });
  }

  override onBeforeRender(renderer: unknown, scene: Scene, camera: Camera): void {
    this.views.drawn(renderer as WebGPURenderer, scene, camera);
  }

  /** The crowd answers for all of its meshes. */
  override raycast(): void {}
}
