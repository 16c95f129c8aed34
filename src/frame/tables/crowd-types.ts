import { arrivalsOf } from '../../character/clip-arrivals.ts';
import { RigTable } from '../../character/format/clip-format.ts';
import type { BatchRun, Character, CharacterMesh, CharacterPrimitive } from '../../character/character.ts';
import type { CompiledController } from '../../controller/compile.ts';
import { levelSkeleton } from '../../character/level-skeleton.ts';
import { View } from '../../layout/index.ts';
import {
  GEOMETRY_NON_UNIFORM,
  GEOMETRY_TANGENTS,
  GEOMETRY_UNMOVED,
  GeometryHeader,
  SkinBatch,
} from '../../character/format/geometry-layout.ts';
import {
  CharacterType,
  TYPE_CUBIC,
  TYPE_EXACT,
  TYPE_SAMPLED,
  TYPE_UNIT_SCALE,
} from '../../character/format/rig-layout.ts';
import { type PoseChoice, scratchRows, type PoseTraits } from '../../stages/pose-joints/plan.ts';
import type { SkinTraits } from '../../stages/skin-vertices/plan.ts';
import { keptProviderRows, providerLayout, type ProviderSizes } from '../../stages/provider-layout.ts';
import { providersOf } from '../../stages/providers.ts';

/** A level of detail of a type: a mesh of its own. The finest is 0. */
export interface CrowdLevel {
  /** First row of its geometry blob. */
  readonly geometryRow: number;
  /** Position of its first index in the crowd's index buffer. */
  readonly firstIndex: number;
  /** Row of its skeleton: the type's own, or one with dropped joints. `laneCount`: the lanes of that skeleton. */
  readonly skeletonRow: number;
  readonly laneCount: number;
  /** Words of its skeleton; undefined if it uses the type's own. */
  readonly skeleton: Uint32Array<ArrayBuffer> | undefined;
  readonly vertexCount: number;
  readonly batchRuns: readonly BatchRun[];
  readonly primitives: readonly CharacterPrimitive[];
  /** Maximum error of its surface, in metres. */
  readonly error: number;
  readonly skinTraits: SkinTraits;
}

/** Stage that skins a type: `compute` once a frame into its slots, or `vertex` in every draw, from palettes in its slots. */
export type SkinStage = 'compute' | 'vertex';

/** A character type of a crowd, with the location of its blobs in the crowd's tables. */
export interface CrowdType {
  readonly index: number;
  readonly character: Character;
  /** First row of its rig blob. */
  readonly typeRow: number;
  /** Row of its controller in the rig table; −1 if it has none. */
  readonly controllerRow: number;
  /** Index of its finest level among the levels of all types. */
  readonly firstLevel: number;
  readonly levels: readonly CrowdLevel[];
  readonly laneCount: number;
  readonly paletteCount: number;
  /** Rows of one palette. */
  readonly paletteStride: number;
  readonly skin: SkinStage;
  /** Rows of a slot if draws skin: the character's provider rows, then palette entries and morph weights. */
  readonly keptRows: number;
  /** Number of provider rows among them; 0 if no mesh of the type names a provider. */
  readonly keptProviderRows: number;
  /** Providers that some mesh of the type names: a bit each. */
  readonly providers: number;
  readonly traits: PoseTraits;
  readonly clipByName: ReadonlyMap<string, number>;
}

/** Joined tables of all types, as the GPU binds them. */
export interface CrowdTables {
  readonly types: readonly CrowdType[];
  readonly rig: RigTable;
  readonly geometry: Uint32Array<ArrayBuffer>;
  readonly indices: Uint32Array<ArrayBuffer>;
}

/** `serialPoses` and `groupThreads`: how joints are posed. Rows of scratch may follow a palette. */
export interface TableOptions extends PoseChoice {
  /** True if motion lists may have layers. */
  readonly layers: boolean;
  /** True if motions may play with left and right exchanged. Default false. */
  readonly mirror?: boolean;
  /** Default: all in compute. */
  readonly skin?: ((character: Character) => SkinStage) | undefined;
  /** Default: none. */
  readonly providers?: readonly ProviderSizes[] | undefined;
}

/** Location of a type's blobs in a crowd's tables; see `CrowdType`. */
export interface TypePlace extends Pick<CrowdType, 'typeRow' | 'controllerRow'> {
  /** The finest first. A level that uses the type's own skeleton has that skeleton's row. */
  readonly levels: readonly Pick<CrowdLevel, 'geometryRow' | 'firstIndex' | 'skeletonRow'>[];
}

/** Creates types at given locations in the tables, one per mesh. `joinTables` keeps these locations. */
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

/** Blobs of types in each of a crowd's tables. */
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
 * @param before Earlier tables. Characters that were in them keep their locations, so that rows stored by kernels stay valid.
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
    new BlobAllocator(taken.rig),
    new BlobAllocator(taken.geometry),
    new BlobAllocator(taken.indices),
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

/** Skeleton of a level; undefined if it uses the character's own. */
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

/** Writes its loader variant to each batch, because draws have no kernel per variant. */
function nameVariants(geometry: Uint32Array<ArrayBuffer>, { geometryRow, batchRuns }: CrowdLevel): void {
  const header = new View(GeometryHeader, geometry.buffer, 16 * geometryRow, 1);
  const firstBatch = 16 * (geometryRow + header.get(0, 'batchRow'));
  const batches = new View(SkinBatch, geometry.buffer, firstBatch, header.get(0, 'batchCount'));
  variantsOf(batchRuns).forEach((variant, batch) => batches.set(batch, 'variant', variant));
}

export function variantsOf(batchRuns: readonly BatchRun[]): number[] {
  return batchRuns.flatMap(({ variant, batchCount }) => Array<number>(batchCount).fill(variant));
}

/**
 * Words of attributes that slots keep for each vertex: its normal, its tangent if some type has them, its channel, and its position
 * as floats.
 */
export function attributeWords(types: readonly CrowdType[], hasChannel: boolean, isExact = false): number {
  const skinned = types.filter(({ skin }) => skin !== 'vertex');
  if (skinned.length === 0) return 0;
  const hasTangents = skinned.some(({ levels }) => levels.some(({ skinTraits }) => skinTraits.tangents));
  return (hasChannel ? 3 : hasTangents ? 2 : 1) + (isExact ? 3 : 0);
}

/** Rows that one copy of a level's slot takes. A row of a palette takes two. */
export function slotRows(
  { skin, keptRows }: Pick<CrowdType, 'skin' | 'keptRows'>,
  { vertexCount }: Pick<CrowdLevel, 'vertexCount'>,
): number {
  return skin === 'vertex' ? 2 * keptRows : vertexCount;
}

function createType(
  character: Character,
  places: Pick<CrowdType, 'typeRow' | 'controllerRow' | 'levels'>,
  options: TableOptions,
): CrowdType {
  const header = headerOf(character.rig);
  const laneCount = header.get(0, 'laneCount');
  const [jointCount, paletteCount] = [header.get(0, 'jointCount'), header.get(0, 'paletteCount')];
  const scratch = scratchRows(laneCount, jointCount, options);
  const skin = options.skin?.(character) ?? 'compute';
  const named = namedProviders(places.levels, options.providers?.length ?? 0);
  const isKept = skin === 'vertex' && named !== 0;
  const kept = isKept ? keptProviderRows(providerLayout(options.providers!)) : 0;
  return {
    index: -1, // set by its position in the list
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
    sampled: (flags & TYPE_SAMPLED) !== 0,
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

/** Clip indices by name. If names repeat in a file, the first clip is used. */
function firstByName({ clips }: Character): Map<string, number> {
  const names = new Map<string, number>();
  clips.forEach(({ name }, index) => {
    if (!names.has(name)) names.set(name, index);
  });
  return names;
}

/** Returns true if a provider applies to some vertices of a type. */
export function isProvided({ levels }: CrowdType, providerCount: number): boolean {
  return namedProviders(levels, providerCount) !== 0;
}

/** Bit mask of the crowd's providers that some mesh names. */
function namedProviders(levels: readonly Pick<CrowdLevel, 'batchRuns'>[], providerCount: number): number {
  const runs = levels.flatMap(({ batchRuns }) => batchRuns);
  return runs.reduce((mask, { variant }) => mask | providersOf(variant, providerCount), 0);
}

/** Words of a table, and the index of the first one. */
export interface PlacedBlob {
  readonly first: number;
  readonly words: Uint32Array<ArrayBuffer>;
}

/** Creates a table of `length` words that contains the blobs. */
export function tableOf(length: number, blobs: readonly PlacedBlob[]): Uint32Array<ArrayBuffer> {
  const table = new Uint32Array(length);
  for (const { first, words } of blobs) table.set(words, first);
  return table;
}

/** Number of clips that were copied to a crowd's tables, per type. */
const copiedClips = new WeakMap<CrowdTables, number[]>();

/**
 * Copies clips to a crowd's rig table that have arrived since the last call, and returns the words that changed. New tables have
 * the clips that had arrived: copying them again changes nothing.
 */
export function takeArrivedClips(tables: CrowdTables): readonly PlacedBlob[] {
  const { rig, types } = tables;
  const copied = copiedClips.get(tables) ?? types.map(() => 0);
  copiedClips.set(tables, copied);
  return types.flatMap(({ character, typeRow }, t) => {
    const arrived = arrivalsOf(character)?.arrived ?? [];
    const fresh = arrived.slice(copied[t]);
    copied[t] = arrived.length;
    const ranges = fresh.flatMap(({ header, tables: own }) => [own, header]);
    return ranges.map(([from, end]) => {
      const first = 4 * typeRow + from;
      rig.replace(first, character.rig.subarray(from, end));
      return { first, words: rig.words.subarray(first, first + end - from) };
    });
  });
}

/** Allocates ranges of a table: the first gap that is large enough, or the end. */
export class BlobAllocator {
  readonly #taken: (readonly [first: number, count: number])[];

  constructor(taken: readonly PlacedBlob[]) {
    this.#taken = taken.map(({ first, words }) => [first, words.length] as const).sort(([a], [b]) => a - b);
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
