import {
  type BufferGeometry,
  type Material,
  type Node,
  type NodeBuilder,
  type Object3D,
  StorageBufferAttribute,
  type WebGPURenderer,
} from 'three/webgpu';
import {
  Fn,
  instanceIndex,
  mat4,
  normalLocal,
  positionLocal,
  positionPrevious,
  select,
  storage,
  transformNormal,
  uint,
  vec3,
} from 'three/tsl';
import type { Attachments } from '../crowd/attachments.ts';
import { NOT_ATTACHED } from '../crowd/not-attached.ts';
import { CrowdPart } from './crowd-part.ts';
import { FollowedMaterial } from './followed-material.ts';
import { forget, release, sharedStorage } from './internals.ts';
import { wordsOf } from './rows.ts';
import type { CrowdViews } from './views.ts';

/** Matrices of all that a crowd's characters carry, of this frame and of the last one. */
export interface SocketMatrices {
  readonly now: GPUBuffer;
  readonly previous: GPUBuffer;
}

/**
 * One thing for each of many characters, drawn at their joints in one call: matrices never leave the GPU. A child of its crowd,
 * whose layers and shadows it shares; made by `ManipleCrowd.attachMesh`.
 */
export class AttachedMesh extends CrowdPart {
  /** What holds them: `setOffset`, `detach`, `isAttached`, in the order of the characters. */
  readonly attachments: Attachments;
  readonly #source: Material;
  readonly #indices: StorageBufferAttribute;
  readonly #originShift: Node<'vec3'>;
  #followed: FollowedMaterial | undefined;
  #letGo: (() => void) | undefined;
  #matrices: SocketMatrices | undefined;
  #releases = -1;

  /** @internal */
  constructor(
    crowd: Object3D,
    views: CrowdViews,
    attachments: Attachments,
    geometry: BufferGeometry,
    material: Material,
    originShift: Node<'vec3'>,
  ) {
    super(crowd, views, geometry);
    this.attachments = attachments;
    this.#source = material;
    this.#originShift = originShift;
    // a shader of its own, which is what three.js takes more than one instance to mean
    this.count = Math.max(attachments.count, 2);
    this.#indices = new StorageBufferAttribute(new Uint32Array(this.count).fill(NOT_ATTACHED), 1);
  }

  /**
   * @internal Brings it up to the frame that was recorded last.
   * @param releases Attachments of the crowd that have ended so far: rows of matrices that may have gone to others.
   */
  follow(renderer: WebGPURenderer, matrices: SocketMatrices, releases: number): void {
    if (this.#releases !== releases) this.#list(releases);
    if (this.#matrices?.now === matrices.now && this.#matrices.previous === matrices.previous) {
      this.#followed!.follow();
      return;
    }
    this.#forget();
    this.#matrices = matrices;
    const shared = [matrices.now, matrices.previous].map((buffer) => sharedStorage(renderer, buffer, 4));
    this.#letGo = () => shared.forEach((attribute) => release(renderer, attribute));
    const [now, previous] = shared as [StorageBufferAttribute, StorageBufferAttribute];
    const position = (own: Node | null | undefined) =>
      attachedPosition(now, previous, this.#indices, this.#originShift, own);
    this.#followed = new FollowedMaterial(renderer, this.#source, position);
    this.material = this.#followed.material;
  }

  /** Takes it from its crowd: characters carry it no more. Geometry and material stay. */
  override dispose(): void {
    this.attachments.detach();
    this.removeFromParent();
    this.#forget();
    this.#indices.dispose();
  }

  #list(releases: number): void {
    this.#releases = releases;
    const { attachments } = this;
    attachments.indices.forEach((index, i) => {
      this.#indices.setX(i, attachments.isAttached(i) ? index : NOT_ATTACHED);
    });
    this.#indices.needsUpdate = true;
  }

  #forget(): void {
    forget(this);
    this.#followed?.dispose();
    this.#letGo?.();
  }
}

type MatrixAt = (index: Node<'uint'>) => Node<'mat4'>;

/** Where instances are: `crowdFromLocal` of each, by its row of the matrices. */
function attachedPosition(
  now: StorageBufferAttribute,
  previous: StorageBufferAttribute,
  indices: StorageBufferAttribute,
  originShift: Node<'vec3'>,
  ofMaterial: Node | null | undefined,
): Node<'vec3'> {
  const matrixAt = (attribute: StorageBufferAttribute): MatrixAt => {
    const columns = storage(attribute, 'vec4', 0).toReadOnly();
    const column = (first: Node<'uint'>, c: number) => columns.element(first.add(uint(c))) as unknown as Node<'vec4'>;
    return (index) => {
      const first = index.mul(uint(4)).toVar();
      return mat4(column(first, 0), column(first, 1), column(first, 2), column(first, 3)) as unknown as Node<'mat4'>;
    };
  };
  const [matrixNow, matrixPrevious, indexAt] = [matrixAt(now), matrixAt(previous), wordsOf(indices)];
  return Fn((build: NodeBuilder) => {
    const builder = build as unknown as { readonly geometry: BufferGeometry; needsPreviousData(): boolean };
    const index = indexAt(instanceIndex).toVar();
    const isHeld = index.notEqual(uint(NOT_ATTACHED)).toVar();
    const matrix = matrixNow(index).toVar();
    if (builder.needsPreviousData()) {
      positionPrevious.assign(matrixPrevious(index).mul(positionPrevious).xyz.add(originShift));
    }
    positionLocal.assign(matrix.mul(positionLocal).xyz);
    if (builder.geometry.hasAttribute('normal')) normalLocal.assign(transformNormal(normalLocal, matrix));
    return select(isHeld, (ofMaterial ?? positionLocal) as Node<'vec3'>, vec3(0));
  })();
}
