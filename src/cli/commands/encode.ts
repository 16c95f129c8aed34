import { Command, Option } from 'commander';
import type { EncodeOptions } from '../actions/encode.ts';
import { fpsOption, frameCount, jsonOption, videoFile } from '../options.ts';

/** `maniple encode PATTERN --out FILE` */
export function encodeCommand(): Command {
  return new Command('encode')
    .description('Encode the frames of a sequence, which shards have drawn, as a video.')
    .argument('<pattern>', 'PNGs by number, as render names them: out/battle/%04d.png')
    .addOption(
      new Option('--out <file>', 'where the video goes: .webm (VP9)').argParser(videoFile).makeOptionMandatory(),
    )
    .addOption(
      new Option(
        '--frames <n>',
        'how many frames there have to be: fewer, more or gaps are errors (default: as many as there are, without gaps)',
      ).argParser(frameCount),
    )
    .addOption(fpsOption())
    .addOption(jsonOption())
    .action(async (pattern: string, options: EncodeOptions) => {
      const { runEncode } = await import('../actions/encode.ts');
      await runEncode(pattern, options);
    });
}
