import {
  BufferAttribute,
  BufferGeometry,
  type Material,
  type Object3D,
  type StorageBufferAttribute,
  type WebGPURenderer,
} from 'three/webgpu';
import type { Character, CharacterMesh, CharacterPrimitive } from '../asset/character.ts';
import type { Crowd } from '../crowd/crowd.ts';
import type { DrawMemory } from '../frame/backend.ts';
import type { PlacedDraws } from '../frame/plan.ts';
import { meshesOf } from '../frame/types.ts';
import { boundVertices } from './bound-vertices.ts';
import { CrowdMesh } from './crowd-mesh.ts';
import { crowdPosition, type PageAttributes } from './crowd-nodes.ts';
import { FollowedMaterial } from './followed-material.ts';
import { forget, sharedArguments, sharedStorage } from './internals.ts';
import { vertexAttributes } from './vertex-attributes.ts';
import { boundSource, skinnedSource, type VertexSource } from './vertex-sources.ts';
import type { CrowdViews } from './views.ts';

/** Which material a primitive is drawn with. */
export type MaterialFor = (character: Character, primitive: CharacterPrimitive) => Material;

/**
 * The meshes of a crowd: an indirect draw for each page, level and primitive, straight from the crowd's memory. They are made
 * anew when that is (pages that come, `grow`, `addCharacter`), and stay as they are from frame to frame.
 */
export class DrawnCrowd {
  readonly #renderer: WebGPURenderer;
  readonly #parent: Object3D;
  readonly #crowd: Crowd;
  readonly #views: CrowdViews;
  readonly #materialFor: MaterialFor;
  readonly #attributes = new WeakMap<CharacterMesh, ReturnType<typeof vertexAttributes>>();
  #indices: BufferAttribute | undefined;
  #shown: readonly unknown[] = [];
  #materials: FollowedMaterial[] = [];
  meshes: readonly CrowdMesh[] = [];

  constructor(renderer: WebGPURenderer, parent: Object3D, crowd: Crowd, views: CrowdViews, materialFor: MaterialFor) {
    this.#renderer = renderer;
    this.#parent = parent;
    this.#crowd = crowd;
    this.#views = views;
    this.#materialFor = materialFor;
  }

  /** Brings meshes and materials up to the frame that was recorded last. */
  follow(): void {
    const memory = this.#crowd.backend.memory!;
    const shown = [memory.targets, memory.draws, memory.crowd];
    if (shown.every((part, i) => part === this.#shown[i])) {
      for (const material of this.#materials) material.follow();
      return;
    }
    this.dispose();
    this.#shown = shown;
    this.#build(memory);
  }

  dispose(): void {
    this.#parent.remove(...this.meshes);
    for (const mesh of this.meshes) {
      forget(mesh);
      mesh.geometry.dispose();
    }
    for (const material of this.#materials) material.dispose();
    this.meshes = [];
    this.#materials = [];
  }

  #build({ crowd, targets, draws, page }: DrawMemory): void {
    const share = (buffer: GPUBuffer, itemSize: 1 | 4 = 4) => sharedStorage(this.#renderer, buffer, itemSize);
    const common: PageAttributes = {
      targets: share(targets, 1),
      visible: share(crowd.visible),
      residents: share(crowd.residents),
      transforms: share(crowd.transforms),
      previousTransforms: share(crowd.previousTransforms),
    };
    const drawArguments = sharedArguments(this.#renderer, targets);
    const { indices } = this.#crowd.tables;
    if (this.#indices?.array !== indices) this.#indices = new BufferAttribute(indices, 1);
    const pages = new Map<number, StorageBufferAttribute>();
    /** One source, and a material each, per page; per level, too, where draws skin. */
    const sources = new Map<string, { vertices: VertexSource; materials: Map<Material, FollowedMaterial> }>();
    const sourceOf = ({ pageIndex, type, levelIndex }: PlacedDraws) => {
      const key = type.skin === 'vertex' ? `${pageIndex} ${type.index} ${levelIndex}` : `${pageIndex}`;
      let found = sources.get(key);
      if (!found) {
        const { vertices, skinnedTangents } = page(pageIndex);
        let shared = pages.get(pageIndex);
        if (!shared) pages.set(pageIndex, (shared = share(vertices)));
        const source =
          type.skin === 'vertex'
            ? boundSource(shared, boundVertices(meshesOf(type.character)[levelIndex]!))
            : skinnedSource(shared, skinnedTangents.offset! / 4);
        sources.set(key, (found = { vertices: source, materials: new Map() }));
      }
      return found;
    };
    this.meshes = draws.flatMap((draw) => {
      const { type, levelIndex, recordByte, primitiveBytes } = draw;
      const { vertices, materials } = sourceOf(draw);
      return type.levels[levelIndex]!.primitives.flatMap((primitive, p) => {
        if (primitive.indexCount === 0) return [];
        const source = this.#materialFor(type.character, primitive);
        let material = materials.get(source);
        if (!material) {
          material = new FollowedMaterial(this.#renderer, source, (own) => crowdPosition(common, vertices, own));
          materials.set(source, material);
          this.#materials.push(material);
        }
        const geometry = this.#geometry(meshesOf(type.character)[levelIndex]!);
        geometry.setIndirect(drawArguments, primitiveBytes[p]!);
        const { part } = primitive;
        const mesh = new CrowdMesh(this.#parent, this.#views, geometry, material.material, {
          runWord: recordByte / 4,
          part: part < 32 ? [2 ** part, 0] : [0, 2 ** (part - 32)],
        });
        mesh.name = primitive.name;
        return mesh;
      });
    });
    if (this.meshes.length > 0) this.#parent.add(...this.meshes);
  }

  #geometry(mesh: CharacterMesh): BufferGeometry {
    let attributes = this.#attributes.get(mesh);
    if (!attributes) this.#attributes.set(mesh, (attributes = vertexAttributes(mesh)));
    const geometry = new BufferGeometry();
    for (const [name, attribute] of attributes) geometry.setAttribute(name, attribute);
    geometry.setIndex(this.#indices!);
    return geometry;
  }
}
