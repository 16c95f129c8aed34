import type { Camera, InstancedBufferGeometry, Material, Object3D } from 'three/webgpu';
import { CrowdPart, shareWithCrowd } from '../crowd-mesh.ts';
import type { CrowdViews } from '../views.ts';

/**
 * One material of one level of a character type, for all characters in one page. The CPU knows how many they are. WebGL has no
 * first instance, so shaders add the run's first row to the index of an instance.
 */
export class RunMesh<M extends Material = Material> extends CrowdPart<M> {
  declare geometry: InstancedBufferGeometry;
  /** Row of the visible list where its run begins. */
  firstRow = 0;

  constructor(crowd: Object3D, views: CrowdViews, geometry: InstancedBufferGeometry, material?: M) {
    super(crowd, views, geometry, material);
    shareWithCrowd(this, crowd, ['renderOrder']);
    this.setRun(0, 0);
  }

  /** Draws these rows of the visible list. */
  setRun(firstRow: number, count: number): void {
    this.firstRow = firstRow;
    this.geometry.instanceCount = count;
  }

  /** Views of a camera, a bit each. */
  bitsOf(camera: Camera): number {
    return this.views.bitsOf(camera);
  }
}
