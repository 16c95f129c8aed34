import { Command, Option } from 'commander';
import { backendOption, fileArgument, jsonOption, someName } from '../options.ts';
import type { ReplayCommandOptions } from '../actions/replay.ts';

/** `maniple replay FILE` */
export function replayCommand(): Command {
  return new Command('replay')
    .description('Run the stages of a captured frame again, each from its captured inputs, and show differences.')
    .addArgument(fileArgument('file', 'a capture, made by writeCapture'))
    .addOption(
      new Option('--stage <name>', 'run only this stage (default: all stages of the capture)').argParser(someName),
    )
    .addOption(backendOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nExit code 0: every replayed stage gave the captured result. 1: a stage differs, also where only by rounding,\nas between kernels and twins, or no stage could be replayed.',
    )
    .action(async (file: string, options: ReplayCommandOptions) => {
      const { runReplay } = await import('../actions/replay.ts');
      await runReplay(file, options);
    });
}
