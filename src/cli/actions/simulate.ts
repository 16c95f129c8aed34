import { shortReference, simulationPlot, type SimulatedStep } from '../../diagram/index.ts';
import type { Issue } from '../../errors.ts';
import type { CompiledController } from '../../controller/compile.ts';
import { checkScript, parseScript, type ScriptStep } from '../script.ts';
import { openDevice } from '../device.ts';
import { openFileMap } from '../load-clips.ts';
import { openController } from '../load-controller.ts';
import type { FileMapOptions } from '../options.ts';
import { readText } from '../read.ts';
import { jsonPieces, print, printIssues, printTable, Progress } from '../output.ts';
import { checkOutputs, writeOut } from '../write.ts';
import { simulatedCharacter } from '../simulated-character.ts';
import { simulate } from '../simulation.ts';

export interface SimulateOptions extends FileMapOptions {
  readonly script: string;
  readonly character?: string;
  readonly backend: 'gpu' | 'cpu';
  readonly errorBudget?: number;
  readonly out?: string;
  readonly plot?: string;
  readonly json?: boolean;
}

export async function runSimulate(file: string, options: SimulateOptions): Promise<void> {
  const { script, character, clips, out, plot } = options;
  await checkOutputs({ '--out': out, '--plot': plot }, [file, script, character, clips]);
  const { steps, triggers, issues } = await run(file, options);
  const answer = { steps, issues };
  if (out !== undefined) await writeOut(out, Buffer.concat(jsonPieces(answer, 'steps')));
  if (plot !== undefined) await writeOut(plot, simulationPlot(steps, { title: file, start: 0, triggers }));
  if (options.json) jsonPieces(answer, 'steps').forEach((piece) => process.stdout.write(piece));
  else printSteps(steps, issues, options);
}

async function run(file: string, options: SimulateOptions) {
  const script = parseScript(await readText(options.script), options.script);
  const opened = await openController(file, await openFileMap(options));
  const issues: Issue[] = [...opened.issues];
  const character = await simulatedCharacter(opened, options, issues);
  checkScript(script, character.controller!, options.script);
  issues.push(...character.issues);
  const progress = new Progress();
  const onProgress = (done: number, total: number): void => progress.update(`step ${done + 1} of ${total}`);
  const device = options.backend === 'cpu' ? undefined : (await openDevice()).device;
  try {
    const steps = await simulate(character, script, { onProgress, issues, ...(device && { device }) });
    return { steps, triggers: triggersOf(steps, script, character.controller!), issues: onceEach(issues) };
  } finally {
    progress.done();
    device?.destroy();
  }
}

/** A clip that plays as it is and as a difference is missing twice, and said once. */
function onceEach(issues: readonly Issue[]): Issue[] {
  return [...new Map(issues.map((issue) => [JSON.stringify(issue), issue])).values()];
}

/** When which trigger was set. */
function triggersOf(
  steps: readonly SimulatedStep[],
  script: readonly ScriptStep[],
  { parameters }: CompiledController,
): { readonly time: number; readonly name: string }[] {
  const names = new Set(parameters.filter(({ type }) => type === 'trigger').map(({ name }) => name));
  return script.flatMap(({ set = {}, trigger = [] }, index) => {
    const bySet = Object.keys(set).filter((name) => names.has(name) && set[name]);
    return [...bySet, ...trigger].map((name) => ({ time: steps[index - 1]?.time ?? 0, name }));
  });
}

function printSteps(steps: readonly SimulatedStep[], issues: readonly Issue[], { out, plot }: SimulateOptions): void {
  for (const written of [out, plot]) if (written !== undefined) print(written);
  if (out === undefined && plot === undefined) {
    const rows = steps.flatMap((step) =>
      step.layers.map((layer) => [
        step.time.toFixed(3),
        layer.name,
        layer.state,
        (layer.cycles + layer.phase).toFixed(3),
        layer.next === null ? '' : `→ ${layer.next} ${Math.min(99, Math.round(100 * layer.progress))} %`,
        layer.motions.map(({ clip, weight }) => `${shortReference(clip)} ${weight.toFixed(2)}`).join(', '),
        step.events.flatMap((event) => (event.layer === layer.name ? [event.name] : [])).join(', '),
      ]),
    );
    printTable([['time', 'layer', 'state', 'clock', 'transition', 'clips', 'events'], ...rows]);
    print(`${steps.length} steps, ${(steps.at(-1)?.time ?? 0).toFixed(3)} s`);
  }
  printIssues(issues.filter(({ severity }) => severity !== 'info'));
}
