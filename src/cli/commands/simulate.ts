import { Command } from 'commander';
import type { Character } from '../../asset/character.ts';
import { withController } from '../../asset/with-controller.ts';
import { packCharacter } from '../../asset/pack/index.ts';
import { simulationPlot, type SimulatedStep } from '../../diagram/index.ts';
import { fail, formatIssue, type Issue } from '../../errors.ts';
import { openDevice } from '../device.ts';
import { boundTo, openFileMap, unbound } from '../load-clips.ts';
import { openController, type OpenedController } from '../load-controller.ts';
import { openFile, packOpened, readBytes } from '../load.ts';
import { backendOption, clipsOption, errorBudgetOption, jsonOption } from '../options.ts';
import { Progress, print, printJson, table, writeOut } from '../output.ts';
import { parseScript, type ScriptStep } from '../script.ts';
import { simulate } from '../simulation.ts';
import { standIn } from '../stand-in.ts';

interface SimulateOptions {
  readonly script: string;
  readonly character?: string;
  readonly clips?: string;
  readonly backend: 'gpu' | 'cpu';
  readonly errorBudget?: number;
  readonly out?: string;
  readonly plot?: string;
  readonly json?: boolean;
}

/** `maniple simulate CONTROLLER` */
export function simulateCommand(): Command {
  return new Command('simulate')
    .description('Run a controller by a script: states, clocks, weights and events after every step.')
    .argument('<controller>', 'a controller as JSON, a .controller of Unity, or an anim state graph of PlayCanvas')
    .requiredOption('--script <file>', 'the steps, as JSON: [{"dt":0.016,"set":{"speed":1.2},"trigger":["attack"]}, …]')
    .option('--character <file>', 'whose clips play; without one every clip is known only by what files say of it')
    .addOption(clipsOption())
    .option('--out <file>', 'write the answer as JSON')
    .option('--plot <file>', 'draw a strip chart of states, weights and parameters as SVG')
    .addOption(backendOption())
    .addOption(errorBudgetOption())
    .addOption(jsonOption())
    .action(async (file: string, options: SimulateOptions) => {
      const { steps, script, issues } = await run(file, options);
      const answer = { steps, issues };
      if (options.out !== undefined) await writeOut(options.out, `${JSON.stringify(answer)}\n`);
      if (options.plot !== undefined) {
        await writeOut(options.plot, simulationPlot(steps, { title: file, triggers: triggersOf(steps, script) }));
      }
      if (options.json) printJson(answer);
      else printSteps(steps, issues, options);
    });
}

interface Simulation {
  readonly steps: readonly SimulatedStep[];
  readonly script: readonly ScriptStep[];
  readonly issues: readonly Issue[];
}

async function run(file: string, options: SimulateOptions): Promise<Simulation> {
  const script = parseScript(new TextDecoder().decode(await readBytes(options.script)), options.script);
  const opened = await openController(file, await openFileMap(options.clips));
  const issues: Issue[] = [...opened.issues];
  const character = await characterOf(opened, options, issues);
  issues.push(...character.issues);
  const progress = new Progress();
  const onProgress = (done: number, total: number): void => progress.update(`step ${done + 1} of ${total}`);
  if (options.backend === 'cpu') {
    const steps = await simulate(character, script, { onProgress });
    progress.done();
    return { steps, script, issues };
  }
  const { device } = await openDevice();
  const steps = await simulate(character, script, { device, onProgress });
  progress.done();
  device.destroy();
  return { steps, script, issues };
}

/** The character with the controller, or one that stands in for it. */
async function characterOf(
  { model, clips }: OpenedController,
  { character: file, errorBudget }: SimulateOptions,
  issues: Issue[],
): Promise<Character> {
  if (file === undefined) return packCharacter(standIn(clips.map(unbound)), { controller: model });
  const opened = await openFile(file);
  if (opened.kind === 'baked') return withController(packOpened(opened, { errorBudget }), model);
  const bound = clips.map((clip) => boundTo(clip, opened.model));
  issues.push(...bound.flatMap((clip) => clip.issues));
  const whole = { ...opened.model, clips: [...opened.model.clips, ...bound.map(({ clip }) => clip)] };
  return packOpened({ ...opened, model: whole }, { errorBudget, controller: model });
}

function triggersOf(
  steps: readonly SimulatedStep[],
  script: readonly ScriptStep[],
): { readonly time: number; readonly name: string }[] {
  return script.flatMap(({ trigger = [], dt }, index) =>
    trigger.map((name) => ({ time: (steps[index]?.time ?? 0) - dt, name })),
  );
}

function printSteps(steps: readonly SimulatedStep[], issues: readonly Issue[], { out, plot }: SimulateOptions): void {
  for (const written of [out, plot]) if (written !== undefined) print(written);
  if (out === undefined && plot === undefined) {
    const last = steps.at(-1) ?? fail('USAGE', 'script', 'has no steps.', 'Write at least one.');
    const rows = steps.flatMap((step) =>
      step.layers.map((layer) => [
        step.time.toFixed(3),
        layer.name,
        layer.state,
        (layer.cycles + layer.phase).toFixed(3),
        layer.next === null ? '' : `→ ${layer.next} ${(100 * layer.progress).toFixed(0)} %`,
        layer.motions.map(({ clip, weight }) => `${clip} ${weight.toFixed(2)}`).join(', '),
        step.events.map(({ name }) => name).join(', '),
      ]),
    );
    print(table([['time', 'layer', 'state', 'clock', 'transition', 'clips', 'events'], ...rows]));
    print(`${steps.length} steps, ${last.time.toFixed(3)} s`);
  }
  for (const issue of issues) if (issue.severity !== 'info') print(`${issue.severity}: ${formatIssue(issue)}`);
}
