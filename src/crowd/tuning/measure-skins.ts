import type { Character } from '../../character/character.ts';
import { adapterKind } from '../../device/adapter-kind.ts';
import type { Issue } from '../../errors.ts';
import { timeSkinning, type TimedVariant } from './time-skinning.ts';
import { joinTables, type CrowdTables } from '../../frame/tables/crowd-types.ts';
import { chooseKernels, type SkinChoice } from '../../stages/kernel-choice.ts';
import { kernels } from '../../stages/skin-vertices/kernel.gen.ts';
import { candidateVariants, ruleVariant, sameVariant, type SkinVariant } from '../../stages/skin-vertices/variant.ts';
import { adapterName, readSkinRecords, writeSkinRecords, type SkinRecord, type TuningCache } from './skin-records.ts';

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
      fresh.push({
        adapter,
        mesh: digest,
        name: character.name.slice(0, 256),
        level,
        variant: tuned.variant,
        nanoseconds,
      });
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
