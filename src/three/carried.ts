import { type Material, type Node, StorageBufferAttribute, type WebGPURenderer } from 'three/webgpu';
import {
  instanceIndex,
  mat4,
  normalLocal,
  positionLocal,
  positionPrevious,
  select,
  transformNormal,
  uint,
  vec3,
} from 'three/tsl';
import { internalsOf } from '../crowd/internals.ts';
import { NOT_ATTACHED } from '../crowd/not-attached.ts';
import type { CarriedDrawing, DrawContext } from './crowd-drawing.ts';
import type { CrowdPart } from './crowd-mesh.ts';
import { assignCharacter, positionBy } from './crowd-nodes.ts';
import { forget, release, sharedStorage } from './internals.ts';
import { FollowedMaterial } from './materials.ts';
import { asFloats, pairsOf, quadsOf, type Table } from './rows.ts';

/** Tables that draws of attachments read. Matrices are those of all attachments. */
const CARRIED = ['matrices', 'previousMatrices', 'residents'] as const;
export type CarriedTables = Readonly<Record<(typeof CARRIED)[number] | 'instances', Table>>;
type CarriedMemory = Readonly<Record<(typeof CARRIED)[number], GPUBuffer>>;

/** Instances of the core tier. Their matrices never leave the GPU. */
export class CarriedInstances implements CarriedDrawing {
  readonly #context: DrawContext<WebGPURenderer>;
  readonly #mesh: CrowdPart;
  readonly #source: Material;
  #instances: StorageBufferAttribute | undefined;
  #followed: FollowedMaterial | undefined;
  /** Releases the attributes that wrap buffers of the crowd. */
  #letGo: (() => void) | undefined;
  #memory: CarriedMemory | undefined;

  constructor(context: DrawContext<WebGPURenderer>, mesh: CrowdPart, source: Material) {
    this.#context = context;
    this.#mesh = mesh;
    this.#source = source;
  }

  list(words: Uint32Array<ArrayBuffer>): void {
    if (this.#instances?.array !== words) {
      this.#instances?.dispose();
      this.#instances = new StorageBufferAttribute(words, 2);
      this.#forget();
    }
    this.#instances.needsUpdate = true;
  }

  follow(): void {
    const memory = this.#take();
    if (this.#followed && CARRIED.every((key) => this.#memory?.[key] === memory[key])) {
      this.#followed.follow();
      return;
    }
    this.#forget();
    this.#memory = memory;
    const { renderer, past } = this.#context;
    const shared = CARRIED.map((key) => [key, sharedStorage(renderer, memory[key], 4)] as const);
    this.#letGo = () => shared.forEach(([, attribute]) => release(renderer, attribute));
    const tables = { ...Object.fromEntries(shared), instances: this.#instances } as CarriedTables;
    const position = (own: Node | null | undefined) => carriedPosition(tables, past.originShift, own);
    this.#followed = new FollowedMaterial(renderer, this.#source, position);
    this.#mesh.material = this.#followed.material;
  }

  dispose(): void {
    this.#forget();
    this.#instances?.dispose();
  }

  #take(): CarriedMemory {
    const { crowd } = this.#context;
    const { socketMatrices: matrices, previousSocketMatrices: previousMatrices } = crowd;
    const { residents } = internalsOf(crowd).host.backend.memory!.crowd;
    return { matrices: matrices!, previousMatrices: previousMatrices!, residents };
  }

  #forget(): void {
    forget(this.#mesh);
    this.#followed?.dispose();
    this.#followed = undefined;
    this.#letGo?.();
    this.#letGo = undefined;
  }
}

/** Positions of instances: `crowdFromLocal` of each. */
export function carriedPosition(
  { matrices, previousMatrices, residents, instances }: CarriedTables,
  originShift: Node<'vec3'>,
  ofMaterial: Node | null | undefined,
): Node<'vec3'> {
  const [matrixNow, matrixPrevious] = [matrixAt(matrices), matrixAt(previousMatrices)];
  const pairs = pairsOf(instances);
  return positionBy((builder) => {
    const instance = pairs(instanceIndex).toVar();
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
  });
}

function matrixAt(table: Table): (index: Node<'uint'>) => Node<'mat4'> {
  const columns = quadsOf(table);
  return (index) => {
    const first = index.mul(uint(4)).toVar();
    const column = (c: number) => asFloats(columns(first.add(uint(c))));
    return mat4(column(0), column(1), column(2), column(3)) as unknown as Node<'mat4'>;
  };
}
