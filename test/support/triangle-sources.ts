import { View } from '../../src/layout/index.ts';
import { createFilled } from '../../src/frame/tables/memory.ts';
import type { SourcePrimitive, SourceRun, TriangleSource } from '../../src/render/visibility/source.ts';
import { Resident, Transform, VisibleCharacter } from '../../src/stages/layout.ts';
import { packPosition } from '../../src/math/packing.ts';

/** Rows of a page for positions that are four floats each. */
export function packedRows(positions: ArrayLike<number>): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(positions.length / 2);
  for (let v = 0; v < positions.length / 4; v++) words.set(packPosition(positions, 4 * v), 2 * v);
  return words;
}

/** A mesh, and where it stands. */
export interface SceneMesh {
  /** x, y, z per vertex. */
  readonly positions: readonly number[];
  readonly primitives: readonly {
    readonly indices: readonly number[];
    readonly doubleSided?: boolean;
    readonly part?: number;
  }[];
  readonly places: readonly {
    readonly position: readonly [number, number, number];
    readonly rotation?: readonly [number, number, number, number];
    readonly scale?: number;
    readonly parts?: readonly [number, number];
  }[];
  /** That holds all its vertices. */
  readonly sphere?: { readonly center: readonly number[]; readonly radius: number };
  /** Numbers of its source, and of the page in it; default 0. */
  readonly source?: number;
  readonly page?: number;
}

/** Meshes and where their vertices and indices stand, one after the other, whatever source and page they belong to. */
interface LaidMesh {
  readonly mesh: SceneMesh;
  readonly firstVertex: number;
  readonly firstIndex: number;
}

/**
 * Sources of the meshes' numbers, with their pages. Each binds buffers that are as long as those of all together, but hold
 * nothing of what belongs to others: who reads another's finds nothing, and one reader serves all.
 */
export function sourcesOf(device: GPUDevice, meshes: readonly SceneMesh[]) {
  const owned: GPUBuffer[] = [];
  const { STORAGE, COPY_DST } = GPUBufferUsage;
  const upload = (label: string, words: Uint32Array<ArrayBuffer>) => {
    const buffer = createFilled(device, label, STORAGE | COPY_DST, words);
    owned.push(buffer);
    return buffer;
  };
  const positions: number[] = [];
  const indices: number[] = [];
  const laid = meshes.map((mesh): LaidMesh => {
    const [firstVertex, firstIndex] = [positions.length / 4, indices.length];
    for (let v = 0; v < mesh.positions.length; v += 3) positions.push(...mesh.positions.slice(v, v + 3), 0);
    for (const primitive of mesh.primitives) indices.push(...primitive.indices);
    return { mesh, firstVertex, firstIndex };
  });
  const own = (all: readonly number[], from: number, to: number) =>
    all.map((value, at) => (at >= from && at < to ? value : 0));
  const merged = (parts: readonly number[][], length: number) =>
    Array.from({ length }, (_, at) => parts.reduce((sum, part) => sum + part[at]!, 0));
  const vertexWords = (part: readonly LaidMesh[]) => {
    const parts = part.map(({ mesh, firstVertex }) =>
      own(positions, 4 * firstVertex, 4 * firstVertex + (mesh.positions.length / 3) * 4),
    );
    return packedRows(merged(parts, positions.length));
  };
  const indexWords = (part: readonly LaidMesh[]) => {
    const parts = part.map(({ mesh, firstIndex }) => own(indices, firstIndex, firstIndex + indexCountOf(mesh)));
    return Uint32Array.from(merged(parts, indices.length));
  };
  const numbersOf = (part: readonly LaidMesh[], of: 'source' | 'page') =>
    [...new Set(part.map(({ mesh }) => mesh[of] ?? 0))].toSorted((a, b) => a - b);
  const sources = numbersOf(laid, 'source').map((number): TriangleSource => {
    const ofSource = laid.filter(({ mesh }) => (mesh.source ?? 0) === number);
    const rows = new SceneRows(ofSource.reduce((sum, { mesh }) => sum + mesh.places.length, 0));
    const pages = numbersOf(ofSource, 'page').map((page) => {
      const ofPage = ofSource.filter(({ mesh }) => (mesh.page ?? 0) === page);
      return { skinned: upload('skinned', vertexWords(ofPage)), runs: ofPage.map((one) => rows.add(one)) };
    });
    const transforms = upload('transforms', rows.transforms.words);
    return {
      visible: upload('visible', rows.visible.words),
      transforms,
      previousTransforms: transforms,
      residents: upload('residents', rows.residents.words),
      geometry: transforms,
      indices: upload('indices', indexWords(ofSource)),
      rowCapacity: rows.visible.count,
      isCrowd: number === 0,
      pages,
    };
  });
  const skinned = packedRows(positions);
  const destroy = () => owned.forEach((buffer) => buffer.destroy());
  return { sources, indices: Uint32Array.from(indices), skinned, destroy };
}

const indexCountOf = ({ primitives }: SceneMesh) => primitives.reduce((sum, { indices }) => sum + indices.length, 0);

/** A visible list of all places of meshes. */
class SceneRows {
  readonly transforms;
  readonly residents;
  readonly visible;
  #row = 0;

  constructor(count: number) {
    this.transforms = new View(Transform, count);
    this.residents = new View(Resident, count);
    this.visible = new View(VisibleCharacter, count);
  }

  add({ mesh, firstVertex, firstIndex }: LaidMesh): SourceRun {
    const firstRow = this.#row;
    let first = 0;
    const primitives = mesh.primitives.map(({ indices, part = 0, doubleSided = false }, index): SourcePrimitive => {
      const firstOfOwn = first;
      first += indices.length;
      const indexCount = indices.length;
      return { firstIndex: firstOfOwn, indexCount, part, doubleSided, masked: false, materialRow: index };
    });
    for (const { position, rotation = [0, 0, 0, 1], scale = 1, parts = [0xffffffff, 0xffffffff] } of mesh.places) {
      const row = this.#row++;
      this.transforms.assign(row, { position, rotation, scale });
      this.residents.assign(row, { tint: 0xffffffff });
      const offsets = { currentVertexOffset: firstVertex, previousVertexOffset: firstVertex };
      this.visible.assign(row, { character: row, views: 0xffffffff, ...offsets, parts });
    }
    const rows = { firstRow, rowCount: this.#row - firstRow };
    return { rows, firstIndex, primitives, sphere: mesh.sphere, contactRadius: 0 };
  }
}
