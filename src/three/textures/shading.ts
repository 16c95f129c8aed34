import type { InstancedBufferGeometry, Material } from 'three/webgpu';
import type { CarriedDrawing, CrowdDrawing } from '../crowd-drawing.ts';
import type { CrowdPart } from '../crowd-mesh.ts';
import type { TexelTable } from '../rows.ts';
import type { BoundVertices } from '../vertex-sources.ts';
import type { MatrixTables, SectionName } from './crowd-textures.ts';
import type { RunMesh } from './run-mesh.ts';

/** Tables of a crowd that draws from textures read, in each tier that has them. */
export type ColumnTables = Readonly<Record<SectionName, TexelTable>>;

/** A run to draw, with one material. */
export interface NewRun {
  readonly geometry: InstancedBufferGeometry;
  readonly source: Material;
  readonly columns: ColumnTables;
  /** Palettes of its page. */
  readonly page: TexelTable;
  /** Vertices of its level. */
  readonly bound: BoundVertices & { readonly table: TexelTable };
}

/** Shaders that read the crowd from textures: nodes, or GLSL for `WebGLRenderer`. Any producer can fill the textures. */
export interface Shading extends Pick<CrowdDrawing, 'expectMaterial'> {
  /** Creates a mesh. It is drawn until `release`. @throws ManipleError THREE_UNSUPPORTED */
  createMesh(run: NewRun): RunMesh;
  /** Copies changes of the application's materials. */
  follow(): void;
  /** Disposes of all meshes' materials. */
  release(): void;
  /** @param tables Tables as they are in this frame. */
  carry(mesh: CrowdPart, source: Material, tables: () => ColumnTables & MatrixTables): CarriedDrawing;
  pick(meshes: readonly RunMesh[], ...where: Parameters<CrowdDrawing['pick']>): ReturnType<CrowdDrawing['pick']>;
  dispose(): void;
}
