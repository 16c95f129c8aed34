import type { BufferGeometry, Camera, Material, NodeMaterial, Object3D, Scene } from 'three/webgpu';
import { CrowdPart, shareWithCrowd } from './crowd-part.ts';
import type { CrowdViews } from './views.ts';

/** Locations of a mesh's draw arguments. */
export interface DrawnBytes {
  /** Offset of the arguments for its triangles. */
  readonly triangleByte: number;
  /** Offset of the arguments for its edges. Undefined unless its material is a wireframe. */
  readonly lineByte: number | undefined;
  /** Word of the crowd's draw targets that holds the first row of the visible list. */
  readonly runWord: number;
}

export function isWired(material: Material): boolean {
  return 'wireframe' in material && material.wireframe === true;
}

/** Indirect draw of one material of one level of one character type, for all characters in one page of vertices. */
export class CrowdMesh extends CrowdPart {
  readonly run: DrawnBytes;

  /** Materials multiply their colours with the tint: see `crowdPosition`. */
  readonly instanceColor = true;

  constructor(crowd: Object3D, views: CrowdViews, geometry: BufferGeometry, material: NodeMaterial, run: DrawnBytes) {
    super(crowd, views, geometry, material);
    this.run = run;
    shareWithCrowd(this, crowd, ['renderOrder']);
  }

  override onBeforeRender(renderer: unknown, scene: Scene, camera: Camera): void {
    super.onBeforeRender(renderer, scene, camera);
    const { triangleByte, lineByte = triangleByte } = this.run;
    const { overrideMaterial } = scene as Partial<Scene>;
    const drawn = overrideMaterial && this.material.allowOverride ? overrideMaterial : this.material;
    this.geometry.indirectOffset = isWired(drawn) ? lineByte : triangleByte;
  }
}
