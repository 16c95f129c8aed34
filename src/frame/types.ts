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

export function joinTables(characters: readonly Character[], options: TableOptions): CrowdTables {
  const { serialPoses } = options;
  const sum = (key: 'rig' | 'geometry' | 'indices') => characters.reduce((total, c) => total + c[key].length, 0);
  const controllerWords = characters.reduce((total, { controller }) => total + (controller?.table.length ?? 0), 0);
  const rig = new Uint32Array(sum('rig') + controllerWords);
  const geometry = new Uint32Array(sum('geometry'));
  const indices = new Uint32Array(sum('indices'));
  let [rigWord, geometryWord, firstIndex, controllerWord] = [0, 0, 0, sum('rig')];
  const types = characters.map((character, index): CrowdType => {
    rig.set(character.rig, rigWord);
    geometry.set(character.geometry, geometryWord);
    indices.set(character.indices, firstIndex);
    const header = new View(CharacterType, character.rig.buffer, character.rig.byteOffset, 1);
    const laneCount = header.get(0, 'laneCount');
    const { controller } = character;
    if (controller) rig.set(controller.table, controllerWord);
    const type: CrowdType = {
      index,
      character,
      typeRow: rigWord / 4,
      geometryRow: geometryWord / 4,
      controllerRow: controller ? controllerWord / 4 : -1,
      firstIndex,
      laneCount,
      paletteCount: header.get(0, 'paletteCount'),
      paletteStride: header.get(0, 'paletteStride') + scratchRows(laneCount, header.get(0, 'jointCount'), serialPoses),
      traits: traitsOf(header.get(0, 'flags'), options, controller),
      skinTraits: skinTraitsOf(character),
      batchRuns: character.batchRuns,
      clipByName: firstByName(character),
    };
    rigWord += character.rig.length;
    geometryWord += character.geometry.length;
    firstIndex += character.indices.length;
    controllerWord += controller?.table.length ?? 0;
    return type;
  });
  return { types, rig: new RigTable(rig), geometry, indices };
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
