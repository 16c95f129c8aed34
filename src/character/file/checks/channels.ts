import { shortened } from '../../../errors.ts';
import {
  CHANNEL_COUNT,
  CHANNEL_DELTA_POSITION,
  CHANNEL_KEY_TEXCOORD_1,
  CHANNEL_NAME_LENGTH,
  CHANNEL_NORMAL,
  CHANNEL_POSITION,
  CHANNEL_TANGENT,
  CHANNEL_WIND,
  FORMAT_BIASED8,
  FORMAT_FLOAT16,
  FORMAT_FLOAT32,
  FORMAT_UNORM8,
  channelKey,
  componentBytes,
  elementAlignment,
  elementBytes,
} from '../../../vertex/vertex-format.ts';
import {
  LOADER_GENERAL,
  LOADER_MORPH,
  LOADER_PACKED,
  MeshChannels,
  NAMED_CHANNEL_LIMIT,
  NamedChannel,
  NamedChannels,
  VertexChannel,
} from '../../format/geometry-layout.ts';
import { CHANNEL_FORMATS, CHANNEL_NAMES, FORMAT_NAMES, NAMED_FORMATS } from '../../vertex-formats.ts';
import { isUsable, type BatchRecord, type UncheckedBlob, type UncheckedRecord } from '../blob.ts';
import type { Report } from '../report.ts';

type MeshRecord = UncheckedRecord<(typeof MeshChannels)['fields']>;
type ChannelRecord = UncheckedRecord<(typeof VertexChannel)['fields']>;
type NamedRecord = UncheckedRecord<(typeof NamedChannel)['fields']>;

const TABLE_WORDS = (MeshChannels.size + CHANNEL_COUNT * VertexChannel.size) / 4;
/** Both loaders that read channel tables. */
const BY_TABLE = LOADER_PACKED | LOADER_GENERAL;
const HALF_EXPONENT = 0x7c00;

/** A table that has been checked: every element lies inside the blob and is usable. */
interface CheckedTable {
  readonly row: number;
  readonly firstVertex: number;
  readonly endVertex: number;
  readonly targetCount: number;
  readonly packed: boolean;
}

/** Checks channel tables: a chain that covers the vertices after those of the standard layout, in order, each once. */
export class ChannelCheck {
  readonly #tables: CheckedTable[] = [];
  readonly #elements: ElementCheck;
  #next = 0;

  constructor(readonly blob: UncheckedBlob) {
    this.#elements = new ElementCheck(blob);
  }

  /** Walks the chain from a row on. Returns false, and reports, if it cannot be trusted. */
  checkTables(firstRow: number, vertexCount: number): boolean {
    let end: number | undefined;
    // rows are claimed: a chain that returns to a table would overlap it
    for (let row = firstRow; row !== 0;) {
      if (!this.blob.claim('MeshChannels', 4 * row, TABLE_WORDS)) return false;
      const mesh: MeshRecord = this.blob.record(MeshChannels, 4 * row);
      const firstVertex = mesh.get('firstVertex');
      if (end !== undefined && !mesh.expect('firstVertex', end, 'the table before')) return false;
      if (!mesh.expectRange('vertexCount', 1, vertexCount - Math.min(firstVertex, vertexCount))) return false;
      end = firstVertex + mesh.get('vertexCount');
      const packed = this.#checkTable(mesh, row);
      if (packed === undefined) return false;
      const targetCount = mesh.get('targetCount');
      this.#tables.push({ row, firstVertex, endVertex: end, targetCount, packed });
      row = mesh.get('nextRow');
    }
    if (end === undefined || end === vertexCount) return true;
    return this.blob.refuse(4 * firstRow, `the channel tables end at vertex ${end} of ${vertexCount}.`);
  }

  /** Number of vertices in the standard layout: those before the first table's. */
  standardCount(vertexCount: number): number {
    return this.#tables[0]?.firstVertex ?? vertexCount;
  }

  /** Returns true if the batch names the table of its vertices, and its variant reads them as they are. */
  checkBatch(batch: BatchRecord, variant: number): boolean {
    const first = batch.get('firstVertex');
    const loader = variant & BY_TABLE;
    if (loader === 0) {
      return (
        batch.expect('channelRow', 0, 'its loader variant') &&
        (first + batch.get('vertexCount') <= this.standardCount(Infinity) ||
          batch.refuse('vertexCount', 'reaches into vertices that have a channel table.'))
      );
    }
    while (this.#next < this.#tables.length && this.#tables[this.#next]!.endVertex <= first) this.#next++;
    const table = this.#tables[this.#next];
    if (!table || first < table.firstVertex) return batch.refuse('firstVertex', 'has no channel table.');
    if (first + batch.get('vertexCount') > table.endVertex) {
      return batch.refuse('vertexCount', `ends after its channel table, at vertex ${table.endVertex}.`);
    }
    if (loader === BY_TABLE) return batch.refuse('channelRow', 'is for two loaders at once, by its loader variant.');
    if (loader === LOADER_PACKED && !table.packed) {
      const message = 'names a table that is not in the packed layout, which its loader variant reads.';
      return batch.refuse('channelRow', message);
    }
    if (loader === LOADER_GENERAL) {
      const targets = variant & LOADER_MORPH ? batch.get('morphTargets') >>> 16 : 0;
      if (targets !== table.targetCount) {
        return batch.refuse('morphTargets', `counts ${targets}; its channel table has ${table.targetCount}.`);
      }
    }
    return batch.expect('channelRow', table.row, 'the chain of tables');
  }

  /** Returns true if the channels have the packed layout. Returns undefined, and reports, if they cannot be trusted. */
  #checkTable(mesh: MeshRecord, row: number): boolean | undefined {
    const { blob } = mesh;
    const active = mesh.get('activeChannels');
    if (active >= 1 << CHANNEL_COUNT) {
      mesh.refuse('activeChannels', `is ${active}; this version knows ${CHANNEL_COUNT} channels.`);
      return undefined;
    }
    const floats = [...mesh.view.get(0, 'positionOrigin'), ...mesh.view.get(0, 'positionScale')];
    if (!floats.every(isUsable)) {
      const word = 4 * row + MeshChannels.offsets.positionOrigin / 4;
      blob.refuse(word, `positions are shares of the box ${floats.join(', ')}; finite numbers up to 2^60 are allowed.`);
      return undefined;
    }
    const first = 4 * row + MeshChannels.size / 4;
    const records = Array.from({ length: CHANNEL_COUNT }, (_, channel) =>
      blob.record(VertexChannel, first + (channel * VertexChannel.size) / 4),
    );
    const held = records.every((record, channel) =>
      (active >>> channel) & 1 ? this.#checkChannel(record, channel, mesh) : this.#isEmpty(record, channel),
    );
    return held ? isPacked(active, records) : undefined;
  }

  #isEmpty(record: ChannelRecord, channel: number): boolean {
    const keys = ['byteOffset', 'byteStride', 'format', 'setByteStride'] as const;
    const filled = keys.find((key) => record.get(key) !== 0);
    return filled === undefined || record.refuse(filled, `is not 0, but the mesh has no ${CHANNEL_NAMES[channel]}.`);
  }

  #checkChannel(record: ChannelRecord, channel: number, mesh: MeshRecord): boolean {
    const format = record.get('format');
    const name = FORMAT_NAMES[format];
    const what = CHANNEL_NAMES[channel]!;
    if (!name || !CHANNEL_FORMATS[channel]!.includes(name)) {
      return record.refuse('format', `is ${name ?? format}; ${what} may be ${CHANNEL_FORMATS[channel]!.join(', ')}.`);
    }
    const setByteStride = record.get('setByteStride');
    const isDelta = channel >= CHANNEL_DELTA_POSITION;
    const setCount = isDelta ? mesh.get('targetCount') : 1;
    if (setCount === 0) return record.refuse('byteStride', `is of ${what}, but there are no morph targets.`);
    if (!isDelta && setByteStride !== 0) {
      return record.refuse('setByteStride', `is ${setByteStride}; ${what} has one set.`);
    }
    const alignment = elementAlignment(format);
    if (setByteStride % alignment !== 0) {
      const message = `is ${setByteStride}, not a multiple of ${alignment}, for ${what} in ${name}.`;
      return record.refuse('setByteStride', message);
    }
    const size = elementBytes(channel, format);
    const vertexCount = mesh.get('vertexCount');
    return this.#elements.check(record, { what, format, size, alignment, vertexCount, setCount, setByteStride });
  }
}

interface Elements {
  readonly what: string;
  readonly format: number;
  /** Bytes of one element, and its alignment. */
  readonly size: number;
  readonly alignment: number;
  readonly vertexCount: number;
  readonly setCount: number;
  readonly setByteStride: number;
}

/** Checks elements: all lie inside the blob and are usable, and together they take no more bytes than it has. */
class ElementCheck {
  #bytesLeft: number;

  constructor(readonly blob: UncheckedBlob) {
    this.#bytesLeft = 4 * blob.words.length;
  }

  check(record: ChannelRecord | NamedRecord, elements: Elements): boolean {
    const { what, format, size, alignment, vertexCount, setCount, setByteStride } = elements;
    const [byteOffset, byteStride] = [record.get('byteOffset'), record.get('byteStride')];
    for (const key of ['byteOffset', 'byteStride'] as const) {
      if (record.get(key) % alignment === 0) continue;
      const message = `is ${record.get(key)}, not a multiple of ${alignment}, for ${what} in ${FORMAT_NAMES[format]}.`;
      return record.refuse(key, message);
    }
    if (byteStride < size) return record.refuse('byteStride', `is ${byteStride}; one ${what} takes ${size} bytes.`);
    const end = byteOffset + (setCount - 1) * setByteStride + (vertexCount - 1) * byteStride + size;
    const bytes = 4 * this.blob.words.length;
    if (end > bytes) return record.refuse('byteOffset', `puts the end of ${what} at ${end}, the blob's is ${bytes}.`);
    this.#bytesLeft -= setCount * vertexCount * size;
    if (this.#bytesLeft < 0) {
      return record.refuse('byteOffset', 'reads, with the channels before, more than the blob holds.');
    }
    if (format > FORMAT_FLOAT16) return true;
    for (let set = 0; set < setCount; set++) {
      for (let v = 0; v < vertexCount; v++) {
        if (!this.#areUsable(elements, byteOffset + set * setByteStride + v * byteStride)) return false;
      }
    }
    return true;
  }

  #areUsable({ what, format, size }: Elements, from: number): boolean {
    const { words, floats } = this.blob;
    for (let byte = from; byte < from + size; byte += componentBytes(format)) {
      const word = byte >>> 2;
      if (format === FORMAT_FLOAT32) {
        if (!isUsable(floats[word]!)) return this.blob.refuseFloat(what, word);
      } else if (((words[word]! >>> (8 * (byte & 2))) & HALF_EXPONENT) === HALF_EXPONENT) {
        return this.blob.refuse(word, `${what} is a half that is not finite.`);
      }
    }
    return true;
  }
}

/** Returns true for the layout that kernels of LOADER_PACKED require. */
function isPacked(active: number, records: readonly ChannelRecord[]): boolean {
  const has = (channel: number) => ((active >>> channel) & 1) !== 0;
  if (!has(CHANNEL_POSITION) || !has(CHANNEL_NORMAL)) return false;
  const first = records[CHANNEL_POSITION]!.get('byteOffset');
  const stands = (channel: number, byteOffset: number, byteStride: number, format: number) => {
    const record = records[channel]!;
    const place = [record.get('byteOffset'), record.get('byteStride'), record.get('format')];
    return place.join() === [byteOffset, byteStride, format].join();
  };
  const tangents = records[CHANNEL_TANGENT]!.get('byteOffset');
  return (
    first % 16 === 0 &&
    stands(CHANNEL_POSITION, first, 16, FORMAT_FLOAT32) &&
    stands(CHANNEL_NORMAL, first + 12, 16, FORMAT_BIASED8) &&
    (!has(CHANNEL_WIND) || stands(CHANNEL_WIND, first + 15, 16, FORMAT_UNORM8)) &&
    (!has(CHANNEL_TANGENT) || (tangents % 4 === 0 && stands(CHANNEL_TANGENT, tangents, 4, FORMAT_BIASED8)))
  );
}

/** Names as the description lists them, by key. Reports names that kernels could not distinguish. */
export function namesByKey(names: readonly string[], report: Report): ReadonlyMap<number, string> {
  const known = new Map<number, string>();
  names.forEach((name, index) => {
    const path = `json/channels/${index}`;
    if (name.length === 0 || name.length > CHANNEL_NAME_LENGTH) {
      report.corrupt(path, `has ${name.length} characters; 1 to ${CHANNEL_NAME_LENGTH} are allowed.`);
    }
    const same = known.get(channelKey(name));
    if (same !== undefined) report.corrupt(path, `cannot be distinguished from ${shortened(same)}.`);
    known.set(channelKey(name), name);
  });
  return known;
}

/** Checks tables of named channels: each covers consecutive vertices, and their batches name it. */
export class NamedCheck {
  readonly #ends = new Map<number, { readonly firstVertex: number; readonly endVertex: number } | undefined>();
  readonly #elements: ElementCheck;

  constructor(
    readonly blob: UncheckedBlob,
    readonly names: ReadonlyMap<number, string>,
    readonly vertexCount: number,
  ) {
    this.#elements = new ElementCheck(blob);
  }

  /** True if some batch has named channels. */
  get any(): boolean {
    return this.#ends.size > 0;
  }

  /** Returns true if all named channels of the batch's vertices lie inside the blob and are usable. */
  checkBatch(batch: BatchRecord): boolean {
    const row = batch.get('namedRow');
    if (row === 0) return true;
    if (!this.#ends.has(row)) this.#ends.set(row, this.#checkTable(row));
    const table = this.#ends.get(row);
    if (!table) return false;
    const first = batch.get('firstVertex');
    const isWithin = first >= table.firstVertex && first + batch.get('vertexCount') <= table.endVertex;
    return (
      isWithin ||
      batch.refuse('namedRow', `names a table of vertices ${table.firstVertex} to ${table.endVertex - 1} only.`)
    );
  }

  #checkTable(row: number): { firstVertex: number; endVertex: number } | undefined {
    if (!this.blob.claim('NamedChannels', 4 * row, NamedChannels.size / 4)) return undefined;
    const table = this.blob.record(NamedChannels, 4 * row);
    const firstVertex = table.get('firstVertex');
    const most = this.vertexCount - Math.min(firstVertex, this.vertexCount);
    if (!table.expectRange('vertexCount', 1, most)) return undefined;
    if (!table.expectRange('channelCount', 1, NAMED_CHANNEL_LIMIT)) return undefined;
    const first = 4 * row + NamedChannels.size / 4;
    const size = NamedChannel.size / 4;
    if (!this.blob.claim('NamedChannel', first, table.get('channelCount') * size)) return undefined;
    const keys = new Set<number>();
    for (let c = 0; c < table.get('channelCount'); c++) {
      const channel = this.blob.record(NamedChannel, first + c * size);
      const key = channel.get('key');
      if (!this.names.has(key)) {
        channel.refuse('key', `is ${key}, that of no name in the description.`);
        return undefined;
      }
      if (keys.has(key)) {
        channel.refuse('key', `is that of ${this.names.get(key)}, which the table has already.`);
        return undefined;
      }
      keys.add(key);
      if (!this.#checkChannel(channel, table.get('vertexCount'))) return undefined;
    }
    return { firstVertex, endVertex: firstVertex + table.get('vertexCount') };
  }

  #checkChannel(channel: NamedRecord, vertexCount: number): boolean {
    const key = channel.get('key');
    const what = this.names.get(key)!;
    const [format, width] = [channel.get('format') & 0xff, channel.get('format') >>> 8];
    const name = FORMAT_NAMES[format];
    if (!NAMED_FORMATS.some((each) => each === name)) {
      return channel.refuse('format', `is ${name ?? format}; ${what} may be ${NAMED_FORMATS.join(', ')}.`);
    }
    const [least, most] = key === CHANNEL_KEY_TEXCOORD_1 ? [2, 2] : [1, 4];
    if (width < least || width > most) {
      return channel.refuse('format', `has ${width} components; ${what} may have ${least} to ${most}.`);
    }
    const step = componentBytes(format);
    const one = { setCount: 1, setByteStride: 0 };
    return this.#elements.check(channel, { what, format, size: step * width, alignment: step, vertexCount, ...one });
  }
}
