import {
  GEOMETRY_UNMOVED,
  GeometryHeader,
  LOADER_GENERAL,
  LOADER_MORPH,
  LOADER_PACKED,
  LOADER_VARIABLE,
  MeshChannels,
  NamedChannel,
  NamedChannels,
  SkinBatch,
  VertexChannel,
} from '../../src/character/format/geometry-layout.ts';
import {
  CHANNEL_COUNT,
  CHANNEL_DELTA_POSITION,
  CHANNEL_POSITION,
  CHANNEL_TANGENT,
  componentBytes,
  elementBytes,
} from '../../src/vertex/vertex-format.ts';
import type { Fetcher, Fields } from './fetcher.ts';

/** What skin-vertices fetches: `src/stages/skin-vertices/*.wesl`. */
export function fetchGeometry(geometry: Fetcher, variants: readonly number[], type: Fields): void {
  const header = geometry.record(GeometryHeader, 0);
  const expectEntry = (entry: number) => {
    if (entry >= header('paletteCount') || entry >= type('paletteCount')) geometry.stray.add(`palette entry ${entry}`);
  };
  const skipsUnmoved = (header('flags') & GEOMETRY_UNMOVED) !== 0;
  variants.forEach((variant, index) => {
    const batch = geometry.record(SkinBatch, header('batchRow') + (index * SkinBatch.size) / 16);
    for (let v = 0; v < batch('vertexCount'); v++) {
      if (batch('namedRow') !== 0) fetchNamed(geometry, batch, v);
      if (variant & (LOADER_PACKED | LOADER_GENERAL)) fetchChannels(geometry, batch, variant, v);
      else geometry.fetch('position', 4, header('positionRow') + batch('firstVertex') + v);
      if (variant & LOADER_VARIABLE) {
        const head = geometry.word('influence header', batch('influence') + v);
        for (let i = 0; i < head >>> 24; i++) {
          const pair = header('influencePairWord') + 2 * ((head & 0xffffff) + i);
          expectEntry(geometry.word('influence', pair));
          geometry.word('weight', pair + 1);
        }
        if (head >>> 24 === 0 && !skipsUnmoved) geometry.stray.add('a vertex that nothing moves');
      } else fetchFixed(geometry, batch, v, skipsUnmoved, expectEntry);
      if ((variant & LOADER_MORPH) === 0) continue;
      const targets = batch('morphTargets');
      for (let t = 0; t < targets >>> 16; t++) {
        const atBatch = (variant & LOADER_GENERAL) === 0;
        if (atBatch) geometry.fetch('delta', 1, batch('morphWord') + (t * batch('morphStride') + v) * 6, 6);
        const weightRow = header('morphWeightRow') + Math.floor(((targets & 0xffff) + t) / 3);
        if (weightRow >= type('paletteStride')) geometry.stray.add(`morph weight in row ${weightRow}`);
      }
    }
  });
}

/** `loadChannel` of vertex-loader.wesl, for every name. */
function fetchNamed(geometry: Fetcher, batch: Fields, v: number): void {
  const table = geometry.record(NamedChannels, batch('namedRow'));
  const index = batch('firstVertex') + v - table('firstVertex');
  if (index < 0 || index >= table('vertexCount')) geometry.stray.add(`vertex ${index} of another table of names`);
  for (let c = 0; c < table('channelCount'); c++) {
    const channel = geometry.record(
      NamedChannel,
      batch('namedRow') + (NamedChannels.size + c * NamedChannel.size) / 16,
    );
    const [format, width] = [channel('format') & 0xff, channel('format') >>> 8];
    if (width < 1 || width > 4) geometry.stray.add(`${width} components`);
    const byte = channel('byteOffset') + index * channel('byteStride');
    const end = byte + componentBytes(format) * width;
    geometry.fetch('named channel', 1, byte >>> 2, ((end - 1) >>> 2) - (byte >>> 2) + 1);
  }
}

/** packed-surface.wesl; general-surface.wesl and, for other stages, all of vertex-loader.wesl. */
function fetchChannels(geometry: Fetcher, batch: Fields, variant: number, v: number): void {
  const row = batch('channelRow');
  const mesh = geometry.record(MeshChannels, row);
  const place = (channel: number) => geometry.record(VertexChannel, row + MeshChannels.size / 16 + channel);
  const vertex = batch('firstVertex') + v;
  if (vertex < mesh('firstVertex') || vertex >= mesh('firstVertex') + mesh('vertexCount')) {
    geometry.stray.add(`vertex ${vertex} of another table`);
  }
  const index = vertex - mesh('firstVertex');
  if (variant & LOADER_PACKED) {
    geometry.fetch('packed row', 4, Math.floor(place(CHANNEL_POSITION)('byteOffset') / 16) + index);
    const tangents = (mesh('activeChannels') >>> CHANNEL_TANGENT) & 1;
    if (tangents) geometry.fetch('packed tangent', 1, Math.floor(place(CHANNEL_TANGENT)('byteOffset') / 4) + index);
  }
  for (let channel = 0; channel < CHANNEL_COUNT; channel++) {
    if (((mesh('activeChannels') >>> channel) & 1) === 0) continue;
    const at = place(channel);
    const sets = channel >= CHANNEL_DELTA_POSITION ? mesh('targetCount') : 1;
    for (let set = 0; set < sets; set++) {
      const byte = at('byteOffset') + set * at('setByteStride') + index * at('byteStride');
      const end = byte + elementBytes(channel, at('format'));
      geometry.fetch(`channel ${channel}`, 1, byte >>> 2, ((end - 1) >>> 2) - (byte >>> 2) + 1);
    }
  }
}

/** fixed-influences.wesl: the first `influenceCount`, those of weight 0 too; what is left out must weigh nothing. */
function fetchFixed(
  geometry: Fetcher,
  batch: Fields,
  v: number,
  skipsUnmoved: boolean,
  expectEntry: (entry: number) => void,
): void {
  const word = geometry.fetch('influences', 4, batch('influence') + v);
  const half = (i: number) => ((geometry.words[word + (i >> 1)] ?? 0) >>> (16 * (i & 1))) & 0xffff;
  const weights = [half(4), half(5), half(6), half(7)];
  if (weights[0] === 0) {
    if (!skipsUnmoved || weights.some((weight) => weight > 0)) geometry.stray.add('a vertex that nothing moves');
    return;
  }
  const read = Math.max(1, Math.min(4, batch('influenceCount')));
  for (let i = 0; i < read; i++) expectEntry(half(i));
  if (weights.slice(read).some((weight) => weight > 0)) geometry.stray.add('weights that are left out');
}
