import { refuseArgument } from '../crowd/arguments.ts';
import type { Character } from '../character/character.ts';
import type { CompiledController } from '../controller/compile.ts';
import { splitSections, versionOf } from '../character/file/container.ts';
import { readBaked } from '../character/file/index.ts';
import { parseJson } from '../character/file/json.ts';
import type { CapturedArrays, FrameCapture } from './capture.ts';
import {
  CAPTURE_FORM,
  CAPTURE_VERSION,
  CaptureReport,
  type ArrayDescription,
  type CaptureDescription,
  type ControllerDescription,
} from './form.ts';

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
