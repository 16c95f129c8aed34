import type { Character } from '../character/character.ts';
import { crc32 } from '../character/file/crc32.ts';
import { joinSections, SECTION_LIMIT, type Section } from '../character/file/container.ts';
import { writeBaked } from '../character/file/index.ts';
import { fail } from '../errors.ts';
import type { CapturedArrays, FrameCapture } from './capture.ts';
import { CAPTURE_FORM, CAPTURE_VERSION, type CaptureDescription, type ControllerDescription } from './form.ts';

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
