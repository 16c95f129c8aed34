import type { Character } from '../../src/asset/character.ts';
import { RigTable } from '../../src/asset/clip-format.ts';
import { bindPage, createStages } from '../../src/frame/bind-page.ts';
import { planAnimators } from '../../src/animator/regions.ts';
import { runPageStages, type PageStageName } from '../../src/frame/frame.ts';
import { CrowdMemory, PageMemory } from '../../src/frame/gpu-memory.ts';
import { pageSize } from '../../src/frame/page-size.ts';
import { Page } from '../../src/frame/page.ts';
import { joinTables, type CrowdTables } from '../../src/frame/types.ts';
import { variantsByGeometry } from '../../src/frame/cpu-backend.ts';
import { View } from '../../src/layout/index.ts';
import { splitSeconds } from '../../src/shaders/fixed.ts';
import { Modifier, PLAYER_NONE, Player } from '../../src/stages/gather-motions/layout.ts';
import { encodeDispatch } from '../../src/stages/kernel.ts';
import type { KernelChoice } from '../../src/stages/kernel-choice.ts';
import { FrameParams, MOTION_ROWS, SLOT_FRESH, SlotState, VisibleCharacter } from '../../src/stages/layout.ts';
import { ProviderFrame } from '../../src/stages/skin-vertices/layout.ts';
import type { ProviderViews } from '../../src/stages/skin-vertices/provider-twins.ts';
import { createSkinVertices, type SkinVertices } from '../../src/stages/skin-vertices/stage.ts';
import { readBuffer, uploadBuffer } from './gpu.ts';

export interface SceneOptions {
  /** Characters of each type. */
  readonly each: number;
  readonly motionCapacity: number;
  readonly kernels: KernelChoice;
  /** Motions may play with left and right exchanged. Default false. */
  readonly mirror?: boolean;
  /** Words that follow the rig table: masks, mirror tables. */
  readonly extraRigWords?: readonly number[];
  /** What skin-vertices sends vertices through. Default: nothing. */
  readonly providers?: ProviderViews;
}

/** What stages read and write, as arrays. */
export interface SceneArrays {
  readonly visible: Uint32Array<ArrayBuffer>;
  readonly slots: Uint32Array<ArrayBuffer>;
  readonly motions: Uint32Array<ArrayBuffer>;
  readonly palettes: Uint32Array<ArrayBuffer>;
  readonly skinned: Uint32Array<ArrayBuffer>;
  readonly skinnedTangents: Uint32Array<ArrayBuffer>;
}

/**
 * A page of characters whose memory a test can fill at will, to run one stage on it: its twin, or the kernels. Bound
 * and dispatched by the frame's own code.
 */
export class StageScene {
  readonly tables: CrowdTables;
  readonly page: Page;
  readonly params: View<(typeof FrameParams)['fields']> = new View(FrameParams, 1);
  readonly players: View<(typeof Player)['fields']>;
  readonly arrays: SceneArrays;
  /** Pair of the rig table where the extra words begin. */
  readonly extraPair: number;
  readonly options: SceneOptions;

  constructor(characters: readonly Character[], options: SceneOptions) {
    const { each, motionCapacity, kernels, mirror = false, extraRigWords = [] } = options;
    this.options = options;
    const tables = joinTables(characters, { serialPoses: kernels.serialPoses, layers: true, mirror });
    const rig = new RigTable(Uint32Array.from([...tables.rig.words, ...extraRigWords, 0, 0, 0, 0]));
    this.extraPair = tables.rig.words.length / 2;
    this.tables = { ...tables, rig };
    const { types } = tables;
    const count = each * types.length;
    const sizes = types.map((type) => {
      const demand = { type, types, coming: count, living: 0, capacity: count };
      return pageSize(demand, Infinity, { vertexCapacity: 1e9, paletteRowCapacity: 1e9, visibleCapacity: count })!;
    });
    const most = (key: 'vertexCapacity' | 'paletteRowCapacity') => Math.max(...sizes.map((size) => size[key]));
    const vertexCapacity = most('vertexCapacity');
    const paletteRowCapacity = most('paletteRowCapacity');
    this.page = new Page({ vertexCapacity, paletteRowCapacity, visibleCapacity: count }, motionCapacity);
    for (let i = 0; i < count; i++) this.page.add(types[Math.floor(i / each)]!, i);
    this.players = new View(Player, count * motionCapacity);
    for (let row = 0; row < this.players.count; row++) this.players.set(row, 'clip', PLAYER_NONE);
    const sizeOfParams = { visibleCount: count, playerCapacity: motionCapacity, motionCapacity };
    this.params.assign(0, sizeOfParams);
    this.arrays = {
      visible: this.page.visible.view.words,
      slots: new View(SlotState, count).words.fill(SLOT_FRESH),
      motions: new Uint32Array(count * motionCapacity * MOTION_ROWS * 4),
      palettes: new Uint32Array(paletteRowCapacity * 4),
      skinned: new Uint32Array(vertexCapacity * 4),
      skinnedTangents: new Uint32Array(vertexCapacity),
    };
  }

  set time(time: bigint) {
    const [timeLow, timeHigh] = splitSeconds(time);
    this.params.assign(0, { timeLow, timeHigh });
  }

  /** Runs a stage's twin on copies of the arrays, and returns them. */
  onTwin(wanted: PageStageName): SceneArrays {
    const after = copyArrays(this.arrays);
    const { tables, params, players, page, options } = this;
    const views = {
      params,
      players,
      modifiers: new View(Modifier, 0),
      regions: NO_ANIMATORS.regions,
      animators: new Uint32Array(),
      visible: new View(VisibleCharacter, after.visible.buffer),
      visibleCount: page.visibleCount,
      motionCapacity: options.motionCapacity,
      slots: new View(SlotState, after.slots.buffer),
      rig: tables.rig,
      motions: after.motions,
      palettes: new Float32Array(after.palettes.buffer),
      geometry: tables.geometry,
      variantOf: variantsByGeometry(tables.types),
      skinned: after.skinned,
      skinnedTangents: after.skinnedTangents,
      ...(options.providers ? { providers: options.providers } : {}),
    };
    runPageStages(views, (stage, run) => stage === wanted && run());
    return after;
  }

  /**
   * Runs a stage's kernels on copies of the arrays, and returns them.
   * @param dimensionLimit Workgroups in one dispatch dimension; default: WebGPU's limit.
   */
  async onGpu(device: GPUDevice, wanted: PageStageName, dimensionLimit?: number): Promise<SceneArrays> {
    const { page, options, tables, players, params } = this;
    const { motionCapacity, kernels } = options;
    const crowd = new CrowdMemory(device, {
      tables,
      capacity: page.visibleCount,
      playerCapacity: motionCapacity,
      modifierCapacity: 0,
      animators: NO_ANIMATORS,
      controllers: undefined,
      eventCapacity: 0,
    });
    const memory = new PageMemory(device, page.size, motionCapacity);
    const { skinned, skinnedTangents } = memory;
    const write = (buffer: GPUBuffer, { buffer: bytes, byteOffset, byteLength }: Uint32Array<ArrayBuffer>, at = 0) =>
      device.queue.writeBuffer(buffer, at, bytes, byteOffset, byteLength);
    const { arrays } = this;
    write(memory.params, params.words);
    write(crowd.players, players.words);
    write(crowd.slots, arrays.slots);
    write(memory.visible, arrays.visible);
    write(memory.motions, arrays.motions);
    write(memory.palettes, arrays.palettes);
    write(memory.vertices, arrays.skinned);
    write(memory.vertices, arrays.skinnedTangents, skinnedTangents.offset);
    const ranges: GPUBuffer[] = [];
    const stages = createStages(device, { controllers: false, root: false, trees: false });
    const dispatches = bindPage(
      { ...stages, skinVertices: withProviders(device, options.providers, stages.skinVertices) },
      { page, crowd, memory, motionCapacity, kernels },
      (data) => {
        const buffer = uploadBuffer(device, new Uint8Array(data), GPUBufferUsage.UNIFORM);
        ranges.push(buffer);
        return buffer;
      },
    );
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    for (const dispatch of dispatches[wanted]) encodeDispatch(pass, dispatch, dimensionLimit);
    pass.end();
    device.queue.submit([encoder.finish()]);
    const read = async (buffer: GPUBuffer, { byteLength }: Uint32Array, offset = 0) =>
      new Uint32Array(await readBuffer(device, buffer, offset, byteLength));
    const after = {
      visible: await read(memory.visible, arrays.visible),
      slots: await read(crowd.slots, arrays.slots),
      motions: await read(memory.motions, arrays.motions),
      palettes: await read(memory.palettes, arrays.palettes),
      skinned: await read(skinned.buffer, arrays.skinned),
      skinnedTangents: await read(skinned.buffer, arrays.skinnedTangents, skinnedTangents.offset),
    };
    crowd.destroy();
    memory.destroy();
    for (const buffer of ranges) buffer.destroy();
    return after;
  }
}

/** The stage with its providers, bound to what their twins read. */
function withProviders(device: GPUDevice, views: ProviderViews | undefined, stage: SkinVertices): SkinVertices {
  if (!views) return stage;
  const { list, time, frame, viewMasks, rows } = views;
  const own = createSkinVertices(device, { providers: list });
  const params = new View(ProviderFrame, 1);
  params.assign(0, { time, frame });
  const providers = {
    providerFrame: uploadBuffer(device, params.words, GPUBufferUsage.UNIFORM),
    viewMasks: uploadBuffer(device, viewMasks, GPUBufferUsage.STORAGE),
    providerRows: uploadBuffer(device, rows.length > 0 ? rows : new Float32Array(4), GPUBufferUsage.STORAGE),
  };
  return { ...own, bind: (plan, buffers) => own.bind(plan, { ...buffers, providers }) };
}

/** Nobody has a controller. */
const NO_ANIMATORS = planAnimators({ capacity: 0, machines: 0, layers: 0, parameters: 0, hasRoot: false });

function copyArrays(arrays: SceneArrays): SceneArrays {
  return Object.fromEntries(
    Object.entries(arrays).map(([key, array]) => [key, array.slice()]),
  ) as unknown as SceneArrays;
}
