import {
  type BufferGeometry,
  type Camera,
  type Material,
  Mesh,
  type NodeMaterial,
  type Scene,
  type WebGPURenderer,
} from 'three/webgpu';
import type { Object3D } from 'three/webgpu';
import type { CrowdViews } from './views.ts';

/** Where a mesh's draws are told. */
export interface DrawnBytes {
  /** Of the arguments of its triangles. */
  readonly triangleByte: number;
  /** Of its edges, where its material draws those. */
  readonly lineByte: number | undefined;
  /** Word of the crowd's draw targets that holds the first row of the visible list. */
  readonly runWord: number;
}

export function isWired(material: Material): boolean {
  return 'wireframe' in material && material.wireframe === true;
}

/**
 * What one material draws of one level of one character type, in one page of vertices: an indirect draw of all who show it. Layers and
 * shadows are its crowd's.
 */
export class CrowdMesh extends Mesh<BufferGeometry, NodeMaterial> {
  readonly run: DrawnBytes;
  readonly views: CrowdViews;
  readonly #crowd: Object3D;

  /** Materials multiply their colours with the tint: see `crowdPosition`. */
  readonly instanceColor = true;

  constructor(crowd: Object3D, views: CrowdViews, geometry: BufferGeometry, material: NodeMaterial, run: DrawnBytes) {
    super(geometry, material);
    this.#crowd = crowd;
    this.views = views;
    this.run = run;
    this.frustumCulled = false;
    this.layers = crowd.layers;
    this.matrixAutoUpdate = false;
    Object.defineProperties(this, {
      castShadow: { get: () => this.#crowd.castShadow },
      receiveShadow: { get: () => this.#crowd.receiveShadow },
      renderOrder: { get: () => this.#crowd.renderOrder },
    });
  }

  override onBeforeRender(
    renderer: unknown,
    scene: Scene,
    camera: Camera,
    geometry: BufferGeometry,
    material: Material,
  ): void {
    this.views.drawn(renderer as WebGPURenderer, scene, camera);
    const { triangleByte, lineByte = triangleByte } = this.run;
    const { overrideMaterial } = scene as Partial<Scene>;
    const drawn = overrideMaterial && material.allowOverride ? overrideMaterial : material;
    geometry.indirectOffset = isWired(drawn) ? lineByte : triangleByte;
  }

  /** The crowd answers for all of its meshes. */
  override raycast(): void {}
}
