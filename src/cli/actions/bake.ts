import { writeBaked } from '../../asset/baked/index.ts';
import { fail } from '../../errors.ts';
import { openFile, packOpened, withLods } from '../load.ts';
import { Progress, bytes, print, printIssues, printJson, writeOut } from '../output.ts';
import { checkOutputs } from '../sources.ts';

export interface BakeOptions {
  readonly out: string;
  readonly errorBudget?: number;
  readonly vertexFormat?: 'standard' | 'packed' | 'compact';
  readonly lods?: number;
  readonly json?: boolean;
}

/** `maniple bake FILE --out x.maniple` */
export async function runBake(file: string, options: BakeOptions): Promise<void> {
  await checkOutputs({ '--out': options.out }, [file]);
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
    const { clips, vertexCount, lods } = character;
    print(
      `${options.out}: ${bytes(baked.length)}, ${clips.length} clips, ${vertexCount} vertices, ${lods.length} coarser LODs`,
    );
    printIssues(character.issues);
  }
}
