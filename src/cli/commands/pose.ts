import { Command, Option } from 'commander';
import {
  backendOption,
  collect,
  errorBudgetOption,
  fileArgument,
  fileOption,
  jsonOption,
  seconds,
  someName,
} from '../options.ts';
import type { PoseOptions } from '../actions/pose.ts';

/** `maniple pose FILE --clip NAME|N --time T` */
export function poseCommand(): Command {
  return new Command('pose')
    .description(
      'Print all joints and every vertex of a character at one moment of a clip, as the crowd would show it.',
    )
    .addArgument(fileArgument('file', 'a .glb, .gltf or .maniple file'))
    .addOption(
      new Option(
        '--clip <name|n>',
        'the clip: its exact name, or its index in the file, from 0 (default: the rest pose)',
      ).argParser(collect(someName)),
    )
    .addOption(
      new Option(
        '--time <seconds>',
        'seconds from the start of the clip; beyond its ends, the first or last pose (default: 0)',
      ).argParser(collect(seconds)),
    )
    .addOption(backendOption())
    .addOption(errorBudgetOption())
    .addOption(fileOption('--out <file>', 'write the JSON to this file instead of stdout'))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\n--clip and --time may repeat. Equal numbers of both make pairs; a single one goes with every other.\nThe output is then an array.',
    )
    .action(async (file: string, options: PoseOptions) => {
      const { runPose } = await import('../actions/pose.ts');
      await runPose(file, options);
    });
}
