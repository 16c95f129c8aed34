import type { Character } from '../../character/character.ts';
import { type BakeOptions as FileOptions, writeBaked } from '../../character/file/index.ts';
import { fail } from '../../errors.ts';
import { partClips, printReports, reportFacts, type RetargetOptions, withClipFiles } from '../clip-sources.ts';
import { clipNames, findClip, openFile, packOpened, withLods } from '../load.ts';
import { bytes, print, printIssues, printJson, Progress } from '../output.ts';
import { checkOutputs, writeOut } from '../write.ts';

export interface BakeOptions extends RetargetOptions {
  readonly out: string;
  readonly errorBudget?: number;
  readonly vertexFormat?: 'standard' | 'packed' | 'compact';
  readonly lods?: number;
  /** Clips as they were typed: names or indices, with commas between, and files with clips for the character. */
  readonly clips?: readonly string[];
  /** The same, of the clips that come first where the file is loaded progressively. */
  readonly first?: readonly string[];
  readonly json?: boolean;
}

export async function runBake(file: string, options: BakeOptions): Promise<void> {
  const { names, files } = partClips(options.clips ?? []);
  await checkOutputs({ '--out': options.out }, [file, ...files.map((text) => text.split('#')[0]!)]);
  const own = await openFile(file, options);
  if (own.kind === 'baked') fail('FILE_NOT_A_MODEL', file, 'The file is already baked.', 'Bake from the glTF file.');
  const progress = new Progress();
  if (options.lods) progress.update('making coarser meshes');
  const bound = files.length > 0 ? await withClipFiles(own.model, files, options) : undefined;
  const opened = bound ? { ...own, model: bound.model } : own;
  const ownCount = own.model.clips.length;
  const added = opened.model.clips.map((_, index) => index).slice(ownCount);
  const chosen = names.length > 0 ? chosenClips(clipNames(own), names) : Array.from({ length: ownCount }, (_, i) => i);
  const clips = options.clips && [...chosen, ...added];
  const character = await packOpened(await withLods(opened, options.lods), {
    errorBudget: options.errorBudget,
    ...(options.vertexFormat ? { vertexFormat: options.vertexFormat } : {}),
    ...(clips ? { clips } : {}),
    onProgress: progress.packing(),
  });
  progress.done();
  const baked = writeBaked(character, firstOf(character, options.first));
  await writeOut(options.out, baked);
  if (options.json)
    printJson({
      file,
      out: options.out,
      bytes: baked.length,
      issues: character.issues,
      ...(bound ? { clips: reportFacts(bound.reports) } : {}),
    });
  else {
    if (bound) printReports(bound.reports);
    const { clips: packed, unpackedClips = [], vertexCount, lods } = character;
    const all = unpackedClips.length > 0 ? ` of ${packed.length + unpackedClips.length}` : '';
    print(
      `${options.out}: ${bytes(baked.length)}, ${packed.length}${all} clips, ${vertexCount} vertices, ${lods.length} coarser LODs`,
    );
    printIssues(character.issues);
  }
}

/** Files of several clips can be loaded progressively: by default with the first clip first. @throws as `findClip` */
function firstOf({ clips }: Character, texts: readonly string[] | undefined): FileOptions {
  const names = clips.map(({ name }) => name);
  if (texts) return { first: chosenClips(names, texts).map((index) => names[index]!) };
  return names.length > 1 ? { first: names.slice(0, 1) } : {};
}

/** Indices of clips, each once. A name that has commas in it is taken whole. @throws as `findClip` */
function chosenClips(names: readonly string[], texts: readonly string[]): number[] {
  const wanted = texts.flatMap((text) => (names.includes(text) ? [text] : text.split(',').map((name) => name.trim())));
  return [...new Set(wanted.map((name) => findClip(names, name)))];
}
