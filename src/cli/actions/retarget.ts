import { counted } from '../../diagram/text.ts';
import { fail } from '../../errors.ts';
import { appendClips, expectGlb } from '../append-clips.ts';
import { printReports, reportFacts, type RetargetOptions, withClipFiles } from '../clip-sources.ts';
import { openFile } from '../load.ts';
import { bytes, print, printIssues, printJson } from '../output.ts';
import { checkOutputs, writeOut } from '../write.ts';

export interface RetargetCommandOptions extends RetargetOptions {
  readonly clips: readonly string[];
  readonly out: string;
  readonly plot?: string;
  readonly json?: boolean;
}

/** Writes a GLB with a character and the clips of other files. */
export async function runRetarget(
  file: string,
  { clips, out, plot, json, ...options }: RetargetCommandOptions,
): Promise<void> {
  await checkOutputs({ '--out': out, '--plot': plot }, [file, ...clips.map((text) => text.split('#')[0]!)]);
  const opened = await openFile(file, options);
  if (opened.kind === 'baked') fail('FILE_NOT_A_MODEL', file, 'The file is baked.', 'Retarget to the GLB file.');
  expectGlb(file, opened.bytes);
  const bound = await withClipFiles(opened.model, clips, options);
  const { model, reports } = bound;
  const added = model.clips.slice(opened.model.clips.length);
  const { glb, issues } = appendClips(opened.bytes, model, added);
  await writeOut(out, glb);
  if (plot !== undefined) await writeOut(plot, (await import('../plot-retarget.ts')).plotRetarget(bound));
  const all = [...model.issues, ...issues];
  if (json)
    return printJson({
      file,
      out,
      plot,
      bytes: glb.length,
      clips: reportFacts(reports),
      issues: all,
    });
  printReports(reports);
  print(`${out}: ${bytes(glb.length)}, ${counted(added.length, 'clip')} added`);
  printIssues(all);
}
