import type { Material, Node, NodeMaterial, WebGPURenderer } from 'three/webgpu';
import { uniform } from 'three/tsl';
import { carriedPosition } from '../carried.ts';
import type { CarriedDrawing, CrowdDrawing, DrawContext, PickedRow } from '../crowd-drawing.ts';
import type { CrowdPart } from '../crowd-mesh.ts';
import { crowdPosition, crowdTint } from '../crowd-nodes.ts';
import { forget, nodeMaterialOf } from '../internals.ts';
import { FollowedMaterial } from '../materials.ts';
import { CrowdPicker } from '../pick.ts';
import { boundSource } from '../vertex-sources.ts';
import { RunMesh } from './run-mesh.ts';
import type { MatrixTables } from './crowd-textures.ts';
import type { ColumnTables, NewRun, Shading } from './shading.ts';
import { TableTexture, wholeRows } from './table-texture.ts';

/** Row of the visible list where the run of a mesh begins. */
const firstRow = uniform(0, 'uint').onObjectUpdate(
  ({ object }) => (object as RunMesh).firstRow,
) as unknown as Node<'uint'>;

/** Mesh of characters with a node material. */
class NodeRunMesh extends RunMesh<NodeMaterial> {
  /** Materials multiply their colours with the tint: see `crowdPosition`. */
  readonly instanceColor = true;
}

/** Node materials of `WebGPURenderer`, for both of its backends. They read textures instead of storage buffers. */
export class NodeShading implements Shading {
  readonly #context: DrawContext<WebGPURenderer>;
  /** Copies of materials, by the vertices that they draw. */
  readonly #materials = new Map<NewRun['bound'], Map<NewRun['page'], Map<Material, FollowedMaterial>>>();
  #picker: CrowdPicker | undefined;

  constructor(context: DrawContext<WebGPURenderer>) {
    this.#context = context;
  }

  expectMaterial(material: Material): void {
    nodeMaterialOf(this.#context.renderer, material);
  }

  createMesh(run: NewRun): RunMesh {
    const { parent, views } = this.#context;
    return new NodeRunMesh(parent, views, run.geometry, this.#materialOf(run).material);
  }

  #materialOf({ source, columns, page, bound }: NewRun): FollowedMaterial {
    const { renderer, past } = this.#context;
    const ofVertices = this.#materials.get(bound) ?? new Map<NewRun['page'], Map<Material, FollowedMaterial>>();
    this.#materials.set(bound, ofVertices);
    const ofPage = ofVertices.get(page) ?? new Map<Material, FollowedMaterial>();
    ofVertices.set(page, ofPage);
    const known = ofPage.get(source);
    if (known) return known;
    const vertices = boundSource(page, bound);
    const tables = { ...columns, firstRow: () => firstRow };
    const position = (own: Node | null | undefined) => crowdPosition(tables, vertices, past, own);
    const made = new FollowedMaterial(renderer, source, position, crowdTint.a);
    ofPage.set(source, made);
    return made;
  }

  follow(): void {
    for (const material of this.#all()) material.follow();
  }

  release(): void {
    for (const material of this.#all()) material.dispose();
    this.#materials.clear();
  }

  *#all(): Generator<FollowedMaterial> {
    for (const pages of this.#materials.values()) {
      for (const sources of pages.values()) yield* sources.values();
    }
  }

  carry(mesh: CrowdPart, source: Material, tables: () => ColumnTables & MatrixTables): CarriedDrawing {
    return new NodeCarried(this.#context, mesh, source, tables);
  }

  pick(meshes: readonly RunMesh[], ...where: Parameters<CrowdDrawing['pick']>): Promise<PickedRow | undefined> {
    this.#picker ??= new CrowdPicker(this.#context.renderer, this.#context.views);
    return this.#picker.pick(meshes as readonly RunMesh<NodeMaterial>[], ...where);
  }

  dispose(): void {
    this.release();
    this.#picker?.dispose();
  }
}

/** Instances at attachments. */
class NodeCarried implements CarriedDrawing {
  readonly #context: DrawContext<WebGPURenderer>;
  readonly #mesh: CrowdPart;
  readonly #source: Material;
  readonly #tables: () => ColumnTables & MatrixTables;
  #instances: TableTexture | undefined;
  #followed: FollowedMaterial | undefined;
  #madeOf: readonly unknown[] = [];

  constructor(
    context: DrawContext<WebGPURenderer>,
    mesh: CrowdPart,
    source: Material,
    tables: () => ColumnTables & MatrixTables,
  ) {
    this.#context = context;
    this.#mesh = mesh;
    this.#source = source;
    this.#tables = tables;
  }

  list(words: Uint32Array<ArrayBuffer>): void {
    const length = wholeRows(words.length);
    if (this.#instances?.words.length !== length) {
      this.#instances?.dispose();
      this.#instances = new TableTexture(new Uint32Array(length), 'instances of a mesh');
    }
    this.#instances.set(0, words);
  }

  follow(): void {
    const { renderer, past } = this.#context;
    this.#instances!.upload(renderer);
    const { matrices, previousMatrices, residents } = this.#tables();
    const instances = this.#instances!;
    const madeOf = [matrices.texture, residents.texture, instances];
    if (this.#followed && madeOf.every((part, i) => part === this.#madeOf[i])) {
      this.#followed.follow();
      return;
    }
    this.#forget();
    this.#madeOf = madeOf;
    const tables = { matrices, previousMatrices, residents, instances: instances.table };
    const position = (own: Node | null | undefined) => carriedPosition(tables, past.originShift, own);
    this.#followed = new FollowedMaterial(renderer, this.#source, position);
    this.#mesh.material = this.#followed.material;
  }

  dispose(): void {
    this.#forget();
    this.#instances?.dispose();
  }

  #forget(): void {
    forget(this.#mesh);
    this.#followed?.dispose();
    this.#followed = undefined;
  }
}
