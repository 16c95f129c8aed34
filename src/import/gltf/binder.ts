import type { InfluencesModel } from '../../character/model.ts';
import { ChannelNames } from '../model-builder/channel-names.ts';
import { buildGeometry, type Geometry, type TriangleOrder } from '../model-builder/geometry.ts';
import { rigidInfluences, skinInfluences } from '../model-builder/influences.ts';
import { pointer, quote } from '../model-builder/issue-list.ts';
import { normalMapSet, texcoordSets } from './materials.ts';
import { Palette, SkinBindings } from '../model-builder/palette.ts';
import { readPrimitive } from './primitive.ts';
import type { Skeleton } from './skeleton.ts';
import { quoted } from '../../errors.ts';
import { isUsable } from '../model-builder/limits.ts';
import { affineOfColumns, invertAffine } from '../model-builder/node-transforms.ts';
import type { GltfFile } from './decode.ts';
import { MeshoptEncoder } from 'meshoptimizer/encoder';

// it fails as it loads where WebAssembly is forbidden, which `requireWasm` reports
MeshoptEncoder.ready.catch(() => undefined);

/** A primitive, and what moves its vertices when a certain node shows it. */
export interface BoundPrimitive {
  readonly geometry: Geometry;
  readonly influences: InfluencesModel;
}

/** Binds primitives to the joints of a skin, or rigidly to a palette entry. Those that several nodes share are read once. */
export class Binder {
  readonly palette = new Palette();
  readonly #names = new ChannelNames();
  readonly #geometries = new Map<string, Geometry | undefined>();
  readonly #fits = new Map<number, boolean>();
  readonly #skins = new Map<number, SkinBindings | undefined>();

  constructor(
    readonly file: GltfFile,
    readonly skeleton: Skeleton,
  ) {}

  /**
   * A primitive of the node's mesh; undefined when there is nothing to draw, or an error in the file's issues.
   *
   * @param rigidEntry Makes the palette entry that carries it where it has no skin.
   */
  async bind(nodeIndex: number, primitiveIndex: number, rigidEntry: () => number): Promise<BoundPrimitive | undefined> {
    const node = this.file.json.nodes![nodeIndex]!;
    const geometry = await this.#geometry(node.mesh!, primitiveIndex);
    if (!geometry) return undefined;
    const isBound = geometry.jointSets.length > 0 && node.skin !== undefined;
    const skin = isBound ? this.#skin(node.skin!) : undefined;
    if (isBound && !skin) return undefined;
    if (!isBound) this.#reportUnbound(nodeIndex, geometry);
    const influences = skin
      ? skinInfluences(geometry, skin, this.file.issues)
      : rigidInfluences(geometry.vertexCount, rigidEntry());
    return { geometry, influences };
  }

  /** Returns true if the skeleton has all joints of a skin. It was not chosen for that skin. */
  hasJointsOf(skin: number): boolean {
    const { joints } = this.file.json.skins![skin]!;
    const fits = this.#fits.get(skin) ?? joints.every((joint) => this.skeleton.jointOfNode[joint]! >= 0);
    this.#fits.set(skin, fits);
    return fits;
  }

  async #geometry(mesh: number, primitiveIndex: number): Promise<Geometry | undefined> {
    const { json, issues } = this.file;
    const path = pointer('meshes', mesh, 'primitives', primitiveIndex);
    if (!this.#geometries.has(path)) {
      const primitive = json.meshes![mesh]!.primitives[primitiveIndex]!;
      const sets = texcoordSets(json, primitive.material);
      const source = readPrimitive(this.file, primitive, path, sets, this.#names);
      const normalSet = normalMapSet(json, primitive.material);
      this.#geometries.set(path, source && buildGeometry(source, { normalSet, order: await cacheOrder() }, issues));
    }
    return this.#geometries.get(path);
  }

  #skin(index: number): SkinBindings | undefined {
    if (!this.#skins.has(index)) this.#skins.set(index, readSkin(this.file, index, this.skeleton, this.palette));
    return this.#skins.get(index);
  }

  #reportUnbound(nodeIndex: number, { jointSets, path }: Geometry): void {
    const { json, issues } = this.file;
    const node = json.nodes![nodeIndex]!;
    if (jointSets.length > 0 === (node.skin !== undefined)) return;
    const what =
      node.skin === undefined ? 'the mesh names joints, but its node has no skin' : 'the skinned mesh names no joints';
    const message = `${what}; it moves with node ${nodeIndex}`;
    issues.warn('GLTF_MESH_WITHOUT_SKIN', pointer('nodes', nodeIndex), `${message} (${path})`);
  }
}

/** Reads a skin; undefined, with an error in the file's issues, when its matrices do not fit its joints. */
function readSkin(
  { json, reader, issues }: GltfFile,
  skinIndex: number,
  { joints, jointOfNode, restFromJoint }: Skeleton,
  palette: Palette,
): SkinBindings | undefined {
  const skin = json.skins![skinIndex]!;
  const jointOf = (i: number): number => jointOfNode[skin.joints[i]!]!;
  const jointCount = skin.joints.length;
  if (skin.inverseBindMatrices === undefined) return new SkinBindings(jointCount, (i) => palette.bindRigid(jointOf(i)));
  const path = pointer('skins', skinIndex, 'inverseBindMatrices');
  const { type, count } = reader.definition(skin.inverseBindMatrices);
  if (type !== 'MAT4' || count < jointCount) {
    issues.error('GLTF_INVALID', path, `${count} × ${type} for ${jointCount} joints; must be as many MAT4`);
    return undefined;
  }
  const values = reader.floats(skin.inverseBindMatrices);
  return new SkinBindings(jointCount, (i) => {
    const joint = jointOf(i);
    const matrix = affineOfColumns(values, 16 * i);
    if (matrix.every(isUsable)) return palette.bind(joint, matrix);
    const name = quote(joints[joint]!.name);
    const message = `matrix ${i} (joint ${quoted(name)}) has NaN in it; made from the rest pose`;
    issues.warn('GLTF_VALUES_REPAIRED', path, message);
    return palette.bind(joint, invertAffine(restFromJoint.subarray(12 * joint, 12 * joint + 12)));
  });
}

/** Orders triangles for the vertex cache, and vertices as they are first used: neighbours share joints and cache lines. */
export async function cacheOrder(): Promise<TriangleOrder> {
  await MeshoptEncoder.ready;
  return (indices) => MeshoptEncoder.reorderMesh(indices, true, false);
}
