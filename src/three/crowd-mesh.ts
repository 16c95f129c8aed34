import {
  type BufferGeometry,
  type Camera,
  type Material,
  Mesh,
  type NodeFrame,
  type NodeMaterial,
  type Object3D,
  type Scene,
} from 'three/webgpu';
import type { RunMesh } from './crowd-nodes.ts';
import { type CrowdRenderer, isShadowPass } from './internals.ts';
import type { CrowdViews } from './views.ts';

/** A draw that is about to begin. */
export interface PreparedDraw {
  readonly renderer: CrowdRenderer;
  /** Null in shadow maps. */
  readonly scene: Scene | null;
  readonly camera: Camera;
  readonly material: Material;
}

/** Mesh that a crowd draws. It shares the crowd's layers and shadow flags. A camera that draws it becomes a view of the crowd. */
export abstract class CrowdPart<M extends Material = Material> extends Mesh<BufferGeometry, M> {
  readonly views: CrowdViews;

  constructor(crowd: Object3D, views: CrowdViews, geometry: BufferGeometry, material?: M) {
    super(geometry, material);
    this.views = views;
    this.matrixAutoUpdate = false;
    shareWithCrowd(this, crowd, ['layers', 'castShadow', 'receiveShadow']);
    // applications often traverse scenes to set it; the bounds are those of one character at rest
    Object.defineProperty(this, 'frustumCulled', { get: () => false, set() {} });
  }

  /** Set by tiers that do more before a draw. */
  prepare: ((draw: PreparedDraw) => void) | undefined;

  override onBeforeRender(
    renderer: unknown,
    scene: Scene,
    camera: Camera,
    _?: BufferGeometry,
    material?: Material,
  ): void {
    this.views.drawn(renderer as CrowdRenderer, camera, isShadowPass(scene));
    if (this.prepare && material) this.prepare({ renderer: renderer as CrowdRenderer, scene, camera, material });
  }

  /** Called by `WebGLRenderer` instead of `onBeforeRender` when it draws a shadow map. */
  override onBeforeShadow(
    renderer: unknown,
    _: Object3D,
    __: Camera,
    camera: Camera,
    ___: BufferGeometry,
    material: Material,
  ): void {
    this.views.drawn(renderer as CrowdRenderer, camera, true);
    this.prepare?.({ renderer: renderer as CrowdRenderer, scene: null, camera, material });
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

/** Locations of a mesh's draw arguments. */
export interface DrawnBytes {
  /** Offset of the arguments for its triangles. */
  readonly triangleByte: number;
  /** Offset of the arguments for its edges. Undefined unless its material is a wireframe. */
  readonly lineByte: number | undefined;
  /** Word of the crowd's draw targets that holds the first row of the visible list. */
  readonly runWord: number;
}

/** Several lists of a crowd, one after another in the same buffers. Cameras draw different ones. */
export interface ListSteps {
  /** Words of draw targets, bytes of arguments, and rows of a list. */
  readonly words: number;
  readonly argumentBytes: number;
  readonly rows: number;
}

export function isWired(material: Material): boolean {
  return 'wireframe' in material && material.wireframe === true;
}

/** The lists that a camera draws. Materials that override others do not know impostors, so they draw every character. */
export function listsFor(views: CrowdViews, scene: Scene, camera: Camera): number {
  const { overrideMaterial } = scene as Partial<Scene>;
  return overrideMaterial && !isShadowPass(scene) ? 0 : views.listsOf(camera);
}

/** Indirect draw of one material of one level of one character type, for all characters in one page of vertices. */
export class CrowdMesh extends CrowdPart<NodeMaterial> implements RunMesh {
  readonly run: DrawnBytes;
  readonly #steps: ListSteps | undefined;
  runWord: number;
  firstRow = 0;

  /** Materials multiply their colours with the tint: see `crowdPosition`. */
  readonly instanceColor = true;

  /** @param steps Where the crowd has several lists. */
  constructor(
    crowd: Object3D,
    views: CrowdViews,
    geometry: BufferGeometry,
    material: NodeMaterial,
    run: DrawnBytes,
    steps?: ListSteps,
  ) {
    super(crowd, views, geometry, material);
    this.run = run;
    this.runWord = run.runWord;
    this.#steps = steps;
    shareWithCrowd(this, crowd, ['renderOrder']);
  }

  override onBeforeRender(renderer: unknown, scene: Scene, camera: Camera): void {
    super.onBeforeRender(renderer, scene, camera);
    const { triangleByte, lineByte = triangleByte } = this.run;
    const { overrideMaterial } = scene as Partial<Scene>;
    const drawn = overrideMaterial && this.material.allowOverride ? overrideMaterial : this.material;
    this.geometry.indirectOffset = isWired(drawn) ? lineByte : triangleByte;
  }

  choose({ scene, camera, material }: NodeFrame): void {
    if (!this.#steps) return;
    const { triangleByte, lineByte = triangleByte, runWord } = this.run;
    const { words, argumentBytes, rows } = this.#steps;
    const lists = listsFor(this.views, scene!, camera!);
    this.geometry.indirectOffset = (isWired(material!) ? lineByte : triangleByte) + lists * argumentBytes;
    this.runWord = runWord + lists * words;
    this.firstRow = lists * rows;
  }
}
