import { Command, Option } from 'commander';
import {
  backendOption,
  cameraView,
  errorBudgetOption,
  lodsOption,
  jsonOption,
  OUTPUTS,
  pictureSize,
  positive,
  seedOption,
} from '../options.ts';
import type { RenderOptions } from '../actions/render.ts';

/** `maniple render [FILE…]` */
export function renderCommand(): Command {
  return new Command('render')
    .description('Draw a crowd to a PNG: the given characters, or a battle of our own when none are given.')
    .argument('[files...]', '.glb, .gltf or .maniple files')
    .addOption(
      new Option('--count <n>', 'characters in all (default: 1000 in the battle, else 100)').argParser(positive),
    )
    .option('--out <file>', 'where the PNG goes (default: out/battle.png, or out/<name>.png)')
    .addOption(
      new Option('--size <WxH>', 'pixels').argParser(pictureSize).default({ width: 1280, height: 720 }, '1280x720'),
    )
    .addOption(
      new Option(
        '--camera <eye/target>',
        'x,y,z/x,y,z in metres, then, if you like, /degrees of vertical field of view (default: one that shows all)',
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
    .addOption(backendOption())
    .addOption(seedOption())
    .addOption(errorBudgetOption())
    .addOption(lodsOption())
    .addOption(jsonOption())
    .action(async (files: readonly string[], options: RenderOptions) => {
      const { runRender } = await import('../actions/render.ts');
      await runRender(files, options);
    });
}
