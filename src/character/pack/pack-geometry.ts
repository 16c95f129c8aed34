import { View } from '../../layout/index.ts';
import { packHalf, packOctahedral, packTangent, packUnorm8 } from '../../math/packing.ts';
import { channelKey } from '../../vertex/vertex-format.ts';
import { fail } from '../../errors.ts';
import type { BatchRun, CharacterMesh, CharacterPrimitive } from '../character.ts';
import { morphOffsets } from '../evaluate.ts';
import {
  BATCH_VERTICES,
  GEOMETRY_COLORS,
  GEOMETRY_NAMED,
  GEOMETRY_NON_UNIFORM,
  GEOMETRY_TANGENTS,
  GEOMETRY_TEXCOORDS,
  GEOMETRY_UNMOVED,
  GeometryHeader,
  LOADER_GENERAL,
  LOADER_MORPH,
  LOADER_PACKED,
  LOADER_PROVIDER_SHIFT,
  LOADER_VARIABLE,
  MORPH_DELTA_WORDS,
  PART_LIMIT,
  PROVIDER_LIMIT,
  SkinBatch,
} from '../format/geometry-layout.ts';
import type { CharacterModel, InfluencesModel, MeshModel } from '../model.ts';
import { chooseFormat, type ChosenFormat } from '../vertex-formats.ts';
import { BlobBuilder } from './blob.ts';
import type { PackOptions } from './options.ts';
import { packChannels, packNamedChannels, withOneWind, type ChannelGroup } from './pack-channels.ts';
import type { Steps } from './steps.ts';

/** The packed meshes of one level, and facts that are the same at all levels. */
interface PackedGeometry {
  readonly mesh: Omit<CharacterMesh, 'error' | 'posedJoints'>;
  readonly parts: readonly string[];
  /** Names of named channels, each once. */
  readonly channels: readonly string[];
}

/** A mesh and its position in the character's streams. */
interface PlacedMesh {
  readonly mesh: MeshModel;
  readonly index: number;
  readonly variant: number;
  readonly part: number;
  readonly firstVertex: number;
  readonly format: ChosenFormat;
  /** Index of the channel table that it shares; −1: the standard layout. */
  readonly group: number;
}

export interface PackGeometryOptions {
  readonly paletteCount: number;
  readonly nonUniform: boolean;
  /** Keep weights as floats, whatever their number. */
  readonly exactWeights: boolean;
  /** As in PackOptions. */
  readonly vertexFormat: PackOptions['vertexFormat'];
  readonly providers: PackOptions['providers'];
}

/** Packs all meshes into vertex streams, cut into batches. @throws ManipleError CHARACTER_VERTEX_FORMAT */
export function* packGeometry(model: CharacterModel, options: PackGeometryOptions): Steps<PackedGeometry> {
  const { placed, parts } = placeMeshes(model, options);
  const vertexCount = placed.reduce((sum, { mesh }) => sum + mesh.vertexCount, 0);
  const blob = new BlobBuilder();
  blob.reserve(GeometryHeader, 1);
  const header = new View(GeometryHeader, 1);
  const influences = yield* packInfluences(placed, vertexCount);
  const streams = yield* appendStreams(blob, header, placed);
  const influenceRow = blob.append(influences.fixed);
  const headerWord = 4 * blob.append(influences.headers);
  yield;
  const deltas = placed.map(({ mesh, format }) => (format.kind === 'general' ? 0 : 4 * blob.append(morphDeltas(mesh))));
  yield;
  const channelRows = packChannels(blob, groupsOf(placed, deltas));
  const namedRows = placed.map((place) => packNamedChannels(blob, place));
  const batches = cutBatches(model, placed, { influenceRow, headerWord, deltas, channelRows, namedRows });
  const table = new View(SkinBatch, batches.length);
  batches.forEach(({ fields }, index) => table.assign(index, fields));
  header.assign(0, {
    vertexCount,
    batchCount: batches.length,
    batchRow: blob.appendView(table),
    flags:
      streams |
      (options.nonUniform ? GEOMETRY_NON_UNIFORM : 0) |
      (placed.some(({ mesh }) => hasUnmoved(mesh)) ? GEOMETRY_UNMOVED : 0) |
      (namedRows.some((row) => row > 0) ? GEOMETRY_NAMED : 0),
    paletteCount: options.paletteCount,
    morphWeightRow: 3 * options.paletteCount,
    influencePairWord: 4 * blob.append(influences.pairs),
    channelRow: channelRows[0] ?? 0,
  });
  blob.fill(0, header);
  const mesh = { geometry: blob.finish(), ...drawPrimitives(placed), vertexCount, batchRuns: runsOf(batches) };
  return { mesh, parts, channels: channelNames(placed) };
}

/** Orders meshes for the streams: by loader variant, then by format, then as in the file. A part is a node. */
function placeMeshes(model: CharacterModel, options: PackGeometryOptions): { placed: PlacedMesh[]; parts: string[] } {
  const nodes = [...new Set(model.meshes.map(({ nodeIndex }) => nodeIndex))];
  const parts = nodes.map((node) => model.meshes.find(({ nodeIndex }) => nodeIndex === node)!.nodeName);
  const { vertexFormat = 'standard', providers = () => 0 } = options;
  const choices = model.meshes.map((mesh, index) => {
    // a mesh that has vanished at this level needs no table
    const format = chooseFormat(mesh.vertexCount > 0 ? vertexFormat : 'standard', mesh);
    const variant = variantOf(mesh, format, { exactWeights: options.exactWeights, providers: providers(mesh) });
    // a mesh with morph targets has a table of its own, because its target sets belong to it only
    const own = mesh.targets.length > 0 ? index : '';
    return { format, variant, key: format.kind === 'standard' ? '' : `${variant} ${format.formats.join()} ${own}` };
  });
  const keys = [...new Set(choices.map(({ key }) => key))];
  const order = model.meshes
    .map((_, index) => index)
    .sort((a, b) => {
      const [one, other] = [choices[a]!, choices[b]!];
      return one.variant - other.variant || keys.indexOf(one.key) - keys.indexOf(other.key) || a - b;
    });
  const groups = [...new Set(order.map((index) => choices[index]!.key).filter(Boolean))];
  let firstVertex = 0;
  const placed = order.map((index): PlacedMesh => {
    const mesh = withOneWind(model.meshes[index]!, choices[index]!.format);
    const part = Math.min(nodes.indexOf(mesh.nodeIndex), PART_LIMIT - 1);
    const { format, variant, key } = choices[index]!;
    const place = { mesh, index, variant, part, firstVertex, format, group: groups.indexOf(key) };
    firstVertex += mesh.vertexCount;
    return place;
  });
  return { placed, parts: parts.slice(0, PART_LIMIT) };
}

function variantOf(
  { influences: { offsets }, targets, name }: MeshModel,
  { kind }: ChosenFormat,
  { exactWeights, providers }: { exactWeights: boolean; providers: number },
): number {
  if (!Number.isInteger(providers) || providers < 0 || providers >= 2 ** PROVIDER_LIMIT) {
    const message = `Got the bits ${providers} for providers; there are ${PROVIDER_LIMIT} of them.`;
    fail('CHARACTER_VERTEX_FORMAT', name, message);
  }
  const variable = exactWeights || offsets.some((offset, v) => v > 0 && offset - offsets[v - 1]! > 4);
  return (
    (variable ? LOADER_VARIABLE : 0) |
    (targets.length > 0 ? LOADER_MORPH : 0) |
    (providers << LOADER_PROVIDER_SHIFT) |
    (kind === 'packed' ? LOADER_PACKED : kind === 'general' ? LOADER_GENERAL : 0)
  );
}

function groupsOf(placed: readonly PlacedMesh[], deltas: readonly number[]): ChannelGroup[] {
  const count = placed.reduce((most, { group }) => Math.max(most, group + 1), 0);
  return Array.from({ length: count }, (_, group) => {
    const first = placed.findIndex((place) => place.group === group);
    const { format, firstVertex } = placed[first]!;
    const meshes = placed.filter((place) => place.group === group).map(({ mesh }) => mesh);
    return { format, meshes, firstVertex, deltaWord: deltas[first]! };
  });
}

/** Writes the standard layout's streams. Returns their flags. */
function* appendStreams(
  blob: BlobBuilder,
  header: View<(typeof GeometryHeader)['fields']>,
  placed: readonly PlacedMesh[],
): Steps<number> {
  const standard = placed.filter(({ group }) => group < 0);
  const vertexCount = standard.reduce((sum, { mesh }) => sum + mesh.vertexCount, 0);
  const surface = new Uint32Array(4 * vertexCount);
  const positions = new Float32Array(surface.buffer);
  const has = (key: 'tangents' | 'texcoords' | 'colors') => placed.some(({ mesh }) => mesh[key]);
  const tangents = new Uint32Array(has('tangents') ? vertexCount : 0);
  const texcoords = new Float32Array(has('texcoords') ? 2 * vertexCount : 0);
  const colors = new Uint32Array(has('colors') ? vertexCount : 0);
  for (const { mesh, firstVertex } of standard) {
    if (mesh.texcoords) texcoords.set(mesh.texcoords.subarray(0, 2 * mesh.vertexCount), 2 * firstVertex);
    for (let v = 0; v < mesh.vertexCount; v++) {
      const at = firstVertex + v;
      for (let c = 0; c < 3; c++) positions[4 * at + c] = mesh.positions[3 * v + c]!;
      surface[4 * at + 3] = packOctahedral(mesh.normals[3 * v]!, mesh.normals[3 * v + 1]!, mesh.normals[3 * v + 2]!);
      if (tangents.length > 0) {
        const t = mesh.tangents?.subarray(4 * v, 4 * v + 4) ?? [1, 0, 0, 1];
        tangents[at] = packTangent(t[0]!, t[1]!, t[2]!, t[3]!);
      }
      if (colors.length > 0) colors[at] = mesh.colors ? packUnorm8(mesh.colors, 4 * v) : 0xffffffff;
    }
    yield;
  }
  header.assign(0, {
    positionRow: blob.append(surface),
    tangentWord: 4 * blob.append(tangents),
    texcoordWord: 4 * blob.appendFloats(texcoords),
    colorWord: 4 * blob.append(colors),
  });
  return (
    (has('tangents') ? GEOMETRY_TANGENTS : 0) |
    (has('texcoords') ? GEOMETRY_TEXCOORDS : 0) |
    (has('colors') ? GEOMETRY_COLORS : 0)
  );
}

/** Both forms of influences. */
function* packInfluences(placed: readonly PlacedMesh[], vertexCount: number): Steps<InfluenceStreams> {
  const anyVariable = placed.some(({ variant }) => variant & LOADER_VARIABLE);
  const fixed = new Uint32Array(placed.some(({ variant }) => !(variant & LOADER_VARIABLE)) ? 4 * vertexCount : 0);
  const headers = new Uint32Array(anyVariable ? vertexCount : 0);
  const pairs: number[] = [];
  for (const { mesh, variant, firstVertex } of placed) {
    if (variant & LOADER_VARIABLE) headers.set(variableInfluences(mesh.influences, pairs), firstVertex);
    else fixed.set(fixedInfluences(mesh.influences), 4 * firstVertex);
    yield;
  }
  return { fixed, headers, pairs: Uint32Array.from(pairs) };
}

interface InfluenceStreams {
  /** Four words per vertex: four 16-bit palette indices, four 16-bit unorm weights that sum to 65,535. */
  readonly fixed: Uint32Array;
  /** A word per vertex: count in the top 8 bits, first pair in the other 24. */
  readonly headers: Uint32Array;
  /** Two words per influence: palette index, weight as the bits of a float. */
  readonly pairs: Uint32Array;
}

const ONE = 65535;

/** At most four influences per vertex, heaviest first. */
function fixedInfluences({ offsets, bindings, weights }: InfluencesModel): Uint32Array {
  const vertexCount = offsets.length - 1;
  const words = new Uint32Array(4 * vertexCount);
  const halves = new Uint16Array(words.buffer);
  for (let v = 0; v < vertexCount; v++) {
    const from = offsets[v]!;
    const count = offsets[v + 1]! - from;
    if (count === 1) {
      halves[8 * v] = bindings[from]!;
      halves[8 * v + 4] = ONE;
      continue;
    }
    const codes = unormWeights(weights.subarray(from, from + count));
    for (let i = 0; i < count; i++) {
      halves[8 * v + i] = bindings[from + i]!;
      halves[8 * v + 4 + i] = codes[i]!;
    }
  }
  return words;
}

/** Rounds to 16 bits so that the sum is exactly 1: the remainder goes to the weights that rounding reduced most. */
function unormWeights(weights: Float32Array): number[] {
  if (weights.length === 0) return [];
  const total = weights.reduce((sum, w) => sum + w, 0);
  const ideal = Array.from(weights, (w) => (w / total) * ONE);
  const codes = ideal.map(Math.floor);
  const missing = ONE - codes.reduce((sum, code) => sum + code, 0);
  const order = ideal.map((_, i) => i).sort((a, b) => ideal[b]! - codes[b]! - (ideal[a]! - codes[a]!) || a - b);
  for (let i = 0; i < missing; i++) codes[order[i % order.length]!]!++;
  return codes;
}

/** Appends the pairs, and returns the headers. */
function variableInfluences({ offsets, bindings, weights }: InfluencesModel, pairs: number[]): Uint32Array {
  const bits = new Uint32Array(weights.buffer, weights.byteOffset, weights.length);
  const headers = new Uint32Array(offsets.length - 1);
  headers.forEach((_, v) => {
    const first = pairs.length / 2;
    for (let i = offsets[v]!; i < offsets[v + 1]!; i++) pairs.push(bindings[i]!, bits[i]!);
    headers[v] = ((offsets[v + 1]! - offsets[v]!) << 24) | first;
  });
  return headers;
}

/** Deltas of all targets, MORPH_DELTA_WORDS words per target and vertex. */
function morphDeltas({ targets, vertexCount }: MeshModel): Uint32Array {
  const words = new Uint32Array(targets.length * vertexCount * MORPH_DELTA_WORDS);
  const floats = new Float32Array(words.buffer);
  targets.forEach(({ positions, normals, tangents }, t) => {
    for (let v = 0; v < vertexCount; v++) {
      const at = (t * vertexCount + v) * MORPH_DELTA_WORDS;
      floats.set(positions.subarray(3 * v, 3 * v + 3), at);
      const halves = [0, 1, 2, 3, 4, 5].map((c) =>
        packHalf((c < 3 ? normals?.[3 * v + c] : tangents?.[3 * v + c - 3]) ?? 0),
      );
      for (let pair = 0; pair < 3; pair++) words[at + 3 + pair] = halves[2 * pair]! | (halves[2 * pair + 1]! << 16);
    }
  });
  return words;
}

interface Batch {
  readonly variant: number;
  readonly group: number;
  /** Fields of its SkinBatch. */
  readonly fields: { parts: [number, number] } & Record<
    Exclude<keyof (typeof SkinBatch)['fields'], 'parts' | 'variant'>,
    number
  >;
}

/**
 * Cuts meshes into batches. A mesh begins a new batch unless it fits whole into the current one, of the same table.
 * Morphed meshes, and those with named channels, never share a batch.
 */
function cutBatches(
  model: CharacterModel,
  placed: readonly PlacedMesh[],
  places: Record<'influenceRow' | 'headerWord', number> &
    Record<'deltas' | 'channelRows' | 'namedRows', readonly number[]>,
): Batch[] {
  const weightOffsets = morphOffsets(model);
  const batches: Batch[] = [];
  placed.forEach(({ mesh, variant, part, firstVertex, format, group }, place) => {
    if (mesh.vertexCount === 0) return;
    const morphs = (variant & LOADER_MORPH) !== 0;
    const last = batches.at(-1);
    const namedRow = places.namedRows[place]!;
    const continues = last?.variant === variant && last.group === group && namedRow === 0 && last.fields.namedRow === 0;
    if (!morphs && continues && last.fields.vertexCount + mesh.vertexCount <= BATCH_VERTICES) {
      last.fields.vertexCount += mesh.vertexCount;
      last.fields.influenceCount = Math.max(last.fields.influenceCount, mostInfluences(mesh, 0, mesh.vertexCount));
      addPart(last.fields.parts, part);
      return;
    }
    for (let v = 0; v < mesh.vertexCount; v += BATCH_VERTICES) {
      const parts: [number, number] = [0, 0];
      addPart(parts, part);
      const vertex = firstVertex + v;
      const vertexCount = Math.min(BATCH_VERTICES, mesh.vertexCount - v);
      batches.push({
        variant,
        group,
        fields: {
          firstVertex: vertex,
          vertexCount,
          influenceCount: mostInfluences(mesh, v, v + vertexCount),
          parts,
          influence: (variant & LOADER_VARIABLE ? places.headerWord : places.influenceRow) + vertex,
          // the general loader finds deltas by the table
          morphWord: format.kind === 'general' ? 0 : places.deltas[place]! + v * MORPH_DELTA_WORDS,
          morphStride: format.kind === 'general' ? 0 : mesh.vertexCount,
          morphTargets: morphs ? weightOffsets[mesh.morphSetIndex]! | (mesh.targets.length << 16) : 0,
          channelRow: places.channelRows[group] ?? 0,
          namedRow,
        },
      });
    }
  });
  return batches;
}

function channelNames(placed: readonly PlacedMesh[]): string[] {
  const names = new Map<number, string>();
  for (const { name } of placed.flatMap(({ mesh }) => mesh.channels ?? [])) {
    const key = channelKey(name);
    if (!names.has(key)) names.set(key, name);
  }
  return [...names.values()];
}

function hasUnmoved({ influences: { offsets } }: MeshModel): boolean {
  return offsets.some((offset, v) => v > 0 && offset === offsets[v - 1]);
}

function mostInfluences({ influences: { offsets } }: MeshModel, from: number, to: number): number {
  let most = 0;
  for (let v = from; v < to; v++) most = Math.max(most, offsets[v + 1]! - offsets[v]!);
  return most;
}

function addPart(parts: [number, number], part: number): void {
  parts[part >> 5]! |= 1 << (part & 31);
  parts[part >> 5]! >>>= 0;
}

function runsOf(batches: readonly Batch[]): BatchRun[] {
  const runs: { variant: number; firstBatch: number; batchCount: number }[] = [];
  batches.forEach(({ variant }, index) => {
    const last = runs.at(-1);
    if (last?.variant === variant) last.batchCount++;
    else runs.push({ variant, firstBatch: index, batchCount: 1 });
  });
  return runs;
}

/** Primitives in file order, with their triangles in one index list. */
function drawPrimitives(placed: readonly PlacedMesh[]): Pick<CharacterMesh, 'primitives' | 'indices'> {
  const indices = new Uint32Array(placed.reduce((sum, { mesh }) => sum + mesh.indices.length, 0));
  let firstIndex = 0;
  const inFileOrder = [...placed].sort((a, b) => a.index - b.index);
  const primitives = inFileOrder.map(({ mesh, part, firstVertex }): CharacterPrimitive => {
    mesh.indices.forEach((index, i) => (indices[firstIndex + i] = index + firstVertex));
    firstIndex += mesh.indices.length;
    const { name, nodeIndex, nodeName, primitiveIndex, materialIndex, vertexCount } = mesh;
    const owner = { name, nodeIndex, nodeName, primitiveIndex, part, materialIndex };
    const indexCount = mesh.indices.length;
    const runs = { firstVertex, vertexCount, firstIndex: firstIndex - indexCount, indexCount };
    return { ...owner, ...runs, vertexOfSource: mesh.vertexOfSource.slice() };
  });
  return { primitives, indices };
}
