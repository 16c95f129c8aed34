import { refuseArgument } from '../crowd/arguments.ts';
import type { Character } from '../character/character.ts';
import type { CompiledController } from '../controller/compile.ts';
import { splitSections, type Section } from '../character/file/container.ts';
import { readBaked } from '../character/file/index.ts';
import { parseJson } from '../character/file/json.ts';
import { readWith } from '../character/file/rules.ts';
import { checkOptions } from '../crowd/options.ts';
import { tableOptions } from '../crowd/crowd-layout.ts';
import { gapBytes, GAP_LIMIT, typesOfPlaces } from './check-places.ts';
import { capturedCrowd, crowdOptionsOf } from './space.ts';
import type { CapturedArrays, FrameCapture } from './capture.ts';
import { captureRule, CAPTURE_FORM, CaptureReport, coded, type ControllerDescription } from './form.ts';

/**
 * Limit for the bytes of a small file's characters and controllers in the crowd's tables. Each counts as often as it is
 * named.
 */
const REPEATED_BYTES = 2 ** 30;

/**
 * Reads a file of `writeCapture`. Files are untrusted. Header, checksums, description and characters are checked here.
 * `replayStage` checks the lengths of arrays and the counts that loops use. Time and memory are in proportion to the
 * file. Arrays are views of `bytes` where their alignment allows.
 *
 * @param name The file's name in messages.
 * @throws ManipleError CAPTURE_INVALID with all problems: not a capture, of another version, cut, damaged
 */
export function readCapture(bytes: Uint8Array, name?: string): FrameCapture {
  const report = new CaptureReport(name);
  if (!(bytes instanceof Uint8Array)) refuseArgument('bytes', bytes, 'a Uint8Array');
  const sections = splitSections(aligned(bytes), report, CAPTURE_FORM);
  const json = sections[0];
  if (json?.kind !== 'JSON') {
    report.corrupt('table', 'the first section is no description.');
    return report.throwIfFailed() as never;
  }
  const { characters, kernels, stages, options, ...rest } = readWith(
    captureRule,
    parseJson(json.bytes, report),
    report,
  );
  const section = (kind: string, index: number, path: string): Uint8Array<ArrayBuffer> => {
    const found: Section<Uint8Array<ArrayBuffer>> | undefined = sections[index];
    if (found?.kind === kind && found.bytes.length % 4 === 0) return found.bytes;
    report.corrupt(path, `section ${index} is no ${kind} of whole words.`);
    return new Uint8Array();
  };
  const wordsAt = (kind: 'CTRL' | 'ARRY', index: number, path: string): Uint32Array<ArrayBuffer> => {
    const { buffer, byteOffset, byteLength } = section(kind, index, path);
    return new Uint32Array(buffer, byteOffset, byteLength / 4);
  };
  const arraysAt = (list: readonly { name: string; section: number }[], path: string): CapturedArrays =>
    Object.fromEntries(list.map((array) => [array.name, wordsAt('ARRY', array.section, `${path}/${array.name}`)]));
  const controllerOf = (described: ControllerDescription, path: string): CompiledController => {
    const { section: index, ...known } = described;
    const table = wordsAt('CTRL', index, path);
    if (table.length % 4 !== 0) report.corrupt(path, `its table has ${table.length} words: no whole rows.`);
    return { ...known, table, clips: [], events: [], issues: [] };
  };
  // characters that differ only in their controllers share one section
  const files = characters.map(({ section: index }, c) => section('CHAR', index, `json/characters/${c}`));
  const tables = characters.flatMap(({ controller }, c) =>
    controller ? [section('CTRL', controller.section, `json/characters/${c}`)] : [],
  );
  for (const parts of [files, tables]) {
    const total = parts.reduce((sum, { length }) => sum + length, 0);
    if (total <= Math.max(bytes.length, REPEATED_BYTES)) continue;
    report.corrupt('json/characters', `are ${total} bytes, each counted as often as it is named.`);
  }
  report.throwIfFailed();
  const known = new Map<number, Character>();
  const read = characters.map(({ section: index, controller }, c): Character => {
    const path = `json/characters/${c}`;
    const character = known.get(index) ?? coded(report, path, () => readBaked(files[c]!));
    known.set(index, character);
    return { ...character, ...(controller && { controller: controllerOf(controller, path) }) };
  });
  const { meshes, ...choice } = kernels;
  const chosen = meshes.flatMap(({ character, ...mesh }) => {
    const found = read[character];
    return found ? [{ character: found, ...mesh }] : [];
  });
  const capture: FrameCapture = {
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
  report.throwIfFailed();
  // with kernels' own backend, what the crowd was made with would have been refused for lack of a device
  if (capture.providers.length !== capture.providerSizes.length) {
    report.corrupt('json/providerSizes', 'are not as many as there are providers.');
  }
  report.throwIfFailed();
  const crowd = crowdOptionsOf(capture.options);
  coded(report, 'json/options', () => checkOptions(undefined, { ...crowd, backend: 'cpu' }));
  const types = typesOfPlaces(read, capture.places, tableOptions(capturedCrowd(capture), capture.kernels), report);
  const gaps = gapBytes(types);
  if (gaps > GAP_LIMIT) report.corrupt('json/characters', `leave ${gaps} bytes of the crowd's tables empty.`);
  report.throwIfFailed();
  return capture;
}

function aligned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, byteLength } = bytes;
  if (buffer instanceof ArrayBuffer && byteOffset % 4 === 0) return new Uint8Array(buffer, byteOffset, byteLength);
  return new Uint8Array(bytes);
}
