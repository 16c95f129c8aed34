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
  SkinBatch,
} from '../../format/geometry-layout.ts';
import { UncheckedBlob, type BatchRecord, type UncheckedRecord } from '../blob.ts';
import { ChannelCheck, NamedCheck } from './channels.ts';
import { InfluenceCheck, MorphCheck } from './deformation.ts';
import type { Description } from '../description.ts';
import type { Report } from '../report.ts';

type GeometryRecord = UncheckedRecord<(typeof GeometryHeader)['fields']>;

const KNOWN_FLAGS =
  GEOMETRY_NON_UNIFORM | GEOMETRY_TANGENTS | GEOMETRY_TEXCOORDS | GEOMETRY_COLORS | GEOMETRY_UNMOVED | GEOMETRY_NAMED;

/** A batch's vertex range, and the parts without which it is skipped. */
export interface CheckedBatch {
  readonly firstVertex: number;
  readonly vertexCount: number;
  readonly parts: readonly [number, number];
}

/**
 * Proves that code which reads a geometry blob by its headers never leaves it and never finds an unusable number. Also
 * proves that the blob agrees with the description. Time is in proportion to the blob, because batches may not claim to
 * read more than it holds. Returns the batches, or undefined if they cannot be trusted.
 * @param names Names of named channels, by key.
 */
export function checkGeometry(
  words: Uint32Array<ArrayBuffer>,
  paletteCount: number,
  character: Description,
  names: ReadonlyMap<number, string>,
  report: Report,
): CheckedBatch[] | undefined {
  const blob = new UncheckedBlob('geometry', words, report);
  if (!blob.claim('GeometryHeader', 0, GeometryHeader.size / 4)) return undefined;
  const header = blob.record(GeometryHeader, 0);
  const { vertexCount, batchRuns } = character;
  const batchCount = batchRuns.reduce((sum, run) => sum + run.batchCount, 0);
  const held = [
    header.expect('vertexCount', vertexCount, 'the description'),
    header.expect('batchCount', batchCount, 'the list of batch runs'),
    // influences index only the first entries; sockets may have been added after them
    header.expectRange('paletteCount', 0, paletteCount),
    header.expect('morphWeightRow', 3 * paletteCount, 'the number of palette entries'),
    header.expect('flags', header.get('flags') & KNOWN_FLAGS, 'this version'),
  ].every(Boolean);
  if (!held) return undefined;
  const channels = new ChannelCheck(blob);
  if (!channels.checkTables(header.get('channelRow'), vertexCount)) return undefined;
  if (!checkStreams(header, channels.standardCount(vertexCount))) return undefined;
  return checkBatches(header, character, { channels, named: new NamedCheck(blob, names, vertexCount) });
}

/** Checks streams of the standard layout: a stream that is present has an entry for every vertex. */
function checkStreams(header: GeometryRecord, vertexCount: number): boolean {
  const { blob } = header;
  const flags = header.get('flags');
  const positions = 4 * header.get('positionRow');
  const texcoords = header.get('texcoordWord');
  const has = (flag: number, what: string, word: number, count: number) =>
    (flags & flag) === 0 || blob.holds(what, word, count);
  const held = [
    blob.holds('positions', positions, 4 * vertexCount),
    has(GEOMETRY_TANGENTS, 'tangents', header.get('tangentWord'), vertexCount),
    has(GEOMETRY_TEXCOORDS, 'texture coordinates', texcoords, 2 * vertexCount),
    has(GEOMETRY_COLORS, 'colours', header.get('colorWord'), vertexCount),
  ].every(Boolean);
  if (!held) return false;
  blob.areUsable('position', positions, 4 * vertexCount, { used: 3, stride: 4 });
  if (flags & GEOMETRY_TEXCOORDS) blob.areUsable('texture coordinate', texcoords, 2 * vertexCount);
  return true;
}

/** Checks that batches cover all vertices once, in order, each as its run's loader variant reads it. */
function checkBatches(
  header: GeometryRecord,
  character: Description,
  { channels, named }: { readonly channels: ChannelCheck; readonly named: NamedCheck },
): CheckedBatch[] | undefined {
  const { blob } = header;
  const first = 4 * header.get('batchRow');
  const size = SkinBatch.size / 4;
  if (!blob.claim('batches', first, size * header.get('batchCount'))) return undefined;
  const influences = new InfluenceCheck(blob, header.get('influencePairWord'), header.get('paletteCount'));
  const morphs = new MorphCheck(blob, character.morphNames.length);
  const batches: CheckedBatch[] = [];
  const variants = variantsOf(character, blob.report);
  let nextVertex = 0;
  let influenced = true;
  for (const [index, variant] of variants.entries()) {
    const batch: BatchRecord = blob.record(SkinBatch, first + index * size);
    const vertexCount = batch.get('vertexCount');
    if (!batch.expect('firstVertex', nextVertex, 'the batch before')) return undefined;
    batch.expect('variant', 0, 'the format, where runs have the variant,');
    if (!batch.expectRange('vertexCount', 1, BATCH_VERTICES)) return undefined;
    nextVertex += vertexCount;
    if (nextVertex > character.vertexCount) {
      batch.refuse('vertexCount', `ends at vertex ${nextVertex} of ${character.vertexCount}.`);
      return undefined;
    }
    influenced = influences.check(batch, variant) && influenced;
    if (!channels.checkBatch(batch, variant) || !named.checkBatch(batch)) return undefined;
    // the general loader finds deltas by the table, which has been checked
    if (variant & LOADER_GENERAL) morphs.checkTargets(batch, variant);
    else if (variant & LOADER_MORPH) morphs.check(batch);
    else batch.expect('morphTargets', 0, 'its loader variant');
    const parts = batch.view.get(0, 'parts') as [number, number];
    batches.push({ firstVertex: nextVertex - vertexCount, vertexCount, parts });
  }
  // kernels of geometry without the flag never test for this
  const unmoved = (header.get('flags') & GEOMETRY_UNMOVED) !== 0;
  if (influenced && unmoved !== influences.anyUnmoved) {
    const [some, one] = unmoved ? ['some', 'none'] : ['no', 'one'];
    header.refuse('flags', `say that ${some} vertex has no influence; ${one} has none.`);
  }
  const isNamed = (header.get('flags') & GEOMETRY_NAMED) !== 0;
  if (isNamed !== named.any) {
    const [some, one] = isNamed ? ['some', 'none'] : ['no', 'one'];
    header.refuse('flags', `say that ${some} batch has named channels; ${one} has.`);
  }
  if (nextVertex === character.vertexCount) return batches;
  blob.refuse(first, `the batches end at vertex ${nextVertex} of ${character.vertexCount}.`);
  return undefined;
}

/** Loader variant per batch. Runs are consecutive, and each has another variant. */
function variantsOf({ batchRuns }: Description, report: Report): Uint16Array {
  const variants = new Uint16Array(batchRuns.reduce((sum, { batchCount }) => sum + batchCount, 0));
  let end = 0;
  batchRuns.forEach(({ variant, firstBatch, batchCount }, index) => {
    const path = `json/batchRuns/${index}`;
    const before = batchRuns[index - 1]?.variant ?? -1;
    if (firstBatch !== end) report.corrupt(path, `begins with batch ${firstBatch}; the run before ends at ${end}.`);
    if (variant <= before) report.corrupt(path, `is of variant ${variant}, after ${before}; variants increase.`);
    variants.fill(variant, end, end + batchCount);
    end += batchCount;
  });
  return variants;
}
