import {
  BufferAttribute,
  BufferGeometry,
  type Material,
  type Node,
  type NodeMaterial,
  type Object3D,
  type StorageBufferAttribute,
  type WebGPURenderer,
} from 'three/webgpu';
import type { Character, CharacterMesh, CharacterPrimitive } from '../character/character.ts';
import type { Crowd } from '../crowd/crowd.ts';
import { fail, quoted } from '../errors.ts';
import type { DrawMemory } from '../frame/backend.ts';
import type { PlacedDraws } from '../frame/tables/plan.ts';
import { meshesOf } from '../frame/tables/crowd-types.ts';
import { boundVertices } from './bound-vertices.ts';
import { releaseColumns } from './crowd-column.ts';
import { CrowdMesh, isWired } from './crowd-mesh.ts';
import { crowdTint } from './character-nodes.ts';
import { crowdPosition, type PageAttributes } from './crowd-nodes.ts';
import { FollowedMaterial, type PositionNode } from './followed-material.ts';
import { deviceOf, forget, release, sharedArguments, sharedStorage } from './internals.ts';
import { unpackSkinnedCode } from '../stages/skinned-channel.ts';
import { vertexAttributes } from './vertex-attributes.ts';
import { boundSource, skinnedSource, type VertexSource } from './vertex-sources.ts';
import type { CrowdViews } from './views.ts';
import { internalsOf } from '../crowd/internals.ts';
import { DrawnRun } from '../render/forward/layout.ts';

/** Returns the material that a primitive is drawn with. */
export type MaterialFor = (character: Character, primitive: CharacterPrimitive) => Material;

/** Attributes, indices and material ranges of a mesh, shared by all its draws. */
interface MeshVertices {
  readonly attributes: ReturnType<typeof vertexAttributes>;
  readonly index: BufferAttribute;
  readonly ranges: readonly MaterialRange[];
}

/**
 * The meshes of a crowd: one indirect draw for each page, level and material, straight from the crowd's memory. They are rebuilt
 * when that memory changes (new pages, `grow`, `addCharacter`), and otherwise reused from frame to frame.
 */
export class DrawnCrowd {
  readonly #renderer: WebGPURenderer;
  readonly #parent: Object3D;
  readonly #crowd: Crowd;
  readonly #views: CrowdViews;
  readonly #originShift: Node<'vec3'>;
  readonly #materialFor: MaterialFor;
  readonly #device: GPUDevice;
  readonly #known = new WeakMap<CharacterMesh, MeshVertices>();
  #arguments: DrawArguments | undefined;
  #shown: readonly unknown[] = [];
  #materials: FollowedMaterial[] = [];
  /** Attributes that wrap buffers of the crowd. */
  #shared: BufferAttribute[] = [];
  /** Attributes with buffers that three.js owns. */
  #tables: StorageBufferAttribute[] = [];
  meshes: readonly CrowdMesh[] = [];

  constructor(
    renderer: WebGPURenderer,
    parent: Object3D,
    crowd: Crowd,
    views: CrowdViews,
    originShift: Node<'vec3'>,
    materialFor: MaterialFor,
  ) {
    this.#renderer = renderer;
    this.#device = deviceOf(renderer);
    this.#parent = parent;
    expectDrawable(crowd);
    this.#crowd = crowd;
    this.#views = views;
    this.#originShift = originShift;
    this.#materialFor = materialFor;
  }

  /** Updates meshes and materials for the last recorded frame, and records copies of its instance counts. */
  follow(encoder: GPUCommandEncoder): void {
    const memory = internalsOf(this.#crowd).host.backend.memory!;
    for (const material of this.#materials) material.follow();
    for (const mesh of this.meshes) if (!mesh.parent) this.#parent.add(mesh); // the crowd was cleared
    const shown = this.#arguments && this.#describe(memory);
    if (!shown?.every((part, i) => part === this.#shown[i])) {
      this.dispose();
      this.#build(memory);
      this.#shown = this.#describe(memory);
    }
    this.#arguments!.follow(encoder);
  }

  /** Inputs of the meshes: memory, and which materials are wireframes. A change means a rebuild. */
  #describe({ targets, draws, crowd }: DrawMemory): readonly unknown[] {
    return [targets, draws, crowd, ...this.#materials.map(({ material }) => isWired(material))];
  }

  dispose(): void {
    this.#parent.remove(...this.meshes);
    for (const mesh of this.meshes) {
      forget(mesh);
      mesh.geometry.dispose();
    }
    for (const material of this.#materials) material.dispose();
    for (const attribute of this.#shared) release(this.#renderer, attribute);
    for (const table of this.#tables) table.dispose();
    releaseColumns(this.#renderer, this.#crowd);
    this.#arguments?.destroy();
    this.#arguments = undefined;
    this.#shown = [];
    this.meshes = [];
    this.#materials = [];
    this.#shared = [];
    this.#tables = [];
  }

  #build({ crowd, targets, draws, page }: DrawMemory): void {
    expectDrawable(this.#crowd); // types may have been added
    const share = (buffer: GPUBuffer, itemSize: 1 | 4 = 4) => {
      const attribute = sharedStorage(this.#renderer, buffer, itemSize);
      this.#shared.push(attribute);
      return attribute;
    };
    const bound = (mesh: CharacterMesh, name: string) => {
      const vertices = boundVertices(mesh, name, this.#device.limits.maxStorageBufferBindingSize);
      this.#tables.push(vertices.table);
      return vertices;
    };
    const common: PageAttributes = {
      targets: share(targets, 1),
      visible: share(crowd.visible),
      residents: share(crowd.residents),
      transforms: share(crowd.transforms),
      previousTransforms: share(crowd.previousTransforms),
    };
    const pages = new Map<number, StorageBufferAttribute>();
    /** One source, and one copy of each material, per page. Also per level where draws skin. */
    const sources = new Map<string, { vertices: VertexSource; materials: Map<Material, FollowedMaterial> }>();
    const sourceOf = ({ pageIndex, type, levelIndex }: PlacedDraws) => {
      const key = type.skin === 'vertex' ? `${pageIndex} ${type.index} ${levelIndex}` : `${pageIndex}`;
      let found = sources.get(key);
      if (!found) {
        const { vertices, skinnedTangents, skinnedChannel } = page(pageIndex);
        let shared = pages.get(pageIndex);
        if (!shared) pages.set(pageIndex, (shared = share(vertices)));
        const source =
          type.skin === 'vertex'
            ? boundSource(shared, bound(meshesOf(type.character)[levelIndex]!, type.character.name))
            : skinnedSource(shared, {
                firstTangent: skinnedTangents.offset! / 4,
                channel: skinnedChannel && {
                  firstWord: skinnedChannel.offset! / 4,
                  unpacked: (word) => unpackSkinnedCode(internalsOf(this.#crowd).host.shape.skinnedChannel!, word),
                },
              });
        sources.set(key, (found = { vertices: source, materials: new Map() }));
      }
      return found;
    };
    const parts: { readonly draw: PlacedDraws; readonly material: NodeMaterial; readonly range: MaterialRange }[] = [];
    for (const draw of draws) {
      const { vertices, materials } = sourceOf(draw);
      const { character } = draw.type;
      const mesh = meshesOf(character)[draw.levelIndex]!;
      for (const range of this.#rangesOf(character, mesh)) {
        let followed = materials.get(range.material);
        if (!followed) {
          const position: PositionNode = (own) => crowdPosition(common, vertices, this.#originShift, own);
          followed = new FollowedMaterial(this.#renderer, range.material, position, crowdTint.a);
          materials.set(range.material, followed);
          this.#materials.push(followed);
        }
        parts.push({ draw, material: followed.material, range });
      }
    }
    const wired = parts.filter(({ material }) => isWired(material));
    this.#arguments = new DrawArguments(this.#device, targets, [
      ...parts.map(({ draw, range }) => ({ recordByte: draw.recordByte, ...range })),
      ...wired.map(({ draw, range }) => ({ recordByte: draw.recordByte, ...linesOf(range) })),
    ]);
    const drawArguments = sharedArguments(this.#renderer, this.#arguments.buffer);
    this.#shared.push(drawArguments);
    this.meshes = parts.map((part, i) => {
      const { material, draw } = part;
      const { type, levelIndex, recordByte } = draw;
      const geometry = this.#geometry(meshesOf(type.character)[levelIndex]!);
      geometry.setIndirect(drawArguments, i * ARGUMENT_BYTES);
      const line = wired.indexOf(part);
      const lineByte = line < 0 ? undefined : (parts.length + line) * ARGUMENT_BYTES;
      const run = { triangleByte: i * ARGUMENT_BYTES, lineByte, runWord: recordByte / 4 };
      const mesh = new CrowdMesh(this.#parent, this.#views, geometry, material, run);
      mesh.name = `${type.character.name} ${levelIndex} ${material.name}`.trim();
      return mesh;
    });
    if (this.meshes.length > 0) this.#parent.add(...this.meshes);
  }

  #rangesOf(character: Character, mesh: CharacterMesh): readonly MaterialRange[] {
    return this.#vertices(mesh, character).ranges;
  }

  #vertices(mesh: CharacterMesh, character: Character): MeshVertices {
    let known = this.#known.get(mesh);
    if (!known) {
      const { index, ranges } = rangesByMaterial(mesh, (primitive) => this.#materialFor(character, primitive));
      this.#known.set(mesh, (known = { attributes: vertexAttributes(mesh, character.channels), index, ranges }));
    }
    return known;
  }

  #geometry(mesh: CharacterMesh): BufferGeometry {
    const { attributes, index } = this.#known.get(mesh)!;
    const geometry = new BufferGeometry();
    for (const [name, attribute] of attributes) geometry.setAttribute(name, attribute);
    geometry.setIndex(index);
    return geometry;
  }
}

/** Range in the index that three.js makes for wireframes, with two indices for each triangle corner. */
function linesOf({ firstIndex, indexCount }: MaterialRange): Pick<MaterialRange, 'firstIndex' | 'indexCount'> {
  return { firstIndex: 2 * firstIndex, indexCount: 2 * indexCount };
}

/**
 * Types with `skin: 'vertex'` run vertex providers in their draws. Draws of three.js cannot, because it compiles its own shaders.
 * @throws ManipleError THREE_UNSUPPORTED
 */
function expectDrawable(crowd: Crowd): void {
  const { tables } = internalsOf(crowd).host;
  const provided = tables.types.find(({ keptProviderRows }) => keptProviderRows > 0);
  if (!provided) return;
  const message = `Meshes of ${quoted(provided.character.name)} name vertex providers, which draws of three.js do not run.`;
  fail('THREE_UNSUPPORTED', 'skin', message, "Skin it with 'compute', or pack it without providers.");
}

/** Size of the arguments of one indexed indirect draw: index count, instances, first index, base vertex, first instance. */
const ARGUMENT_BYTES = 20;

/** A draw, and the offset of its instance count record in the crowd's draw targets. */
interface Draw {
  readonly recordByte: number;
  readonly firstIndex: number;
  readonly indexCount: number;
}

/** Arguments of all draws of a crowd. Instance counts are copied in each frame. */
class DrawArguments {
  readonly buffer: GPUBuffer;
  readonly #targets: GPUBuffer;
  readonly #draws: readonly Draw[];

  constructor(device: GPUDevice, targets: GPUBuffer, draws: readonly Draw[]) {
    this.#targets = targets;
    this.#draws = draws;
    const words = draws.flatMap(({ indexCount, firstIndex }) => [indexCount, 0, firstIndex, 0, 0]);
    this.buffer = device.createBuffer({
      label: 'draws in three.js',
      size: Math.max(words.length * 4, ARGUMENT_BYTES),
      usage: GPUBufferUsage.INDIRECT | GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST,
    });
    device.queue.writeBuffer(this.buffer, 0, Uint32Array.from(words));
  }

  /** Records copies of the instance counts from the targets to the draws. Call it after the frame is recorded. */
  follow(encoder: GPUCommandEncoder): void {
    this.#draws.forEach(({ recordByte }, i) => {
      encoder.copyBufferToBuffer(
        this.#targets,
        recordByte + DrawnRun.offsets.count,
        this.buffer,
        i * ARGUMENT_BYTES + 4,
        4,
      );
    });
  }

  destroy(): void {
    this.buffer.destroy();
  }
}

/** Range of a mesh's indices that one material draws. */
interface MaterialRange {
  readonly material: Material;
  readonly firstIndex: number;
  readonly indexCount: number;
}

/**
 * Sorts a mesh's indices by the materials of its primitives. Draws are slow in three.js, so fifteen parts of a knight with one material
 * become one draw.
 */
function rangesByMaterial(
  { primitives, indices }: CharacterMesh,
  materialFor: (primitive: CharacterPrimitive) => Material,
): { readonly index: BufferAttribute; readonly ranges: readonly MaterialRange[] } {
  const byMaterial = new Map<Material, CharacterPrimitive[]>();
  for (const primitive of primitives) {
    if (primitive.indexCount === 0) continue;
    const material = materialFor(primitive);
    const known = byMaterial.get(material);
    if (known) known.push(primitive);
    else byMaterial.set(material, [primitive]);
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
