import { formatIssue, issuesOf, type Issue } from '../errors.ts';
import { FEATURES, LIMITS, meetsLimit, readLimits, type LimitName } from './limits.ts';
import type { AdapterDescription, DeviceKind } from './adapter-kind.ts';
import type { RequestedDevice } from './request-device.ts';

/** What {@link doctorReport} looks at. */
export interface DoctorInput {
  /** The device, or what was thrown instead of one. */
  readonly device: RequestedDevice | { readonly thrown: unknown };
  /** Shader variant that each stage chose on this device, by stage name. */
  readonly variants?: Readonly<Record<string, string>>;
  /** What was measured on this adapter before, and what is wrong with where that is kept. */
  readonly tuning?: DoctorTuning & { readonly issues: readonly Issue[] };
  /** What the stages really need of each limit, where that is known better than the table says. */
  readonly uses?: Readonly<Partial<Record<LimitName, number>>>;
  /** Facts about the program and the machine, such as versions: shown as they are. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** How meshes are skinned that were measured on this adapter. */
export interface DoctorTuning {
  /** Where that is kept. */
  readonly from: string;
  readonly meshes: readonly DoctorMesh[];
}

/** A mesh that was measured. */
export interface DoctorMesh {
  readonly name: string;
  readonly level: number;
  /** Digest. */
  readonly mesh: string;
  /** What was chosen, in words, and what it took. */
  readonly variant: string;
  readonly nanoseconds: number;
}

/** One line of the report's limits. Offset alignments are better the smaller, all others the larger they are. */
export interface DoctorLimit {
  readonly name: LimitName;
  readonly use: string;
  /** What Maniple needs. */
  readonly needed: number;
  /** WebGPU's default, which every device has. */
  readonly standard: number;
  /** The most that the adapter would give; null where it does not know the limit. */
  readonly adapter: number | null;
  /** What the device has; null where it does not know the limit. */
  readonly device: number | null;
  readonly enough: boolean;
}

/** One line of the report's features. */
export interface DoctorFeature {
  readonly name: string;
  readonly use: string;
  /** Whether the adapter has it, and whether the device enabled it. */
  readonly state: 'enabled' | 'not enabled' | 'not available';
}

/** What `maniple doctor` knows. Plain data: it can be printed as JSON. */
export interface DoctorReport {
  /** Whether Maniple can run here. */
  readonly ok: boolean;
  readonly kind: DeviceKind | 'none';
  readonly adapter: AdapterDescription | null;
  readonly features: readonly DoctorFeature[];
  readonly limits: readonly DoctorLimit[];
  readonly variants: Readonly<Record<string, string>>;
  /** Null: nobody looked. */
  readonly tuning: DoctorTuning | null;
  readonly environment: Readonly<Record<string, string>>;
  readonly issues: readonly Issue[];
  /** What to do, most important first; empty where everything is as good as it can be. */
  readonly advice: readonly string[];
}

/** Collects what is known about a device, or about why there is none. Asks nothing of the device itself. */
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

/** The report for people: a table of plain lines, at most about 110 columns wide. */
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

/** Aligns columns; those whose index is in `right` to the right. */
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
