import { Command } from 'commander';
import { writeBaked } from '../../asset/baked/index.ts';
import { fail } from '../../errors.ts';
import { openFile, packOpened, withLods } from '../load.ts';
import { Progress, bytes, print, printIssues, printJson, writeOut } from '../output.ts';
import { errorBudgetOption, jsonOption, lodsOption, vertexFormatOption } from '../options.ts';

interface BakeOptions {
  readonly out: string;
  readonly errorBudget?: number;
  readonly vertexFormat?: 'standard' | 'packed' | 'compact';
  readonly lods?: number;
  readonly json?: boolean;
}

/** `maniple bake FILE --out x.maniple` */
export function bakeCommand(): Command {
  return new Command('bake')
    .description('Pack a glTF character once; the baked file loads without any glTF code, wherever a model does.')
    .argument('<file>', 'a .glb or .gltf file')
    .requiredOption('--out <file>', 'where the .maniple file goes')
    .addOption(errorBudgetOption())
    .addOption(vertexFormatOption())
    .addOption(lodsOption())
    .addOption(jsonOption())
    .action(async (file: string, options: BakeOptions) => {
      const opened = await openFile(file);
      if (opened.kind === 'baked') fail('FILE_NOT_A_MODEL', file, 'is baked already.', 'Bake from the glTF file.');
      const progress = new Progress();
      if (options.lods) progress.update('making coarser meshes');
      const character = packOpened(await withLods(opened, options.lods), {
        errorBudget: options.errorBudget,
        ...(options.vertexFormat ? { vertexFormat: options.vertexFormat } : {}),
        onProgress: (done, total) => progress.update(`packing clip ${done + 1} of ${total}`),
      });
      progress.done();
      const baked = writeBaked(character);
      await writeOut(options.out, baked);
      if (options.json) printJson({ file, out: options.out, bytes: baked.length, issues: character.issues });
      else {
        print(
          `${options.out}: ${bytes(baked.length)}, ${character.clips.length} clips, ${character.vertexCount} vertices, ${character.lods.length} coarser LODs`,
        );
        printIssues(character.issues);
      }
    });
}
