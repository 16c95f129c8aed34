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
export function renderCommand(): Command {
  return new Command('render')
    .description(
      'Draw a crowd to a PNG, or to many, and a video: the given characters in ranks, or a battle of our own when none are given.',
    )
    .addArgument(new Argument('[files...]', '.glb, .gltf or .maniple files').argParser(collect(fileName)))
    .addOption(
      new Option('--count <n>', 'characters in all (default: 1000 in the battle, else 100)').argParser(characterCount),
    )
    .addOption(
      fileOption(
        '--out <file>',
        'where the PNG goes (default: out/battle.png, or out/<name>.png); frames of a sequence go to out/battle/0001.png and so on, or where a pattern says, like out/battle-%04d.png',
      ),
    )
    .addOption(
      new Option('--frames <n>', 'frames of a sequence, where none of a longer one are left; 1: a picture')
        .argParser(frameCount)
        .default(1),
    )
    .addOption(fpsOption())
    .addOption(
      new Option(
        '--shard <i/n>',
        'draw every n-th frame only, from the i-th on: n such runs, on any machines, draw the whole sequence',
      ).argParser(shardOf),
    )
    .addOption(
      new Option(
        '--resume',
        'draw only frames that are not there yet, after a run with the same options that did not come to its end',
      ),
    )
    .addOption(new Option('--video <file>', 'encode all frames as well, to a .webm file (VP9)').argParser(videoFile))
    .addOption(
      new Option('--orbit <degrees>', 'turn the camera around its target in the course of a sequence').argParser(
        extent,
      ),
    )
    .addOption(new Option('--size <WxH>', 'pixels (default: 1280x720, drawn on twins 320x180)').argParser(pictureSize))
    .addOption(
      new Option(
        '--camera <eye/target>',
        'x,y,z/x,y,z in metres, then, if you like, /degrees of vertical field of view (default: of files, every character in every frame, wherever its clips take it, with a margin; of the battle, along the line where both sides meet, from beyond its left end and above heads: the nearest soldiers whole, both sides up to the edges of the picture and beyond)',
      ).argParser(cameraView),
    )
    .addOption(
      new Option(
        '--output <what>',
        'color: the picture in light; or a debug view: distance, normals, characters by colour, motion since the last frame, level of detail, how often each is posed, vertex memory, bounds, joints, layers of triangles over each other',
      )
        .choices(Object.keys(OUTPUTS))
        .default('color'),
    )
    .addOption(
      new Option(
        '--renderer <which>',
        'visibility: triangles of pixels first, then light; forward: plain draws, to compare with, for debug views, and on software adapters, where they are faster (default: forward there where --samples is not given, else visibility)',
      ).choices(['visibility', 'forward']),
    )
    .addOption(
      new Option(
        '--samples <n>',
        'pictures that the visibility renderer averages, up to 64 (default: 4, on twins 1)',
      ).argParser(sampleCount),
    )
    .addOption(
      new Option(
        '--clip <name|n>',
        'what all of them play: exact name, else 0-based index in file order; may repeat, then each plays one of those (default: of all clips that move, each one)',
      ).argParser(collect(someName)),
    )
    .addOption(
      fileOption(
        '--controller <file>',
        'what plays is decided by a controller as JSON, a .controller of Unity, or an anim state graph of PlayCanvas; each begins at a moment of its own in the first state, with the parameters that the file gives',
      ),
    )
    .addOption(clipsOption())
    .addOption(unityProjectOption())
    .addOption(
      backendOption(
        'run the frame and draw the picture on kernels (gpu), or all of it on their twins (cpu), which needs no GPU, and is for small pictures: 0.1 ms a pixel; what the forward renderer draws, a GPU draws still',
      ),
    )
    .addOption(seedOption())
    .addOption(errorBudgetOption())
    .addOption(lodsOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nCharacters are placed so that none touches another in the frames drawn. Up to 4,000,000 posed vertices in all are measured for\nthat; beyond, the bounds of clips count, which are larger. A file without clips shows its rest pose, and the command says so.\n--json also answers which clips played, by file, in `playing`.',
    )
    .action(async (files: readonly string[], options: RenderOptions) => {
      const { runRender } = await import('../actions/render.ts');
      await runRender(files, options);
    });
}
