import { RigTable } from '../asset/clip-format.ts';
import type { BatchRun, Character, CharacterMesh, CharacterPrimitive } from '../asset/character.ts';
import type { CompiledController } from '../asset/controller/compile.ts';
import { levelSkeleton } from '../asset/level-skeleton.ts';
import { View } from '../layout/index.ts';
import {
  GEOMETRY_NON_UNIFORM,
  GEOMETRY_TANGENTS,
  GEOMETRY_UNMOVED,
  GeometryHeader,
  SkinBatch,
} from '../asset/geometry-layout.ts';
import { CharacterType, TYPE_CUBIC, TYPE_EXACT, TYPE_UNIT_SCALE } from '../asset/rig-layout.ts';
import { Places, tableOf, type PlacedBlob } from './table-places.ts';
import { scratchRows, type PoseTraits } from '../stages/pose-joints/plan.ts';
import type { SkinTraits } from '../stages/skin-vertices/plan.ts';
import { keptProviderRows, providerLayout, type ProviderSizes } from '../stages/provider-layout.ts';
import { providersOf } from '../stages/providers.ts';

/** A level of detail of a type: a mesh of its own. The finest is 0. */
export interface CrowdLevel {
  /** First row of its geometry blob. */
  readonly geometryRow: number;
  /** First of its indices in the crowd's index buffer. */
  readonly firstIndex: number;
  /** Row of the skeleton that it is posed by, and its lanes: the type's own, or one that lacks joints. */
  readonly skeletonRow: number;
  readonly laneCount: number;
  /** What stands there, where that is not the type's own. */
  readonly skeleton: Uint32Array<ArrayBuffer> | undefined;
  readonly vertexCount: number;
  readonly batchRuns: readonly BatchRun[];
  readonly primitives: readonly CharacterPrimitive[];
  /** Metres by which its surface may be off. */
  readonly error: number;
  readonly skinTraits: SkinTraits;
}

/** Where a type is skinned: once a frame into its slots, or by every draw, from the palettes that its slots then hold. */
export type SkinStage = 'compute' | 'vertex';

/** A character type of a crowd: where its blobs stand in the crowd's tables. */
export interface CrowdType {
  readonly index: number;
  readonly character: Character;
  /** First row of its rig blob. */
  readonly typeRow: number;
  /** Row of its controller in the rig table; −1 without one. */
  readonly controllerRow: number;
  /** Index of its finest level among the levels of all types, and its levels. */
  readonly firstLevel: number;
  readonly levels: readonly CrowdLevel[];
  readonly laneCount: number;
  readonly paletteCount: number;
  /** Rows of one palette. */
  readonly paletteStride: number;
  readonly skin: SkinStage;
  /** Rows that a slot keeps where draws skin: what providers know of the character, then palette entries and morph weights. */
  readonly keptRows: number;
  /** The first of these: 0 where no mesh of the type names a provider. */
  readonly keptProviderRows: number;
  /** Providers that some mesh of the type names: a bit each. */
  readonly providers: number;
  readonly traits: PoseTraits;
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
  /** Default: all in compute. */
  readonly skin?: ((character: Character) => SkinStage) | undefined;
  /** Default: none. */
  readonly providers?: readonly ProviderSizes[] | undefined;
}

/** Where the blobs of a type stand in a crowd's tables: see `CrowdType`. */
export interface TypePlace extends Pick<CrowdType, 'typeRow' | 'controllerRow'> {
  /** The finest first. One that is posed by the type's own skeleton has the row of that one. */
  readonly levels: readonly Pick<CrowdLevel, 'geometryRow' | 'firstIndex' | 'skeletonRow'>[];
}

/** Types that stand where they are told to, a place for each of their meshes: `joinTables` leaves them there. */
export function typesAt(
  characters: readonly Character[],
  places: readonly TypePlace[],
  options: TableOptions,
): CrowdType[] {
  return characters.map((character, index) => {
    const { typeRow, controllerRow, levels } = places[index]!;
    const own = meshesOf(character).map((mesh, l) =>
      createLevel(character, mesh, { ...levels[l]!, skeleton: skeletonOf(character, mesh) }),
    );
    return createType(character, { typeRow, controllerRow, levels: own }, options);
  });
}

/** What types have in each of a crowd's tables. */
export function blobsOf(
  types: readonly CrowdType[],
): Readonly<Record<'rig' | 'geometry' | 'indices', readonly PlacedBlob[]>> {
  const meshes = types.flatMap(({ character, levels }) =>
    meshesOf(character).map((mesh, l) => ({ mesh, level: levels[l]! })),
  );
  return {
    rig: types.flatMap(({ character: { rig, controller }, typeRow, controllerRow, levels }) => [
      { first: 4 * typeRow, words: rig },
      ...(controller ? [{ first: 4 * controllerRow, words: controller.table }] : []),
      ...levels.flatMap(({ skeletonRow, skeleton }) => (skeleton ? [{ first: 4 * skeletonRow, words: skeleton }] : [])),
    ]),
    geometry: meshes.map(({ mesh, level }) => ({ first: 4 * level.geometryRow, words: mesh.geometry })),
    indices: meshes.map(({ mesh, level }) => ({ first: level.firstIndex, words: mesh.indices })),
  };
}

/**
 * Joins the tables of several characters.
 * @param before Tables of which some characters stay: what kernels hold of those leads to the same places.
 */
export function joinTables(
  characters: readonly Character[],
  options: TableOptions,
  before?: Pick<CrowdTables, 'types'>,
): CrowdTables {
  const staying = before?.types.filter(({ character }) => characters.includes(character)) ?? [];
  const known = new Map(staying.map((type) => [type.character, type]));
  const coming = characters.filter((character) => !known.has(character));
  const taken = blobsOf(staying);
  const [rigWords, geometryWords, indexPlaces] = [
    new Places(taken.rig),
    new Places(taken.geometry),
    new Places(taken.indices),
  ];
  const places = coming.map((character) => {
    const typeRow = rigWords.take(character.rig.length) / 4;
    const levels = meshesOf(character).map((mesh): CrowdLevel => {
      const skeleton = skeletonOf(character, mesh);
      return createLevel(character, mesh, {
        geometryRow: geometryWords.take(mesh.geometry.length) / 4,
        firstIndex: indexPlaces.take(mesh.indices.length),
        skeletonRow: skeleton ? rigWords.take(skeleton.length) / 4 : typeRow,
        skeleton,
      });
    });
    return { character, typeRow, levels };
  });
  for (const { character, ...place } of places) {
    const { controller } = character;
    const controllerRow = controller ? rigWords.take(controller.table.length) / 4 : -1;
    known.set(character, createType(character, { ...place, controllerRow }, options));
  }
  let firstLevel = 0;
  const types = characters.map((character, index): CrowdType => {
    const type = known.get(character)!;
    const order = { index, firstLevel };
    firstLevel += type.levels.length;
    return type.index === index && type.firstLevel === order.firstLevel ? type : { ...type, ...order };
  });
  const blobs = blobsOf(types);
  const geometry = tableOf(geometryWords.end, blobs.geometry);
  for (const { skin, levels } of types) if (skin === 'vertex') levels.forEach((level) => nameVariants(geometry, level));
  return {
    types,
    rig: new RigTable(tableOf(rigWords.end, blobs.rig)),
    geometry,
    indices: tableOf(indexPlaces.end, blobs.indices),
  };
}

/** What a level is posed by, where that is not the character's own skeleton. */
function skeletonOf(character: Character, { posedJoints }: CharacterMesh): Uint32Array<ArrayBuffer> | undefined {
  return posedJoints && levelSkeleton(character, posedJoints);
}

function createLevel(
  character: Character,
  mesh: CharacterMesh,
  place: Pick<CrowdLevel, 'geometryRow' | 'firstIndex' | 'skeletonRow' | 'skeleton'>,
): CrowdLevel {
  const { vertexCount, batchRuns, primitives, error } = mesh;
  const laneCount = headerOf(place.skeleton ?? character.rig).get(0, 'laneCount');
  return { ...place, laneCount, vertexCount, batchRuns, primitives, error, skinTraits: skinTraitsOf(mesh, character) };
}

/** Draws have no kernel per loader variant: each batch says what it is. */
function nameVariants(geometry: Uint32Array<ArrayBuffer>, { geometryRow, batchRuns }: CrowdLevel): void {
  const header = new View(GeometryHeader, geometry.buffer, 16 * geometryRow, 1);
  const firstBatch = 16 * (geometryRow + header.get(0, 'batchRow'));
  const batches = new View(SkinBatch, geometry.buffer, firstBatch, header.get(0, 'batchCount'));
  variantsOf(batchRuns).forEach((variant, batch) => batches.set(batch, 'variant', variant));
}

/** Loader variant of each batch. */
export function variantsOf(batchRuns: readonly BatchRun[]): number[] {
  return batchRuns.flatMap(({ variant, batchCount }) => Array<number>(batchCount).fill(variant));
}

/** Rows that one copy of a level's slot takes. */
export function slotRows(
  { skin, keptRows }: Pick<CrowdType, 'skin' | 'keptRows'>,
  { vertexCount }: Pick<CrowdLevel, 'vertexCount'>,
): number {
  return skin === 'vertex' ? keptRows : vertexCount;
}

function createType(
  character: Character,
  places: Pick<CrowdType, 'typeRow' | 'controllerRow' | 'levels'>,
  options: TableOptions,
): CrowdType {
  const header = headerOf(character.rig);
  const laneCount = header.get(0, 'laneCount');
  const [jointCount, paletteCount] = [header.get(0, 'jointCount'), header.get(0, 'paletteCount')];
  const scratch = scratchRows(laneCount, jointCount, options.serialPoses);
  const skin = options.skin?.(character) ?? 'compute';
  const named = namedProviders(places.levels, options.providers?.length ?? 0);
  const isKept = skin === 'vertex' && named !== 0;
  const kept = isKept ? keptProviderRows(providerLayout(options.providers!)) : 0;
  return {
    index: -1, // its place in the list tells
    character,
    firstLevel: -1,
    ...places,
    laneCount,
    paletteCount,
    paletteStride: header.get(0, 'paletteStride') + scratch,
    skin,
    keptRows: kept + 3 * paletteCount + laneCount - jointCount,
    keptProviderRows: kept,
    providers: named,
    traits: traitsOf(header.get(0, 'flags'), options, character.controller),
    clipByName: firstByName(character),
  };
}

function headerOf({ buffer, byteOffset }: Uint32Array<ArrayBuffer>): View<(typeof CharacterType)['fields']> {
  return new View(CharacterType, buffer, byteOffset, 1);
}

/** The meshes of a character, the finest first. */
export function meshesOf(character: Character): readonly CharacterMesh[] {
  return [character, ...character.lods];
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

function skinTraitsOf({ geometry }: Pick<Character, 'geometry'>, { parts }: Character): SkinTraits {
  const flags = new View(GeometryHeader, geometry.buffer, geometry.byteOffset, 1).get(0, 'flags');
  return {
    tangents: (flags & GEOMETRY_TANGENTS) !== 0,
    nonUniform: (flags & GEOMETRY_NON_UNIFORM) !== 0,
    unmoved: (flags & GEOMETRY_UNMOVED) !== 0,
    parts: parts.length > 1,
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

/** Whether some vertices of a type go through a provider. */
export function isProvided({ levels }: CrowdType, providerCount: number): boolean {
  return namedProviders(levels, providerCount) !== 0;
}

/** Providers that some mesh names, of so many that a crowd has: a bit each. */
function namedProviders(levels: readonly Pick<CrowdLevel, 'batchRuns'>[], providerCount: number): number {
  const runs = levels.flatMap(({ batchRuns }) => batchRuns);
  return runs.reduce((mask, { variant }) => mask | providersOf(variant, providerCount), 0);
}
