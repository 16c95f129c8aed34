import { planAnimators } from '../../src/controller/eval/regions.ts';
import type { Character } from '../../src/character/character.ts';
import { RigTable } from '../../src/character/format/clip-format.ts';
import { bindFrame, createSeenStages } from '../../src/frame/gpu/bind-frame.ts';
import { byGeometry } from '../../src/frame/cpu/rows.ts';
import { cullKinds, SLOT_COPIES, slotClasses, sizeClass } from '../../src/frame/tables/cull-tables.ts';
import type { StageName } from '../../src/frame/stages.ts';
import { createCrowdMemory, PageMemory, PoseMemory } from '../../src/frame/tables/memory.ts';
import { planFrame } from '../../src/frame/tables/plan.ts';
import { joinTables, type CrowdTables, type CrowdType } from '../../src/frame/tables/crowd-types.ts';
import { View } from '../../src/layout/index.ts';
import { splitSeconds } from '../../src/math/fixed.ts';
import { unpackPosition } from '../../src/math/packing.ts';
import { BinRecord, EXTRA_BINS, WriteRangesParams } from '../../src/stages/cull-characters/layout.ts';
import { writeRanges } from '../../src/stages/cull-characters/write-ranges.ts';
import { Modifier, PLAYER_NONE, Player } from '../../src/stages/gather-motions/layout.ts';
import { type GatherMotionsViews, gatherMotions } from '../../src/stages/gather-motions/reference.ts';
import { DIMENSION_LIMIT, encodeDispatch } from '../../src/stages/kernel.ts';
import type { KernelChoice } from '../../src/stages/kernel-choice.ts';
import {
  FrameParams,
  MOTION_ROWS,
  ROW_NONE,
  VISIBLE_POSED,
  VISIBLE_WORDS_SHIFT,
  VisibleCharacter,
} from '../../src/stages/layout.ts';
import { type PoseJointsViews, poseJoints } from '../../src/stages/pose-joints/reference.ts';
import { type SkinVerticesViews, skinVertices } from '../../src/stages/skin-vertices/reference.ts';
import { createSkinVertices, type SkinVertices } from '../../src/stages/skin-vertices/stage.ts';
import { groupThreadsFor, readBuffer, uploadBuffer } from './gpu.ts';
import { providerMemory, type SceneProviders } from './provider-memory.ts';

export interface SceneOptions {
  /** Characters of each type and level that are posed. */
  readonly each: number;
  /** Characters of each type and level, behind those, that are listed but not posed: no stage may touch what is theirs. Default 0. */
  readonly unposed?: number;
  readonly motionCapacity: number;
  readonly kernels: Omit<KernelChoice, 'serialLists'>;
  /** Motions may play with left and right exchanged. Default false. */
  readonly mirror?: boolean;
  /** Words that follow the rig table: masks, mirror tables. */
  readonly extraRigWords?: readonly number[];
  /** What skin-vertices sends vertices through. Default: nothing. */
  readonly providers?: SceneProviders;
}

/** What stages read and write, as arrays. */
export interface SceneArrays {
  readonly visible: Uint32Array<ArrayBuffer>;
  readonly motions: Uint32Array<ArrayBuffer>;
  readonly palettes: Uint32Array<ArrayBuffer>;
  readonly skinned: Uint32Array<ArrayBuffer>;
}

/** Where a row of the visible list has its memory. */
export interface ScenePlace {
  readonly type: CrowdType;
  readonly level: number;
  /** Without a palette and a motion list: ROW_NONE. */
  readonly posed: boolean;
  readonly paletteRow: number;
  readonly motionRow: number;
  readonly vertexOffset: number;
  readonly attributeWord: number;
}

/** Slots have a normal and a tangent for each vertex. */
const ATTRIBUTE_WORDS = 2;

/** A vertex of a slot, as skin-vertices left it: metres in model space, and the words of its normal and tangent. */
export function vertexIn(
  skinned: Uint32Array,
  { vertexOffset, attributeWord }: Pick<ScenePlace, 'vertexOffset' | 'attributeWord'>,
  vertex: number,
): { readonly position: number[]; readonly normal: number; readonly tangent: number } {
  const position = [0, 0, 0];
  const at = 2 * (vertexOffset + vertex);
  unpackPosition(skinned[at]!, skinned[at + 1]!, position);
  const word = attributeWord + ATTRIBUTE_WORDS * vertex;
  return { position, normal: skinned[word]!, tangent: skinned[word + 1]! };
}

/** Stages that read the visible list. */
const TWINS = {
  'gather-motions': gatherMotions,
  'pose-joints': poseJoints,
  'skin-vertices': skinVertices,
} as const satisfies Partial<Record<StageName, unknown>>;
export type SceneStage = keyof typeof TWINS;
type SceneTwin = (views: GatherMotionsViews & PoseJointsViews & SkinVerticesViews) => void;

/**
 * A visible list of one page, made by the host, and memory that a test can fill at will, to run one stage on it: its twin,
 * or the kernels, planned, bound and dispatched by the frame's own code. Row i is character i, type after
 * type, level after level.
 */
export class StageScene {
  readonly tables: CrowdTables;
  readonly params: View<(typeof FrameParams)['fields']> = new View(FrameParams, 1);
  readonly players: View<(typeof Player)['fields']>;
  readonly arrays: SceneArrays;
  /** `arrays.visible`. */
  readonly visible: View<(typeof VisibleCharacter)['fields']>;
  /** By row of the visible list. */
  readonly places: readonly ScenePlace[];
  /** Pair of the rig table where the extra words begin. */
  readonly extraPair: number;
  readonly options: SceneOptions;
  readonly #bins: View<(typeof BinRecord)['fields']>;

  constructor(characters: readonly Character[], options: SceneOptions) {
    const { each, unposed = 0, motionCapacity, mirror = false, extraRigWords = [] } = options;
    this.options = { ...options, kernels: { groupThreads: groupThreadsFor(0), ...options.kernels } };
    const kernels = { ...this.options.kernels, serialLists: true };
    const tables = joinTables(characters, { ...kernels, layers: true, mirror });
    const rig = new RigTable(Uint32Array.from([...tables.rig.words, ...extraRigWords, 0, 0, 0, 0]));
    this.extraPair = tables.rig.words.length / 2;
    this.tables = { ...tables, rig };
    const { types } = tables;
    const { binCount } = planFrame(types, 1, motionCapacity, kernels);
    const levelCount = types.reduce((sum, { levels }) => sum + levels.length, 0);
    const count = (each + unposed) * levelCount;
    const posedCount = each * levelCount;
    this.#bins = new View(BinRecord, binCount + EXTRA_BINS);
    this.visible = new View(VisibleCharacter, count);
    let [vertexOffset, paletteRow, motionRow] = [0, 0, 0];
    const places: ScenePlace[] = [];
    const list = (type: CrowdType, level: number, posed: boolean) => {
      const { typeRow, levels, paletteStride } = type;
      const { geometryRow, vertexCount } = levels[level]!;
      const attributeWord = 2 * (vertexOffset + SLOT_COPIES * sizeClass(vertexCount));
      const rows = posed ? { paletteRow, motionRow } : { paletteRow: ROW_NONE, motionRow: ROW_NONE };
      this.visible.assign(places.length, {
        character: places.length,
        typeRow,
        geometryRow,
        ...rows,
        views: 0xffffffff,
        currentVertexOffset: vertexOffset,
        previousVertexOffset: vertexOffset,
        parts: [0xffffffff, 0xffffffff],
        attributeWord,
        detail: (posed ? VISIBLE_POSED : 0) | (ATTRIBUTE_WORDS << VISIBLE_WORDS_SHIFT),
      });
      places.push({ type, level, posed, ...rows, vertexOffset, attributeWord });
      vertexOffset += (SLOT_COPIES + ATTRIBUTE_WORDS / 2) * sizeClass(vertexCount);
      if (!posed) return;
      paletteRow += paletteStride;
      motionRow += motionCapacity * MOTION_ROWS;
    };
    for (const type of types) {
      type.levels.forEach((_, level) => {
        const bin = 2 * (type.firstLevel + level);
        this.#bins.assign(bin, { first: places.length, count: each, served: each });
        for (let i = 0; i < each; i++) list(type, level, true);
        this.#bins.assign(bin + 1, { first: places.length, count: unposed });
        for (let i = 0; i < unposed; i++) list(type, level, false);
      });
    }
    this.#bins.assign(binCount + 1, { count, served: count, firstPosed: posedCount });
    this.places = places;
    this.players = new View(Player, count * motionCapacity);
    for (let row = 0; row < this.players.count; row++) this.players.set(row, 'clip', PLAYER_NONE);
    this.params.assign(0, { visibleCount: count, playerCapacity: motionCapacity, motionCapacity });
    this.arrays = {
      visible: this.visible.words,
      motions: new Uint32Array(motionRow * 4),
      palettes: new Uint32Array(paletteRow * 4),
      skinned: new Uint32Array(vertexOffset * 2),
    };
  }

  set time(time: bigint) {
    const [timeLow, timeHigh] = splitSeconds(time);
    this.params.assign(0, { timeLow, timeHigh });
  }

  /** Runs a stage's twin on copies of the arrays, and returns them. */
  onTwin(wanted: SceneStage, twin: SceneTwin = TWINS[wanted]): SceneArrays {
    const after = copyArrays(this.arrays);
    const { tables, params, players, visible, options } = this;
    twin({
      params,
      players,
      modifiers: new View(Modifier, 0),
      regions: NO_ANIMATORS.regions,
      animators: new Uint32Array(),
      visible: new View(VisibleCharacter, after.visible.buffer),
      visibleCount: visible.count,
      motionCapacity: options.motionCapacity,
      rig: tables.rig,
      motions: after.motions,
      palettes: new Float32Array(after.palettes.buffer),
      geometry: tables.geometry,
      ...byGeometry(tables.types),
      skinned: after.skinned,
      providers: options.providers && providerMemory(options.providers, visible.count),
    });
    return after;
  }

  /**
   * Runs a stage's kernels on copies of the arrays, and returns them.
   * @param dimensionLimit Workgroups in one dispatch dimension; default: WebGPU's limit.
   * @param groupLimit Workgroups of a dispatch; fewer than there is work for take several turns.
   */
  async onGpu(
    device: GPUDevice,
    wanted: SceneStage,
    dimensionLimit: number = DIMENSION_LIMIT,
    groupLimit = Infinity,
  ): Promise<SceneArrays> {
    const { options, tables, players, params, visible, arrays } = this;
    const { motionCapacity } = options;
    const kernels = { ...options.kernels, serialLists: true };
    const { types } = tables;
    const capacity = visible.count;
    const rowCapacity = arrays.skinned.length / 2;
    const classes = slotClasses(types, capacity, rowCapacity, { attributeWords: ATTRIBUTE_WORDS });
    const crowd = createCrowdMemory(device, {
      tables,
      capacity,
      classes,
      kinds: cullKinds(types, classes, 1),
      rowBudget: rowCapacity,
      playerCapacity: motionCapacity,
      modifierCapacity: 0,
      animators: NO_ANIMATORS,
      sharing: undefined,
      controllers: undefined,
      eventCapacity: 0,
    });
    const page = new PageMemory(device, { rowCapacity });
    const poses = new PoseMemory(device, capacity, arrays.palettes.length / 4, motionCapacity);
    const grants = crowd.rings; // nobody hands out slots here
    const classCount = classes.capacities.length;
    const traits = { controllers: false, root: false, trees: false };
    const own = createSeenStages(device, traits, kernels, classes);
    // pipelines of the other stages would take longer than the test
    const unused = { prepare: () => undefined, bind: () => NO_DISPATCH };
    const stages = {
      ...own,
      cullCharacters: { bind: () => () => [] },
      poseJoints: wanted === 'pose-joints' ? own.poseJoints : unused,
      skinVertices:
        wanted === 'skin-vertices' ? withProviders(device, options.providers, visible.count, own.skinVertices) : unused,
    };
    const parts = { types, capacity, classCount, motionCapacity, kernels, crowd, poses, pages: [page], grants };
    const bound = bindFrame(device, stages, parts);
    const { vertices } = page;
    const write = (buffer: GPUBuffer, { buffer: bytes, byteOffset, byteLength }: Uint32Array<ArrayBuffer>, at = 0) =>
      device.queue.writeBuffer(buffer, at, bytes, byteOffset, byteLength);
    device.queue.writeBuffer(crowd.params.buffer, crowd.params.offset, params.words);
    write(crowd.players, players.words);
    write(crowd.visible, arrays.visible);
    write(poses.motions, arrays.motions);
    write(poses.palettes, arrays.palettes);
    write(vertices, arrays.skinned);
    write(bound.targets, this.#targets());
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    const empty = { characterCount: 0, hasGrants: false, hasMoves: false, hasFollowers: false };
    for (const dispatch of bound.dispatches(empty)[wanted]!) {
      const groupCount = Math.min(dispatch.groupCount as number, groupLimit);
      encodeDispatch(pass, { ...dispatch, groupCount }, dimensionLimit);
    }
    pass.end();
    device.queue.submit([encoder.finish()]);
    const read = async (buffer: GPUBuffer, { byteLength }: Uint32Array, offset = 0) =>
      new Uint32Array(await readBuffer(device, buffer, offset, byteLength));
    const after = {
      visible: await read(crowd.visible, arrays.visible),
      motions: await read(poses.motions, arrays.motions),
      palettes: await read(poses.palettes, arrays.palettes),
      skinned: await read(vertices, arrays.skinned),
    };
    for (const memory of [crowd, page, poses, bound]) memory.destroy();
    return after;
  }

  /** Ranges of dispatches, as write-ranges leaves them. */
  #targets(): Uint32Array<ArrayBuffer> {
    const { motionCapacity } = this.options;
    const kernels = { ...this.options.kernels, serialLists: true };
    const { words, dispatches, ranges, draws } = planFrame(this.tables.types, 1, motionCapacity, kernels).targets;
    const params = new View(WriteRangesParams, 1);
    params.assign(0, { dispatchCount: dispatches.count });
    const targets = words.slice();
    writeRanges({ params, dispatches, plans: ranges, draws, bins: this.#bins, targets });
    return targets;
  }
}

/** The stage with its providers, bound to what their twins read. */
function withProviders(
  device: GPUDevice,
  scene: SceneProviders | undefined,
  capacity: number,
  stage: SkinVertices,
): SkinVertices {
  if (!scene) return stage;
  const own = createSkinVertices(device, { attributeWords: ATTRIBUTE_WORDS, providers: scene.list });
  const { frame, views } = providerMemory(scene, capacity);
  const providers = {
    providerFrame: uploadBuffer(device, frame.words, GPUBufferUsage.UNIFORM),
    providerRows: uploadBuffer(device, views.rows, GPUBufferUsage.STORAGE),
  };
  return { ...own, bind: (plan, buffers) => own.bind(plan, { ...buffers, providers }) };
}

/** Of a stage that nobody runs. */
const NO_DISPATCH = { kernel: { label: '', pipeline: undefined as never }, groups: [], groupCount: 0 };

/** Nobody has a controller. */
const NO_ANIMATORS = planAnimators({ capacity: 0, machines: 0, layers: 0, parameters: 0, hasRoot: false });

function copyArrays(arrays: SceneArrays): SceneArrays {
  return Object.fromEntries(
    Object.entries(arrays).map(([key, array]) => [key, array.slice()]),
  ) as unknown as SceneArrays;
}
