import { roundUp, View } from '../../layout/index.ts';
import {
  CHANNEL_KEY_TEXCOORD_1,
  CHANNEL_KEY_WIND,
  CHANNEL_POSITION,
  CHANNEL_TEXCOORD,
  CHANNEL_WIND,
  channelKey,
  componentBytes,
  WIND_NAME,
} from '../../vertex/vertex-format.ts';
import { NamedChannel, NamedChannels } from '../format/geometry-layout.ts';
import type { MeshChannelModel, MeshModel } from '../model.ts';
import { type ChosenFormat, FORMAT_NAMES, isInRange } from '../vertex-formats.ts';
import type { BlobBuilder } from './blob.ts';
import { encodeElement } from './encode-channel.ts';

/**
 * The mesh with its wind stored once. It is in `wind` if the layout has a channel for it and the values are in 0 to 1.
 * Else it is among `channels`.
 */
export function withOneWind(mesh: MeshModel, { kind }: ChosenFormat): MeshModel {
  const named = mesh.channels?.find(({ name, width }) => channelKey(name) === CHANNEL_KEY_WIND && width === 1);
  const values = mesh.wind ?? named?.values;
  if (!values) return mesh;
  const others = mesh.channels?.filter((channel) => channel !== named) ?? [];
  if (kind !== 'standard' && isInRange(values, 'unorm8')) return { ...mesh, wind: values, channels: others };
  if (values === named?.values) return mesh;
  return { ...mesh, wind: undefined, channels: [...others, { name: WIND_NAME, width: 1, values }] };
}

/** Appends a mesh's named channels and their table. Returns its row, or 0 without named channels. */
export function packNamedChannels(
  blob: BlobBuilder,
  { mesh, firstVertex, format }: { mesh: MeshModel; firstVertex: number; format: ChosenFormat },
): number {
  const { channels = [], vertexCount } = mesh;
  if (channels.length === 0 || vertexCount === 0) return 0;
  const words = new Uint32Array((NamedChannels.size + channels.length * NamedChannel.size) / 4);
  new View(NamedChannels, words.buffer, 0, 1).assign(0, { firstVertex, vertexCount, channelCount: channels.length });
  const table = new View(NamedChannel, words.buffer, NamedChannels.size, channels.length);
  channels.forEach((channel, index) => {
    const code = formatOf(channel, format);
    const byteStride = componentBytes(code) * channel.width;
    const bytes = new DataView(new ArrayBuffer(roundUp(vertexCount * byteStride, 4)));
    for (let v = 0; v < vertexCount; v++) {
      const element = channel.values.subarray(channel.width * v, channel.width * (v + 1));
      encodeElement(bytes, v * byteStride, { channel: CHANNEL_POSITION, format: code }, element);
    }
    const byteOffset = 16 * blob.append(new Uint32Array(bytes.buffer));
    table.assign(index, { byteOffset, byteStride, format: code | (channel.width << 8), key: channelKey(channel.name) });
  });
  return blob.append(words);
}

/**
 * The channel's own format. In meshes outside the standard layout, the formats for wind and texture coordinates
 * override it.
 */
function formatOf({ name, values, format }: MeshChannelModel, { kind, formats }: ChosenFormat): number {
  const key = channelKey(name);
  const chosen = key === CHANNEL_KEY_WIND ? CHANNEL_WIND : key === CHANNEL_KEY_TEXCOORD_1 ? CHANNEL_TEXCOORD : -1;
  const own = FORMAT_NAMES.indexOf(format ?? 'float32');
  if (kind !== 'general' || chosen < 0) return own;
  const code = formats[chosen]!;
  return isInRange(values, FORMAT_NAMES[code]!) ? code : own;
}
