import { Command } from 'commander';
import { errorBudgetOption, fileArgument, jsonOption, lodsOption, vertexFormatOption } from '../options.ts';
import type { InspectOptions } from '../actions/inspect.ts';

/** `maniple inspect FILE` */
export function inspectCommand(): Command {
  return new Command('inspect')
    .description('Show a character: skeleton, clips with their measured compression error, meshes, memory, repairs.')
    .addArgument(fileArgument('file', 'a .glb, .gltf or .maniple file'))
    .addOption(errorBudgetOption())
    .addOption(vertexFormatOption())
    .addOption(lodsOption())
    .addOption(jsonOption())
    .action(async (file: string, options: InspectOptions) => {
      const { runInspect } = await import('../actions/inspect.ts');
      await runInspect(file, options);
    });
}
