import type { Character } from '../character/character.ts';
import {
  joinSections,
  SECTION_LIMIT,
  splitSections,
  versionOf,
  type FileForm,
  type Section,
} from '../character/file/container.ts';
import { crc32 } from '../character/file/crc32.ts';
import { readBaked, writeBaked } from '../character/file/index.ts';
import { parseJson } from '../character/file/json.ts';
import { Report } from '../character/file/report.ts';
import type { CompiledController } from '../controller/compile.ts';
import { refuseArgument } from '../crowd/arguments.ts';
import { fail, type IssueCode } from '../errors.ts';
import type { StageName } from '../frame/stages.ts';
import type { TypePlace } from '../frame/tables/crowd-types.ts';
import type { KernelChoice } from '../stages/kernel-choice.ts';
import type { CapturedArrays, CapturedOptions, FrameCapture } from './capture.ts';

/** The newest version of capture files. Bindings of stages change with Maniple, so other versions are rejected. */
export const CAPTURE_VERSION = 4;

/** The outer form of baked files (`character/file/FORMAT.md`) with other letters. Sections: JSON, CHAR, CTRL, ARRY. */
export const CAPTURE_FORM: FileForm = {
  letters: 'MNCP',
  newest: CAPTURE_VERSION,
  noun: 'frame capture',
  again: 'take the capture again',
  suffix: 'a file of writeCapture',
};

/** Reports every problem of a file with one code, because callers handle all of them alike. */
export class CaptureReport extends Report {
  protected override coded(_: IssueCode): IssueCode {
    return 'CAPTURE_INVALID';
  }

  override corrupt(path: string, message: string): void {
    this.add('CAPTURE_INVALID', path, message, 'Take the capture again.');
  }
}

/** A controller without clip names and events. `section` is the index of its table's section. */
interface ControllerDescription extends Omit<CompiledController, 'table' | 'clips' | 'events' | 'issues'> {
  readonly section: number;
}

interface ArrayDescription {
  readonly name: string;
  readonly section: number;
}

type Mesh = NonNullable<KernelChoice['skinning']>['meshes'][number];

/** The JSON section: everything except tables and arrays, which it refers to by the indices of their sections. */
interface CaptureDescription extends Omit<FrameCapture, 'options' | 'places' | 'kernels' | 'stages'> {
  readonly characters: readonly {
    readonly section: number;
    readonly skin: CapturedOptions['skin'][number];
    readonly place: TypePlace;
    readonly controller?: ControllerDescription | undefined;
  }[];
  readonly options: Omit<CapturedOptions, 'characters' | 'skin'>;
  readonly kernels: Omit<KernelChoice, 'skinning'> & {
    readonly meshes: readonly (Omit<Mesh, 'character'> & { readonly character: number })[];
  };
  readonly stages: readonly {
    readonly stage: StageName;
    readonly inputs: readonly ArrayDescription[];
    readonly outputs: readonly ArrayDescription[];
  }[];
}

/** Collects sections. An array that several stages have is stored once. */
class Sections {
  readonly list: Section[] = [{ kind: 'JSON', bytes: new Uint8Array() }];
  readonly #known = new Map<string, number[]>();

  add(kind: 'CHAR' | 'CTRL' | 'ARRY', bytes: Uint8Array): number {
    const key = `${kind} ${bytes.length} ${crc32(bytes)}`;
    const known = this.#known.get(key) ?? [];
    const same = known.find((index) => this.list[index]!.bytes.every((byte, at) => byte === bytes[at]));
    if (same !== undefined) return same;
    this.list.push({ kind, bytes });
    this.#known.set(key, [...known, this.list.length - 1]);
    return this.list.length - 1;
  }
}

/**
 * Writes a capture as a file, which `readCapture` reads. It contains all arrays unchanged, each once, and the tables of
 * the crowd's characters without materials and images.
 *
 * @throws ManipleError CAPTURE_TOO_LARGE: over 4 GiB, or over 2,048 different arrays; as `writeBaked`
 */
export function writeCapture(capture: FrameCapture): Uint8Array<ArrayBuffer> {
  const sections = new Sections();
  const { backend, adapter, frame, places, providers, providerSizes, options, kernels, numbers } = capture;
  const { characters, skin, poseSharing: sharing, ...numbersOfCrowd } = options;
  const arraysOf = (arrays: CapturedArrays) =>
    Object.entries(arrays).map(([name, words]) => ({ name, section: sections.add('ARRY', bytesOf(words)) }));
  const description: CaptureDescription = {
    backend,
    adapter,
    frame,
    providers,
    providerSizes,
    characters: characters.map((character, c) => ({
      section: sections.add('CHAR', writeBaked(withoutLooks(character))),
      skin: skin[c]!,
      place: places[c]!,
      controller: describeController(character, sections),
    })),
    options: {
      ...numbersOfCrowd,
      maxVertexBytes: finite(numbersOfCrowd.maxVertexBytes),
      lodTolerancePx: finite(numbersOfCrowd.lodTolerancePx),
      poseSharing: sharing && { ...sharing, belowPx: finite(sharing.belowPx)! },
    },
    kernels: {
      serialPoses: kernels.serialPoses,
      cachedPalettes: kernels.cachedPalettes,
      serialLists: kernels.serialLists,
      wideSkins: kernels.wideSkins,
      groupThreads: kernels.groupThreads,
      meshes: (kernels.skinning?.meshes ?? [])
        .map(({ character, level, variant }) => ({ character: characters.indexOf(character), level, variant }))
        .filter(({ character }) => character >= 0),
    },
    numbers,
    stages: capture.stages.map(({ stage, inputs, outputs }) => ({
      stage,
      inputs: arraysOf(inputs),
      outputs: arraysOf(outputs),
    })),
  };
  sections.list[0] = { kind: 'JSON', bytes: new TextEncoder().encode(JSON.stringify(description)) };
  const fits = sections.list.length <= SECTION_LIMIT;
  const file = fits ? joinSections(CAPTURE_VERSION, sections.list, CAPTURE_FORM) : undefined;
  if (file) return file;
  const message = `has ${sections.list.length} sections, or over 4 GiB.`;
  return fail('CAPTURE_TOO_LARGE', 'writeCapture', message, 'Capture fewer stages.');
}

/**
 * Replaces infinity, because JSON has none, and files have no number beyond single precision. Such a large limit has
 * the same effect.
 */
function finite(limit: number | undefined): number | undefined {
  return limit === undefined ? undefined : Math.min(limit, 3.4e38);
}

function describeController({ controller }: Character, sections: Sections): ControllerDescription | undefined {
  if (!controller) return undefined;
  const { table, clips: _clips, events: _events, issues: _issues, ...fields } = controller;
  return { ...fields, section: sections.add('CTRL', bytesOf(table)) };
}

/** The parts of a character that stages read. */
function withoutLooks(character: Character): Character {
  const bare = <M extends Pick<Character, 'primitives'>>(mesh: M): M => ({
    ...mesh,
    primitives: mesh.primitives.map((primitive) => ({ ...primitive, materialIndex: -1 })),
  });
  return { ...bare(character), lods: character.lods.map(bare), materials: [], images: [], issues: [] };
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array<ArrayBuffer>): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/**
 * Reads a file of `writeCapture`. Checks its header, checksums and sections, and trusts their contents: a capture is a
 * developer's own file. `replayStage` checks the lengths of arrays. Arrays are views of `bytes` where their alignment
 * allows.
 *
 * @param name The file's name in messages.
 * @throws ManipleError CAPTURE_INVALID: not a capture, of another version, cut, damaged, or without a section that it
 * names
 */
export function readCapture(bytes: Uint8Array, name?: string): FrameCapture {
  const report = new CaptureReport(name);
  if (!(bytes instanceof Uint8Array)) refuseArgument('bytes', bytes, 'a Uint8Array');
  const file = aligned(bytes);
  const sections = splitSections(file, report, CAPTURE_FORM);
  const version = versionOf(file);
  if (version !== CAPTURE_VERSION) {
    report.corrupt('header', `The file has version ${version}; this Maniple reads only version ${CAPTURE_VERSION}.`);
  }
  const json = sections[0];
  if (json?.kind !== 'JSON') report.corrupt('table', 'The first section is not the description.');
  report.throwIfFailed();
  const description = parseJson(json!.bytes, report) as CaptureDescription;
  const section = (kind: string, index: number, path: string): Uint8Array<ArrayBuffer> => {
    const match = sections[index];
    if (match?.kind === kind && match.bytes.length % 4 === 0) return match.bytes;
    report.corrupt(path, `Expected section ${index} to hold whole words of kind ${kind}.`);
    return report.throwIfFailed() as never;
  };
  const wordsAt = (kind: 'CTRL' | 'ARRY', index: number, path: string): Uint32Array<ArrayBuffer> => {
    const { buffer, byteOffset, byteLength } = section(kind, index, path);
    return new Uint32Array(buffer, byteOffset, byteLength / 4);
  };
  const arraysAt = (list: readonly ArrayDescription[], path: string): CapturedArrays =>
    Object.fromEntries(list.map((array) => [array.name, wordsAt('ARRY', array.section, `${path}/${array.name}`)]));
  const controllerOf = (described: ControllerDescription, path: string): CompiledController => {
    const { section: index, ...fields } = described;
    return { ...fields, table: wordsAt('CTRL', index, path), clips: [], events: [], issues: [] };
  };
  const { characters, kernels, stages, options, ...rest } = description;
  // characters that differ only in their controllers share one section
  const existing = new Map<number, Character>();
  const read = characters.map(({ section: index, controller }, c): Character => {
    const path = `json/characters/${c}`;
    const character = existing.get(index) ?? readBaked(section('CHAR', index, path));
    existing.set(index, character);
    return { ...character, ...(controller && { controller: controllerOf(controller, path) }) };
  });
  const { meshes, ...choice } = kernels;
  const chosen = meshes.map(({ character, ...mesh }) => ({ character: read[character]!, ...mesh }));
  return {
    ...rest,
    places: characters.map(({ place }) => place),
    options: { ...options, characters: read, skin: characters.map(({ skin }) => skin) },
    kernels: chosen.length > 0 ? { ...choice, skinning: { meshes: chosen } } : choice,
    stages: stages.map(({ stage, inputs, outputs }) => ({
      stage,
      inputs: arraysAt(inputs, `${stage}/inputs`),
      outputs: arraysAt(outputs, `${stage}/outputs`),
    })),
  };
}

function aligned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, byteLength } = bytes;
  if (buffer instanceof ArrayBuffer && byteOffset % 4 === 0) return new Uint8Array(buffer, byteOffset, byteLength);
  return new Uint8Array(bytes);
}
