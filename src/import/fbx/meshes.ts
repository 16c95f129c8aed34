import type { BindingModel, MeshModel, MorphSetModel } from '../../character/model.ts';
import { determinant3 } from '../../math/affine.ts';
import { cacheOrder } from '../gltf/binder.ts';
import { isMirrored } from '../gltf/meshes.ts';
import { buildGeometry, type Geometry, turned } from '../model-builder/geometry.ts';
import { rigidInfluences } from '../model-builder/influences.ts';
import { Palette, renumber } from '../model-builder/palette.ts';
import type { FbxDocument, FbxObject } from './document.ts';
import { type FbxPrimitive, type MeshCost, readGeometry } from './geometry.ts';
import { geometricTransform } from './local-transform.ts';
import type { Materials } from './materials.ts';
import type { Rig, RigNode } from './rig.ts';
import { readShapes, type Shape } from './shapes.ts';
import { type BindContext, MAX_PAIRS, readBindPose, readSkin, spreadInfluences } from './skin.ts';

/** The target of a morph set that a channel of a blend shape moves. */
export interface MorphPlace {
  readonly set: number;
  readonly target: number;
  readonly fullPercent: number;
}

/** Meshes of a file, bound to its joints. */
export interface FbxMeshes {
  readonly meshes: readonly MeshModel[];
  readonly bindings: readonly BindingModel[];
  readonly morphSets: readonly MorphSetModel[];
  readonly morphsOf: ReadonlyMap<FbxObject, readonly MorphPlace[]>;
}

/** A geometry as several nodes may show it. */
interface SharedGeometry {
  readonly shapes: readonly Shape[];
  readonly parts: readonly (FbxPrimitive & { readonly geometry: Geometry })[];
}

/** Reads and binds every mesh of a node of the rig: by ascending node, geometry and material. */
export async function readMeshes(
  document: FbxDocument,
  rig: Rig,
  {
    materials,
    unit,
    onMesh,
  }: {
    readonly materials: Materials;
    readonly unit: number;
    readonly onMesh: (done: number, total: number) => void;
  },
): Promise<FbxMeshes> {
  const binder = new MeshBinder(document, rig, unit, materials, await cacheOrder());
  const shown = rig.nodes.filter(({ model }) => model.sourcesOf('Geometry', 'Mesh').length > 0);
  shown.sort((a, b) => a.model.index - b.model.index);
  for (const [done, node] of shown.entries()) {
    onMesh(done, shown.length);
    binder.bindNode(node);
  }
  return binder.finish();
}

class MeshBinder {
  readonly #context: BindContext;
  readonly #cost: MeshCost;
  readonly #geometries = new Map<FbxObject, SharedGeometry>();
  readonly #meshes: MeshModel[] = [];
  readonly #morphSets: MorphSetModel[] = [];
  readonly #morphsOf = new Map<FbxObject, MorphPlace[]>();
  #pairs = 0;

  constructor(
    readonly document: FbxDocument,
    readonly rig: Rig,
    readonly unit: number,
    readonly materials: Materials,
    readonly order: Awaited<ReturnType<typeof cacheOrder>>,
  ) {
    this.#context = { document, rig, palette: new Palette(), unit, bindPose: readBindPose(document) };
    const { limits, budget } = document;
    let [vertices, triangles] = [0, 0];
    this.#cost = {
      add(moreVertices, moreTriangles) {
        vertices += moreVertices;
        triangles += moreTriangles;
        if (vertices > limits.vertices) budget.over('corners of polygons', vertices, limits.vertices);
        if (triangles > limits.triangles) budget.over('triangles', triangles, limits.triangles);
      },
    };
  }

  bindNode(node: RigNode): void {
    const { limits, budget } = this.document;
    const { model } = node;
    const geometries = model.sourcesOf('Geometry', 'Mesh');
    const normalMaps = this.materials.normalMaps(model);
    const read = geometries.map((geometry) => this.#read(geometry, normalMaps));
    const shapes = read.flatMap((shared) => shared.shapes);
    const morphSetIndex = shapes.length > 0 ? this.#addMorphSet(model, shapes) : -1;
    const nodeMaterials = this.materials.of(model);
    let [primitiveIndex, firstShape] = [0, 0];
    geometries.forEach((geometry, g) => {
      const shared = read[g]!;
      const pointInfluences = this.#skin(geometry, node);
      for (const { geometry: built, pointOf, material } of shared.parts) {
        const pointOfVertex = built.sourceOfVertex.map((source) => pointOf[source]!);
        const influences = spreadInfluences(pointInfluences, pointOfVertex, MAX_PAIRS - this.#pairs);
        if (!influences) return budget.over('influences or more', MAX_PAIRS + 1, MAX_PAIRS);
        this.#pairs += influences.bindings.length;
        this.#meshes.push({
          name: geometry.name || model.name,
          nodeIndex: model.index,
          nodeName: model.name,
          primitiveIndex: primitiveIndex++,
          materialIndex: nodeMaterials[material] ?? -1,
          ...shapeOf(built),
          influences,
          morphSetIndex,
          targets: shapes.map((_, s) => built.targets[s - firstShape] ?? emptyTarget(built)),
        });
        if (this.#meshes.length > limits.meshes) budget.over('meshes', this.#meshes.length, limits.meshes);
      }
      firstShape += shared.shapes.length;
    });
  }

  /** @param normalMaps Materials with a normal map; the first node that shows a geometry decides on its tangents. */
  #read(geometry: FbxObject, normalMaps: readonly boolean[]): SharedGeometry {
    const { document, unit } = this;
    const known = this.#geometries.get(geometry);
    if (known) {
      for (const { source } of known.parts) this.#cost.add(source.vertexCount, source.triangles.length / 3);
      return known;
    }
    const shapes = readShapes(document, geometry, unit);
    const parts = readGeometry(document, geometry, { shapes, unit, cost: this.#cost }).map((part) => {
      const normalSet = normalMaps[part.material] ? 0 : undefined;
      return { ...part, geometry: buildGeometry(part.source, { normalSet, order: this.order }, document.issues) };
    });
    this.#geometries.set(geometry, { shapes, parts });
    return { shapes, parts };
  }

  #skin(geometry: FbxObject, node: RigNode) {
    const { palette } = this.#context;
    const geometric = geometricTransform(node.model, this.unit);
    const [skin, ...others] = geometry.sourcesOf('Deformer', 'Skin');
    if (others.length > 0) {
      const message = `the mesh has ${others.length + 1} skins; only the first has effect`;
      this.document.issues.warn('FBX_SIMPLIFIED', geometry.place, message);
    }
    const pointCount = Math.floor(geometry.node.count('Vertices') / 3);
    if (!skin) return rigidInfluences(pointCount, palette.bind(node.scaleJoint, Float32Array.from(geometric)));
    return readSkin(this.#context, { skin, mesh: node, geometric, pointCount });
  }

  #addMorphSet(model: FbxObject, shapes: readonly Shape[]): number {
    const set = this.#morphSets.length;
    shapes.forEach(({ channel, fullPercent }, target) => {
      const places = this.#morphsOf.get(channel) ?? [];
      places.push({ set, target, fullPercent });
      this.#morphsOf.set(channel, places);
    });
    const names = shapes.map(({ name }) => name);
    return this.#morphSets.push({ nodeIndex: model.index, names, weights: shapes.map(({ weight }) => weight) }) - 1;
  }

  finish(): FbxMeshes {
    const { joints, restFromJoint } = this.rig;
    const { bindings, movedTo } = this.#context.palette.finish(joints.length, this.document.issues);
    const signs = bindings.map(({ jointIndex, jointFromMesh }) =>
      Math.sign(determinant3(restFromJoint, 12 * jointIndex) * determinant3(jointFromMesh)),
    );
    const meshes = this.#meshes.map((mesh) => {
      renumber(mesh.influences.bindings, movedTo);
      return isMirrored(mesh, signs) ? turned(mesh) : mesh;
    });
    return { meshes, bindings, morphSets: this.#morphSets, morphsOf: this.#morphsOf };
  }
}

function shapeOf(geometry: Geometry) {
  const { vertexCount, positions, normals, tangents, texcoords, colors, indices, vertexOfSource } = geometry;
  return { vertexCount, positions, normals, tangents, texcoords, colors, indices, vertexOfSource };
}

function emptyTarget({ vertexCount }: Geometry) {
  return { positions: new Float32Array(3 * vertexCount), normals: undefined, tangents: undefined };
}
