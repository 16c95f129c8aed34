import {
  type Camera,
  FloatType,
  Group,
  Matrix4,
  NoBlending,
  NoToneMapping,
  NearestFilter,
  type NodeMaterial,
  type Object3D,
  RendererUtils,
  RenderTarget,
  type Vector2Like,
  Vector3,
  type WebGPURenderer,
} from 'three/webgpu';
import { positionView, vec4 } from 'three/tsl';
import { type CrowdPart, isWired } from './crowd-mesh.ts';
import { crowdId } from './crowd-nodes.ts';
import type { PickedRow } from './crowd-drawing.ts';
import type { CrowdViews } from './views.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * Finds the character in a pixel by drawing that one pixel, including the shapes and holes of materials. Occluders outside the crowd
 * are ignored.
 */
export class CrowdPicker {
  readonly #renderer: WebGPURenderer;
  readonly #views: CrowdViews;
  readonly #target = new RenderTarget(1, 1, {
    type: FloatType,
    magFilter: NearestFilter,
    minFilter: NearestFilter,
    generateMipmaps: false,
  });
  readonly #materials = new Map<NodeMaterial, NodeMaterial>();

  constructor(renderer: WebGPURenderer, views: CrowdViews) {
    this.#renderer = renderer;
    this.#views = views;
  }

  /** See `CrowdDrawing.pick`. */
  async pick(
    meshes: readonly CrowdPart<NodeMaterial>[],
    camera: Camera,
    point: Vector2Like,
    size: Size,
  ): Promise<PickedRow | undefined> {
    camera.updateWorldMatrix(true, false);
    const lens = onePixel(camera, point, size);
    this.#draw(meshes, lens);
    const read = await this.#renderer.readRenderTargetPixelsAsync(this.#target, 0, 0, 1, 1);
    const [row, depth] = read as unknown as Float32Array;
    if (!row) return undefined;
    return pickedRow(camera, point, row - 1, depth!);
  }

  dispose(): void {
    this.#materials.forEach((material) => material.dispose());
    this.#target.dispose();
  }

  #draw(meshes: readonly CrowdPart<NodeMaterial>[], camera: Camera): void {
    const renderer = this.#renderer;
    const before = RendererUtils.saveRendererState(renderer);
    RendererUtils.resetRendererState(renderer, before); // for example, pages that draw several cameras turn off clearing
    const root = new Group();
    root.children = [...meshes];
    root.matrixWorldAutoUpdate = false;
    const materials = meshes.map(({ material }) => material);
    for (const mesh of meshes) mesh.material = this.#materialOf(mesh.material);
    renderer.setRenderTarget(this.#target);
    renderer.setClearColor(0, 0);
    renderer.toneMapping = NoToneMapping;
    this.#views.isPicking = true;
    try {
      renderer.render(root, camera);
    } finally {
      this.#views.isPicking = false;
      meshes.forEach((mesh, i) => (mesh.material = materials[i]!));
      RendererUtils.restoreRendererState(renderer, before);
    }
  }

  #materialOf(drawn: NodeMaterial): NodeMaterial {
    const known = this.#materials.get(drawn);
    if (known) return known;
    const material = drawn.clone();
    material.outputNode = vec4(crowdId.toFloat().add(1), positionView.z.negate(), 0, 1);
    material.blending = NoBlending;
    material.transparent = false;
    material.fog = false;
    if (isWired(material)) Object.assign(material, { wireframe: false });
    this.#materials.set(drawn, material);
    drawn.addEventListener('dispose', () => {
      material.dispose();
      this.#materials.delete(drawn);
    });
    return material;
  }
}

/** @param depth Metres from the camera, along its axis. */
export function pickedRow(camera: Camera, { x, y }: Vector2Like, row: number, depth: number): PickedRow {
  // interpolates between two points on the pixel's ray to the depth that was read
  const near = new Vector3(x, y, 0.25).applyMatrix4(camera.projectionMatrixInverse);
  const far = new Vector3(x, y, 0.75).applyMatrix4(camera.projectionMatrixInverse);
  const share = (-depth - near.z) / (far.z - near.z);
  return { row, point: near.lerp(far, share).applyMatrix4(camera.matrixWorld) };
}

/** Camera that sees only one pixel of another camera's picture. */
export function onePixel(camera: Camera, { x, y }: Vector2Like, { width, height }: Size): Camera {
  const lens = (camera as Object3D).clone(false) as Camera;
  lens.matrixWorldAutoUpdate = false;
  lens.matrixWorld.copy(camera.matrixWorld);
  lens.matrixWorldInverse.copy(camera.matrixWorldInverse);
  const enlarged = new Matrix4().makeScale(width, height, 1).multiply(new Matrix4().makeTranslation(-x, -y, 0));
  lens.projectionMatrix.multiplyMatrices(enlarged, camera.projectionMatrix);
  lens.projectionMatrixInverse.copy(lens.projectionMatrix).invert();
  Object.assign(lens, { updateProjectionMatrix: () => undefined });
  return lens;
}
