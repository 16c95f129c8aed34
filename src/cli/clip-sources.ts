import { existsSync } from 'node:fs';
import type { HumanoidMap } from '../character/humanoid.ts';
import type { CharacterModel, ClipModel } from '../character/model.ts';
import { counted } from '../diagram/text.ts';
import { fail, warning } from '../errors.ts';
import { findHumanoid, readHumanoidMap } from '../humanoid/index.ts';
import { bindUnityClip } from '../import/unity/bind-unity-clip.ts';
import { importUnityClip } from '../import/unity/clip.ts';
import { bindClips, type BindClipsOptions, type ClipReport, freeName } from '../retarget/index.ts';
import { findClip, openFile, type ReadingOptions } from './load.ts';
import { print, printTable } from './output.ts';
import { inFile, naming, parseJson, readText } from './read.ts';

/** Names of files with clips for a character. */
const CLIP_FILE = /\.(glb|gltf|vrm|bvh|fbx|anim)(#.*)?$/i;

export interface RetargetOptions extends ReadingOptions {
  /** JSON with names of joints by bone, for the character. */
  readonly humanoid?: string;
  readonly mirror?: boolean;
}

/** Clips of other files on a character. */
export interface BoundFiles {
  readonly model: CharacterModel;
  /** Bones of the character, if a map corrects them. */
  readonly humanoid: HumanoidMap | undefined;
  /** For each report, the clip that it was, and its model. */
  readonly origins: readonly { readonly model: CharacterModel; readonly clip: ClipModel }[];
  readonly reports: readonly ClipReport[];
}

/** Parts the values of `--clips` into names of the character's own clips, and files with others. */
export function partClips(texts: readonly string[]): { names: readonly string[]; files: readonly string[] } {
  const isFile = (text: string): boolean =>
    CLIP_FILE.test(text) && (existsSync(text.split('#')[0]!) || !text.includes(','));
  return { names: texts.filter((text) => !isFile(text)), files: texts.filter(isFile) };
}

/**
 * A model with the clips of other files, retargeted where skeletons differ.
 *
 * @param files Paths; `file#clip` takes one clip of a file.
 * @throws ManipleError as `openFile`, `findClip`, `bindClips` and `bindUnityClip`
 */
export async function withClipFiles(
  model: CharacterModel,
  files: readonly string[],
  { humanoid, mirror, bvhUnit, fbxUnit }: RetargetOptions,
): Promise<BoundFiles> {
  const map = humanoid === undefined ? undefined : await readHumanoidFile(humanoid, model);
  const options = { humanoid: map, mirror };
  const names = new Set(model.clips.map(({ name }) => name));
  const bound: BoundFile[] = [];
  for (const text of files) {
    const [file = '', ...rest] = text.split('#');
    const clip = rest.length === 0 ? undefined : rest.join('#');
    const bind = /\.anim$/i.test(file) ? bindUnityFile : bindModelFile;
    const { clips, reports, origins } = await bind(model, file, clip, { ...options, bvhUnit, fbxUnit });
    const free = clips.map(({ name }) => freeName(name, names));
    bound.push({
      origins,
      clips: clips.map((each, i) => ({ ...each, name: free[i]! })),
      reports: reports.map((report, i) => ({ ...report, clip: free[i]! })),
    });
  }
  const reports = bound.flatMap((each) => each.reports);
  return {
    model: {
      ...model,
      clips: [...model.clips, ...bound.flatMap(({ clips }) => clips)],
      issues: [...model.issues, ...reports.flatMap(({ issues }) => issues)],
    },
    humanoid: map,
    origins: bound.flatMap((each) => each.origins),
    reports,
  };
}

/** Clips of one file for a character, with the names that they have in the file, and a report for each. */
interface BoundFile {
  readonly clips: readonly ClipModel[];
  readonly reports: readonly ClipReport[];
  readonly origins: BoundFiles['origins'];
}

type BindFileOptions = BindClipsOptions & ReadingOptions;

/** Binds clips of a model's file. @throws ManipleError as `openFile`, `findClip` and `bindClips` */
async function bindModelFile(
  model: CharacterModel,
  file: string,
  clip: string | undefined,
  { bvhUnit, fbxUnit, ...options }: BindFileOptions,
): Promise<BoundFile> {
  const opened = await openFile(file, { bvhUnit, fbxUnit });
  if (opened.kind === 'baked') fail('USAGE', file, 'The file is baked. Clips of other files must not be baked.');
  const names = opened.model.clips.map(({ name }) => name);
  if (names.length === 0) fail('CLIP_NOT_FOUND', file, 'The file has no clips.');
  const chosen = clip === undefined ? names.map((_, i) => i) : [findClip(names, clip, `${file}#`)];
  const origins = chosen.map((index) => ({ model: opened.model, clip: opened.model.clips[index]! }));
  const { clips, reports } = bindClips(model, [{ model: opened.model, clips: chosen }], options);
  return { clips: clips.map((each, i) => ({ ...each, name: names[chosen[i]!]! })), reports, origins };
}

/** Binds a Unity clip: muscles by bones, transforms by names of joints. @throws ManipleError as `importUnityClip` and `bindUnityClip` */
async function bindUnityFile(
  model: CharacterModel,
  file: string,
  fileID: string | undefined,
  { mirror = false, humanoid }: BindFileOptions,
): Promise<BoundFile> {
  const text = await readText(file);
  return naming(file, () => {
    const read = importUnityClip(text, fileID === undefined ? {} : { fileID });
    const isMirrored = mirror !== (read.facts.mirror ?? false);
    const { clip, issues, report } = bindUnityClip(read, model, { humanoid, mirror: isMirrored });
    const all = [...read.issues, ...issues].map((issue) => inFile(file, issue));
    if (isMirrored && !report) {
      const message = 'The clip moves transforms: left and right are not exchanged.';
      all.push(warning('UNITY_UNSUPPORTED', file, message, 'A controller can play it mirrored.'));
    }
    const moved = new Set(clip.tracks.flatMap(({ path, targetIndex }) => (path === 'weights' ? [] : [targetIndex])));
    const direct = { clip: clip.name, source: file, method: 'direct', bones: moved.size, error: 0 } as const;
    const body = read.humanoid;
    const origins = [body ? { model: body, clip: body.clips[0]! } : { model, clip }];
    return { clips: [clip], origins, reports: [{ ...(report ?? direct), source: file, issues: all }] };
  });
}

/** A humanoid map from a file, with the bones that it leaves out as they are found. @throws ManipleError USAGE, HUMANOID_INVALID */
async function readHumanoidFile(file: string, model: CharacterModel): Promise<HumanoidMap> {
  const suggestion = 'Write {"hips": "pelvis", "leftUpperArm": "arm_L"}.';
  const value = parseJson(await readText(file), { code: 'USAGE', file, suggestion });
  return naming(file, () => readHumanoidMap(value, model, findHumanoid(model).map));
}

/** Reports for --json, without their issues: those are among the character's. */
export function reportFacts(reports: readonly ClipReport[]) {
  return reports.map(({ clip, source, method, bones, error, footSlide }) => ({
    clip,
    source,
    method,
    bones,
    error,
    footSlide,
  }));
}

/** Prints the origin of each clip, and how well it fits. */
export function printReports(reports: readonly ClipReport[]): void {
  const centimetres = (metres: number): string => (100 * metres).toFixed(1);
  const rows = reports.map(({ clip, source, method, bones, error, footSlide }) => [
    clip,
    source,
    method,
    bones,
    method === 'humanoid' ? ((error * 180) / Math.PI).toFixed(1) : '',
    footSlide ? `${centimetres(footSlide.median)}, ${centimetres(footSlide.high)}` : '',
  ]);
  print(`${counted(reports.length, 'clip')} of other files:`);
  printTable([['clip', 'from', 'method', 'bones', 'limbs off, °', 'feet slide, cm of 1.8 m: median, 95 %'], ...rows]);
}
