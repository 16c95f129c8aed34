import {
  BufferGeometry,
  type BufferAttribute,
  type Material,
  type Node,
  type NodeMaterial,
  type WebGPURenderer,
} from 'three/webgpu';
import type { EncodedFrame, FrameOptions } from '../crowd/frame-options.ts';
import { internalsOf } from '../crowd/internals.ts';
import { readRanges } from '../device/read-back.ts';
import type { DrawMemory } from '../frame/backend.ts';
import { meshesOf } from '../frame/tables/crowd-types.ts';
import type { PlacedDraws } from '../frame/tables/plan.ts';
import { View } from '../layout/index.ts';
import { DrawnRun } from '../render/forward/layout.ts';
import { Transform } from '../stages/layout.ts';
import { unpackSkinnedCode } from '../stages/skinned-channel.ts';
import { CarriedInstances } from './carried.ts';
import { releaseColumns } from './crowd-column.ts';
import type { CarriedDrawing, CrowdDrawing, DrawContext, PickedRow } from './crowd-drawing.ts';
import { CrowdMesh, type CrowdPart, isWired } from './crowd-mesh.ts';
import { crowdPosition, type CrowdTables, crowdTint, listRow, runWord } from './crowd-nodes.ts';
import { deviceOf, forget, nodeMaterialOf, release, sharedArguments } from './internals.ts';
import type { FarCharacters } from './impostors/far-characters.ts';
import { FollowedMaterial } from './materials.ts';
import { expectDrawable, geometryOf, type MaterialRange, type MeshVertices } from './mesh-ranges.ts';
import { CrowdPicker } from './pick.ts';
import { type Table, wordsOf } from './rows.ts';
import { type DeviceTables, StorageTables } from './storage-tables.ts';
import { boundSource, boundVertices, skinnedSource, type VertexSource } from './vertex-sources.ts';

/** Parts of draws that differ between tiers with a device. */
export interface CrowdParts {
  /** Tables for meshes, until they are built again. */
  createTables(): DeviceTables;
  /** @param residents The table of that name, as it is now. */
  carry(mesh: CrowdPart, source: Material, residents: () => Table): CarriedDrawing;
  /** Records copies of what attachments and columns read. Call it after the frame is recorded. */
  copy(memory: DrawMemory, encoder: GPUCommandEncoder): void;
  dispose(): void;
}

/** Parts of the core tier, which reads the crowd's own buffers. */
function coreParts(context: CoreContext): CrowdParts {
  return {
    createTables: () => new StorageTables(context.renderer),
    carry: (mesh, source) => new CarriedInstances(context, mesh, source),
    copy: () => undefined,
    dispose: () => undefined,
  };
}

/**
 * Draws of the tiers with a device: one indirect draw for each page, level and material, from the crowd's memory. Meshes are
 * rebuilt when that memory changes (new pages, `grow`, `addCharacter`), and otherwise reused from frame to frame.
 */
export class DrawnCrowd implements CrowdDrawing {
  readonly #context: CoreContext;
  readonly #device: GPUDevice;
  readonly #parts: CrowdParts;
  readonly impostors: FarCharacters | undefined;
  #draws: MemoryDraws | undefined;
  #picker: CrowdPicker | undefined;

  /**
   * @param impostors Far characters, in the tier core.
   * @throws ManipleError THREE_UNSUPPORTED
   */
  constructor(context: CoreContext, parts: CrowdParts = coreParts(context), impostors?: FarCharacters) {
    expectDrawable(context.crowd);
    this.#context = context;
    this.#parts = parts;
    this.impostors = impostors;
    this.#device = deviceOf(context.renderer);
  }

  run(options: FrameOptions, submitted: (frame: EncodedFrame) => void): void {
    const encoder = this.#device.createCommandEncoder({ label: 'maniple' });
    const frame = this.#context.crowd.encode(encoder, options);
    try {
      this.#follow(encoder, options.views?.length !== 0);
    } finally {
      // a recorded frame must be submitted, even if parts of it cannot be drawn
      this.#device.queue.submit([encoder.finish()]);
      submitted(frame);
    }
    this.impostors?.drawTiles();
  }

  /** Updates meshes and materials for the last recorded frame, and records copies of its instance counts. */
  #follow(encoder: GPUCommandEncoder, isSeen: boolean): void {
    const memory = internalsOf(this.#context.crowd).host.backend.memory!;
    this.impostors?.follow();
    if (!this.#draws?.follow(memory)) {
      this.#draws?.dispose();
      this.#draws = undefined;
      expectDrawable(this.#context.crowd); // types may have been added
      this.#draws = new MemoryDraws(this.#context, this.#parts.createTables(), this.impostors);
      this.#draws.build(memory);
    }
    this.impostors?.record(memory, encoder, isSeen);
    this.#draws.copy(memory, encoder);
    this.#parts.copy(memory, encoder);
  }

  expectMaterial(material: Material): void {
    nodeMaterialOf(this.#context.renderer, material);
  }

  carry(mesh: CrowdPart, source: Material): CarriedDrawing {
    return this.#parts.carry(mesh, source, () => this.#draws!.residents!);
  }

  pick(...[camera, point, size]: Parameters<CrowdDrawing['pick']>): Promise<PickedRow | undefined> {
    this.#picker ??= new CrowdPicker(this.#context.renderer, this.#context.views);
    return this.#picker.pick(this.#draws?.meshes ?? [], camera, point, size);
  }

  async readTransforms(count: number): Promise<View<(typeof Transform)['fields']>> {
    const { transforms } = internalsOf(this.#context.crowd).host.backend.memory!.crowd;
    const [bytes] = count > 0 ? await readRanges(this.#device, [[transforms, 0, count * Transform.size]]) : [];
    return bytes ? new View(Transform, bytes) : new View(Transform, 0);
  }

  dispose(): void {
    this.#picker?.dispose();
    this.#draws?.dispose();
    this.#draws = undefined;
    this.impostors?.dispose();
    this.#parts.dispose();
  }
}

type CoreContext = DrawContext<WebGPURenderer>;

/** Size of the arguments of one indexed indirect draw: index count, instances, first index, base vertex, first instance. */
const ARGUMENT_BYTES = 20;
const COUNT_BYTE = 4;

/** Triangles of one material, drawn by one mesh. */
interface Part {
  readonly draw: PlacedDraws;
  readonly range: MaterialRange;
  readonly vertices: MeshVertices;
  readonly source: VertexSource;
  readonly material: NodeMaterial;
}

/** Vertices of a page and the copies of materials that draw them. Draws that skin have one for each level of a page. */
interface PageSource {
  readonly vertices: VertexSource;
  readonly materials: Map<Material, FollowedMaterial>;
}

/** Draws of a crowd from its memory as it is now. */
class MemoryDraws {
  readonly #context: CoreContext;
  readonly #device: GPUDevice;
  readonly #tables: DeviceTables;
  readonly #impostors: FarCharacters | undefined;
  readonly #pages = new Map<number, Table>();
  readonly #sources = new Map<string, PageSource>();
  readonly #materials: FollowedMaterial[] = [];
  /** Wraps the arguments of the draws. */
  #argumentAttribute: BufferAttribute | undefined;
  /** Offsets of the instance count records of all draws, in the crowd's draw targets. */
  #recordBytes: readonly number[] = [];
  #arguments: GPUBuffer | undefined;
  /** Bytes of a list's records, and of its arguments. */
  #targetBytes = 0;
  #argumentBytes = 0;
  /** Undefined until everything is built. */
  #shown: readonly unknown[] | undefined;
  meshes: readonly CrowdMesh[] = [];
  residents: Table | undefined;

  constructor(context: CoreContext, tables: DeviceTables, impostors: FarCharacters | undefined) {
    this.#context = context;
    this.#tables = tables;
    this.#impostors = impostors;
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
    const wired = this.#materials.map(({ material }) => isWired(material));
    return [targets, draws, crowd, ...(this.#impostors?.describe() ?? []), ...wired];
  }

  /** @throws ManipleError THREE_UNSUPPORTED, DEVICE_LIMIT */
  build(memory: DrawMemory): void {
    const { parent } = this.#context;
    const { crowd } = memory;
    const far = this.#impostors?.open(memory);
    const runs = wordsOf(this.#tables.share(far?.targets ?? memory.targets, 1));
    const tables: CrowdTables = {
      firstRow: () => (far ? (runs(runWord).add(listRow) as Node<'uint'>) : runs(runWord)),
      ...(this.#impostors && { listed: this.#impostors.listed }),
      visible: this.#tables.share(far?.visible ?? crowd.visible),
      residents: this.#tables.share(crowd.residents),
      transforms: this.#tables.share(crowd.transforms),
      previousTransforms: this.#tables.share(crowd.previousTransforms),
    };
    this.residents = tables.residents;
    const parts = memory.draws.flatMap((draw) => this.#partsOf(draw, memory, tables));
    const wired = parts.filter(({ material }) => isWired(material));
    const drawArguments = this.#makeArguments(parts, wired);
    this.#targetBytes = far?.targetBytes ?? 0;
    const steps = far && { words: far.targetBytes / 4, argumentBytes: this.#argumentBytes, rows: far.rows };
    this.meshes = parts.map((part, i) => {
      const triangleByte = i * ARGUMENT_BYTES;
      const line = wired.indexOf(part);
      const lineByte = line < 0 ? undefined : (parts.length + line) * ARGUMENT_BYTES;
      const geometry = geometryOf(part.vertices, new BufferGeometry());
      geometry.setIndirect(drawArguments, triangleByte);
      const { type, levelIndex, recordByte } = part.draw;
      const run = { triangleByte, lineByte, runWord: recordByte / 4 };
      const mesh = new CrowdMesh(parent, this.#context.views, geometry, part.material, run, steps);
      mesh.name = `${type.character.name} ${levelIndex} ${part.material.name}`.trim();
      return mesh;
    });
    if (this.meshes.length > 0) parent.add(...this.meshes);
    if (steps) this.#impostors!.build(parts, tables, this.#tables, drawArguments, steps);
    this.#shown = this.#describe(memory);
  }

  /** Records copies of the instance counts from the targets to the draws, and of tables. Call it after the frame is recorded. */
  copy(memory: DrawMemory, encoder: GPUCommandEncoder): void {
    const { targets, recorded } = this.#impostors ?? { targets: memory.targets, recorded: [0] };
    for (const list of recorded) {
      const [firstByte, argumentByte] = [list * this.#targetBytes, list * this.#argumentBytes + COUNT_BYTE];
      this.#recordBytes.forEach((recordByte, i) => {
        const countByte = firstByte + recordByte + DrawnRun.offsets.count;
        encoder.copyBufferToBuffer(targets, countByte, this.#arguments!, argumentByte + i * ARGUMENT_BYTES, 4);
      });
    }
    this.#tables.copy(encoder);
  }

  dispose(): void {
    const { parent, renderer, crowd } = this.#context;
    this.#impostors?.close();
    parent.remove(...this.meshes);
    for (const mesh of this.meshes) {
      forget(mesh);
      mesh.geometry.dispose();
    }
    for (const material of this.#materials) material.dispose();
    if (this.#argumentAttribute) release(renderer, this.#argumentAttribute);
    this.#tables.dispose();
    releaseColumns(renderer, crowd);
    this.#arguments?.destroy();
  }

  #partsOf(draw: PlacedDraws, memory: DrawMemory, tables: CrowdTables): Part[] {
    const { renderer, past, meshes } = this.#context;
    const source = this.#sourceOf(draw, memory);
    const { character } = draw.type;
    const mesh = meshesOf(character)[draw.levelIndex]!;
    const vertices = meshes.of(mesh, character);
    return vertices.ranges.map((range): Part => {
      let followed = source.materials.get(range.material);
      if (!followed) {
        const position = (own: Node | null | undefined) => crowdPosition(tables, source.vertices, past, own);
        followed = new FollowedMaterial(renderer, range.material, position, crowdTint.a, this.#impostors?.mask);
        source.materials.set(range.material, followed);
        this.#materials.push(followed);
      }
      return { draw, range, vertices, source: source.vertices, material: followed.material };
    });
  }

  #sourceOf({ pageIndex, type, levelIndex }: PlacedDraws, memory: DrawMemory): PageSource {
    const isBound = type.skin === 'vertex';
    const key = isBound ? `${pageIndex} ${type.index} ${levelIndex}` : `${pageIndex}`;
    const known = this.#sources.get(key);
    if (known) return known;
    const { vertices } = memory.page(pageIndex);
    const page = this.#pages.get(pageIndex) ?? this.#tables.share(vertices);
    this.#pages.set(pageIndex, page);
    let made: VertexSource;
    if (isBound) {
      const { maxStorageBufferBindingSize } = this.#device.limits;
      const mesh = meshesOf(type.character)[levelIndex]!;
      const bound = boundVertices(mesh, type.character.name, maxStorageBufferBindingSize);
      const table = this.#tables.create(bound.words, `vertices of ${type.character.name} ${levelIndex}`);
      made = boundSource(page, { ...bound, table });
    } else {
      const { shape } = internalsOf(this.#context.crowd).host;
      const { skinnedChannel } = shape;
      made = skinnedSource(page, skinnedChannel && ((word) => unpackSkinnedCode(skinnedChannel, word)));
    }
    const source: PageSource = { vertices: made, materials: new Map() };
    this.#sources.set(key, source);
    return source;
  }

  /** Makes the arguments of all draws, then of their edges, for each list. Instance counts are 0 until they are copied. */
  #makeArguments(parts: readonly Part[], wired: readonly Part[]) {
    const triangles = parts.flatMap(({ range }) => [range.indexCount, 0, range.firstIndex, 0, 0]);
    // the index that three.js makes for wireframes has two indices for each triangle corner
    const lines = wired.flatMap(({ range }) => [2 * range.indexCount, 0, 2 * range.firstIndex, 0, 0]);
    const ofList = [...triangles, ...lines];
    this.#argumentBytes = 4 * ofList.length;
    const words = Array.from({ length: this.#impostors?.listCount ?? 1 }, () => ofList).flat();
    this.#recordBytes = [...parts, ...wired].map(({ draw }) => draw.recordByte);
    this.#arguments = this.#device.createBuffer({
      label: 'draws in three.js',
      size: Math.max(words.length * 4, ARGUMENT_BYTES),
      usage: GPUBufferUsage.INDIRECT | GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC,
    });
    this.#device.queue.writeBuffer(this.#arguments, 0, Uint32Array.from(words));
    const attribute = sharedArguments(this.#context.renderer, this.#arguments);
    this.#argumentAttribute = attribute;
    return attribute;
  }
}
