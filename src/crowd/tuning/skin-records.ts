import { reasonOf, warning, type Issue, quoted } from '../../errors.ts';
import { describeAdapter } from '../../device/adapter-kind.ts';
import { isVariant, type SkinVariant } from '../../stages/skin-vertices/variant.ts';

/** Where measurements are kept from run to run: a Map, two functions around `localStorage`, or a file (`tuningCache` of maniple/node). */
export interface TuningCache {
  /** Where it is, for people. */
  readonly name?: string;
  get(key: string): string | null | undefined | Promise<string | null | undefined>;
  set(key: string, text: string): unknown;
}

/** Measurement of one mesh on one adapter. */
export interface SkinRecord {
  /** The adapter's own words. */
  readonly adapter: string;
  /** Digest of the mesh, and of the kernels that were measured. */
  readonly mesh: string;
  /** Name of the character, for people. */
  readonly name: string;
  readonly level: number;
  readonly variant: SkinVariant;
  /** Nanoseconds per character. */
  readonly nanoseconds: number;
}

/** Key of the records. */
export const SKIN_RECORDS_KEY = 'maniple-skinning';
const VERSION = 1;
const TEXT_LIMIT = 2 ** 20;
/** The oldest go first. */
const RECORD_LIMIT = 1024;
const NAME_LIMIT = 256;

/** Records as they were kept; none, and a warning, where they cannot be used. */
export async function readSkinRecords(cache: TuningCache): Promise<{ records: SkinRecord[]; issues: Issue[] }> {
  const ignored = (reason: string) => {
    const message = `Cached tuning is ignored: ${reason}.`;
    const suggestion = 'It is rewritten when a mesh is measured.';
    const issue = warning('TUNING_CACHE_UNUSABLE', cache.name ?? 'cache', message, suggestion);
    return { records: [], issues: [issue] };
  };
  try {
    const text = await cache.get(SKIN_RECORDS_KEY);
    if (text === undefined || text === null) return { records: [], issues: [] };
    if (typeof text !== 'string' || text.length > TEXT_LIMIT)
      return ignored(`it is not text, or has over ${TEXT_LIMIT} letters`);
    const { version, records } = JSON.parse(text) as { version?: unknown; records?: unknown };
    if (version !== VERSION) return ignored(`it is of version ${quoted(version)}, not ${VERSION}`);
    if (!Array.isArray(records) || records.length > RECORD_LIMIT || !records.every(isRecord)) {
      return ignored('it has malformed records');
    }
    return { records, issues: [] };
  } catch (thrown) {
    return ignored(reasonOf(thrown));
  }
}

/** Keeps records, the newest last; a warning where that fails. */
export async function writeSkinRecords(cache: TuningCache, records: readonly SkinRecord[]): Promise<Issue[]> {
  try {
    await cache.set(
      SKIN_RECORDS_KEY,
      `${JSON.stringify({ version: VERSION, records: records.slice(-RECORD_LIMIT) })}\n`,
    );
    return [];
  } catch (thrown) {
    const message = `The measurements cannot be stored: ${reasonOf(thrown)}.`;
    return [warning('TUNING_CACHE_UNUSABLE', cache.name ?? 'cache', message, 'It is measured again next time.')];
  }
}

function isRecord(value: unknown): value is SkinRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { adapter, mesh, name, level, variant, nanoseconds } = value as Partial<Record<keyof SkinRecord, unknown>>;
  const isShort = (text: unknown) => typeof text === 'string' && text.length <= NAME_LIMIT;
  return [adapter, mesh, name].every(isShort) && isCount(level) && isVariant(variant) && Number.isFinite(nanoseconds);
}

const isCount = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0;

/** Key of an adapter's records. */
export function adapterName(info: GPUAdapterInfo | undefined): string {
  const { vendor, architecture, device, description } = describeAdapter(info);
  return [vendor, architecture, device, description].filter(Boolean).join(', ').slice(0, 256);
}
