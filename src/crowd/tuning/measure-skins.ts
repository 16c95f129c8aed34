import type { Character } from '../../character/character.ts';
import { adapterKind } from '../../device/adapter-kind.ts';
import { type Issue, fail } from '../../errors.ts';
import { joinTables, type CrowdTables } from '../../frame/tables/crowd-types.ts';
import { chooseKernels, type SkinChoice } from '../../stages/kernel-choice.ts';
import { kernels } from '../../stages/skin-vertices/kernel.gen.ts';
import { candidateVariants, ruleVariant, sameVariant, type SkinVariant } from '../../stages/skin-vertices/variant.ts';
import { adapterName, readSkinRecords, writeSkinRecords, type SkinRecord, type TuningCache } from './skin-records.ts';
import { mapBuffer } from '../../device/device-loss.ts';
import { View } from '../../layout/index.ts';
import { BinRecord, WriteRangesParams } from '../../stages/cull-characters/layout.ts';
import { writeRanges, type WriteRangesViews } from '../../stages/cull-characters/write-ranges.ts';
import { encodeDispatch, type Dispatch } from '../../stages/kernel.ts';
import { VERTEX_ROW_BYTES, VISIBLE_WORDS_SHIFT, VisibleCharacter } from '../../stages/layout.ts';
import { planSkins } from '../../stages/skin-vertices/plan.ts';
import { createSkinVertices } from '../../stages/skin-vertices/stage.ts';
import { bindingBytes, createBuffer, createStorage, createTargets } from '../../frame/tables/memory.ts';
import { viewOf } from '../../frame/tables/column.ts';
import { skinRun } from '../../frame/tables/plan.ts';
import { Targets } from '../../frame/tables/targets.ts';

/** The chosen variant of a mesh, and the reason. */
export interface TunedMesh extends SkinChoice {
  /** Digest of the mesh and the kernels: the key of its record. */
  readonly digest: string;
  /** Measured now, measured before, or the rule that applies without tuning. */
  readonly source: 'measured' | 'cache' | 'rule';
  /** Why nothing was measured, where it is the rule's. */
  readonly reason?: 'software adapter' | 'no timestamp queries';
  /** Nanoseconds per character, of all variants that were measured now. */
  readonly timed: readonly TimedVariant[];
}

/** For `createCrowd`: `kernels: { skinning }`. */
export interface SkinTuning {
  /** The adapter's own words; empty where it has none, and then nothing is kept. */
  readonly adapter: string;
  readonly meshes: readonly TunedMesh[];
  /** Warnings of the cache, TUNING_CACHE_UNUSABLE. */
  readonly issues: readonly Issue[];
}

/** Least saving of another variant, so that noise does not decide. */
const GAIN = 0.03;

/** The work of `tuneSkinning`, loaded on demand. */
export async function measureSkins(
  device: GPUDevice,
  characters: readonly Character[],
  cache: TuningCache | undefined,
): Promise<SkinTuning> {
  const adapter = adapterName(device.adapterInfo);
  const kept = adapter === '' ? undefined : cache;
  const { records, issues } = kept ? await readSkinRecords(kept) : { records: [], issues: [] };
  const fresh: SkinRecord[] = [];
  const meshes: TunedMesh[] = [];
  for (const character of new Set(characters)) {
    const tables = joinTables([character], { serialPoses: false, layers: false });
    for (const level of tables.types[0]!.levels.keys()) {
      const digest = await digestOf(tables, level);
      const known = records.find((record) => record.adapter === adapter && record.mesh === digest);
      const tuned = await tuneMesh(device, tables, { level, digest }, known);
      meshes.push(tuned);
      const { nanoseconds } = tuned.timed.find(({ variant }) => sameVariant(variant, tuned.variant)) ?? {};
      if (nanoseconds === undefined) continue;
      const [name, { variant }] = [character.name.slice(0, 256), tuned];
      fresh.push({ adapter, mesh: digest, name, level, variant, nanoseconds });
    }
  }
  const unsaved = kept && fresh.length > 0 ? await writeSkinRecords(kept, [...records, ...fresh]) : [];
  return { adapter, meshes, issues: [...issues, ...unsaved] };
}

async function tuneMesh(
  device: GPUDevice,
  tables: CrowdTables,
  place: { readonly level: number; readonly digest: string },
  known: SkinRecord | undefined,
): Promise<TunedMesh> {
  const { character, paletteCount } = tables.types[0]!;
  const rule = ruleVariant(paletteCount, chooseKernels(device).cachedPalettes);
  const mesh = { character, ...place, timed: [] };
  const byRule = (reason: TunedMesh['reason'] & string): TunedMesh => ({
    ...mesh,
    variant: rule,
    source: 'rule',
    reason,
  });
  if (adapterKind(device.adapterInfo) !== 'hardware') return byRule('software adapter');
  if (known) return { ...mesh, variant: known.variant, source: 'cache' };
  if (!device.features.has('timestamp-query')) return byRule('no timestamp queries');
  const timed = await timeSkinning(device, tables, place.level, candidateVariants(paletteCount));
  return { ...mesh, variant: fastest(timed, rule), source: 'measured', timed };
}

/** The fastest variant, if it saves enough compared with the rule's. */
export function fastest(timed: readonly TimedVariant[], rule: SkinVariant): SkinVariant {
  const best = timed.reduce((a, b) => (b.nanoseconds < a.nanoseconds ? b : a));
  const usual = timed.find(({ variant }) => sameVariant(variant, rule));
  return usual && best.nanoseconds > usual.nanoseconds * (1 - GAIN) ? rule : best.variant;
}

/** Digest of a mesh and its skinning kernels: another version of the kernels is measured again. */
async function digestOf({ types, geometry }: CrowdTables, level: number): Promise<string> {
  const { levels, paletteCount } = types[0]!;
  const end = levels[level + 1]?.geometryRow;
  const mesh = geometry.subarray(4 * levels[level]!.geometryRow, end === undefined ? geometry.length : 4 * end);
  const text = new TextEncoder().encode(`${paletteCount} ${JSON.stringify(kernels)}`);
  const bytes = new Uint8Array(text.length + mesh.byteLength);
  bytes.set(text);
  bytes.set(new Uint8Array(mesh.buffer, mesh.byteOffset, mesh.byteLength), text.length);
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Measured time of a variant. */
export interface TimedVariant {
  readonly variant: SkinVariant;
  /** Nanoseconds per character: the median of the rounds. */
  readonly nanoseconds: number;
}

/** Characters per measurement: enough to fill a GPU, and fewer if that already takes long. */
const [FEWEST, MOST] = [64, 512];
/** A normal and a tangent. */
const ATTRIBUTE_WORDS = 2;
/** Maximum vertices to write: 80 MiB. A mesh is skinned fewer than 64 times if 64 copies exceed this. */
const VERTEX_LIMIT = 2 ** 22;
/** Nanoseconds that one pass should take, so that a timestamp's step (0.1 ms in some browsers) is a small part of it. */
const PASS = 2e6;
/** Maximum repetitions of the dispatches in a pass. */
const MOST_REPEATS = 64;
const ROUNDS = 7;
/** Milliseconds after which no further round begins. */
const ENOUGH = 150;

/**
 * Times variants of skin-vertices on a level of the first type of these tables, by timestamp queries. The variants take turns,
 * round after round. The first round is a warm-up. Takes some 100 ms on a GPU, and VRAM for 64 to 512 copies of the mesh.
 *
 * @param tables Tables of one character. The device must have the feature `timestamp-query`.
 * @throws ManipleError DEVICE_LOST
 */
export async function timeSkinning(
  device: GPUDevice,
  tables: CrowdTables,
  level: number,
  variants: readonly SkinVariant[],
): Promise<TimedVariant[]> {
  const scene = new SkinScene(device, tables, level);
  try {
    const tasks = variants.map((variant) => ({ variant, bound: scene.bind(variant), times: [] as number[] }));
    for (const { bound } of tasks) await scene.time(bound, FEWEST, 1); // compiles
    const least = await scene.time(tasks[0]!.bound, FEWEST, 1);
    const perCharacter = least / Math.min(FEWEST, scene.capacity);
    const count = perCharacter * MOST <= 2 * PASS ? MOST : FEWEST;
    const repeats = Math.max(1, Math.min(MOST_REPEATS, Math.round(PASS / Math.max(1, perCharacter * count))));
    const start = performance.now();
    for (let round = 0; round < ROUNDS && (round < 2 || performance.now() - start < ENOUGH); round++) {
      for (const { bound, times } of tasks) {
        const time = await scene.time(bound, count, repeats);
        if (round > 0) times.push(time / (repeats * Math.min(count, scene.capacity)));
      }
    }
    return tasks.map(({ variant, times }) => ({
      variant,
      nanoseconds: times.sort((a, b) => a - b)[times.length >> 1]!,
    }));
  } finally {
    scene.destroy();
  }
}

interface BoundVariant {
  /** Targets of its dispatches. `targets`: their GPU copy. `placing`: the plans by which they are written. */
  readonly words: Uint32Array<ArrayBuffer>;
  readonly targets: GPUBuffer;
  readonly placing: Pick<WriteRangesViews, 'params' | 'dispatches' | 'plans' | 'draws'>;
  readonly dispatches: readonly { readonly dispatch: Dispatch; readonly groupCountWord: number }[];
}

/** Many copies of one mesh with palettes at rest: buffers like those of a crowd, and timestamp queries. */
class SkinScene {
  readonly capacity: number;
  readonly #device: GPUDevice;
  readonly #tables: CrowdTables;
  readonly #level: number;
  readonly #owned: { destroy(): void }[] = [];
  readonly #buffers: Record<'visible' | 'palettes' | 'geometry' | 'skinned', GPUBuffer>;
  readonly #queries: GPUQuerySet;
  readonly #resolved: GPUBuffer;
  readonly #times: GPUBuffer;

  constructor(device: GPUDevice, tables: CrowdTables, level: number) {
    [this.#device, this.#tables, this.#level] = [device, tables, level];
    const type = tables.types[0]!;
    const { vertexCount, geometryRow } = type.levels[level]!;
    const bytes = bindingBytes(device);
    // a row for its position, and one for normal and tangent
    const vertices = Math.min(VERTEX_LIMIT, bytes / (2 * VERTEX_ROW_BYTES));
    const palettes = bytes / (16 * Math.max(1, type.paletteStride));
    this.capacity = Math.max(1, Math.min(MOST, Math.floor(vertices / vertexCount), Math.floor(palettes)));
    const visible = new View(VisibleCharacter, this.capacity);
    const rows = new Float32Array(4 * this.capacity * type.paletteStride);
    for (let i = 0; i < this.capacity; i++) {
      const paletteRow = i * type.paletteStride;
      const currentVertexOffset = i * vertexCount;
      const parts = [0xffffffff, 0xffffffff];
      const attributeWord = 2 * vertexCount * (this.capacity + i);
      const slot = { currentVertexOffset, attributeWord, detail: ATTRIBUTE_WORDS << VISIBLE_WORDS_SHIFT };
      visible.assign(i, { character: i, geometryRow, paletteRow, ...slot, parts, views: 0xffffffff });
      for (let r = 0; r < 3 * type.paletteCount; r++) rows[4 * (paletteRow + r) + (r % 3)] = 1;
    }
    const own = <T extends { destroy(): void }>(resource: T): T => (this.#owned.push(resource), resource);
    const storage = (label: string, content: number | Uint32Array<ArrayBuffer>) =>
      own(createStorage(device, label, content));
    this.#buffers = {
      visible: storage('tuned visible', visible.words),
      palettes: storage('tuned palettes', new Uint32Array(rows.buffer)),
      geometry: storage('tuned geometry', tables.geometry),
      skinned: storage('tuned vertices', 2 * this.capacity * vertexCount * VERTEX_ROW_BYTES),
    };
    this.#queries = own(device.createQuerySet({ label: 'tuning', type: 'timestamp', count: 2 }));
    const { QUERY_RESOLVE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
    this.#resolved = own(createBuffer(device, 'tuning', QUERY_RESOLVE | COPY_SRC, 16));
    this.#times = own(createBuffer(device, 'tuning', MAP_READ | COPY_DST, 16));
  }

  /** Creates the dispatches of a variant, with a range per run of batches. */
  bind(variant: SkinVariant): BoundVariant {
    const device = this.#device;
    const choice = { meshes: [{ character: this.#tables.types[0]!.character, level: this.#level, variant }] };
    const stage = createSkinVertices(device, { attributeWords: ATTRIBUTE_WORDS });
    const run = skinRun(this.#tables.types[0]!, this.#level, 0, choice);
    const planned = new Targets();
    const { wideSkins, groupThreads } = chooseKernels(device);
    const plans = planSkins([run], variant.cached, wideSkins, groupThreads).map((plan) => ({
      plan,
      at: planned.addDispatch(plan),
    }));
    const { words, dispatches, ranges, draws } = planned.build();
    const params = viewOf(WriteRangesParams, [{ dispatchCount: dispatches.count }]);
    const targets = createTargets(device, words);
    this.#owned.push(targets);
    return {
      words,
      targets,
      placing: { params, dispatches, plans: ranges, draws },
      dispatches: plans.map(({ plan, at: { rangesByte, rangesBytes } }) => {
        const dispatch = { buffer: targets, offset: rangesByte, size: rangesBytes };
        return {
          // the number of workgroups is set when it is timed
          dispatch: stage.bind(plan, { ...this.#buffers, dispatch }, 0),
          groupCountWord: (rangesByte + plan.groupCountByte) / 4,
        };
      }),
    };
  }

  /** Nanoseconds of a pass that skins `characters` characters `repeats` times. */
  async time(bound: BoundVariant, characters: number, repeats: number): Promise<number> {
    const device = this.#device;
    const { words, targets } = bound;
    const bins = viewOf(BinRecord, [{ first: 0, served: Math.min(characters, this.capacity) }]);
    writeRanges({ ...bound.placing, bins, targets: words });
    device.queue.writeBuffer(targets, 0, words);
    const dispatches = bound.dispatches.map(({ dispatch, groupCountWord }) => {
      return { ...dispatch, groupCount: words[groupCountWord]! };
    });
    const encoder = device.createCommandEncoder({ label: 'tuning' });
    const timestampWrites = { querySet: this.#queries, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 };
    const pass = encoder.beginComputePass({ label: 'tuning', timestampWrites });
    for (let i = 0; i < repeats; i++) for (const dispatch of dispatches) encodeDispatch(pass, dispatch);
    pass.end();
    encoder.resolveQuerySet(this.#queries, 0, 2, this.#resolved, 0);
    encoder.copyBufferToBuffer(this.#resolved, 0, this.#times, 0, 16);
    device.queue.submit([encoder.finish()]);
    if (!(await mapBuffer(device, this.#times, GPUMapMode.READ))) fail('INTERNAL', 'tuning', 'The buffer is gone.');
    const [begin, end] = new BigUint64Array(this.#times.getMappedRange(0, 16).slice(0)) as unknown as [bigint, bigint];
    this.#times.unmap();
    // some drivers' clocks step back between two queries
    return Math.max(0, Number(end - begin));
  }

  destroy(): void {
    for (const resource of this.#owned) resource.destroy();
  }
}
