import { benchChart } from '../../bench/chart/chart.ts';
import { compareReports, type Comparison } from '../../bench/compare.ts';
import type { Soldiers } from '../../bench/context.ts';
import {
  adapterTitle,
  type BenchReport,
  type BenchRow,
  MANIPLE,
  percentOfFloor,
  reportRule,
  rowName,
} from '../../bench/report.ts';
import { BENCH_SCENES, runBench } from '../../bench/run-bench.ts';
import { inUnits, milliseconds, times } from '../../bench/units.ts';
import type { CharacterModel } from '../../character/model.ts';
import { fail } from '../../errors.ts';
import { openDevice } from '../device.ts';
import { openFile } from '../load.ts';
import { duration, EXIT_FAILED, jsonLine, print, printJson, printTable, Progress } from '../output.ts';
import { naming, packageFile, parseJson, readForm, readText, version } from '../read.ts';
import { checkOutputs, prepareOut, writeOut } from '../write.ts';

export interface BenchCommandOptions {
  readonly count?: readonly number[];
  readonly seconds: number;
  readonly compare?: string;
  readonly out?: string;
  readonly plot?: string;
  readonly from?: readonly string[];
  readonly json?: boolean;
}

export async function runBenchCommand(
  scenes: readonly string[] | undefined,
  options: BenchCommandOptions,
): Promise<void> {
  const { compare, out, plot, from } = options;
  checkScenes(scenes ?? [], options);
  await checkOutputs({ '--out': out, '--plot': plot }, [compare, ...(from ?? [])]);
  // reads what can be wrong before minutes of work
  const before = compare === undefined ? undefined : await readReport(compare);
  for (const file of [out, plot]) if (file !== undefined) await prepareOut(file);
  const report =
    from === undefined ? await measure(scenes, options) : joinReports(await Promise.all(from.map(readReport)));
  const comparison = before && compareReports(before, report);
  const result = comparison ? { ...report, comparison } : report;
  if (out !== undefined) await writeOut(out, jsonLine(result));
  if (plot !== undefined) await writeOut(plot, benchChart(report));
  if (options.json) printJson(result);
  else printReport(report, comparison);
  if (comparison?.rows.some(({ verdict }) => verdict === 'slower')) process.exitCode = EXIT_FAILED;
}

/** @throws ManipleError USAGE */
function checkScenes(scenes: readonly string[], { from, count }: BenchCommandOptions): void {
  const names = Object.keys(BENCH_SCENES);
  const unknown = scenes.find((scene) => !names.includes(scene));
  if (unknown !== undefined) {
    fail('USAGE', 'scenes', `There is no scene ${JSON.stringify(unknown)}.`, `Name some of ${names.join(', ')}.`);
  }
  if (from !== undefined && (scenes.length > 0 || count)) {
    fail('USAGE', '--from', '--from measures nothing, so it takes no scenes and no --count.', 'Leave them out.');
  }
}

/** @throws ManipleError USAGE with the place of everything that is wrong, FILE_… */
async function readReport(file: string): Promise<BenchReport> {
  const suggestion = 'Name a file that `maniple bench --out` has written.';
  const form = { code: 'USAGE', file, suggestion } as const;
  const { comparison: _, ...report } = readForm(parseJson(await readText(file), form), reportRule, form);
  // optional fields of files are undefined, where those of reports are absent
  return JSON.parse(JSON.stringify(report)) as BenchReport;
}

/**
 * One report of all rows; of a row that several have, that of the last. Rounds are those of the run with the fewest.
 * @throws ManipleError USAGE if adapters differ
 */
function joinReports(reports: readonly BenchReport[]): BenchReport {
  const [first] = reports as [BenchReport];
  for (const { adapter } of reports) {
    if (adapterTitle(adapter) === adapterTitle(first.adapter)) continue;
    const message = `The runs used ${adapterTitle(first.adapter)} and ${adapterTitle(adapter)}.`;
    fail('USAGE', '--from', message, 'Name runs of one adapter.');
  }
  const rows = [...new Map(reports.flatMap((report) => report.rows.map((row) => [rowName(row), row]))).values()];
  const measured = new Set(rows.map(({ scene, count }) => `${scene} ${count}`));
  const leftOut = reports
    .flatMap((report) => report.leftOut)
    .filter(({ scene, count }) => !measured.has(`${scene} ${count}`));
  const rounds = Math.min(...reports.map((report) => report.rounds));
  const seconds = reports.reduce((sum, report) => sum + report.seconds, 0);
  return { ...first, rounds, seconds, rows, leftOut };
}

async function measure(scenes: readonly string[] | undefined, options: BenchCommandOptions): Promise<BenchReport> {
  const { seconds, count, json } = options;
  const requested = await openDevice();
  const progress = new Progress();
  const names = scenes && scenes.length > 0 ? scenes : Object.keys(BENCH_SCENES);
  let models: Promise<Soldiers<CharacterModel>> | undefined;
  const start = performance.now();
  const say = (text: string) => {
    if (!json) progress.update(`${duration(performance.now() - start)} of ${seconds} s: ${text}`);
  };
  const context = { models: () => (models ??= loadSoldiers()), say };
  try {
    return await runBench(requested, { scenes: names, counts: count, seconds, version: version() }, context);
  } finally {
    progress.done();
    requested.device.destroy();
  }
}

/** The two characters of this package. @throws ManipleError FILE_… where it is not whole */
async function loadSoldiers(): Promise<Soldiers<CharacterModel>> {
  const load = async (name: string) => {
    const file = packageFile(`characters/${name}.glb`);
    const opened = await openFile(file);
    return naming(file, () => (opened.kind === 'model' ? opened.model : fail('BAKED_CORRUPT', '', 'Not a model.')));
  };
  return [await load('legionary'), await load('raider')];
}

function printReport(report: BenchReport, comparison: Comparison | undefined): void {
  const { adapter, kind, rounds, seconds, rows, leftOut, hasTimestamps } = report;
  print(
    `${adapterTitle(adapter)}, maniple ${report.maniple}: ${rounds} ${rounds === 1 ? 'round' : 'rounds'} in ${seconds.toFixed(0)} s`,
  );
  if (kind === 'software') print('A software adapter: times compare only with others of the same run.');
  if (!hasTimestamps) print('This device has no timestamps: only whole frames and the CPU are measured.');
  for (const group of groupsOf(rows)) {
    const { scene, count } = group[0]!;
    print('');
    print(['bold', `${scene}, ${count.toLocaleString('en')} characters`]);
    printTable([COLUMNS, ...group.map((row) => cellsOf(row, group))], { indent: '  ', spare: [3, 5, 7] });
  }
  if (leftOut.length > 0) print('');
  for (const { scene, count, reason } of leftOut) {
    print(['yellow', 'left out:'], ` ${scene}${count === undefined ? '' : `, ${count} characters`}: ${reason}`);
  }
  if (comparison) printComparison(comparison);
}

const COLUMNS = ['stage', '', 'work', 'bytes', 'ms', '±', 'per second', 'floor ms', '% of floor'];

/** Rows of one scene and number of characters. */
function groupsOf(rows: readonly BenchRow[]): BenchRow[][] {
  const groups = new Map<string, BenchRow[]>();
  for (const row of rows) {
    const key = `${row.scene} ${row.count}`;
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups.values()];
}

function cellsOf(row: BenchRow, group: readonly BenchRow[]): string[] {
  const { stage, subject, work, unit, bytes, spread, floorMilliseconds } = row;
  const ours = group.find((other) => other.stage === stage && other.subject === MANIPLE);
  const isBaseline = subject !== MANIPLE;
  const ratio = isBaseline && ours ? ` (${times(row.milliseconds / ours.milliseconds)})` : '';
  const percent = percentOfFloor(row);
  return [
    stage,
    isBaseline || group.some((other) => other.stage === stage && other.subject !== subject) ? subject + ratio : '',
    `${inUnits(work)} ${unit}`,
    bytes === undefined ? '' : inUnits(bytes, 'B'),
    milliseconds(row.milliseconds),
    milliseconds(spread),
    inUnits((1000 * work) / row.milliseconds, '/s'),
    floorMilliseconds === undefined ? '' : milliseconds(floorMilliseconds),
    percent === undefined ? '' : percent.toFixed(0),
  ];
}

function printComparison({ rows, unmatched, isSameAdapter }: Comparison): void {
  print('');
  print(['bold', 'Compared with the earlier run']);
  if (!isSameAdapter) print(['yellow', 'warning:'], ' The runs used different adapters.');
  const changed = rows.filter(({ verdict }) => verdict !== 'same');
  print(`${rows.length - changed.length} rows are the same within noise, ${changed.length} are not.`);
  for (const { scene, count, stage, subject, before, after, noise, verdict } of changed) {
    const change = `${milliseconds(before)} → ${milliseconds(after)} ms (noise ${milliseconds(noise)})`;
    const name = [scene, count, stage, ...(subject === MANIPLE ? [] : [subject])].join(' ');
    print([verdict === 'slower' ? 'red' : 'green', `${verdict}:`], ` ${name}: ${change}`);
  }
  if (unmatched.length > 0) print(`${unmatched.length} rows are in one run only, or differ in work.`);
}
