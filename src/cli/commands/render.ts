import { Argument, Command, Option } from 'commander';
import {
  backendOption,
  cameraView,
  characterCount,
  clipsOption,
  collect,
  errorBudgetOption,
  extent,
  fileName,
  fileOption,
  fpsOption,
  frameCount,
  jsonOption,
  lodsOption,
  OUTPUTS,
  pictureSize,
  sampleCount,
  seedOption,
  shardOf,
  someName,
  unityProjectOption,
  videoFile,
} from '../options.ts';
import type { RenderOptions } from '../actions/render/options.ts';

/** `maniple render [FILE…]` */
// oxlint-disable-next-line max-lines-per-function
export function renderCommand(): Command {
  return new Command('render')
    .description(
      'Draw a crowd to a PNG, a sequence of PNGs or a video. Files are drawn in ranks; without files, two armies of our own fight.',
    )
    .addArgument(new Argument('[files...]', '.glb, .gltf or .maniple files').argParser(collect(fileName)))
    .addOption(
      new Option('--count <n>', 'number of characters (default: 1000 in the battle, else 100)').argParser(
        characterCount,
      ),
    )
    .addOption(
      fileOption(
        '--out <file>',
        'the PNG to write (default: out/battle.png, or out/<name>.png). A sequence is written to out/battle/0001.png and so on, or by a pattern like out/battle-%04d.png',
      ),
    )
    .addOption(
      new Option(
        '--frames <n>',
        'number of frames; 1: a picture. Frames that a longer sequence left in the same place are an error',
      )
        .argParser(frameCount)
        .default(1),
    )
    .addOption(fpsOption())
    .addOption(
      new Option(
        '--shard <i/n>',
        'draw only every n-th frame, beginning with the i-th. Shards 1/n to n/n, on any machines, draw the whole sequence',
      ).argParser(shardOf),
    )
    .addOption(
      new Option('--resume', 'draw only missing frames, after a run with the same options that did not finish'),
    )
    .addOption(new Option('--video <file>', 'also encode the frames to this .webm file (VP9)').argParser(videoFile))
    .addOption(
      new Option(
        '--orbit <degrees>',
        'turn the camera around its target by this angle over the whole sequence',
      ).argParser(extent),
    )
    .addOption(
      new Option(
        '--size <WxH>',
        'width and height in pixels (default: 1280x720; with --backend cpu 320x180)',
      ).argParser(pictureSize),
    )
    .addOption(
      new Option(
        '--camera <eye/target>',
        'eye and target in metres: x,y,z/x,y,z. A third part, /degrees, is the vertical field of view. (Default: frames every character in every frame. In the battle, looks along the line where both sides meet)',
      ).argParser(cameraView),
    )
    .addOption(
      new Option(
        '--output <what>',
        'color: the lit picture. Debug views: depth; normals; ids: a colour for each character; velocity: motion since the last frame. More debug views: lod: level of detail; rate: how often each is posed; slots: vertex memory; bounds; joints; overdraw: triangles per pixel',
      )
        .choices(Object.keys(OUTPUTS))
        .default('color'),
    )
    .addOption(
      new Option(
        '--renderer <which>',
        'visibility: finds the triangle of each pixel, then shades each pixel once. forward: shades triangles as they are drawn, and is faster on software adapters. (Default: forward for debug views, and on software adapters without --samples; else visibility)',
      ).choices(['visibility', 'forward']),
    )
    .addOption(
      new Option(
        '--samples <n>',
        'samples per pixel of the visibility renderer, up to 64 (default: 4; with --backend cpu 1)',
      ).argParser(sampleCount),
    )
    .addOption(
      new Option(
        '--clip <name|n>',
        'the clip to play: its exact name, or its index in the file, from 0. May repeat: each character then plays one of them (default: each plays one of all clips that move)',
      ).argParser(collect(someName)),
    )
    .addOption(
      fileOption(
        '--controller <file>',
        "play a controller: JSON, Unity's .controller, or PlayCanvas's anim state graph. Each character begins at another moment of the first state, with the parameters of the file",
      ),
    )
    .addOption(clipsOption())
    .addOption(unityProjectOption())
    .addOption(
      backendOption(
        'gpu: simulate and draw with GPU kernels; cpu: with their twins, which need no GPU and are for small pictures (0.1 ms a pixel). The forward renderer always draws on a GPU',
      ),
    )
    .addOption(seedOption())
    .addOption(errorBudgetOption())
    .addOption(lodsOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nCharacters are placed so that none touches another in any frame. Up to 4,000,000 posed vertices are measured for that;\nbeyond, the larger bounds of clips are used. A file without clips shows its rest pose, and the command says so.\nWith --json, `playing` lists the clips that played, by file.',
    )
    .action(async (files: readonly string[], options: RenderOptions) => {
      const { runRender } = await import('../actions/render.ts');
      await runRender(files, options);
    });
}
