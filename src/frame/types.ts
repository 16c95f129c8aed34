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
import { scratchRows, type PoseTraits } from '../stages/pose-joints/plan.ts';
import type { SkinTraits } from '../stages/skin-vertices/plan.ts';
import { providersOf } from '../stages/skin-vertices/providers.ts';

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
  /** Rows that are kept of a palette where draws skin: entries and morph weights. */
  readonly keptRows: number;
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
}

/**
 * Joins the tables of several characters.
 * @param before Tables of which some characters stay: what kernels hold of those leads to the same places.
 */
export function joinTables(characters: readonly Character[], options: TableOptions, before?: CrowdTables): CrowdTables {
  const staying = before?.types.filter(({ character }) => characters.includes(character)) ?? [];
  const known = new Map(staying.map((type) => [type.character, type]));
  const coming = characters.filter((character) => !known.has(character));
  const meshes = staying.flatMap(({ character, levels }) =>
    meshesOf(character).map((mesh, l) => ({ mesh, level: levels[l]! })),
  );
  const rigWords = new Places(
    staying.flatMap(({ character: { rig, controller }, typeRow, controllerRow, levels }) => [
      [4 * typeRow, rig.length] as const,
      ...(controller ? [[4 * controllerRow, controller.table.length] as const] : []),
      ...levels.flatMap(({ skeletonRow, skeleton }) => (skeleton ? [[4 * skeletonRow, skeleton.length] as const] : [])),
    ]),
  );
  const geometryWords = new Places(meshes.map(({ mesh, level }) => [4 * level.geometryRow, mesh.geometry.length]));
  const indexPlaces = new Places(meshes.map(({ mesh, level }) => [level.firstIndex, mesh.indices.length]));
  const places = coming.map((character) => {
    const typeRow = rigWords.take(character.rig.length) / 4;
    const levels = meshesOf(character).map((mesh): CrowdLevel => {
      const { vertexCount, batchRuns, primitives, error, posedJoints } = mesh;
      const skeleton = posedJoints && levelSkeleton(character, posedJoints);
      return {
        geometryRow: geometryWords.take(mesh.geometry.length) / 4,
        firstIndex: indexPlaces.take(mesh.indices.length),
        skeletonRow: skeleton ? rigWords.take(skeleton.length) / 4 : typeRow,
        laneCount: headerOf(skeleton ?? character.rig).get(0, 'laneCount'),
        skeleton,
        vertexCount,
        batchRuns,
        primitives,
        error,
        skinTraits: skinTraitsOf(mesh, character),
      };
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
  const rig = new Uint32Array(rigWords.end);
  const geometry = new Uint32Array(geometryWords.end);
  const indices = new Uint32Array(indexPlaces.end);
  for (const { character, typeRow, controllerRow, levels, skin } of types) {
    rig.set(character.rig, 4 * typeRow);
    if (character.controller) rig.set(character.controller.table, 4 * controllerRow);
    meshesOf(character).forEach((mesh, l) => {
      const { skeleton, skeletonRow, geometryRow } = levels[l]!;
      if (skeleton) rig.set(skeleton, 4 * skeletonRow);
      geometry.set(mesh.geometry, 4 * geometryRow);
      if (skin === 'vertex') nameVariants(geometry, levels[l]!);
      indices.set(mesh.indices, levels[l]!.firstIndex);
    });
  }
  return { types, rig: new RigTable(rig), geometry, indices };
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
  return {
    index: -1, // its place in the list tells
    character,
    firstLevel: -1,
    ...places,
    laneCount,
    paletteCount,
    paletteStride: header.get(0, 'paletteStride') + scratch,
    skin: options.skin?.(character) ?? 'compute',
    keptRows: 3 * paletteCount + laneCount - jointCount,
    traits: traitsOf(header.get(0, 'flags'), options, character.controller),
    clipByName: firstByName(character),
  };
}

function headerOf({ buffer, byteOffset }: Uint32Array<ArrayBuffer>): View<(typeof CharacterType)['fields']> {
  return new View(CharacterType, buffer, byteOffset, 1);
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
  return levels.some(({ batchRuns }) => batchRuns.some(({ variant }) => providersOf(variant, providerCount) !== 0));
}
