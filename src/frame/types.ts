import { RigTable } from '../asset/clip-format.ts';
import type { BatchRun, Character } from '../asset/character.ts';
import type { CompiledController } from '../asset/controller/compile.ts';
import { View } from '../layout/index.ts';
import { GEOMETRY_NON_UNIFORM, GEOMETRY_TANGENTS, GEOMETRY_UNMOVED, GeometryHeader } from '../asset/geometry-layout.ts';
import { CharacterType, TYPE_CUBIC, TYPE_EXACT, TYPE_UNIT_SCALE } from '../asset/rig-layout.ts';
import { scratchRows, type PoseTraits } from '../stages/pose-joints/plan.ts';
import type { SkinTraits } from '../stages/skin-vertices/plan.ts';

/** A character type of a crowd: where its blobs stand in the crowd's tables. */
export interface CrowdType {
  readonly index: number;
  readonly character: Character;
  /** First row of its rig blob and of its geometry blob. */
  readonly typeRow: number;
  readonly geometryRow: number;
  /** Row of its controller in the rig table; −1 without one. */
  readonly controllerRow: number;
  /** First of its indices in the crowd's index buffer. */
  readonly firstIndex: number;
  readonly laneCount: number;
  readonly paletteCount: number;
  /** Rows of one palette. */
  readonly paletteStride: number;
  readonly traits: PoseTraits;
  readonly skinTraits: SkinTraits;
  readonly batchRuns: readonly BatchRun[];
  readonly clipByName: ReadonlyMap<string, number>;
}

/** All types' tables, one after the other, as the GPU binds them. */
export interface CrowdTables {
  readonly types: readonly CrowdType[];
  readonly rig: RigTable;
  readonly geometry: Uint32Array<ArrayBuffer>;
  readonly indices: Uint32Array<ArrayBuffer>;
}

export interface TableOptions {
  /** Joints are posed one after the other, through scratch rows behind every palette. */
  readonly serialPoses: boolean;
  /** Motion lists may have layers. */
  readonly layers: boolean;
  /** Motions may play with left and right exchanged. Default false. */
  readonly mirror?: boolean;
}

/**
 * Joins the tables of several characters.
 * @param before Tables of which some characters stay: what kernels hold of those leads to the same places.
 */
export function joinTables(characters: readonly Character[], options: TableOptions, before?: CrowdTables): CrowdTables {
  const staying = before?.types.filter(({ character }) => characters.includes(character)) ?? [];
  const known = new Map(staying.map((type) => [type.character, type]));
  const coming = characters.filter((character) => !known.has(character));
  const rigWords = new Places(
    staying.flatMap(({ character: { rig, controller }, typeRow, controllerRow }) => [
      [4 * typeRow, rig.length] as const,
      ...(controller ? [[4 * controllerRow, controller.table.length] as const] : []),
    ]),
  );
  const geometryWords = new Places(staying.map((type) => [4 * type.geometryRow, type.character.geometry.length]));
  const indexPlaces = new Places(staying.map((type) => [type.firstIndex, type.character.indices.length]));
  const places = coming.map((character) => ({
    character,
    typeRow: rigWords.take(character.rig.length) / 4,
    geometryRow: geometryWords.take(character.geometry.length) / 4,
    firstIndex: indexPlaces.take(character.indices.length),
  }));
  for (const { character, ...place } of places) {
    const { controller } = character;
    const controllerRow = controller ? rigWords.take(controller.table.length) / 4 : -1;
    known.set(character, createType(character, { ...place, controllerRow }, options));
  }
  const types = characters.map((character, index): CrowdType => {
    const type = known.get(character)!;
    return type.index === index ? type : { ...type, index };
  });
  const rig = new Uint32Array(rigWords.end);
  const geometry = new Uint32Array(geometryWords.end);
  const indices = new Uint32Array(indexPlaces.end);
  for (const { character, typeRow, controllerRow, geometryRow, firstIndex } of types) {
    rig.set(character.rig, 4 * typeRow);
    if (character.controller) rig.set(character.controller.table, 4 * controllerRow);
    geometry.set(character.geometry, 4 * geometryRow);
    indices.set(character.indices, firstIndex);
  }
  return { types, rig: new RigTable(rig), geometry, indices };
}

function createType(
  character: Character,
  places: Pick<CrowdType, 'typeRow' | 'controllerRow' | 'geometryRow' | 'firstIndex'>,
  options: TableOptions,
): CrowdType {
  const header = new View(CharacterType, character.rig.buffer, character.rig.byteOffset, 1);
  const laneCount = header.get(0, 'laneCount');
  const scratch = scratchRows(laneCount, header.get(0, 'jointCount'), options.serialPoses);
  return {
    index: -1, // its place in the list tells
    character,
    ...places,
    laneCount,
    paletteCount: header.get(0, 'paletteCount'),
    paletteStride: header.get(0, 'paletteStride') + scratch,
    traits: traitsOf(header.get(0, 'flags'), options, character.controller),
    skinTraits: skinTraitsOf(character),
    batchRuns: character.batchRuns,
    clipByName: firstByName(character),
  };
}

/** Places in a table: the first gap that is large enough, or the end. */
class Places {
  readonly #taken: (readonly [first: number, count: number])[];

  constructor(taken: readonly (readonly [first: number, count: number])[]) {
    this.#taken = [...taken].sort(([a], [b]) => a - b);
  }

  get end(): number {
    return this.#taken.reduce((end, [first, count]) => Math.max(end, first + count), 0);
  }

  take(count: number): number {
    let [at, index] = [0, 0];
    for (; index < this.#taken.length && this.#taken[index]![0] - at < count; index++) {
      at = this.#taken[index]![0] + this.#taken[index]![1];
    }
    this.#taken.splice(index, 0, [at, count]);
    return at;
  }
}

function traitsOf(
  flags: number,
  { layers, mirror = false }: TableOptions,
  controller: CompiledController | undefined,
): PoseTraits {
  const layered = controller?.layers.some(({ additive, masked }, index) => index > 0 || additive || masked) ?? false;
  return {
    exact: (flags & TYPE_EXACT) !== 0,
    rates: (flags & TYPE_CUBIC) !== 0,
    scales: (flags & TYPE_UNIT_SCALE) === 0,
    layers: layers || layered,
    mirror: mirror || (controller?.hasMirror ?? false),
  };
}

function skinTraitsOf({ geometry }: Character): SkinTraits {
  const flags = new View(GeometryHeader, geometry.buffer, geometry.byteOffset, 1).get(0, 'flags');
  return {
    tangents: (flags & GEOMETRY_TANGENTS) !== 0,
    nonUniform: (flags & GEOMETRY_NON_UNIFORM) !== 0,
    unmoved: (flags & GEOMETRY_UNMOVED) !== 0,
  };
}

/** Clip names may repeat in a file; the first one has the name. */
function firstByName({ clips }: Character): Map<string, number> {
  const names = new Map<string, number>();
  clips.forEach(({ name }, index) => {
    if (!names.has(name)) names.set(name, index);
  });
  return names;
}
