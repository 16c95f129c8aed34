import type { View } from '../../layout/index.ts';
import { normalize, type Vector } from '../camera.ts';
import { rowAt, type Row } from '../struct-row.ts';
import {
  Material,
  TEXTURE_ARRAY_SHIFT,
  TEXTURE_ARRAYS,
  TEXTURE_CLAMP_S,
  TEXTURE_CLAMP_T,
  TEXTURE_MIRROR_S,
  TEXTURE_MIRROR_T,
  TEXTURE_NONE,
  TEXTURE_SECOND_SET,
  TextureRecord,
} from './layout.ts';
import { TEXTURE_NAMES, TEXTURE_SPACES, type TextureName } from './textures.ts';
import type { RgbaImage } from '../images/image.ts';
import { mix } from '../lighting/numbers.ts';
import { decoder, wrapped, type ColorSpace, type TextureLayer } from './resample.ts';

type Pair = readonly [number, number];
/** Values for the first set of texture coordinates, then for the second one. */
type Pairs = readonly [number, number, number, number];

/** Where textures are looked up, and how coordinates change from pixel to pixel, to the right and down. */
export interface TexturePoint {
  readonly uv: Pairs;
  readonly ddx: Pairs;
  readonly ddy: Pairs;
}

/** A material at a point of its textures: see `material.wesl`. */
export interface MaterialSample {
  /** Factor × texture, without vertex colour; with alpha. */
  readonly baseColor: readonly [number, number, number, number];
  /** In tangent space, of unit length. */
  readonly normal: Vector;
  readonly metallic: number;
  readonly roughness: number;
  readonly emissive: Vector;
  readonly occlusion: number;
}

export type MaterialRow = Omit<Row<typeof Material>, 'part' | 'primitiveIndex'> & {
  /** Textures by use; undefined where there is no texture. */
  readonly textures: Readonly<Partial<Record<TextureName, TextureRow>>>;
};

interface TextureRow {
  readonly uvRows: readonly [readonly number[], readonly number[]];
  readonly place: number;
  readonly layer: TextureLayer;
}

/** Bytes of the material table, as kernels read them. @param layers By array, eight of them, then layer. */
export function readMaterials(
  { words, count }: View<(typeof Material)['fields']>,
  layers: readonly (readonly TextureLayer[])[],
): MaterialRow[] {
  const textureOf = (row: number, name: TextureName): TextureRow | undefined => {
    const at = words.byteOffset + row * Material.size + Material.offsets[name];
    const { place, uvRow0, uvRow1 } = rowAt(TextureRecord, words.buffer, at);
    if (place === TEXTURE_NONE) return undefined;
    const array = ((place >>> TEXTURE_ARRAY_SHIFT) & (TEXTURE_ARRAYS - 1)) + firstArray(name);
    return { uvRows: [uvRow0, uvRow1], place, layer: layers[array]![place & 0xffff]! };
  };
  return Array.from({ length: count }, (_, row): MaterialRow => {
    const found = TEXTURE_NAMES.map((name) => [name, textureOf(row, name)] as const);
    const fields = rowAt(Material, words.buffer, words.byteOffset + row * Material.size);
    return { ...fields, textures: Object.fromEntries(found.filter(([, texture]) => texture)) };
  });
}

const firstArray = (name: TextureName): number => (TEXTURE_SPACES[name] === 'srgb' ? 0 : TEXTURE_ARRAYS);

/** Twin of `sampleMaterial`: factors times textures, as glTF 2.0, 3.9, has them. */
export function sampleMaterial(row: MaterialRow, at: TexturePoint): MaterialSample {
  const texel = (name: TextureName) => sampled(row.textures[name], at);
  const base = texel('baseColorTexture');
  const [, green, blue] = texel('metallicRoughnessTexture');
  const [shade] = texel('occlusionTexture');
  const glow = texel('emissiveTexture');
  const times = (factors: readonly number[], values: readonly number[]) =>
    factors.map((factor, c) => factor * values[c]!);
  return {
    baseColor: times(row.baseColor, base) as unknown as MaterialSample['baseColor'],
    normal: mappedNormal(row, at),
    metallic: row.metallic * blue!,
    roughness: row.roughness * green!,
    emissive: times(row.emissive, glow) as unknown as Vector,
    occlusion: 1 + row.occlusionStrength * (shade! - 1),
  };
}

/** Twin of `sampleAlpha`. */
export function sampleAlpha(row: MaterialRow, at: TexturePoint): number {
  return row.baseColor[3]! * sampled(row.textures.baseColorTexture, at)[3]!;
}

/** Texels store −1 … 1 as 0 … 1. x and y are scaled, and the normal never points below the surface. */
function mappedNormal({ textures: { normalTexture }, normalScale }: MaterialRow, at: TexturePoint): Vector {
  if (!normalTexture) return [0, 0, 1];
  const [x, y, z] = sampled(normalTexture, at).map((value) => 2 * value - 1) as [number, number, number];
  return normalize([x * normalScale, y * normalScale, Math.max(z, 1e-3)]);
}

const WHITE = [1, 1, 1, 1];

function sampled(texture: TextureRow | undefined, { uv, ddx, ddy }: TexturePoint): number[] {
  if (!texture) return WHITE;
  const { uvRows, place, layer } = texture;
  const ofSet = ([s, t, secondS, secondT]: Pairs): Pair => (place & TEXTURE_SECOND_SET ? [secondS, secondT] : [s, t]);
  const [u, v] = turned(uvRows, ofSet(uv));
  const [s, t] = [u + uvRows[0][2]!, v + uvRows[1][2]!];
  const point = [place & TEXTURE_MIRROR_S ? folded(s) : s, place & TEXTURE_MIRROR_T ? folded(t) : t] as const;
  const repeats = [(place & TEXTURE_CLAMP_S) === 0, (place & TEXTURE_CLAMP_T) === 0] as const;
  return sampleTexture(layer, point, [turned(uvRows, ofSet(ddx)), turned(uvRows, ofSet(ddy))], repeats);
}

/** Transforms without the offset. */
function turned([s, t]: TextureRow['uvRows'], [x, y]: Pair): [number, number] {
  return [s[0]! * x + s[1]! * y, t[0]! * x + t[1]! * y];
}

/** 0 … 1 forwards, 1 … 2 backwards, and so on. */
function folded(value: number): number {
  return 1 - Math.abs(2 * (value / 2 - Math.floor(value / 2)) - 1);
}

/** True if coordinates beyond 0 … 1 repeat the image, by axis; false if they show its edge. */
type Repeats = readonly [s: boolean, t: boolean];

/**
 * `textureSampleGrad` with linear filters: two levels around log₂ of the longer footprint in texels (WebGPU leaves the exact
 * choice to adapters), each blended between four texels.
 */
export function sampleTexture(
  { levels, space }: TextureLayer,
  uv: Pair,
  [ddx, ddy]: readonly [Pair, Pair],
  repeats: Repeats,
): number[] {
  const side = levels[0]!.width;
  const footprint = Math.max(Math.hypot(...ddx), Math.hypot(...ddy)) * side;
  const level = Math.min(levels.length - 1, Math.max(0, Math.log2(footprint)));
  const finer = Math.floor(level);
  const share = level - finer;
  const near = sampleLevel(levels[finer]!, space, uv, repeats);
  if (share === 0) return near;
  const far = sampleLevel(levels[finer + 1]!, space, uv, repeats);
  return near.map((value, c) => value + share * (far[c]! - value));
}

function sampleLevel(
  { width, data }: RgbaImage,
  space: ColorSpace,
  [u, v]: Pair,
  [repeatsS, repeatsT]: Repeats,
): number[] {
  const [x, y] = [u * width - 0.5, v * width - 0.5];
  const [column, row] = [Math.floor(x), Math.floor(y)];
  const [left, right] = [wrapped(column, width, repeatsS), wrapped(column + 1, width, repeatsS)];
  const [top, bottom] = [width * wrapped(row, width, repeatsT), width * wrapped(row + 1, width, repeatsT)];
  const [across, down] = [x - column, y - row];
  const [colors, numbers] = [decoder(space), decoder('numbers')];
  const out = [0, 0, 0, 0];
  for (let c = 0; c < 4; c++) {
    const codes = c === 3 ? numbers : colors;
    const above = mix(codes[data[4 * (top + left) + c]!]!, codes[data[4 * (top + right) + c]!]!, across);
    const below = mix(codes[data[4 * (bottom + left) + c]!]!, codes[data[4 * (bottom + right) + c]!]!, across);
    out[c] = mix(above, below, down);
  }
  return out;
}
