import { expectOptions, type Names } from '../../crowd/arguments.ts';
import type { Crowd } from '../../crowd/crowd.ts';
import { internalsOf } from '../../crowd/internals.ts';
import { fail, warning, type Issue } from '../../errors.ts';
import type { CrowdType } from '../../frame/tables/crowd-types.ts';
import { roundUp } from '../../layout/index.ts';
import { isBlended, materialOf } from '../materials/material-table.ts';
import { SET_TILES, TILE_MIPS, TILES_AT_ONCE } from './layout.ts';

/** How far characters become impostors. */
export interface ImpostorOptions {
  /**
   * Pixels along the longest edge of a character's box at rest: most often its height. Smaller characters are impostors. They cross
   * over from here down to 0.8 of it. Default 24. The crowd must share the poses of characters of this size.
   */
  readonly belowPx?: number;
  /** Texels along a tile: a multiple of 16 from 16 to 256. Default 48: two for a pixel of the largest impostors. */
  readonly tilePx?: number;
  /**
   * Bytes of the atlas. A tile of 48 texels takes 27,072. Default: two tiles for each character that the crowd has room for, one towards the
   * eye and one towards the sun; 256 tiles at least, and 2²⁷ bytes at most.
   */
  readonly atlasBytes?: number;
  /** Tiles that a picture draws at most, and each shadow direction: 1 to 32. Default 32. */
  readonly tilesPerPicture?: number;
  /** Cells along the octahedron's square: its square is the number of directions that characters are seen from. 4 to 64, default 16. */
  readonly directions?: number;
}

const IMPOSTOR_OPTIONS: Names<ImpostorOptions> = {
  belowPx: true,
  tilePx: true,
  atlasBytes: true,
  tilesPerPicture: true,
  directions: true,
};

/** Share of `belowPx` from which on a character is all impostor. */
const BAND = 0.8;
/** Bytes of a texel: those of base colour and normal, and those of the material. The largest size has no material. */
const TEXEL_BYTES = 8;
const MATERIAL_BYTES = 4;
/** Texels along the atlas at most; every device has textures of this size. */
const ATLAS_SIZE = 8192;
const MOST_PRIMITIVES = 255;
/** The default size of the atlas, in tiles and at most in bytes. */
const TILES_PER_CHARACTER = 2;
const FEWEST_TILES = 256;
const MOST_DEFAULT_BYTES: number = 2 ** 27;

export type ImpostorPlan = ReturnType<typeof planImpostors>;

/**
 * Sizes of the atlas.
 *
 * @param characterCount Characters that the crowd has room for.
 * @throws ManipleError CROWD_BAD_ARGUMENT, RENDER_FAILED
 */
export function planImpostors(options: ImpostorOptions, characterCount: number) {
  expectOptions('impostors', options, IMPOSTOR_OPTIONS);
  const { belowPx = 24, tilePx = 48, tilesPerPicture = TILES_AT_ONCE, directions = 16 } = options;
  const check = (name: keyof ImpostorOptions, value: number, low: number, high: number, step = 1) => {
    if (value >= low && value <= high && value % step === 0) return;
    const wanted = step === 1 ? 'a whole number' : `a multiple of ${step}`;
    fail('RENDER_FAILED', `impostors.${name}`, `is ${value}.`, `Give ${wanted} from ${low} to ${high}.`);
  };
  if (!(belowPx > 0 && belowPx < 1e6)) {
    fail('RENDER_FAILED', 'impostors.belowPx', `is ${belowPx}.`, 'Give a number of pixels above 0.');
  }
  check('tilePx', tilePx, 16, 256, 16);
  check('tilesPerPicture', tilesPerPicture, 1, TILES_AT_ONCE);
  check('directions', directions, 4, 64);
  const bytesPerTile = tileBytes(tilePx);
  const wanted = roundUp(Math.max(FEWEST_TILES, TILES_PER_CHARACTER * characterCount), SET_TILES);
  const { atlasBytes = Math.min(wanted * bytesPerTile, MOST_DEFAULT_BYTES) } = options;
  const most = Math.floor(ATLAS_SIZE / tilePx) ** 2;
  const setCount = Math.min(Math.floor(atlasBytes / (SET_TILES * bytesPerTile)), Math.floor(most / SET_TILES));
  if (!(setCount >= 1)) {
    const least = SET_TILES * bytesPerTile;
    fail(
      'RENDER_FAILED',
      'impostors.atlasBytes',
      `is ${atlasBytes}.`,
      `Give ${least} bytes or more: ${SET_TILES} tiles.`,
    );
  }
  const tileCount = SET_TILES * setCount;
  const columns = Math.min(Math.floor(ATLAS_SIZE / tilePx), Math.ceil(Math.sqrt(tileCount)));
  const rows = Math.ceil(tileCount / columns);
  return {
    above: belowPx,
    below: BAND * belowPx,
    tilePx,
    setCount,
    tileCount,
    columns,
    rows,
    tilesPerPicture,
    directions,
  };
}

function tileBytes(tilePx: number): number {
  const bytes = (mip: number) => (TEXEL_BYTES + (mip > 0 ? MATERIAL_BYTES : 0)) * (tilePx >> mip) ** 2;
  return Array.from({ length: TILE_MIPS }, (_, mip) => bytes(mip)).reduce((a, b) => a + b);
}

/** The reason why impostors cannot hold a type, except for its materials; undefined if they can. */
function poseRefusal({ host }: ReturnType<typeof internalsOf>, { index, character }: CrowdType): string | undefined {
  if (!(host.shape.sharing!.countOf[index]! > 0)) return 'It has no shared poses, because it has vertex providers.';
  return character.reach ? undefined : 'No sphere is known that contains its poses.';
}

/** The same for the materials of its file. */
function materialRefusal({ character }: CrowdType): string | undefined {
  const materials = character.primitives.map((primitive) => materialOf(character, primitive));
  if (materials.length > MOST_PRIMITIVES)
    return `It has ${materials.length} primitives; the limit is ${MOST_PRIMITIVES}.`;
  if (materials.some(isBlended)) return 'It has a blended material.';
  if (materials.some(({ unlit }) => unlit)) return 'It has an unlit material.';
  if (materials.some(({ emissive }) => emissive.some((value) => value > 0)))
    return 'It has a material that emits light.';
  return undefined;
}

/**
 * The types of a crowd that stay meshes.
 * @param refusalOf The reason why impostors cannot hold a type's materials. Default: those of its file.
 * @throws ManipleError CROWD_BAD_ARGUMENT: it shares no poses
 */
export function refusedTypes(crowd: Crowd, refusalOf = materialRefusal): ReadonlyMap<CrowdType, Issue> {
  const internals = internalsOf(crowd);
  if (!internals.host.shape.sharing) {
    const message = 'The crowd shares no poses; an impostor shows the pose of many.';
    fail('CROWD_BAD_ARGUMENT', 'impostors', message, 'Create the crowd with poseSharing.');
  }
  const refused = new Map<CrowdType, Issue>();
  for (const type of internals.host.tables.types) {
    const reason = poseRefusal(internals, type) ?? refusalOf(type);
    const message = `${reason} Its characters stay meshes.`;
    if (reason) refused.set(type, warning('IMPOSTOR_REFUSED', type.character.name, message));
  }
  return refused;
}
