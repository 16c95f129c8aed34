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
import type { CharacterId } from '../crowd/ids.ts';
import { NOT_ATTACHED } from '../crowd/not-attached.ts';
import type { Carriers } from './carriers.ts';
import { assignCharacter } from './character-nodes.ts';
import { CrowdPart } from './crowd-part.ts';
import { FollowedMaterial } from './followed-material.ts';
import { forget, release, sharedStorage } from './internals.ts';
import type { CrowdViews } from './views.ts';

/** The crowd's memory that draws of carried things read. */
export interface CarriedMemory {
  /** Matrices of all that a crowd's characters carry, of this frame and of the last one. */
  readonly matrices: GPUBuffer;
  readonly previousMatrices: GPUBuffer;
  readonly residents: GPUBuffer;
}

/** The same, as three.js has it, and what a mesh draws: see `listRows`. */
interface CarriedAttributes {
  readonly matrices: StorageBufferAttribute;
  readonly previousMatrices: StorageBufferAttribute;
  readonly residents: StorageBufferAttribute;
  readonly instances: StorageBufferAttribute;
}

/** Instances that there is room for from the start; more than one, which three.js takes to mean a shader of the mesh's own. */
const LEAST = 2;

/**
 * One thing for each of many characters, drawn at their joints in one call: matrices never leave the GPU. A child of its crowd,
 * whose layers and shadows it shares; made by `ManipleCrowd.attachMesh`.
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

  /** One character's: `setOffset`, `detach`. Undefined where it carries none. */
  attachmentOf(id: CharacterId): Attachment | undefined {
    return this.#carriers.held.get(id);
  }

  /**
   * @internal Brings it up to the characters that live: before a frame is recorded, so that those that have come carry it in that frame.
   * Ends it with the last one of a list.
   * @throws ManipleError SOCKET_NOT_FOUND, CROWD_LIMIT
   */
  followCharacters(): void {
    if (this.#carriers.follow()) this.#list();
    if (this.#carriers.isOver) this.dispose();
  }

  /** @internal Brings it up to the frame that was recorded last. */
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

  /** Takes it from its crowd: characters carry it no more. Geometry and material stay. */
  override dispose(): void {
    this.#carriers.detach();
    this.removeFromParent();
    this.#forget();
    this.#instances.dispose();
  }

  /** Lists who carries it: per instance its row of the matrices, and the character's. */
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

/** Where instances are: `crowdFromLocal` of each. */
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
