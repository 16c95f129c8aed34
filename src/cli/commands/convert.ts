import { Command } from 'commander';
import { clipsOption, fileArgument, fileOption, jsonOption, unityProjectOption } from '../options.ts';
import type { ConvertOptions } from '../actions/convert.ts';

/** `maniple convert FILE --out x.json` */
export function convertCommand(): Command {
  return new Command('convert')
    .description('Convert controllers and clips of Unity and PlayCanvas into JSON that Maniple loads.')
    .addArgument(
      fileArgument(
        'file',
        'a .controller, .overrideController or .anim of Unity, or an anim state graph of PlayCanvas',
      ),
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
