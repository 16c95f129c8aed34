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
import type { Attachment } from '../crowd/attachments.ts';
import type { CharacterId } from '../crowd/rows/ids.ts';
import { NOT_ATTACHED } from '../crowd/not-attached.ts';
import type { Carriers } from './carriers.ts';
import { assignCharacter } from './character-nodes.ts';
import { CrowdPart } from './crowd-part.ts';
import { FollowedMaterial } from './followed-material.ts';
import { forget, release, sharedStorage } from './internals.ts';
import type { CrowdViews } from './views.ts';

/** Buffers of the crowd that draws of attachments read. */
export interface CarriedMemory {
  /** Matrices of all attachments of the crowd, current and previous. */
  readonly matrices: GPUBuffer;
  readonly previousMatrices: GPUBuffer;
  readonly residents: GPUBuffer;
}

/** The same buffers as three.js attributes, and the instances that a mesh draws: see `#list`. */
interface CarriedAttributes {
  readonly matrices: StorageBufferAttribute;
  readonly previousMatrices: StorageBufferAttribute;
  readonly residents: StorageBufferAttribute;
  readonly instances: StorageBufferAttribute;
}

/** Initial instance capacity. At least 2, because three.js gives a mesh its own shader only if its `count` is above 1. */
const LEAST = 2;

/**
 * One attachment for each of many characters, drawn at their joints in one draw call. Matrices never leave the GPU.
 * It is a child of its crowd, and shares the crowd's layers and shadow flags. Created by `ManipleCrowd.attachMesh`.
 */
export class AttachedMesh extends CrowdPart {
  readonly #carriers: Carriers;
  readonly #source: Material;
  readonly #originShift: Node<'vec3'>;
  #instances: StorageBufferAttribute;
  #followed: FollowedMaterial | undefined;
  #letGo: (() => void) | undefined;
  #memory: CarriedMemory | undefined;

  /** @internal */
  constructor(
    crowd: Object3D,
    views: CrowdViews,
    carriers: Carriers,
    geometry: BufferGeometry,
    material: Material,
    originShift: Node<'vec3'>,
  ) {
    super(crowd, views, geometry);
    this.#carriers = carriers;
    this.#source = material;
    this.#originShift = originShift;
    this.#instances = rowsFor(LEAST);
    let isVisible = true;
    Object.defineProperty(this, 'visible', {
      get: () => isVisible && carriers.held.size > 0,
      set(value: boolean) {
        isVisible = value;
      },
    });
    this.#list();
  }

  /** Living characters that carry it. */
  get ids(): readonly CharacterId[] {
    return [...this.#carriers.held.keys()];
  }

  /** Attachment of one character, with `setOffset` and `detach`. Undefined if the character does not carry one. */
  attachmentOf(id: CharacterId): Attachment | undefined {
    return this.#carriers.held.get(id);
  }

  /**
   * @internal Updates the mesh for the living characters. Call it before a frame is recorded, so that new characters carry
   * the attachment in that frame. Disposes of the mesh when it has a list of ids and all of those characters are gone.
   * @throws ManipleError SOCKET_NOT_FOUND, CROWD_LIMIT
   */
  followCharacters(): void {
    if (this.#carriers.follow()) this.#list();
    if (this.#carriers.isOver) this.dispose();
  }

  /** @internal Updates the mesh for the last recorded frame. */
  followMemory(renderer: WebGPURenderer, memory: CarriedMemory): void {
    const known = this.#memory;
    const isSame = KEYS.every((key) => known?.[key] === memory[key]);
    if (isSame && this.#followed) {
      this.#followed.follow();
      return;
    }
    this.#forget();
    this.#memory = memory;
    const shared = KEYS.map((key) => sharedStorage(renderer, memory[key], 4));
    this.#letGo = () => shared.forEach((attribute) => release(renderer, attribute));
    const [matrices, previousMatrices, residents] = shared as [
      StorageBufferAttribute,
      StorageBufferAttribute,
      StorageBufferAttribute,
    ];
    const attributes = { matrices, previousMatrices, residents, instances: this.#instances };
    const position = (own: Node | null | undefined) => carriedPosition(attributes, this.#originShift, own);
    this.#followed = new FollowedMaterial(renderer, this.#source, position);
    this.material = this.#followed.material;
  }

  /** Removes the mesh from its crowd and detaches it from all characters. Does not dispose of geometry and material. */
  override dispose(): void {
    this.#carriers.detach();
    this.removeFromParent();
    this.#forget();
    this.#instances.dispose();
  }

  /** Writes the instances: the matrix row of each attachment, and the row of its character. */
  #list(): void {
    const { held } = this.#carriers;
    if (held.size > this.#instances.count) {
      this.#instances.dispose();
      this.#instances = rowsFor(2 ** Math.ceil(Math.log2(held.size)));
      this.#forget();
    }
    this.count = Math.max(held.size, LEAST);
    const words = this.#instances.array as Uint32Array;
    words.fill(NOT_ATTACHED);
    let word = 0;
    for (const { index, row } of held.values()) {
      words[word++] = index;
      words[word++] = row;
    }
    this.#instances.needsUpdate = true;
  }

  #forget(): void {
    forget(this);
    this.#followed?.dispose();
    this.#followed = undefined;
    this.#letGo?.();
    this.#letGo = undefined;
  }
}

const KEYS = ['matrices', 'previousMatrices', 'residents'] as const;

function rowsFor(count: number): StorageBufferAttribute {
  return new StorageBufferAttribute(new Uint32Array(2 * count), 2);
}

type MatrixAt = (index: Node<'uint'>) => Node<'mat4'>;

/** Positions of instances: `crowdFromLocal` of each. */
function carriedPosition(
  { matrices, previousMatrices, residents, instances }: CarriedAttributes,
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
  const [matrixNow, matrixPrevious] = [matrixAt(matrices), matrixAt(previousMatrices)];
  const rows = storage(instances, 'uvec2', 0).toReadOnly();
  return Fn((build: NodeBuilder) => {
    const builder = build as unknown as { readonly geometry: BufferGeometry; needsPreviousData(): boolean };
    const instance = (rows.element(instanceIndex) as unknown as Node<'uvec2'>).toVar();
    const index = instance.x;
    const isHeld = index.notEqual(uint(NOT_ATTACHED)).toVar();
    const matrix = matrixNow(index).toVar();
    if (builder.needsPreviousData()) {
      positionPrevious.assign(matrixPrevious(index).mul(positionPrevious).xyz.add(originShift));
    }
    positionLocal.assign(matrix.mul(positionLocal).xyz);
    if (builder.geometry.hasAttribute('normal')) normalLocal.assign(transformNormal(normalLocal, matrix));
    assignCharacter(instance.y, residents);
    return select(isHeld, (ofMaterial ?? positionLocal) as Node<'vec3'>, vec3(0));
  })();
}
