import { RigTable } from '../asset/clip-format.ts';
import type { BatchRun, Character, CharacterPrimitive } from '../asset/character.ts';
import type { CompiledController } from '../asset/controller/compile.ts';
import { View } from '../layout/index.ts';
import { GEOMETRY_NON_UNIFORM, GEOMETRY_TANGENTS, GEOMETRY_UNMOVED, GeometryHeader } from '../asset/geometry-layout.ts';
import { CharacterType, TYPE_CUBIC, TYPE_EXACT, TYPE_UNIT_SCALE } from '../asset/rig-layout.ts';
import { scratchRows, type PoseTraits } from '../stages/pose-joints/plan.ts';
import type { SkinTraits } from '../stages/skin-vertices/plan.ts';

/** A level of detail of a type: a mesh of its own. The finest is 0. */
export interface CrowdLevel {
  /** First row of its geometry blob. */
  readonly geometryRow: number;
  /** First of its indices in the crowd's index buffer. */
  readonly firstIndex: number;
  readonly vertexCount: number;
  readonly batchRuns: readonly BatchRun[];
  readonly primitives: readonly CharacterPrimitive[];
  /** Metres by which its surface may be off. */
  readonly error: number;
  readonly skinTraits: SkinTraits;
}

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
}

export function joinTables(characters: readonly Character[], options: TableOptions): CrowdTables {
  const { serialPoses } = options;
  const meshes = characters.flatMap(meshesOf);
  const sum = (key: 'geometry' | 'indices') => meshes.reduce((total, mesh) => total + mesh[key].length, 0);
  const rigWords = characters.reduce((total, character) => total + character.rig.length, 0);
  const controllerWords = characters.reduce((total, { controller }) => total + (controller?.table.length ?? 0), 0);
  const rig = new Uint32Array(rigWords + controllerWords);
  const geometry = new Uint32Array(sum('geometry'));
  const indices = new Uint32Array(sum('indices'));
  let [rigWord, geometryWord, firstIndex, controllerWord, firstLevel] = [0, 0, 0, rigWords, 0];
  const types = characters.map((character, index): CrowdType => {
    rig.set(character.rig, rigWord);
    const header = new View(CharacterType, character.rig.buffer, character.rig.byteOffset, 1);
    const laneCount = header.get(0, 'laneCount');
    const { controller } = character;
    if (controller) rig.set(controller.table, controllerWord);
    const levels = meshesOf(character).map((mesh): CrowdLevel => {
      const { vertexCount, batchRuns, primitives } = mesh;
      geometry.set(mesh.geometry, geometryWord);
      indices.set(mesh.indices, firstIndex);
      const places = { geometryRow: geometryWord / 4, firstIndex };
      geometryWord += mesh.geometry.length;
      firstIndex += mesh.indices.length;
      return { ...places, vertexCount, batchRuns, primitives, error: 0, skinTraits: skinTraitsOf(mesh, character) };
    });
    const type: CrowdType = {
      index,
      character,
      typeRow: rigWord / 4,
      controllerRow: controller ? controllerWord / 4 : -1,
      firstLevel,
      levels,
      laneCount,
      paletteCount: header.get(0, 'paletteCount'),
      paletteStride: header.get(0, 'paletteStride') + scratchRows(laneCount, header.get(0, 'jointCount'), serialPoses),
      traits: traitsOf(header.get(0, 'flags'), options, controller),
      clipByName: firstByName(character),
    };
    rigWord += character.rig.length;
    controllerWord += controller?.table.length ?? 0;
    firstLevel += levels.length;
    return type;
  });
  return { types, rig: new RigTable(rig), geometry, indices };
}

/** The meshes of a character, the finest first. */
function meshesOf(character: Character): readonly Character[] {
  return [character];
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
