import { BufferAttribute, type BufferGeometry, type Material } from 'three/webgpu';
import type { Character, CharacterMesh, CharacterPrimitive } from '../character/character.ts';
import type { Crowd } from '../crowd/crowd.ts';
import { internalsOf } from '../crowd/internals.ts';
import { fail, quoted } from '../errors.ts';
import type { CrowdType } from '../frame/tables/crowd-types.ts';
import { vertexAttributes } from './vertex-attributes.ts';

/**
 * Types with `skin: 'vertex'` run vertex providers in their draws. Draws of three.js cannot, because it compiles its own shaders.
 * @param skins True where all types must have `skin: 'vertex'`: draws read palettes and no vertices.
 * @throws ManipleError THREE_UNSUPPORTED
 */
export function expectDrawable(crowd: Crowd, skins = false): void {
  const { types } = internalsOf(crowd).host.tables;
  const refuse = ({ character }: CrowdType, what: string, suggestion: string) =>
    fail('THREE_UNSUPPORTED', 'skin', `Meshes of ${quoted(character.name)} ${what}`, suggestion);
  const provided = types.find(({ keptProviderRows }) => keptProviderRows > 0);
  if (provided) {
    const instead = skins
      ? 'pack it without providers, or use WebGPU'
      : "skin it with 'compute', or pack it without providers";
    refuse(provided, 'name vertex providers, which draws of three.js do not run.', `For this tier, ${instead}.`);
  }
  const skinned = skins && types.find(({ skin }) => skin !== 'vertex');
  if (skinned)
    refuse(
      skinned,
      'are skinned by compute; draws of this tier read palettes.',
      "Create the crowd with skin: 'vertex'.",
    );
}

/** Attributes, indices and material ranges of a mesh, shared by all its draws. */
export interface MeshVertices {
  readonly attributes: ReturnType<typeof vertexAttributes>;
  readonly index: BufferAttribute;
  readonly ranges: readonly MaterialRange[];
}

/** Range of a mesh's indices that one material draws. */
export interface MaterialRange {
  readonly material: Material;
  readonly firstIndex: number;
  readonly indexCount: number;
}

/** Gives a geometry the attributes and the index. */
export function geometryOf<T extends BufferGeometry>({ attributes, index }: MeshVertices, geometry: T): T {
  for (const [name, attribute] of attributes) geometry.setAttribute(name, attribute);
  geometry.setIndex(index);
  return geometry;
}

/** Vertices of meshes, made when a crowd first draws them. */
export class DrawnMeshes {
  readonly #vertices = new WeakMap<CharacterMesh, MeshVertices>();
  readonly #materialFor: MaterialFor;

  constructor(materialFor: MaterialFor) {
    this.#materialFor = materialFor;
  }

  of(mesh: CharacterMesh, character: Character): MeshVertices {
    let vertices = this.#vertices.get(mesh);
    if (!vertices) {
      const ranges = rangesByMaterial(mesh, (primitive) => this.#materialFor(character, primitive));
      this.#vertices.set(mesh, (vertices = { attributes: vertexAttributes(mesh, character.channels), ...ranges }));
    }
    return vertices;
  }
}

/** Returns the material that a primitive is drawn with. */
export type MaterialFor = (character: Character, primitive: CharacterPrimitive) => Material;

/**
 * Sorts a mesh's indices by the materials of its primitives. Draws are slow in three.js, so fifteen parts of a knight with one material
 * become one draw.
 */
function rangesByMaterial(
  { primitives, indices }: CharacterMesh,
  materialFor: (primitive: CharacterPrimitive) => Material,
): Pick<MeshVertices, 'index' | 'ranges'> {
  const byMaterial = new Map<Material, CharacterPrimitive[]>();
  for (const primitive of primitives) {
    if (primitive.indexCount === 0) continue;
    const material = materialFor(primitive);
    byMaterial.set(material, [...(byMaterial.get(material) ?? []), primitive]);
  }
  const sorted = new Uint32Array(indices.length);
  const ranges: MaterialRange[] = [];
  let end = 0;
  for (const [material, drawn] of byMaterial) {
    const firstIndex = end;
    for (const { firstIndex: from, indexCount } of drawn) {
      sorted.set(indices.subarray(from, from + indexCount), end);
      end += indexCount;
    }
    ranges.push({ material, firstIndex, indexCount: end - firstIndex });
  }
  return { index: new BufferAttribute(sorted, 1), ranges };
}
