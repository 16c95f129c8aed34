import { Command } from 'commander';
import { clipsOption, jsonOption } from '../options.ts';
import type { GraphOptions } from '../actions/graph.ts';

/** `maniple graph CONTROLLER --out x.svg` */
export function graphCommand(): Command {
  return new Command('graph')
    .description('Draw a controller: layers, states, transitions with their conditions, blend trees, parameters.')
    .argument('<controller>', 'a controller as JSON, a .controller of Unity, or an anim state graph of PlayCanvas')
    .requiredOption('--out <file>', 'where to write the SVG')
    .addOption(clipsOption())
    .addOption(jsonOption())
    .action(async (file: string, options: GraphOptions) => {
      const { runGraph } = await import('../actions/graph.ts');
      await runGraph(file, options);
    });
}
