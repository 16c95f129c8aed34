import { adapterName, readSkinRecords } from '../../crowd/tuning/skin-records.ts';
import type { DeviceKind } from '../../device/adapter-kind.ts';
import { FEATURES, type LimitName, LIMITS, meetsLimit, readLimits } from '../../device/limits.ts';
import type { RequestedDevice } from '../../device/request-device.ts';
import { CORE_FEATURE } from '../../device/tier.ts';
import { formatIssue, type Issue, issuesOf } from '../../errors.ts';
import { nodeDevice } from '../../node/node-gpu.ts';
import { tuningCache } from '../../node/tuning-file.ts';
import { chooseKernels } from '../../stages/kernel-choice.ts';
import { describeVariant } from '../../stages/skin-vertices/variant.ts';
import { exitCodeOf, print, printJson } from '../output.ts';
import { version } from '../read.ts';

export interface DoctorOptions {
  readonly json?: boolean;
}

export async function runDoctor({ json }: DoctorOptions): Promise<void> {
  const device = await nodeDevice().catch((thrown: unknown) => ({ thrown }));
  const report = doctorReport({
    device,
    variants: 'device' in device ? describeKernels(device.device) : {},
    ...('device' in device ? { tuning: await describeTuning(device.device) } : {}),
    environment: { maniple: version(), node: process.version, platform: `${process.platform} ${process.arch}` },
  });
  if (json) printJson(report);
  else
    formatDoctorReport(report)
      .split('\n')
      .forEach((line) => print(line));
  if (!report.ok) process.exitCode = exitCodeOf(report.issues);
}

/** The records of `tuneSkinning` for this adapter, in the user's cache folder. */
async function describeTuning({ adapterInfo }: GPUDevice): Promise<DoctorTuning & { issues: readonly Issue[] }> {
  const cache = tuningCache();
  const { records, issues } = await readSkinRecords(cache);
  const meshes = records
    .filter(({ adapter }) => adapter === adapterName(adapterInfo))
    .map(({ name, level, mesh, variant, nanoseconds }) => {
      return { name, level, mesh, variant: describeVariant(variant), nanoseconds };
    });
  return { from: cache.name, meshes, issues };
}

function describeKernels(device: GPUDevice): Record<string, string> {
  const { serialPoses, cachedPalettes, wideSkins, groupThreads } = chooseKernels(device);
  const inGroups = `palettes in workgroup memory, ${wideSkins ? 'two batches' : 'one batch'} of vertices at once`;
  return {
    workgroups: `at most ${wideSkins ? 512 : groupThreads} threads`,
    'pose-joints': serialPoses ? 'one thread per character (software adapter)' : 'one thread per joint',
    'skin-vertices': cachedPalettes ? inGroups : 'palettes in storage (software adapter)',
  };
}

/** Input of {@link doctorReport}. */
interface DoctorInput {
  /** The device, or the error of the request. */
  readonly device: RequestedDevice | { readonly thrown: unknown };
  /** Shader variant of each stage on this device, by stage name. */
  readonly variants?: Readonly<Record<string, string>>;
  /** Earlier measurements on this adapter, and problems with their storage. */
  readonly tuning?: DoctorTuning & { readonly issues: readonly Issue[] };
  /** Exact needs of the stages by limit. They replace the values of {@link LIMITS}. */
  readonly uses?: Readonly<Partial<Record<LimitName, number>>>;
  /** Facts about the program and the machine, such as versions. They are shown unchanged. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Skinning variants of meshes that were measured on this adapter. */
interface DoctorTuning {
  /** Name of their storage. */
  readonly from: string;
  readonly meshes: readonly {
    readonly name: string;
    readonly level: number;
    /** Digest of the mesh. */
    readonly mesh: string;
    /** Chosen variant, in words. */
    readonly variant: string;
    /** Measured time per character. */
    readonly nanoseconds: number;
  }[];
}

/** Report of `maniple doctor`. Plain data: it can be printed as JSON. */
type DoctorReport = ReturnType<typeof doctorReport>;

/** Creates a report about a device, or about the reason for a missing one. It does not access the device itself. */
export function doctorReport({
  device: request,
  variants = {},
  tuning: tuned,
  uses = {},
  environment = {},
}: DoctorInput) {
  const device = 'thrown' in request ? undefined : request;
  const failures = 'thrown' in request ? issuesOf(request.thrown) : [];
  const { issues: warnings = [], ...tuning } = tuned ?? { from: '', meshes: [] };
  const kind: DeviceKind | 'none' = device?.kind ?? 'none';
  const limits = device ? describeLimits(device, uses) : [];
  const tier = device?.tier ?? 'none';
  return {
    /** True if Maniple can run here. */
    ok: device !== undefined && kind !== 'null' && limits.every(({ enough }) => enough),
    kind,
    /** Level of WebGPU; `'none'` without a device. */
    tier,
    tierReason: device ? tierReason(device) : '',
    adapter: device?.info ?? null,
    features: device ? FEATURES.map(({ name, use }) => ({ name, use, state: featureState(name, device) })) : [],
    limits,
    variants,
    tuning: tuned ? tuning : null,
    environment,
    issues: [...failures, ...warnings],
    /** Suggestions, most important first; empty if nothing can be improved. */
    advice: device
      ? [...adviceOnKind(device.kind), ...adviceOnLimits(limits)]
      : [...new Set(failures.flatMap(({ suggestion }) => suggestion ?? []))],
  };
}

/** The reason for a device's tier. */
function tierReason({ tier, adapter }: RequestedDevice): string {
  if (tier === 'core') return 'the adapter has all of WebGPU.';
  if (adapter.features.has(CORE_FEATURE)) return 'it was asked for. The adapter also has the core level.';
  return 'the adapter lacks the core level. Crowds are drawn from textures, by the forward renderer.';
}

/** Availability on the adapter, and state on the device. */
function featureState(name: GPUFeatureName, { adapter, features }: RequestedDevice): string {
  if (!adapter.features.has(name)) return 'not available';
  return features.includes(name) ? 'enabled' : 'not enabled';
}

/** Formats the report as plain text, at most about 110 columns wide. */
export function formatDoctorReport(report: DoctorReport): string {
  const { adapter } = report;
  const names = adapter ? Object.entries(adapter).filter(([, value]) => value !== '') : [];
  const found = { hardware: 'GPU', software: 'software adapter', null: 'null device (runs nothing)', none: 'none' };
  const sections: [string, string[]][] = [
    ['Adapter', table([['kind', found[report.kind]], ...names])],
    ['Tier', report.tier === 'none' ? [] : [`  ${report.tier}: ${report.tierReason}`]],
    ['Environment', table(Object.entries(report.environment))],
    ['Features', table(report.features.map(({ name, state, use }) => [name, state, use]))],
    ['Limits', report.limits.length > 0 ? table([LIMIT_COLUMNS, ...report.limits.map(limitCells)], [1, 2, 3, 4]) : []],
    ['Shader variants', table(Object.entries(report.variants))],
    ['Tuned skinning', report.tuning ? tuningLines(report.tuning) : []],
    ['Problems', report.issues.map((issue) => `  ${formatIssue(issue)}`)],
    ['What to do', report.advice.map((line) => `  ${line}`)],
    ['Result', [report.ok ? '  Maniple runs here.' : '  Maniple cannot run here.']],
  ];
  return sections
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => `${title}\n${lines.join('\n')}\n`)
    .join('\n');
}

function tuningLines({ from, meshes }: DoctorTuning): string[] {
  if (meshes.length === 0) return [`  nothing yet in ${from}`];
  const cells = meshes.map(({ name, level, variant, nanoseconds }) => [
    `${name}, level ${level}`,
    variant,
    `${(nanoseconds / 1000).toFixed(3)} µs per character`,
  ]);
  return [`  from ${from}`, ...table(cells)];
}

/** Limits with the default of the device's level, the adapter's maximum and the device's value; null if it does not know the limit. */
function describeLimits({ adapter, limits, tier }: RequestedDevice, uses: NonNullable<DoctorInput['uses']>) {
  const granted = readLimits(adapter.limits);
  return LIMITS.map(({ name, use, standard: core, compatibility, needed }) => {
    const standard = tier === 'core' ? core : compatibility;
    const bound = uses[name] ?? needed;
    const device = limits[name] ?? null;
    const enough = device === null || meetsLimit(name, device, bound);
    return { name, use, needed: bound, standard, adapter: granted[name] ?? null, device, enough };
  });
}

type Limit = ReturnType<typeof describeLimits>[number];

function adviceOnKind(kind: DeviceKind): string[] {
  if (kind === 'software') {
    return ['This adapter runs on the CPU: right, but slow. Install a GPU driver with Vulkan, Metal or Direct3D 12.'];
  }
  return kind === 'null' ? ['Unset MANIPLE_GPU, or set it to auto: the null device runs nothing.'] : [];
}

function adviceOnLimits(limits: readonly Limit[]): string[] {
  return limits
    .filter(({ enough }) => !enough)
    .map(({ name, adapter, needed }) =>
      adapter !== null && meetsLimit(name, adapter, needed)
        ? `Request the device with limits: 'adapter': ${name} can be ${adapter}, and ${needed} is needed.`
        : `This adapter cannot run Maniple: ${name} is ${adapter ?? 'unknown'}, and ${needed} is needed.`,
    );
}

const LIMIT_COLUMNS: readonly string[] = ['', 'device', 'adapter', 'default', 'needed', ''];

function limitCells({ name, use, device, adapter, standard, needed, enough }: Limit): string[] {
  const cell = (value: number | null) => (value === null ? '–' : String(value));
  return [name, cell(device), cell(adapter), cell(standard), cell(needed), enough ? use : `TOO LOW (${use})`];
}

/** Aligns columns. Those with an index in `right` are aligned to the right. */
function table(rows: readonly (readonly string[])[], right: readonly number[] = []): string[] {
  const widths: number[] = [];
  for (const cells of rows) cells.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, cell.length)));
  return rows.map((cells) => {
    const padded = cells.map((cell, i) =>
      right.includes(i) ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0),
    );
    return `  ${padded.join('  ')}`.trimEnd();
  });
}
