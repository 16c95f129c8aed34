import { InvalidArgumentError, Option } from 'commander';
import { LOD_LIMIT } from '../character/character.ts';
import { CAPACITY_LIMIT } from '../crowd/rows/ids.ts';
import type { Camera } from '../render/camera.ts';
import type { ShownView } from '../render/forward/view.ts';

/** An option with what reads its value. */
export function option<T>(
  flags: string,
  description: string,
  parse?: (text: string, previous: T | undefined) => T,
): Option {
  const made = new Option(flags, description);
  return parse ? made.argParser(parse) : made;
}

// Options of several subcommands.

export const jsonOption: Option = option('--json', 'print machine-readable JSON');

export const backendOption = (description = 'run the frame on kernels (gpu) or on their twins (cpu)'): Option =>
  option('--backend <which>', description).choices(['gpu', 'cpu']).default('gpu');

export const errorBudgetOption: Option = option(
  '--error-budget <metres>',
  'largest error of packed clips at any vertex; 0 stores every key in full (default: 0.1 mm on a 1.8 m character)',
  within(nonNegative, 1e6),
);

export const bvhUnitOption: Option = option(
  '--bvh-unit <metres>',
  'length of one unit of a BVH file, such as 0.01 for centimetres (default: a guess, by the size of the skeleton)',
  within(nonNegative, 1e6),
);

export const fbxUnitOption: Option = option(
  '--fbx-unit <metres>',
  'length of one unit of an FBX file that names a wrong one, such as 0.01 for centimetres (default: what the file says)',
  within(nonNegative, 1e6),
);

export const vertexFormatOption: Option = option(
  '--vertex-format <name>',
  'form of vertices. standard: fastest; packed: 8-bit normals and tangents; compact: smallest, 16-bit positions (default: standard)',
).choices(['standard', 'packed', 'compact']);

export const lodsOption: Option = option(
  '--lods <n>',
  'levels of detail to make, each with half the triangles of the previous one, instead of those in the file; 0: none (default: those in the file)',
  within(wholeNumber, LOD_LIMIT),
);

export const clipsOption: Option = option(
  '--clips <map>',
  'JSON that maps Unity GUIDs or clip names to files: {"guid": "walk.anim", "guid:fileID": "hero.glb#Walk"}',
  fileName,
);

export const unityProjectOption: Option = option(
  '--unity-project <folder>',
  "the Assets folder of a Unity project. Its .meta files give clips their names, and find clips and masks (default: the .meta files in the controller's folder)",
  someName,
);

export const humanoidOption: Option = option(
  '--humanoid <map>',
  'JSON that corrects the bones of the character\'s humanoid, for retargeting: {"hips": "pelvis", "leftUpperArm": "arm_L"}. `maniple inspect` shows what is found',
  fileName,
);

export const mirrorOption: Option = option('--mirror', 'exchange left and right in clips of other files');

export const seedOption: Option = option(
  '--seed <n>',
  'seed of random numbers: the same seed gives the same picture',
  within(wholeNumber, 2 ** 32 - 1),
).default(7);

/** Where a controller finds other files. */
export interface FileMapOptions {
  /** File of a map of other files. */
  readonly clips?: string | undefined;
  readonly unityProject?: string | undefined;
}

/** Outputs of a picture, by the names of the option. */
export const OUTPUTS = {
  color: 'color',
  depth: 'depth',
  normals: 'normals',
  ids: 'ids',
  velocity: 'velocity',
  lod: 'level',
  rate: 'rate',
  slots: 'slot',
  bounds: 'bounds',
  joints: 'joints',
  overdraw: 'overdraw',
} as const satisfies Record<string, ShownView>;

export type Output = keyof typeof OUTPUTS;

/** Reads a number for which a condition holds. */
function numberThat(text: string, isValid: (value: number) => boolean, message: string): number {
  const value = Number(text);
  if (text.trim() === '' || !isValid(value)) throw new InvalidArgumentError(message);
  return value;
}

export function finite(text: string): number {
  return numberThat(text, Number.isFinite, 'It has to be a number.');
}

export function nonNegative(text: string): number {
  return numberThat(text, (value) => value >= 0 && value < Infinity, 'It has to be a number of 0 or more.');
}

export function wholeNumber(text: string): number {
  const isValid = (value: number) => Number.isSafeInteger(value) && value >= 0;
  return numberThat(text, isValid, 'It has to be a whole number of 0 or more.');
}

export function positive(text: string): number {
  const value = wholeNumber(text);
  if (value === 0) throw new InvalidArgumentError('It has to be 1 or more.');
  return value;
}

/** Limits a number to the range from −`most` to `most`. */
export function within(parse: (text: string) => number, most: number): (text: string) => number {
  return (text) => {
    const value = parse(text);
    if (value > most) throw new InvalidArgumentError(`It has to be ${most} at most.`);
    if (value < -most) throw new InvalidArgumentError(`It has to be ${-most} at least.`);
    return value;
  };
}

/** Characters of a picture. */
export const characterCount: (text: string) => number = within(positive, CAPACITY_LIMIT);

/** Pictures that the visibility renderer averages. */
export const sampleCount: (text: string) => number = within(positive, 64);

/** Frames of a sequence: over nine hours at 30 a second. */
export const frameCount: (text: string) => number = within(positive, 1e6);

/** Seconds of a clip. */
export const seconds: (text: string) => number = within(finite, 1e9);

/** Time for a bench. */
export const benchSeconds: (text: string) => number = within(nonNegative, 3600);

/** Metres in the world, and degrees of an orbit. */
export const extent: (text: string) => number = within(finite, 1e6);

/** The name of a file, to be read or written. */
export function fileName(text: string): string {
  if (/(^|[/\\])\.{0,2}$/.test(text.trim())) throw new InvalidArgumentError('It has to be the name of a file.');
  return text;
}

/** A name that cannot be empty. */
export function someName(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It has to be a name.');
  return text;
}

/** One of several runs that share a sequence. */
export interface Shard {
  /** From 1. */
  readonly index: number;
  readonly count: number;
}

/** `2/4` */
export function shardOf(text: string): Shard {
  const match = /^(\d+)\/(\d+)$/.exec(text);
  const [index, count] = [Number(match?.[1]), Number(match?.[2])];
  if (!match || index < 1 || index > count || !Number.isSafeInteger(count)) {
    throw new InvalidArgumentError('It has to be i/n: which one of how many, from 1/n to n/n.');
  }
  return { index, count };
}

/** The largest rate that makes sense of a screen. */
export const framesPerSecond: (text: string) => number = within(positive, 240);

export function videoFile(text: string): string {
  if (!/[^/\\]\.webm$/.test(text)) throw new InvalidArgumentError('It has to be the name of a .webm file.');
  return text;
}

export const fpsOption: Option = option('--fps <n>', 'frames per second of a sequence', framesPerSecond).default(30);

/** `1280x720` */
export function pictureSize(text: string): { width: number; height: number } {
  const match = /^(\d+)x(\d+)$/.exec(text);
  const [width, height] = [Number(match?.[1]), Number(match?.[2])];
  if (!match || width < 1 || height < 1 || width > 8192 || height > 8192) {
    throw new InvalidArgumentError('It has to be WIDTHxHEIGHT, each from 1 to 8192.');
  }
  return { width, height };
}

/** `eye/target` or `eye/target/degrees`, points as x,y,z in metres. */
export function cameraView(text: string): Camera {
  const [eye, target, fov, ...more] = text.split('/').map((part) => part.split(',').map(extent));
  const point = (numbers: number[] | undefined): numbers is [number, number, number] => numbers?.length === 3;
  const degrees = fov === undefined ? 45 : fov.length === 1 ? fov[0]! : NaN;
  if (!point(eye) || !point(target) || more.length > 0 || !(degrees >= 1 && degrees <= 170)) {
    throw new InvalidArgumentError('It has to be x,y,z/x,y,z: eye and target; a third part is 1 to 170 degrees.');
  }
  if (eye.every((c, i) => c === target[i])) throw new InvalidArgumentError('Eye and target are the same point.');
  return { eye, target, fovY: (degrees * Math.PI) / 180 };
}

export function collect<T>(parse: (text: string) => T): (text: string, previous: T[] | undefined) => T[] {
  return (text, previous = []) => [...previous, parse(text)];
}
