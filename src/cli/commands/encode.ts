import { Command, Option } from 'commander';
import type { EncodeOptions } from '../actions/encode.ts';
import { fpsOption, frameCount, jsonOption, videoFile } from '../options.ts';

/** `maniple encode PATTERN --out FILE` */
export function encodeCommand(): Command {
  return new Command('encode')
    .description('Encode the frames of a sequence as a video, for example after shards have drawn them.')
    .argument('<pattern>', 'PNGs by number, as render names them: out/battle/%04d.png')
    .addOption(new Option('--out <file>', 'the .webm file to write (VP9)').argParser(videoFile).makeOptionMandatory())
    .addOption(
      new Option(
        '--frames <n>',
        'the number of frames that must be there; fewer, more or gaps are errors (default: all that are there; gaps are errors)',
      ).argParser(frameCount),
    )
    .addOption(fpsOption())
    .addOption(jsonOption())
    .action(async (pattern: string, options: EncodeOptions) => {
      const { runEncode } = await import('../actions/encode.ts');
      await runEncode(pattern, options);
    });
}
