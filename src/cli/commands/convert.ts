import { Command } from 'commander';
import { clipsOption, fileArgument, fileOption, jsonOption, unityProjectOption } from '../options.ts';
import type { ConvertOptions } from '../actions/convert.ts';

/** `maniple convert FILE --out x.json` */
export function convertCommand(): Command {
  return new Command('convert')
    .description("Convert Unity's and PlayCanvas's controllers and clips into JSON that Maniple loads.")
    .addArgument(
      fileArgument('file', "Unity's .controller, .overrideController or .anim, or PlayCanvas's anim state graph"),
    )
    .addOption(fileOption('--out <file>', 'the JSON file to write').makeOptionMandatory())
    .addOption(clipsOption())
    .addOption(unityProjectOption())
    .addOption(jsonOption())
    .action(async (file: string, options: ConvertOptions) => {
      const { runConvert } = await import('../actions/convert.ts');
      await runConvert(file, options);
    });
}
