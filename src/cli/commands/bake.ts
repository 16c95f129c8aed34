import { Command, Option } from 'commander';
import {
  collect,
  errorBudgetOption,
  fileArgument,
  fileOption,
  jsonOption,
  lodsOption,
  someName,
  vertexFormatOption,
} from '../options.ts';
import type { BakeOptions } from '../actions/bake.ts';

/** `maniple bake FILE --out x.maniple` */
export function bakeCommand(): Command {
  return new Command('bake')
    .description('Pack a glTF character into a .maniple file, which loads faster and without glTF code.')
    .addArgument(fileArgument('file', 'a .glb or .gltf file'))
    .addOption(fileOption('--out <file>', 'the .maniple file to write').makeOptionMandatory())
    .addOption(errorBudgetOption())
    .addOption(vertexFormatOption())
    .addOption(lodsOption())
    .addOption(
      new Option(
        '--clips <names>',
        'clips to bake, by name or index, with commas between; may be repeated (default: all)',
      ).argParser(collect(someName)),
    )
    .addOption(jsonOption())
    .action(async (file: string, options: BakeOptions) => {
      const { runBake } = await import('../actions/bake.ts');
      await runBake(file, options);
    });
}
