import { formatIssue, issuesOf, type Issue } from '../errors.ts';
import { FEATURES, LIMITS, meetsLimit, readLimits, type LimitName } from '../device/limits.ts';
import type { AdapterDescription, DeviceKind } from '../device/adapter-kind.ts';
import type { RequestedDevice } from '../device/request-device.ts';

/** Input of {@link doctorReport}. */
export interface DoctorInput {
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
export interface DoctorTuning {
  /** Name of their storage. */
  readonly from: string;
  readonly meshes: readonly DoctorMesh[];
}

/** A mesh that was measured. */
export interface DoctorMesh {
  readonly name: string;
  readonly level: number;
  /** Digest of the mesh. */
  readonly mesh: string;
  /** Chosen variant, in words. */
  readonly variant: string;
  /** Measured time per character. */
  readonly nanoseconds: number;
}

/** One line of the report's limits. Smaller is better for offset alignments, larger for all others. */
export interface DoctorLimit {
  readonly name: LimitName;
  readonly use: string;
  /** Value that Maniple needs. */
  readonly needed: number;
  /** WebGPU's default, which every device has. */
  readonly standard: number;
  /** The adapter's maximum; null if it does not know the limit. */
  readonly adapter: number | null;
  /** The device's value; null if it does not know the limit. */
  readonly device: number | null;
  readonly enough: boolean;
}

/** One line of the report's features. */
export interface DoctorFeature {
  readonly name: string;
  readonly use: string;
  /** Availability on the adapter, and state on the device. */
  readonly state: 'enabled' | 'not enabled' | 'not available';
}

/** Report of `maniple doctor`. Plain data: it can be printed as JSON. */
export interface DoctorReport {
  /** True if Maniple can run here. */
  readonly ok: boolean;
  readonly kind: DeviceKind | 'none';
  readonly adapter: AdapterDescription | null;
  readonly features: readonly DoctorFeature[];
  readonly limits: readonly DoctorLimit[];
  readonly variants: Readonly<Record<string, string>>;
  /** Null if the input had no tuning. */
  readonly tuning: DoctorTuning | null;
  readonly environment: Readonly<Record<string, string>>;
  readonly issues: readonly Issue[];
  /** Suggestions, most important first; empty if nothing can be improved. */
  readonly advice: readonly string[];
}

/** Creates a report about a device, or about the reason for a missing one. It does not access the device itself. */
export function doctorReport(input: DoctorInput): DoctorReport {
  const { device, variants = {}, uses = {}, environment = {} } = input;
  const { issues: warnings = [], ...tuned } = input.tuning ?? { from: '', meshes: [] };
  const tuning = input.tuning ? tuned : null;
  if ('thrown' in device) {
    const issues = issuesOf(device.thrown);
    const advice = [...new Set(issues.flatMap(({ suggestion }) => suggestion ?? []))];
    const nothing = { kind: 'none', adapter: null, features: [], limits: [] } as const;
    return { ok: false, ...nothing, variants, tuning, environment, issues: [...issues, ...warnings], advice };
  }
  const limits = describeLimits(device, uses);
  const features = FEATURES.map(({ name, use }): DoctorFeature => {
    const state = device.features.includes(name) ? 'enabled' : 'not enabled';
    return { name, use, state: device.adapter.features.has(name) ? state : 'not available' };
  });
  return {
    ok: device.kind !== 'null' && limits.every(({ enough }) => enough),
    kind: device.kind,
    adapter: device.info,
    features,
    limits,
    variants,
    tuning,
    environment,
    issues: warnings,
    advice: [...adviceOnKind(device.kind), ...adviceOnLimits(limits)],
  };
}

/** Formats the report as plain text, at most about 110 columns wide. */
export function formatDoctorReport(report: DoctorReport): string {
  const { adapter } = report;
  const names = adapter ? Object.entries(adapter).filter(([, value]) => value !== '') : [];
  const found = { hardware: 'GPU', software: 'software adapter', null: 'null device (runs nothing)', none: 'none' };
  const sections: [string, string[]][] = [
    ['Adapter', table([['kind', found[report.kind]], ...names])],
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

function describeLimits({ adapter, limits }: RequestedDevice, uses: DoctorInput['uses'] = {}): DoctorLimit[] {
  const granted = readLimits(adapter.limits);
  return LIMITS.map(({ name, use, standard, needed }) => {
    const bound = uses[name] ?? needed;
    const device = limits[name] ?? null;
    const enough = device === null || meetsLimit(name, device, bound);
    return { name, use, needed: bound, standard, adapter: granted[name] ?? null, device, enough };
  });
}

function adviceOnKind(kind: DeviceKind): string[] {
  if (kind === 'software') {
    return ['This adapter runs on the CPU: right, but slow. Install a GPU driver with Vulkan, Metal or Direct3D 12.'];
  }
  return kind === 'null' ? ['Unset MANIPLE_GPU, or set it to auto: the null device runs nothing.'] : [];
}

function adviceOnLimits(limits: readonly DoctorLimit[]): string[] {
  return limits
    .filter(({ enough }) => !enough)
    .map(({ name, adapter, needed }) =>
      adapter !== null && meetsLimit(name, adapter, needed)
        ? `Request the device with limits: 'adapter': ${name} can be ${adapter}, and ${needed} is needed.`
        : `This adapter cannot run Maniple: ${name} is ${adapter ?? 'unknown'}, and ${needed} is needed.`,
    );
}

const LIMIT_COLUMNS: readonly string[] = ['', 'device', 'adapter', 'default', 'needed', ''];

function limitCells({ name, use, device, adapter, standard, needed, enough }: DoctorLimit): string[] {
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
