import { Command, Option } from 'commander';
import { errorBudgetOption, fileArgument, jsonOption, lodsOption, vertexFormatOption } from '../options.ts';
import type { InspectOptions } from '../actions/inspect.ts';

/** `maniple inspect FILE` */
export function inspectCommand(): Command {
  return new Command('inspect')
    .description(
      'Show a character: size, facing, joints, parts, materials, levels of detail, clips with motion and measured error, memory, repairs.',
    )
    .addArgument(fileArgument('file', 'a .glb, .gltf or .maniple file'))
    .addOption(errorBudgetOption())
    .addOption(vertexFormatOption())
    .addOption(lodsOption())
    .addOption(
      new Option(
        '--joints <which>',
        'joints to list. some: those near the roots, with chains on one line; all: every joint',
      )
        .choices(['some', 'all'])
        .default('some'),
    )
    .addOption(jsonOption())
    .action(async (file: string, options: InspectOptions) => {
      const { runInspect } = await import('../actions/inspect.ts');
      await runInspect(file, options);
    });
}
