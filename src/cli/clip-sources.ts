import { existsSync } from 'node:fs';
import type { HumanoidMap } from '../character/humanoid.ts';
import type { CharacterModel, ClipModel } from '../character/model.ts';
import { fail } from '../errors.ts';
import { counted } from '../diagram/text.ts';
import { findHumanoid, readHumanoidMap } from '../humanoid/index.ts';
import { bindClips, chosenClips, type ClipReport, type ClipSource } from '../retarget/index.ts';
import { findClip, openFile, type ReadingOptions } from './load.ts';
import { print, printTable } from './output.ts';
import { naming, parseJson, readText } from './read.ts';

/** Names of files with clips for a character. */
const MODEL_FILE = /\.(glb|gltf|vrm|bvh|fbx)(#.*)?$/i;

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
    MODEL_FILE.test(text) && (existsSync(text.split('#')[0]!) || !text.includes(','));
  return { names: texts.filter((text) => !isFile(text)), files: texts.filter(isFile) };
}

/**
 * A model with the clips of other files, retargeted where skeletons differ.
 *
 * @param files Paths; `file#clip` takes one clip of a file.
 * @throws ManipleError as `openFile`, `findClip` and `bindClips`
 */
export async function withClipFiles(
  model: CharacterModel,
  files: readonly string[],
  { humanoid, mirror, bvhUnit }: RetargetOptions,
): Promise<BoundFiles> {
  const map = humanoid === undefined ? undefined : await readHumanoidFile(humanoid, model);
  const sources: ClipSource[] = [];
  for (const text of files) {
    const [file = '', ...rest] = text.split('#');
    const opened = await openFile(file, { bvhUnit });
    if (opened.kind === 'baked') fail('USAGE', file, 'The file is baked. Clips of other files must not be baked.');
    const names = opened.model.clips.map(({ name }) => name);
    if (names.length === 0) fail('CLIP_NOT_FOUND', file, 'The file has no clips.');
    const clips = rest.length === 0 ? undefined : [findClip(names, rest.join('#'), `${file}#`)];
    sources.push({ model: opened.model, clips });
  }
  const { model: bound, reports } = bindClips(model, sources, { humanoid: map, mirror });
  const origins = sources.flatMap((source) => chosenClips(source).map((clip) => ({ model: source.model, clip })));
  return { model: bound, humanoid: map, origins, reports };
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
