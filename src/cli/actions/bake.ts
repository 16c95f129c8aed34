import { writeBaked } from '../../asset/baked/index.ts';
import { fail } from '../../errors.ts';
import { openFile, packOpened } from '../load.ts';
import { Progress, bytes, print, printIssues, printJson, writeOut } from '../output.ts';

export interface BakeOptions {
  readonly out: string;
  readonly errorBudget?: number;
  readonly vertexFormat?: 'standard' | 'packed' | 'compact';
  readonly json?: boolean;
}

/** `maniple bake FILE --out x.maniple` */
export async function runBake(file: string, options: BakeOptions): Promise<void> {
  const opened = await openFile(file);
  if (opened.kind === 'baked') fail('FILE_NOT_A_MODEL', file, 'is baked already.', 'Bake from the glTF file.');
  const progress = new Progress();
  const character = packOpened(opened, {
    errorBudget: options.errorBudget,
    ...(options.vertexFormat ? { vertexFormat: options.vertexFormat } : {}),
    onProgress: (done, total) => progress.update(`packing clip ${done + 1} of ${total}`),
  });
  progress.done();
  const baked = writeBaked(character);
  await writeOut(options.out, baked);
  if (options.json) printJson({ file, out: options.out, bytes: baked.length, issues: character.issues });
  else {
    print(`${options.out}: ${bytes(baked.length)}, ${character.clips.length} clips, ${character.vertexCount} vertices`);
    printIssues(character.issues);
  }
}
