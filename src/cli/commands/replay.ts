import { Command, Option } from 'commander';
import { backendOption, fileArgument, jsonOption, someName } from '../options.ts';
import type { ReplayCommandOptions } from '../actions/replay.ts';

/** `maniple replay FILE` */
export function replayCommand(): Command {
  return new Command('replay')
    .description('Run the stages of a captured frame again, each from its captured inputs, and say what differs.')
    .addArgument(fileArgument('file', 'a capture, as writeCapture makes them'))
    .addOption(
      new Option('--stage <name>', 'one stage alone (default: all that the capture holds)').argParser(someName),
    )
    .addOption(backendOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nExits with 0 where all that could be replayed came out as it was, 1 where a stage differs (be it by rounding,\nas between kernels and twins) or none could be replayed.',
    )
    .action(async (file: string, options: ReplayCommandOptions) => {
      const { runReplay } = await import('../actions/replay.ts');
      await runReplay(file, options);
    });
}
