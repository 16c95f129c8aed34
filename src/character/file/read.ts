import { refuseArgument } from '../arguments.ts';
import type { Box, Character, CharacterMesh } from '../character.ts';
import { WEIGHTS_PER_LANE } from '../format/rig-layout.ts';
import { MATERIAL_TEXTURES } from '../model.ts';
import { checkGeometry } from './checks/geometry.ts';
import { namesByKey } from './checks/channels.ts';
import { checkParts, checkPrimitives, type PrimitiveTables } from './checks/primitives.ts';
import { checkPosedJoints, checkRig, type ClipRegion } from './checks/rig.ts';
import { splitSections, versionOf, type Section, type SectionKind } from './container.ts';
import { description, type Description } from './description.ts';
import { parseJson, readWith } from './json.ts';
import { Report } from './report.ts';
import { clipRegions, restClipRows, spreadRig, StreamedClips } from './streamed-clips.ts';
import { STREAMED_SINCE, versionOfClip, versionOfMaterial, versionOfMesh } from './version.ts';

/**
 * Reads a baked character. Files are untrusted: nothing is returned unless every check passes. Then no kernel and no
 * twin that plays the character reads outside its tables, loops without end, or finds a number in them that is not
 * finite. Time and memory are in proportion to the file.
 *
 * The tables of the character are views of `bytes` where their alignment allows: leave them unchanged afterwards.
 *
 * @param bytes The whole file, at most 4 GiB.
 * @param name The file's name in messages.
 * @throws ManipleError with everything that was found.
 * - BAKED_NOT_MANIPLE: not a baked character.
 * - BAKED_VERSION: written by a newer Maniple.
 * - BAKED_TRUNCATED: the end is missing.
 * - BAKED_CORRUPT: damaged, or not written by `writeBaked`.
 */
export function readBaked(bytes: Uint8Array, name?: string): Character {
  if (!ArrayBuffer.isView(bytes)) refuseArgument('bytes', bytes, 'a Uint8Array');
  const report = new Report(name);
  const file = alignedCopy(bytes);
  const sections = splitSections(file, report);
  const clips = sections.filter(({ kind }) => kind === 'CLIP');
  const lengths = clips.map((section) => section.bytes.length);
  const { character, streamed } = readHead(sections, lengths, { version: versionOf(file), report, rests: false });
  clips.forEach((section, index) => {
    streamed.bytesOf(index).set(section.bytes);
    streamed.accept(index);
  });
  return character;
}

interface HeadOptions {
  readonly version: number;
  readonly report: Report;
  /** True if streamed clips rest until they are accepted. */
  readonly rests: boolean;
}

/**
 * Reads all sections but those of streamed clips.
 * @param clipBytes Bytes of each CLIP section.
 * @throws ManipleError BAKED_CORRUPT
 */
export function readHead(
  sections: readonly Section<Uint8Array<ArrayBuffer>>[],
  clipBytes: readonly number[],
  { version, report, rests }: HeadOptions,
): { character: Character; streamed: StreamedClips } {
  const all = (kind: SectionKind) => sections.filter((each) => each.kind === kind).map(({ bytes }) => bytes);
  const one = (kind: SectionKind): Uint8Array<ArrayBuffer> => {
    const found = all(kind);
    if (found.length !== 1) report.corrupt('table', `${found.length} sections of kind "${kind}"; one is needed.`);
    return found[0] ?? new Uint8Array();
  };
  const json = one('JSON');
  const rigSection = wordsOf(one('RIG '), 'rig', 4, report);
  const geometry = wordsOf(one('GEOM'), 'geometry', 4, report);
  const indices = wordsOf(one('INDX'), 'indices', 1, report);
  const sources = wordsOf(one('SRCV'), 'sources', 1, report);
  report.throwIfFailed();
  const described = readWith(description, parseJson(json, report), report);
  const images = all('IMAG');
  checkVersion(described, version, report);
  checkAgreement(described, images.length, report);
  const regions = clipRegions(described, clipBytes, rigSection.length / 4, report);
  const { rig, checked, rest } = openRig(rigSection, described, regions, { report, rests });
  const names = namesByKey(described.channels ?? [], report);
  const checkMesh = (mesh: Description, words: Uint32Array<ArrayBuffer>, tables: PrimitiveTables, part: Report) => {
    const batches = checked && checkGeometry(words, checked.paletteCount, mesh, names, part);
    const needed = batches ? versionOfMesh({ geometry: words, batchRuns: mesh.batchRuns }) : 1;
    if (needed > version) {
      const what = needed > 2 ? 'named channels' : 'channel tables and loader bits';
      report.corrupt('header+8', `files of version ${version} have no ${what}; this has.`);
    }
    checkPrimitives(mesh, tables, part);
    // walks batches and primitives in parallel, which requires that primitives do not overlap
    if (batches && !report.failed) checkParts(mesh, batches, part);
  };
  checkMesh(described, geometry, { indices, sources }, report);
  const lods = readLods(described, all('LODG'), all('LODI'), report);
  lods.forEach((lod, index) => {
    const part = report.within(`lods/${index}`);
    const primitives = lod.primitives.map((primitive) => ({ ...primitive, sourceCount: 0 }));
    checkPosedJoints(lod, described, part);
    checkMesh({ ...described, ...lod, primitives }, lod.geometry, { indices: lod.indices, sources: NONE }, part);
  });
  report.throwIfFailed();
  const streamed = new StreamedClips(rig, checked!, regions, report);
  rest(streamed);
  const { streamedClips: _, ...facts } = described;
  let source = 0;
  const character = {
    ...facts,
    error: 0,
    lods,
    rig,
    geometry,
    indices,
    primitives: described.primitives.map(({ sourceCount, ...primitive }) => {
      source += sourceCount;
      return { ...primitive, vertexOfSource: sources.subarray(source - sourceCount, source) };
    }),
    images: described.images.map(({ name, mimeType }, index) => ({ name, mimeType, bytes: images[index]! })),
  };
  return { character, streamed };
}

/** The rig blob, without the rows of streamed clips, and what checking it gave. `rest` lets streamed clips rest, if they do. */
function openRig(
  section: Uint32Array<ArrayBuffer>,
  described: Description,
  regions: readonly ClipRegion[],
  { report, rests }: Pick<HeadOptions, 'report' | 'rests'>,
) {
  const laneCount = described.joints.length + Math.ceil(described.morphNames.length / WEIGHTS_PER_LANE);
  const spareRows = rests && regions.length > 0 ? restClipRows(laneCount) : 0;
  const rig = regions.length > 0 ? spreadRig(section, regions, spareRows) : section;
  const words = rig.subarray(0, rig.length - 4 * spareRows);
  const rest = (streamed: StreamedClips): void => {
    if (spareRows > 0) streamed.rest(words.length / 4, laneCount);
  };
  return { rig, checked: checkRig(words, described, regions, report), rest };
}

/** Checks that the description has nothing that files of the version have not. */
function checkVersion({ materials, clips, streamedClips }: Description, version: number, report: Report): void {
  const needs = (least: number, message: string): void => {
    if (least > version) report.corrupt('header+8', `files of version ${version} have ${message}`);
  };
  needs(
    Math.max(1, ...materials.map(versionOfMaterial)),
    'one set of texture coordinates; a texture takes the second.',
  );
  needs(Math.max(1, ...clips.map(versionOfClip)), 'no clips in sampled form; this has.');
  needs(streamedClips ? STREAMED_SINCE : 1, 'no clips in sections of their own; this has.');
}

/** Sources of coarser meshes: none. */
const NONE: Uint32Array<ArrayBuffer> = new Uint32Array();

/** Coarser meshes, not yet checked. Each has one section for geometry and one for indices. */
function readLods(
  { lods = [], primitives }: Description,
  geometries: readonly Uint8Array<ArrayBuffer>[],
  indices: readonly Uint8Array<ArrayBuffer>[],
  report: Report,
): CharacterMesh[] {
  if (geometries.length !== lods.length || indices.length !== lods.length) {
    const found = `${geometries.length} LODG and ${indices.length} LODI sections`;
    report.corrupt('json/lods', `has ${lods.length} entries for ${found}.`);
    return [];
  }
  lods.forEach((lod, index) => {
    if (lod.primitives.length === primitives.length) return;
    const message = `has ${lod.primitives.length} entries; the finest mesh has ${primitives.length}.`;
    report.corrupt(`json/lods/${index}/primitives`, message);
  });
  report.throwIfFailed();
  return lods.map((lod, index) => {
    const part = report.within(`lods/${index}`);
    return {
      ...lod,
      geometry: wordsOf(geometries[index]!, 'geometry', 4, part),
      indices: wordsOf(indices[index]!, 'indices', 1, part),
      primitives: lod.primitives.map((runs, p) => {
        const { sourceCount: _, ...finest } = primitives[p]!;
        return { ...finest, ...runs, vertexOfSource: NONE };
      }),
    };
  });
}

/** The same bytes if 32-bit words can be read from them in place, else a copy. */
function alignedCopy(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, byteLength } = bytes;
  if (buffer instanceof ArrayBuffer && byteOffset % 4 === 0) return new Uint8Array(buffer, byteOffset, byteLength);
  return new Uint8Array(bytes);
}

function wordsOf(
  { buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>,
  section: string,
  multiple: 1 | 4,
  report: Report,
): Uint32Array<ArrayBuffer> {
  if (byteLength % (4 * multiple) !== 0) {
    report.corrupt(section, `has ${byteLength} bytes, not a multiple of ${4 * multiple}.`);
  }
  return new Uint32Array(buffer, byteOffset, Math.floor(byteLength / 4));
}

/** Checks that parts of the description agree with each other. */
function checkAgreement(character: Description, imageCount: number, report: Report): void {
  const { bounds, clips, images, influenceHistogram, materials, vertexCount } = character;
  const checkBox = ({ min, max }: Box, path: string): void => {
    if (min.some((low, c) => low > max[c]!)) report.corrupt(path, 'min is above max.');
  };
  checkBox(bounds, 'json/bounds');
  clips.forEach((clip, index) => clip.bounds && checkBox(clip.bounds, `json/clips/${index}/bounds`));
  if (images.length !== imageCount) {
    report.corrupt('json/images', `has ${images.length} entries for ${imageCount} image sections.`);
  }
  materials.forEach((material, index) => {
    for (const name of MATERIAL_TEXTURES) {
      const { imageIndex } = material[name] ?? {};
      if (imageIndex === undefined || imageIndex < images.length) continue;
      const path = `json/materials/${index}/${name}/imageIndex`;
      report.corrupt(path, `is ${imageIndex}; there are ${images.length} images.`);
    }
  });
  const counted = influenceHistogram.reduce((sum, count) => sum + count, 0);
  if (counted !== vertexCount) {
    report.corrupt('json/influenceHistogram', `counts ${counted} vertices of ${vertexCount}.`);
  }
}
