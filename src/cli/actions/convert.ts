import { fail, type Issue, warning } from '../../errors.ts';
import { type FoundClip, openFileMap } from '../load-clips.ts';
import { openController } from '../load-controller.ts';
import type { FileMapOptions } from '../options.ts';
import { inFile, naming, readText } from '../read.ts';
import { bytes, print, printIssues, printJson } from '../output.ts';
import { checkOutputs, writeOut } from '../write.ts';

export interface ConvertOptions extends FileMapOptions {
  readonly out: string;
  readonly json?: boolean;
}

export async function runConvert(file: string, options: ConvertOptions): Promise<void> {
  const { text, kind, issues } = await convert(file, options);
  await writeOut(options.out, text);
  const size = Buffer.byteLength(text);
  if (options.json) printJson({ file, out: options.out, kind, bytes: size, issues });
  else {
    print(`${options.out}: ${kind}, ${bytes(size)}`);
    printIssues(issues);
  }
}

async function convert(file: string, { clips, unityProject, out }: ConvertOptions) {
  if (!/\.json$/i.test(out))
    fail('USAGE', out, 'The output name must end in .json.', 'Controllers and clips are written as JSON.');
  await checkOutputs({ '--out': out }, [file, clips]);
  if (/\.anim$/i.test(file)) {
    const text = await readText(file);
    const { importUnityClip } = await import('../../import/unity/clip.ts');
    const { clipJson } = await import('../clip-form.ts');
    const clip = await naming(file, () => importUnityClip(text));
    const json = await naming(file, () => clipJson(clip));
    const issues = [...clip.issues, ...(clip.humanoid ? [musclesLeftOut(clip.name)] : [])];
    return { text: json, kind: 'clip', issues: issues.map((issue) => inFile(file, issue)) };
  }
  const { model, clips: played, issues } = await openController(file, await openFileMap({ clips, unityProject }));
  const { controllerJson } = await import('../../controller/parse.ts');
  const json = await naming(file, () => controllerJson(model));
  return { text: json, kind: 'controller', issues: [...issues, ...played.flatMap(keysLeftOut)] };
}

/** Warns of muscles, because the form of a clip holds tracks of joints. */
function musclesLeftOut(clip: string): Issue {
  const message =
    'The clip moves muscles of a humanoid, and the form of a clip has only tracks of joints: they are left out.';
  return warning('UNITY_UNSUPPORTED', clip, message, 'Name the .anim file itself in --clips.');
}

/** Warns of clips in the controller's own file, because the form of a controller does not hold keys. */
function keysLeftOut({ name, isEmbedded }: FoundClip): Issue[] {
  if (!isEmbedded) return [];
  const message =
    "The clip is in the controller's own file. Its length, loop and events are kept, its keys are left out.";
  const suggestion = 'Save the clip as a file of its own and name it in --clips.';
  return [warning('CONTROLLER_SIMPLIFIED', `clips/${name}`, message, suggestion)];
}
