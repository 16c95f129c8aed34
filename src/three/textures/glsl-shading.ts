import { InstancedBufferGeometry, type Material, Vector4 } from 'three/webgpu';
import type { IUniform, WebGLRenderer } from 'three';
import { internalsOf } from '../../crowd/internals.ts';
import { ManipleError } from '../../errors.ts';
import { floatsBefore } from '../../frame/tables/named-columns.ts';
import type { CarriedDrawing, CrowdDrawing, DrawContext, PickedRow } from '../crowd-drawing.ts';
import type { CrowdPart } from '../crowd-mesh.ts';
import { reportProblem } from '../problems.ts';
import type { TexelTable } from '../rows.ts';
import { columnTexture } from './column-texture.ts';
import { carriedVertex, characterVertex, columnFunctions, pickedFragment, tintedFragment } from './crowd-glsl.ts';
import {
  type Compiled,
  type CrowdUniforms,
  expectClassic,
  MeshMaterials,
  pickedMaterial,
  type ShaderChange,
} from './glsl-materials.ts';
import { GlslPicker } from './glsl-picker.ts';
import { RunMesh } from './run-mesh.ts';
import type { MatrixTables } from './crowd-textures.ts';
import type { ColumnTables, NewRun, Shading } from './shading.ts';
import { TableTexture, wholeRows } from './table-texture.ts';

/** Shaders of `WebGLRenderer`: its own materials, changed by `onBeforeCompile`. */
export class GlslShading implements Shading {
  readonly #context: DrawContext<WebGLRenderer>;
  readonly #meshes: GlslRun[] = [];
  #picker: GlslPicker | undefined;

  constructor(context: DrawContext<WebGLRenderer>) {
    this.#context = context;
  }

  expectMaterial(material: Material): void {
    expectClassic(material);
  }

  createMesh(run: NewRun): RunMesh {
    const { parent, views } = this.#context;
    const mesh = new GlslRun(new RunMesh(parent, views, run.geometry), run, this.#addColumns);
    this.#meshes.push(mesh);
    return mesh.mesh;
  }

  /** Adds the named columns of the crowd, as they are when a shader is compiled. */
  readonly #addColumns = (shader: Compiled): void => {
    const { crowd } = this.#context;
    const { list } = internalsOf(crowd).host.named;
    const columns = list.map(({ name, size }, index) => ({ name, size, before: floatsBefore(list, index) }));
    const [vertex, fragment] = [shader.vertexShader, shader.fragmentShader];
    shader.vertexShader = columnFunctions(vertex, columns);
    shader.fragmentShader = columnFunctions(fragment, columns);
    if (shader.vertexShader === vertex && shader.fragmentShader === fragment) return;
    shader.uniforms.crowdNamed = uniformOf(columnTexture(crowd).texture);
  };

  follow(): void {
    for (const { materials } of this.#meshes) materials.follow();
  }

  release(): void {
    for (const mesh of this.#meshes.splice(0)) mesh.dispose();
  }

  carry(mesh: CrowdPart, source: Material, tables: () => ColumnTables & MatrixTables): CarriedDrawing {
    const change = { ...CARRIED, finish: this.#addColumns };
    return new GlslCarried(this.#context.renderer, mesh, source, change, tables);
  }

  pick(meshes: readonly RunMesh[], ...where: Parameters<CrowdDrawing['pick']>): Promise<PickedRow | undefined> {
    this.#picker ??= new GlslPicker(this.#context.renderer, this.#context.views);
    const materials = new Map(this.#meshes.map(({ mesh, picked }) => [mesh, picked]));
    const drawn = meshes.map((mesh) => ({ mesh, material: materials.get(mesh)!() }));
    return this.#picker.pick(drawn, ...where);
  }

  dispose(): void {
    this.release();
    this.#picker?.dispose();
  }
}

/** A mesh of characters, and its materials. */
class GlslRun {
  readonly mesh: RunMesh;
  readonly materials: MeshMaterials;
  readonly #source: Material;
  readonly #uniforms: CrowdUniforms;
  readonly #hasMorphs: boolean;
  readonly #finish: (shader: Compiled) => void;
  #picked: Material | undefined;

  /** @throws ManipleError THREE_UNSUPPORTED */
  constructor(mesh: RunMesh, { source, columns, page, bound }: NewRun, finish: (shader: Compiled) => void) {
    this.#finish = finish;
    const [firstRow, views] = [uniformOf(0), uniformOf(0)];
    this.mesh = mesh;
    this.#source = source;
    this.#hasMorphs = bound.hasMorphs;
    this.#uniforms = {
      ...columnUniforms(columns),
      crowdPage: uniformOf(page.texture),
      crowdBound: uniformOf(bound.table.texture),
      crowdMorphRow: uniformOf(bound.morphWeightRow),
      crowdFirstRow: firstRow,
      crowdViews: views,
    };
    this.materials = new MeshMaterials(mesh, source, this.#change(false), this.#uniforms, reporter(mesh));
    mesh.prepare = (draw) => {
      firstRow.value = mesh.firstRow;
      views.value = mesh.bitsOf(draw.camera);
      this.materials.prepare(draw);
    };
  }

  /** Material that draws rows instead of colours. */
  readonly picked = (): Material => {
    this.#picked ??= pickedMaterial(this.#source, this.#change(true), this.#uniforms);
    return this.#picked;
  };

  dispose(): void {
    this.materials.dispose();
    this.#picked?.dispose();
  }

  #change(isPicked: boolean): ShaderChange {
    const hasMorphs = this.#hasMorphs;
    return {
      finish: this.#finish,
      key: `character ${hasMorphs} ${isPicked}`,
      vertex: (shader) => characterVertex(shader, { hasMorphs, isPicked }),
      fragment: (shader) => (isPicked ? pickedFragment(tintedFragment(shader)) : tintedFragment(shader)),
    };
  }
}

const CARRIED: ShaderChange = {
  key: 'attachment',
  vertex: carriedVertex,
  // attachments are not tinted; nodes and shaders of an application can read the tint
  fragment: (shader) => `varying vec4 vCrowdTint;\nflat varying uint vCrowdId;\n${shader}`,
};

/** Instances at attachments. */
class GlslCarried implements CarriedDrawing {
  readonly #renderer: WebGLRenderer;
  readonly #mesh: CrowdPart;
  readonly #tables: () => ColumnTables & MatrixTables;
  readonly #geometry: InstancedBufferGeometry;
  readonly #uniforms: Record<string, IUniform>;
  readonly #materials: MeshMaterials;
  #instances: TableTexture | undefined;

  /** @throws ManipleError THREE_UNSUPPORTED */
  constructor(
    renderer: WebGLRenderer,
    mesh: CrowdPart,
    source: Material,
    change: ShaderChange,
    tables: () => ColumnTables & MatrixTables,
  ) {
    this.#renderer = renderer;
    this.#mesh = mesh;
    this.#tables = tables;
    const { geometry } = mesh;
    // shares everything with the application's geometry, which may be drawn elsewhere
    const own = new InstancedBufferGeometry();
    Object.assign(own, { index: geometry.index, attributes: geometry.attributes, drawRange: geometry.drawRange });
    this.#geometry = own;
    mesh.geometry = own;
    const names = ['crowdColumns', 'crowdSections', 'crowdMatrices', 'crowdInstances'];
    this.#uniforms = Object.fromEntries(names.map((name) => [name, uniformOf(null)]));
    const instanced = mesh as CrowdPart & { geometry: InstancedBufferGeometry };
    this.#materials = new MeshMaterials(instanced, source, change, this.#uniforms, reporter(mesh));
    mesh.prepare = (draw) => this.#materials.prepare(draw);
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
    const { matrices, ...columns } = this.#tables();
    this.#instances!.upload(this.#renderer);
    this.#geometry.instanceCount = this.#mesh.count!;
    for (const [name, { value }] of Object.entries(columnUniforms(columns))) this.#uniforms[name]!.value = value;
    this.#uniforms.crowdMatrices!.value = matrices.texture;
    this.#uniforms.crowdInstances!.value = this.#instances!.texture;
    this.#materials.follow();
  }

  dispose(): void {
    this.#materials.dispose();
    this.#instances?.dispose();
    // frees what belongs to this geometry, and leaves the application's attributes
    Object.assign(this.#geometry, { index: null, attributes: {} });
    this.#geometry.dispose();
  }
}

function columnUniforms(columns: ColumnTables): CrowdUniforms {
  const { visible, residents, transforms, previousTransforms } = columns;
  const [x, y, z, w] = [visible, residents, transforms, previousTransforms].map(
    ({ firstTexel }: TexelTable) => firstTexel,
  );
  return { crowdColumns: uniformOf(visible.texture), crowdSections: uniformOf(new Vector4(x, y, z, w)) };
}

function uniformOf<T>(value: T): IUniform<T> {
  return { value };
}

/** Reports a problem of a draw to the crowd. */
function reporter(mesh: CrowdPart): (thrown: unknown) => void {
  return (thrown) => {
    if (!(thrown instanceof ManipleError)) throw thrown;
    reportProblem(mesh, thrown);
  };
}
