import type { View } from '../../layout/index.ts';
import type { Transform, VisibleCharacter } from '../layout.ts';
import { CullParams, VIEW_PLANES, type BinRange, type CullBin } from './layout.ts';

/** What {@link cullCharacters} reads and writes, as the kernels bind it. */
export interface CullCharactersViews {
  readonly params: View<(typeof CullParams)['fields']>;
  readonly homes: View<(typeof VisibleCharacter)['fields']>;
  readonly transforms: View<(typeof Transform)['fields']>;
  readonly bins: View<(typeof CullBin)['fields']>;
  readonly masks: Uint32Array;
  readonly ranges: View<(typeof BinRange)['fields']>;
  readonly visible: View<(typeof VisibleCharacter)['fields']>;
}

/**
 * Who tells how clear a decision was: metres between a sphere and the plane that decides, over the numbers that went in
 * (1 where they are smaller).
 */
export type OnMargin = (home: number, view: number, margin: number) => void;

/** Twin of cull-characters. Some 2 µs per home and view. */
export function cullCharacters(views: CullCharactersViews, onMargin?: OnMargin): void {
  cullHomes(views, onMargin);
  listHomes(views);
}

/** Finds the views that see each home. A sphere is seen unless it lies behind a plane: at corners that is more than is there. */
export function cullHomes({ params, homes, transforms, bins, masks }: CullCharactersViews, onMargin?: OnMargin): void {
  const viewCount = params.get(0, 'viewCount');
  const { buffer, byteOffset } = params.words;
  const planes = new Float32Array(buffer, byteOffset + CullParams.offsets.planes);
  for (let i = 0; i < params.get(0, 'homeCount'); i++) {
    const bin = homes.get(i, 'bin');
    const own = bins.get(bin, 'radius');
    if (own < 0) {
      masks[i] = viewCount === 0 ? 0 : 0xffffffff >>> (32 - viewCount);
      continue;
    }
    const character = homes.get(i, 'character');
    const scale = transforms.get(character, 'scale');
    const position = transforms.get(character, 'position');
    const offset = rotated(
      bins.get(bin, 'center').map((c) => c * scale),
      transforms.get(character, 'rotation'),
    );
    const center = position.map((p, c) => p + offset[c]!);
    const radius = own * Math.abs(scale);
    let mask = 0;
    for (let view = 0; view < viewCount; view++) {
      let least = Infinity;
      for (let p = 0; p < VIEW_PLANES; p++) {
        const at = 4 * (view * VIEW_PLANES + p);
        const distance = center.reduce((sum, c, k) => sum + c * planes[at + k]!, planes[at + 3]!);
        const size = Math.max(1, radius, Math.abs(planes[at + 3]!), ...center.map(Math.abs));
        if ((distance + radius) / size < least) least = (distance + radius) / size;
      }
      onMargin?.(i, view, least);
      if (!(least < 0)) mask |= 1 << view;
    }
    masks[i] = mask >>> 0;
  }
}

/** Lists who is seen: bin after bin, in each in the order of their homes. */
export function listHomes({ params, homes, masks, ranges, visible }: CullCharactersViews): void {
  const [homeCount, binCount, motionRows] = [
    params.get(0, 'homeCount'),
    params.get(0, 'binCount'),
    params.get(0, 'motionRows'),
  ];
  let place = 0;
  for (let bin = 0; bin < binCount; bin++) {
    const first = place;
    for (let i = 0; i < homeCount; i++) {
      if (masks[i] === 0 || homes.get(i, 'bin') !== bin) continue;
      const words = homes.words.length / homes.count;
      visible.words.set(homes.words.subarray(i * words, (i + 1) * words), place * words);
      visible.set(place, 'motionRow', place * motionRows);
      place++;
    }
    ranges.assign(bin, { first, count: place - first });
  }
  ranges.assign(binCount, { first: place, count: place });
}

/** v turned by a unit quaternion: v + 2 q × (q × v + w v). */
function rotated(v: readonly number[], q: readonly number[]): number[] {
  const [x, y, z, w] = q as [number, number, number, number];
  const cross = (a: readonly number[]) => [y * a[2]! - z * a[1]!, z * a[0]! - x * a[2]!, x * a[1]! - y * a[0]!];
  const turned = cross(cross(v).map((c, k) => c + w * v[k]!));
  return v.map((c, k) => c + 2 * turned[k]!);
}
