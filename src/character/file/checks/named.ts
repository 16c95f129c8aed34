import { shortened } from '../../../errors.ts';
import {
  CHANNEL_KEY_TEXCOORD_1,
  CHANNEL_NAME_LENGTH,
  channelKey,
  componentBytes,
} from '../../../vertex/vertex-format.ts';
import { NAMED_CHANNEL_LIMIT, NamedChannel, NamedChannels } from '../../format/geometry-layout.ts';
import { FORMAT_NAMES, NAMED_FORMATS } from '../../vertex-formats.ts';
import type { BatchRecord, UncheckedBlob, UncheckedRecord } from '../blob.ts';
import { ElementCheck } from './channels.ts';
import type { Report } from '../report.ts';

type TableRecord = UncheckedRecord<(typeof NamedChannels)['fields']>;
type ChannelRecord = UncheckedRecord<(typeof NamedChannel)['fields']>;

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
    const table: TableRecord = this.blob.record(NamedChannels, 4 * row);
    const firstVertex = table.get('firstVertex');
    const most = this.vertexCount - Math.min(firstVertex, this.vertexCount);
    if (!table.expectRange('vertexCount', 1, most)) return undefined;
    if (!table.expectRange('channelCount', 1, NAMED_CHANNEL_LIMIT)) return undefined;
    const first = 4 * row + NamedChannels.size / 4;
    const size = NamedChannel.size / 4;
    if (!this.blob.claim('NamedChannel', first, table.get('channelCount') * size)) return undefined;
    const keys = new Set<number>();
    for (let c = 0; c < table.get('channelCount'); c++) {
      const channel: ChannelRecord = this.blob.record(NamedChannel, first + c * size);
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

  #checkChannel(channel: ChannelRecord, vertexCount: number): boolean {
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
