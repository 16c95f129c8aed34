import {
  BufferAttribute,
  BufferGeometry,
  type Camera,
  CustomBlending,
  ExternalTexture,
  FloatType,
  Group,
  type Material,
  Mesh,
  type NodeFrame,
  type NodeMaterial,
  NormalBlending,
  OrthographicCamera,
  RendererUtils,
  RenderTarget,
  type Scene,
  SRGBColorSpace,
  type WebGPURenderer,
} from 'three/webgpu';
import { internalsOf } from '../../crowd/internals.ts';
import { fail, type Issue, ManipleError, warning } from '../../errors.ts';
import type { DrawMemory } from '../../frame/backend.ts';
import { type CrowdType, meshesOf } from '../../frame/tables/crowd-types.ts';
import { createStorage, createUniform } from '../../frame/tables/memory.ts';
import type { PlacedDraws } from '../../frame/tables/plan.ts';
import { roundUp } from '../../layout/index.ts';
import { Atlas, type Scratch, scratchSize } from '../../render/impostors/atlas.ts';
import type { ImpostorReadings } from '../../render/impostors/impostors.ts';
import {
  AssignedTile,
  GROUP_ROWS,
  Impostor,
  ImpostorParams,
  KEPT_PICTURES,
  TILES_AT_ONCE,
} from '../../render/impostors/layout.ts';
import { ImpostorLists, type ImpostorStats, NO_IMPOSTORS } from '../../render/impostors/lists.ts';
import {
  type ImpostorOptions,
  type ImpostorPlan,
  planImpostors,
  refusedTypes,
} from '../../render/impostors/options.ts';
import { impostorParams } from '../../render/impostors/params.ts';
import { VisibleCharacter } from '../../stages/layout.ts';
import type { DrawContext } from '../crowd-drawing.ts';
import { CrowdPart, listsFor, type ListSteps } from '../crowd-mesh.ts';
import type { CrowdTables, RunMesh } from '../crowd-nodes.ts';
import { deviceOf, forget, gpuTextureOf, isShadowPass, release, sharedArguments } from '../internals.ts';
import { FollowedMaterial } from '../materials.ts';
import { geometryOf, type MeshVertices } from '../mesh-ranges.ts';
import { reportProblem } from '../problems.ts';
import type { DeviceTables } from '../storage-tables.ts';
import type { VertexSource } from '../vertex-sources.ts';
import type { CameraSight, CrowdViews } from '../views.ts';
import { addLook, materialRefusal } from './held-materials.ts';
import {
  assignShare,
  impostorMaterial,
  meshMask,
  tileOutputs,
  tileParts,
  tilePosition,
  type TilePlan,
} from './impostor-nodes.ts';
import { sharedSights } from './sights.ts';

/** Choices of a frame: those of cameras that look from different places. Further cameras draw meshes. */
const CHOICES = 4;
/** Lists in each buffer: the crowd's own, one for each choice, and that of tiles. */
const TILE_LIST = CHOICES + 1;
const LIST_COUNT = TILE_LIST + 1;
/** Alignment of uniform bindings, bytes. */
const ALIGNMENT = 256;
/** Bytes of the arguments of an indexed draw, and where its instance count is. */
const [ARGUMENT_BYTES, COUNT_BYTE] = [20, 4];
const NAMES = ['Color', 'Normal', 'Material'] as const;

type Context = DrawContext<WebGPURenderer>;

/** Triangles that are drawn to tiles. */
export interface TilePart {
  readonly draw: PlacedDraws;
  readonly range: { readonly material: Material };
  readonly vertices: MeshVertices;
  readonly source: VertexSource;
}

/** Buffers with several lists of a crowd, and the rows and words of each. */
interface Listed {
  readonly memory: DrawMemory;
  readonly visible: GPUBuffer;
  readonly targets: GPUBuffer;
  readonly impostors: GPUBuffer;
  readonly boxes: GPUBuffer;
  readonly rows: number;
  readonly targetBytes: number;
}

/** Far characters as quads with tiles of an atlas, in the tier core. three.js draws the tiles, with the crowd's materials. */
export class FarCharacters implements ImpostorReadings {
  refused: readonly Issue[] = [];
  readonly tileCount: number;
  /** Where meshes are drawn that cross over, and what sets it. */
  readonly mask = meshMask;
  readonly listed = assignShare;
  /** Lists that the last frame made. */
  recorded: readonly number[] = [0];
  readonly listCount = LIST_COUNT;
  readonly #context: Context;
  readonly #device: GPUDevice;
  readonly #plan: ImpostorPlan;
  readonly #scratch: RenderTarget;
  readonly #atlas: Atlas;
  readonly #textures: readonly ExternalTexture[];
  readonly #params: GPUBuffer;
  readonly #allParams: GPUBuffer;
  readonly #assigned: GPUBuffer;
  readonly #arguments: GPUBuffer;
  readonly #camera = new OrthographicCamera(-1, 1, 1, -1, 0, 1);
  readonly #tiles = new Group();
  #listed: Listed | undefined;
  #lists: ImpostorLists | undefined;
  #madeOf: readonly unknown[] = [];
  #held: ReadonlySet<CrowdType> = new Set();
  /** The values of materials that tiles show. */
  #look: readonly unknown[] = [];
  #isStale = false;
  #materials: FollowedMaterial[] = [];
  #quads: ImpostorQuads | undefined;
  #letGo: (() => void) | undefined;
  /** Counts pictures. Tiles that have never been used are older than any that are kept. */
  #frame = KEPT_PICTURES;

  /** @throws ManipleError CROWD_BAD_ARGUMENT: the crowd shares no poses; RENDER_FAILED: sizes */
  constructor(context: Context, options: ImpostorOptions) {
    const { renderer, crowd } = context;
    this.#context = context;
    const device = (this.#device = deviceOf(renderer));
    this.#findHeld(crowd);
    const { capacity, sharing } = internalsOf(crowd).host.shape;
    // keeps its size when the crowd grows
    this.#plan = planImpostors(options, capacity - sharing!.count);
    this.tileCount = this.#plan.tileCount;
    this.#scratch = createScratch(renderer, this.#plan.tilePx);
    this.#params = createUniform(device, 'impostors', ImpostorParams, {});
    this.#allParams = createStorage(device, 'impostors of all views', CHOICES * ALIGNMENT);
    this.#assigned = createStorage(device, 'assigned tiles', TILES_AT_ONCE * AssignedTile.size);
    const scratch = Object.fromEntries(
      this.#scratch.textures.map((texture) => [texture.name, gpuTextureOf(renderer, texture)]),
    ) as unknown as Scratch;
    this.#atlas = new Atlas(device, this.#plan, this.#params, this.#assigned, scratch);
    this.#textures = NAMES.map((name) => new ExternalTexture(this.#atlas.textures[name]));
    const quads = Array.from({ length: LIST_COUNT }, () => [6, 0, 0, 0, 0]).flat();
    this.#arguments = createStorage(device, 'impostor draws', Uint32Array.from(quads), GPUBufferUsage.INDIRECT);
    this.#tiles.matrixWorldAutoUpdate = false;
  }

  get byteLength(): number {
    const { visible, targets, impostors, boxes } = this.#listed ?? {};
    const own = [visible, targets, impostors, boxes, this.#allParams, this.#assigned, this.#arguments];
    const { width, height } = this.#scratch;
    const scratch = 4 * (NAMES.length + 1) * width * height;
    const lists = own.reduce((sum, buffer) => sum + (buffer?.size ?? 0), this.#lists?.byteLength ?? 0);
    return lists + scratch + this.#atlas.byteLength;
  }

  async readStats(): Promise<ImpostorStats> {
    return this.#lists?.readStats(this.#device) ?? NO_IMPOSTORS;
  }

  /** Inputs of draws. A change means a rebuild. */
  describe(): readonly unknown[] {
    return [this.#held];
  }

  /** Notices changes of materials. Call it before each frame. */
  follow(): void {
    for (const material of this.#materials) material.follow();
    const look: unknown[] = [];
    this.#eachMaterial((material) => addLook(material, look));
    if (look.length === this.#look.length && look.every((value, i) => value === this.#look[i])) return;
    this.#look = look;
    this.#isStale = true;
    this.#findHeld(this.#context.crowd);
  }

  /** Buffers for draws from this memory. @throws ManipleError DEVICE_LIMIT */
  open(memory: DrawMemory): Pick<Listed, 'visible' | 'targets' | 'rows' | 'targetBytes'> {
    this.#findHeld(this.#context.crowd); // types may have been added
    const rows = roundUp(Math.floor(memory.crowd.visible.size / VisibleCharacter.size), GROUP_ROWS);
    const targetBytes = roundUp(memory.targets.size, ALIGNMENT);
    const size = (TILE_LIST * rows + TILES_AT_ONCE) * VisibleCharacter.size;
    const limit = this.#device.limits.maxStorageBufferBindingSize;
    if (size > limit) {
      const message = `Lists of impostors take ${size} bytes; the limit is ${limit}.`;
      fail('DEVICE_LIMIT', 'maxStorageBufferBindingSize', message, 'Use a smaller capacity, or request all limits.');
    }
    const create = (label: string, bytes: number) => createStorage(this.#device, label, bytes);
    this.#makeLists(memory);
    this.#listed = {
      memory,
      visible: create('lists of impostors', size),
      targets: create('targets of impostors', LIST_COUNT * targetBytes),
      impostors: create('impostors of all views', CHOICES * rows * Impostor.size),
      boxes: create('boxes of impostors', this.#lists!.plan.size),
      rows,
      targetBytes,
    };
    return this.#listed;
  }

  /**
   * Creates quads, and meshes that are drawn to tiles.
   * @param firstByte Of the arguments of a part's draw in the list of tiles.
   */
  build(
    parts: readonly TilePart[],
    tables: CrowdTables,
    shared: DeviceTables,
    drawArguments: BufferAttribute,
    steps: ListSteps,
  ): void {
    const { renderer, views, past, parent } = this.#context;
    const { impostors, boxes } = this.#listed!;
    const { tilePx, columns, rows, directions } = this.#plan;
    const { phases } = internalsOf(this.#context.crowd).host.shape.sharing!;
    const { clipRow } = this.#lists!;
    const plan = { tilePx, columns, rows, directions, phases, boxes: shared.share(boxes), clipRow };
    const followed = new Map<VertexSource, Map<Material, FollowedMaterial>>();
    const meshes = parts.flatMap((part, i) => {
      const { draw, range, source, vertices } = part;
      if (!this.#held.has(draw.type)) return [];
      const ofSource = followed.get(source) ?? new Map<Material, FollowedMaterial>();
      followed.set(source, ofSource);
      const made = ofSource.get(range.material) ?? tileMaterial(renderer, range.material, tables, source, plan);
      ofSource.set(range.material, made);
      const geometry = geometryOf(vertices, new BufferGeometry());
      geometry.setIndirect(drawArguments as never, TILE_LIST * steps.argumentBytes + i * ARGUMENT_BYTES);
      return [new TileMesh(views, geometry, made.material, draw.recordByte / 4, steps)];
    });
    this.#materials = Array.from(followed.values(), (ofSource) => [...ofSource.values()]).flat();
    if (meshes.length > 0) this.#tiles.add(...meshes);
    const attribute = sharedArguments(renderer, this.#arguments);
    const textures = Object.fromEntries(NAMES.map((name, i) => [name, this.#textures[i]!]));
    const material = impostorMaterial(renderer, tables, shared.share(impostors), textures as never, plan, past);
    this.#quads = new ImpostorQuads(parent, views, quadGeometry(attribute), material, steps.rows);
    parent.add(this.#quads);
    this.#letGo = () => release(renderer, attribute);
  }

  /** Records choices and copies of their lists, after the crowd's frame. @param isSeen False where the frame has no views. */
  record(memory: DrawMemory, encoder: GPUCommandEncoder, isSeen: boolean): void {
    if (this.#quads && !this.#quads.parent) this.#context.parent.add(this.#quads); // the crowd was cleared
    const { visible, targets, boxes } = this.#listed!;
    this.recorded = [0];
    encoder.copyBufferToBuffer(memory.crowd.visible, 0, visible, 0, memory.crowd.visible.size);
    encoder.copyBufferToBuffer(memory.targets, 0, targets, 0, memory.targets.size);
    if (!isSeen) return;
    if (this.#describeLists(memory).some((part, i) => part !== this.#madeOf[i])) this.#makeLists(memory);
    const lists = this.#lists!;
    const sights = sharedSights(this.#context.views.sights());
    if (sights.length > CHOICES) this.#reportMany(sights.length);
    const served = sights.slice(-CHOICES);
    if (served.length === 0) return;
    this.#frame++;
    encoder.copyBufferToBuffer(lists.plan, 0, boxes, 0, boxes.size);
    lists.open(encoder);
    if (this.#isStale) encoder.clearBuffer(lists.tiles);
    this.#isStale = false;
    const turn = this.#frame % served.length;
    const { shape } = internalsOf(this.#context.crowd).host;
    served.forEach(({ sight, cameras }, i) => {
      const tiles = i === turn ? {} : { tileLimit: 0 };
      const params = impostorParams(this.#plan, lists, shape, this.#frame, sight, tiles);
      this.#device.queue.writeBuffer(this.#allParams, i * ALIGNMENT, params);
      encoder.copyBufferToBuffer(this.#allParams, i * ALIGNMENT, this.#params, 0, ImpostorParams.size);
      const pass = encoder.beginComputePass({ label: 'choose-impostors' });
      lists.encode(pass);
      pass.end();
      this.#copy(encoder, i + 1, i === turn);
      for (const camera of cameras as CameraSight[]) camera.lists = i + 1;
    });
    this.recorded = [0, ...served.map((_, i) => i + 1), TILE_LIST];
  }

  /** Buffers with the records of all lists, one after another. */
  get targets(): GPUBuffer {
    return this.#listed!.targets;
  }

  /** Draws the tiles that the last frame asked for. Call it once the frame is submitted. */
  drawTiles(): void {
    if (!this.recorded.includes(TILE_LIST) || this.#tiles.children.length === 0) return;
    const { renderer } = this.#context;
    const before = RendererUtils.saveRendererState(renderer);
    RendererUtils.resetRendererState(renderer, before);
    const { enabled } = renderer.xr;
    renderer.xr.enabled = false;
    renderer.setRenderTarget(this.#scratch);
    renderer.setMRT(tileOutputs);
    renderer.setClearColor(0, 0);
    try {
      renderer.render(this.#tiles, this.#camera);
    } finally {
      renderer.xr.enabled = enabled;
      RendererUtils.restoreRendererState(renderer, before);
    }
    const encoder = this.#device.createCommandEncoder({ label: 'store-tiles' });
    this.#atlas.store(encoder);
    this.#device.queue.submit([encoder.finish()]);
  }

  /** Disposes of what `open` and `build` have made. */
  close(): void {
    for (const mesh of this.#tiles.children as TileMesh[]) {
      forget(mesh);
      mesh.geometry.dispose();
    }
    this.#tiles.clear();
    for (const material of this.#materials) material.dispose();
    this.#materials = [];
    if (this.#quads) {
      this.#quads.removeFromParent();
      forget(this.#quads);
      this.#quads.geometry.dispose();
      this.#quads.material.dispose();
    }
    this.#quads = undefined;
    this.#letGo?.();
    this.#letGo = undefined;
    const { visible, targets, impostors, boxes } = this.#listed ?? {};
    for (const buffer of [visible, targets, impostors, boxes]) buffer?.destroy();
    this.#listed = undefined;
  }

  dispose(): void {
    this.close();
    for (const texture of this.#textures) texture.dispose();
    this.#scratch.dispose();
    const owned = [this.#lists, this.#atlas, this.#params, this.#allParams, this.#assigned, this.#arguments];
    for (const each of owned) each?.destroy();
  }

  /** Copies the lists of a choice to their places. */
  #copy(encoder: GPUCommandEncoder, list: number, hasTiles: boolean): void {
    const { visible, targets, impostors, rows, targetBytes, memory } = this.#listed!;
    const lists = this.#lists!;
    const { visible: from } = lists.meshes;
    const rowBytes = rows * VisibleCharacter.size;
    encoder.copyBufferToBuffer(from, 0, visible, list * rowBytes, rowBytes);
    encoder.copyBufferToBuffer(lists.targets, 0, targets, list * targetBytes, memory.targets.size);
    const quadBytes = rows * Impostor.size;
    encoder.copyBufferToBuffer(lists.impostors, 0, impostors, (list - 1) * quadBytes, quadBytes);
    const countByte = 4 * lists.quadTargets(0) + COUNT_BYTE;
    encoder.copyBufferToBuffer(lists.targets, countByte, this.#arguments, list * ARGUMENT_BYTES + COUNT_BYTE, 4);
    if (!hasTiles) return;
    const tileBytes = TILES_AT_ONCE * VisibleCharacter.size;
    encoder.copyBufferToBuffer(from, rowBytes, visible, TILE_LIST * rowBytes, tileBytes);
    const [first, end] = [4 * lists.tileTargets, TILE_LIST * targetBytes];
    encoder.copyBufferToBuffer(lists.targets, first, targets, end, memory.targets.size);
    encoder.copyBufferToBuffer(lists.marks, 0, this.#assigned, 0, this.#assigned.size);
  }

  #describeLists({ targets, draws, crowd }: DrawMemory): readonly unknown[] {
    const { shape, tables } = internalsOf(this.#context.crowd).host;
    const pending = tables.types.reduce((sum, { character }) => sum + (character.arrivals?.pending.length ?? 0), 0);
    return [targets, draws, crowd, shape, this.#held, pending];
  }

  #makeLists(memory: DrawMemory): void {
    const { host } = internalsOf(this.#context.crowd);
    this.#lists?.destroy();
    this.#madeOf = this.#describeLists(memory);
    const { types } = host.tables;
    const isHeld = (type: CrowdType) => this.#held.has(type);
    const { sharing } = host.shape;
    this.#lists = new ImpostorLists(this.#device, memory, types, sharing!, this.#plan, isHeld, this.#params, 1);
  }

  #eachMaterial(visit: (material: Material) => void): void {
    const { meshes, crowd } = this.#context;
    for (const { character } of internalsOf(crowd).host.tables.types) {
      for (const mesh of meshesOf(character)) {
        for (const { material } of meshes.of(mesh, character).ranges) visit(material);
      }
    }
  }

  #findHeld(crowd: Context['crowd']): void {
    const { meshes } = this.#context;
    const refused = refusedTypes(crowd, ({ character }) => {
      const materials = meshesOf(character).flatMap((mesh) => meshes.of(mesh, character).ranges);
      return materials.map(({ material }) => materialRefusal(material)).find((reason) => reason !== undefined);
    });
    const held = internalsOf(crowd).host.tables.types.filter((type) => !refused.has(type));
    if (held.length !== this.#held.size || held.some((type) => !this.#held.has(type))) this.#held = new Set(held);
    this.refused = [...refused.values()];
  }

  #reportMany(count: number): void {
    const message = `Cameras look from ${count} places; ${CHOICES} of them have impostors, and the others draw meshes.`;
    const suggestion = 'Draw fewer of them with the crowd, or leave it out of their layers.';
    const problem = warning('THREE_UNSUPPORTED', 'impostors', message, suggestion);
    reportProblem(this.#quads!, new ManipleError(problem));
  }
}

function createScratch(renderer: WebGPURenderer, tilePx: number): RenderTarget {
  const target = new RenderTarget(...scratchSize(tilePx), { count: NAMES.length, generateMipmaps: false });
  NAMES.forEach((name, i) => (target.textures[i]!.name = name));
  target.textures[0]!.colorSpace = SRGBColorSpace;
  renderer.initRenderTarget(target);
  return target;
}

function tileMaterial(
  renderer: WebGPURenderer,
  source: Material,
  tables: CrowdTables,
  vertices: VertexSource,
  plan: TilePlan,
): FollowedMaterial {
  const { setupModelViewProjection, mask } = tileParts(renderer);
  const position = () => tilePosition(tables, vertices, plan);
  const made = new FollowedMaterial(renderer, source, position, undefined, mask);
  Object.defineProperty(made.material, 'setupModelViewProjection', { value: setupModelViewProjection });
  return made;
}

/** Draws characters of a run to tiles. */
class TileMesh extends Mesh<BufferGeometry, NodeMaterial> implements RunMesh {
  readonly views: CrowdViews;
  readonly runWord: number;
  readonly firstRow: number;

  constructor(
    views: CrowdViews,
    geometry: BufferGeometry,
    material: NodeMaterial,
    recordWord: number,
    { words, rows }: ListSteps,
  ) {
    super(geometry, material);
    this.views = views;
    this.runWord = TILE_LIST * words + recordWord;
    // runs of tiles begin after the rows of a list
    this.firstRow = (TILE_LIST - 1) * rows;
    this.frustumCulled = false;
    this.matrixAutoUpdate = false;
  }
}

/** All impostors of a crowd. */
class ImpostorQuads extends CrowdPart<NodeMaterial> implements RunMesh {
  readonly runWord = 0;
  firstRow = 0;
  readonly #rows: number;

  constructor(
    crowd: Context['parent'],
    views: CrowdViews,
    geometry: BufferGeometry,
    material: NodeMaterial,
    rows: number,
  ) {
    super(crowd, views, geometry, material);
    this.name = 'impostors';
    this.#rows = rows;
  }

  override onBeforeRender(renderer: unknown, scene: Scene, camera: Camera): void {
    super.onBeforeRender(renderer, scene, camera);
    if (isShadowPass(scene)) return;
    const target = (renderer as WebGPURenderer).getRenderTarget();
    // targets of 32 bits cannot blend
    this.material.blending = target?.texture.type === FloatType ? NormalBlending : CustomBlending;
  }

  choose({ scene, camera }: NodeFrame): void {
    const list = listsFor(this.views, scene!, camera!);
    // the first arguments draw nothing
    this.geometry.indirectOffset = list * ARGUMENT_BYTES;
    this.firstRow = Math.max(list - 1, 0) * this.#rows;
  }
}

function quadGeometry(drawArguments: BufferAttribute): BufferGeometry {
  const geometry = new BufferGeometry();
  const corners = [-1, -1, 0, 1, -1, 0, -1, 1, 0, 1, 1, 0];
  geometry.setAttribute('position', new BufferAttribute(Float32Array.from(corners), 3));
  geometry.setAttribute(
    'normal',
    new BufferAttribute(
      Float32Array.from(corners, (_, i) => Number(i % 3 === 2)),
      3,
    ),
  );
  geometry.setIndex([0, 1, 2, 2, 1, 3]);
  geometry.setIndirect(drawArguments as never, 0);
  return geometry;
}
