import { Command } from 'commander';
import {
  backendOption,
  clipsOption,
  errorBudgetOption,
  fileArgument,
  fileOption,
  jsonOption,
  unityProjectOption,
} from '../options.ts';
import type { SimulateOptions } from '../actions/simulate.ts';

/** `maniple simulate CONTROLLER` */
export function simulateCommand(): Command {
  return new Command('simulate')
    .description('Run a controller by a script, and print states, clocks, weights and events after every step.')
    .addArgument(
      fileArgument('controller', "a controller as JSON, Unity's .controller, or PlayCanvas's anim state graph"),
    )
    .addOption(
      fileOption(
        '--script <file>',
        'JSON with the steps: [{"dt":0.016,"set":{"speed":1.2},"trigger":["attack"]}, …]',
      ).makeOptionMandatory(),
    )
    .addOption(
      fileOption(
        '--character <file>',
        'the character that plays the clips; without one, the files of the clips give their lengths',
      ),
    )
    .addOption(clipsOption())
    .addOption(unityProjectOption())
    .addOption(fileOption('--out <file>', 'write the result as JSON to this file'))
    .addOption(fileOption('--plot <file>', 'draw a chart of states, weights and parameters over time to this SVG file'))
    .addOption(backendOption())
    .addOption(errorBudgetOption())
    .addOption(jsonOption())
    .action(async (file: string, options: SimulateOptions) => {
      const { runSimulate } = await import('../actions/simulate.ts');
      await runSimulate(file, options);
    });
}
