import { Command } from 'commander';
import { clipsOption, fileArgument, fileOption, jsonOption, unityProjectOption } from '../options.ts';
import type { GraphOptions } from '../actions/graph.ts';

/** `maniple graph CONTROLLER --out x.svg` */
export function graphCommand(): Command {
  return new Command('graph')
    .description('Draw a controller: layers, states, transitions with their conditions, blend trees, parameters.')
    .addArgument(
      fileArgument('controller', "a controller as JSON, Unity's .controller, or PlayCanvas's anim state graph"),
    )
    .addOption(fileOption('--out <file>', 'the SVG file to write').makeOptionMandatory())
    .addOption(clipsOption())
    .addOption(unityProjectOption())
    .addOption(jsonOption())
    .action(async (file: string, options: GraphOptions) => {
      const { runGraph } = await import('../actions/graph.ts');
      await runGraph(file, options);
    });
}
