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
    .description('Run a controller by a script: states, clocks, weights and events after every step.')
    .addArgument(
      fileArgument('controller', 'a controller as JSON, a .controller of Unity, or an anim state graph of PlayCanvas'),
    )
    .addOption(
      fileOption(
        '--script <file>',
        'the steps, as JSON: [{"dt":0.016,"set":{"speed":1.2},"trigger":["attack"]}, …]',
      ).makeOptionMandatory(),
    )
    .addOption(
      fileOption('--character <file>', 'with the clips to play; without one, files give the length of each clip'),
    )
    .addOption(clipsOption())
    .addOption(unityProjectOption())
    .addOption(fileOption('--out <file>', 'write the answer as JSON'))
    .addOption(fileOption('--plot <file>', 'draw a strip chart of states, weights and parameters as SVG'))
    .addOption(backendOption())
    .addOption(errorBudgetOption())
    .addOption(jsonOption())
    .action(async (file: string, options: SimulateOptions) => {
      const { runSimulate } = await import('../actions/simulate.ts');
      await runSimulate(file, options);
    });
}
