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
import { internalsOf } from '../crowd/internals.ts';
import { fail, quoted } from '../errors.ts';
import type { DrawMemory } from '../frame/backend.ts';
import { meshesOf } from '../frame/tables/crowd-types.ts';
import type { PlacedDraws } from '../frame/tables/plan.ts';
import { DrawnRun } from '../render/forward/layout.ts';
import { unpackSkinnedCode } from '../stages/skinned-channel.ts';
import { releaseColumns } from './crowd-column.ts';
import { CrowdMesh, isWired } from './crowd-mesh.ts';
import { type CrowdAttributes, crowdPosition, crowdTint, type Past } from './crowd-nodes.ts';
import { deviceOf, forget, release, sharedArguments, sharedStorage } from './internals.ts';
import { FollowedMaterial } from './materials.ts';
import { vertexAttributes } from './vertex-attributes.ts';
import { boundSource, boundVertices, skinnedSource, type VertexSource } from './vertex-sources.ts';
import type { CrowdViews } from './views.ts';

/** A crowd, and everything it is drawn with. */
interface DrawContext {
  readonly renderer: WebGPURenderer;
  readonly parent: Object3D;
  readonly crowd: Crowd;
  readonly views: CrowdViews;
  readonly past: Past;
  /** Returns the material that a primitive is drawn with. */
  readonly materialFor: (character: Character, primitive: CharacterPrimitive) => Material;
}

/**
 * The meshes of a crowd: one indirect draw for each page, level and material, straight from the crowd's memory. They are rebuilt
 * when that memory changes (new pages, `grow`, `addCharacter`), and otherwise reused from frame to frame.
 */
export class DrawnCrowd {
  readonly #context: DrawContext;
  readonly #vertices = new WeakMap<CharacterMesh, MeshVertices>();
  #draws: MemoryDraws | undefined;

  /** @throws ManipleError THREE_UNSUPPORTED */
  constructor(context: DrawContext) {
    expectDrawable(context.crowd);
    this.#context = context;
  }

  get meshes(): readonly CrowdMesh[] {
    return this.#draws?.meshes ?? [];
  }

  /** Updates meshes and materials for the last recorded frame, and records copies of its instance counts. */
  follow(encoder: GPUCommandEncoder): void {
    const memory = internalsOf(this.#context.crowd).host.backend.memory!;
    if (!this.#draws?.follow(memory)) {
      this.dispose();
      expectDrawable(this.#context.crowd); // types may have been added
      this.#draws = new MemoryDraws(this.#context, this.#vertices);
      this.#draws.build(memory);
    }
    this.#draws.copyCounts(memory, encoder);
  }

  dispose(): void {
    this.#draws?.dispose();
    this.#draws = undefined;
  }
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

/** Triangles of one material, drawn by one mesh. */
interface Part {
  readonly draw: PlacedDraws;
  readonly range: MaterialRange;
  readonly vertices: MeshVertices;
  readonly material: NodeMaterial;
}

/** Vertices of a page and the copies of materials that draw them. Draws that skin have one for each level of a page. */
interface PageSource {
  readonly vertices: VertexSource;
  readonly materials: Map<Material, FollowedMaterial>;
}

/** Draws of a crowd from its memory as it is now. */
class MemoryDraws {
  readonly #context: DrawContext;
  readonly #vertices: WeakMap<CharacterMesh, MeshVertices>;
  readonly #device: GPUDevice;
  readonly #pages = new Map<number, StorageBufferAttribute>();
  readonly #sources = new Map<string, PageSource>();
  readonly #materials: FollowedMaterial[] = [];
  /** Attributes that wrap buffers of the crowd. */
  readonly #shared: BufferAttribute[] = [];
  /** Attributes with buffers that three.js owns. */
  readonly #tables: StorageBufferAttribute[] = [];
  /** Offsets of the instance count records of all draws, in the crowd's draw targets. */
  #recordBytes: readonly number[] = [];
  #arguments: GPUBuffer | undefined;
  /** Undefined until everything is built. */
  #shown: readonly unknown[] | undefined;
  meshes: readonly CrowdMesh[] = [];

  constructor(context: DrawContext, vertices: WeakMap<CharacterMesh, MeshVertices>) {
    this.#context = context;
    this.#vertices = vertices;
    this.#device = deviceOf(context.renderer);
  }

  /** Updates materials. Returns false if the draws have to be built again. */
  follow(memory: DrawMemory): boolean {
    for (const material of this.#materials) material.follow();
    for (const mesh of this.meshes) if (!mesh.parent) this.#context.parent.add(mesh); // the crowd was cleared
    const shown = this.#describe(memory);
    return this.#shown?.every((part, i) => part === shown[i]) === true;
  }

  /** Inputs of the meshes: memory, and which materials are wireframes. A change means a rebuild. */
  #describe({ targets, draws, crowd }: DrawMemory): readonly unknown[] {
    return [targets, draws, crowd, ...this.#materials.map(({ material }) => isWired(material))];
  }

  /** @throws ManipleError THREE_UNSUPPORTED, DEVICE_LIMIT */
  build(memory: DrawMemory): void {
    const { parent } = this.#context;
    const { crowd } = memory;
    const attributes: CrowdAttributes = {
      targets: this.#share(memory.targets, 1),
      visible: this.#share(crowd.visible),
      residents: this.#share(crowd.residents),
      transforms: this.#share(crowd.transforms),
      previousTransforms: this.#share(crowd.previousTransforms),
    };
    const parts = memory.draws.flatMap((draw) => this.#partsOf(draw, memory, attributes));
    const wired = parts.filter(({ material }) => isWired(material));
    const drawArguments = this.#makeArguments(parts, wired);
    this.meshes = parts.map((part, i) => {
      const triangleByte = i * ARGUMENT_BYTES;
      const line = wired.indexOf(part);
      const lineByte = line < 0 ? undefined : (parts.length + line) * ARGUMENT_BYTES;
      const geometry = geometryOf(part.vertices);
      geometry.setIndirect(drawArguments, triangleByte);
      const { type, levelIndex, recordByte } = part.draw;
      const run = { triangleByte, lineByte, runWord: recordByte / 4 };
      const mesh = new CrowdMesh(parent, this.#context.views, geometry, part.material, run);
      mesh.name = `${type.character.name} ${levelIndex} ${part.material.name}`.trim();
      return mesh;
    });
    if (this.meshes.length > 0) parent.add(...this.meshes);
    this.#shown = this.#describe(memory);
  }

  /** Records copies of the instance counts from the targets to the draws. Call it after the frame is recorded. */
  copyCounts({ targets }: DrawMemory, encoder: GPUCommandEncoder): void {
    this.#recordBytes.forEach((recordByte, i) => {
      const countByte = recordByte + DrawnRun.offsets.count;
      encoder.copyBufferToBuffer(targets, countByte, this.#arguments!, i * ARGUMENT_BYTES + 4, 4);
    });
  }

  dispose(): void {
    const { parent, renderer, crowd } = this.#context;
    parent.remove(...this.meshes);
    for (const mesh of this.meshes) {
      forget(mesh);
      mesh.geometry.dispose();
    }
    for (const material of this.#materials) material.dispose();
    for (const attribute of this.#shared) release(renderer, attribute);
    for (const table of this.#tables) table.dispose();
    releaseColumns(renderer, crowd);
    this.#arguments?.destroy();
  }

  #share(buffer: GPUBuffer, itemSize: 1 | 4 = 4): StorageBufferAttribute {
    const attribute = sharedStorage(this.#context.renderer, buffer, itemSize);
    this.#shared.push(attribute);
    return attribute;
  }

  #partsOf(draw: PlacedDraws, memory: DrawMemory, attributes: CrowdAttributes): Part[] {
    const { renderer, past, materialFor } = this.#context;
    const source = this.#sourceOf(draw, memory);
    const { character } = draw.type;
    const mesh = meshesOf(character)[draw.levelIndex]!;
    let vertices = this.#vertices.get(mesh);
    if (!vertices) {
      const ranges = rangesByMaterial(mesh, (primitive) => materialFor(character, primitive));
      this.#vertices.set(mesh, (vertices = { attributes: vertexAttributes(mesh, character.channels), ...ranges }));
    }
    return vertices.ranges.map((range): Part => {
      let followed = source.materials.get(range.material);
      if (!followed) {
        const position = (own: Node | null | undefined) => crowdPosition(attributes, source.vertices, past, own);
        followed = new FollowedMaterial(renderer, range.material, position, crowdTint.a);
        source.materials.set(range.material, followed);
        this.#materials.push(followed);
      }
      return { draw, range, vertices, material: followed.material };
    });
  }

  #sourceOf({ pageIndex, type, levelIndex }: PlacedDraws, memory: DrawMemory): PageSource {
    const isBound = type.skin === 'vertex';
    const key = isBound ? `${pageIndex} ${type.index} ${levelIndex}` : `${pageIndex}`;
    const known = this.#sources.get(key);
    if (known) return known;
    const { vertices } = memory.page(pageIndex);
    const page = this.#pages.get(pageIndex) ?? this.#share(vertices);
    this.#pages.set(pageIndex, page);
    let made: VertexSource;
    if (isBound) {
      const { maxStorageBufferBindingSize } = this.#device.limits;
      const mesh = meshesOf(type.character)[levelIndex]!;
      const bound = boundVertices(mesh, type.character.name, maxStorageBufferBindingSize);
      this.#tables.push(bound.table);
      made = boundSource(page, bound);
    } else {
      const { shape } = internalsOf(this.#context.crowd).host;
      const { skinnedChannel } = shape;
      made = skinnedSource(page, skinnedChannel && ((word) => unpackSkinnedCode(skinnedChannel, word)));
    }
    const source: PageSource = { vertices: made, materials: new Map() };
    this.#sources.set(key, source);
    return source;
  }

  /** Makes the arguments of all draws, then of their edges. Instance counts are 0 until they are copied. */
  #makeArguments(parts: readonly Part[], wired: readonly Part[]) {
    const triangles = parts.flatMap(({ range }) => [range.indexCount, 0, range.firstIndex, 0, 0]);
    // the index that three.js makes for wireframes has two indices for each triangle corner
    const lines = wired.flatMap(({ range }) => [2 * range.indexCount, 0, 2 * range.firstIndex, 0, 0]);
    const words = [...triangles, ...lines];
    this.#recordBytes = [...parts, ...wired].map(({ draw }) => draw.recordByte);
    this.#arguments = this.#device.createBuffer({
      label: 'draws in three.js',
      size: Math.max(words.length * 4, ARGUMENT_BYTES),
      usage: GPUBufferUsage.INDIRECT | GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST,
    });
    this.#device.queue.writeBuffer(this.#arguments, 0, Uint32Array.from(words));
    const attribute = sharedArguments(this.#context.renderer, this.#arguments);
    this.#shared.push(attribute);
    return attribute;
  }
}

/** Attributes, indices and material ranges of a mesh, shared by all its draws. */
interface MeshVertices {
  readonly attributes: ReturnType<typeof vertexAttributes>;
  readonly index: BufferAttribute;
  readonly ranges: readonly MaterialRange[];
}

/** Range of a mesh's indices that one material draws. */
interface MaterialRange {
  readonly material: Material;
  readonly firstIndex: number;
  readonly indexCount: number;
}

function geometryOf({ attributes, index }: MeshVertices): BufferGeometry {
  const geometry = new BufferGeometry();
  for (const [name, attribute] of attributes) geometry.setAttribute(name, attribute);
  geometry.setIndex(index);
  return geometry;
}

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
