import { RigTable } from '../../src/character/format/clip-format.ts';
import type { CharacterModel } from '../../src/character/model.ts';
import { packCharacter } from '../../src/character/pack/index.ts';
import { joinTables } from '../../src/frame/tables/crowd-types.ts';
import { View } from '../../src/layout/index.ts';
import { MOTION_END, MOTION_ROWS, Motion, VisibleCharacter } from '../../src/stages/layout.ts';
import { poseJoints } from '../../src/stages/pose-joints/reference.ts';

export interface ListContext {
  readonly rig: RigTable;
  readonly typeRow: number;
  /** Row of the rig table where the extra words begin. */
  readonly extraRow: number;
}

/** Writes one record at a row of a motion list. */
export type WriteRecord = (motions: Uint32Array<ArrayBuffer>, row: number, context: ListContext) => void;

export interface PosedByList {
  /** Rows of palette entries, 12 floats each. */
  readonly entries: readonly (readonly number[])[];
  readonly morphs: readonly number[];
}

/**
 * What the twin of pose-joints makes of a model (keys unquantised) and a motion list. The table's first type is another
 * one, so that no row is 0.
 */
export function poseByList(
  model: CharacterModel,
  records: readonly WriteRecord[],
  extraWords: Uint32Array = new Uint32Array(),
): PosedByList {
  const characters = [model, model].map((each) => packCharacter(each, { errorBudget: 0 }));
  const tables = joinTables(characters, { serialPoses: false, layers: true, mirror: true });
  const { typeRow, paletteCount, paletteStride, laneCount } = tables.types[1]!;
  const rig = new RigTable(Uint32Array.from([...tables.rig.words, ...extraWords]));
  const motionCapacity = records.length + 1;
  const motions = new Uint32Array(motionCapacity * MOTION_ROWS * 4);
  const context = { rig, typeRow, extraRow: tables.rig.words.length / 4 };
  records.forEach((write, index) => write(motions, index * MOTION_ROWS, context));
  new View(Motion, motions.buffer).set(records.length, 'kind', MOTION_END);
  const visible = new View(VisibleCharacter, 1);
  visible.assign(0, { typeRow, paletteRow: 0, motionRow: 0 });
  const palettes = new Float32Array(4 * paletteStride);
  poseJoints({ visible, visibleCount: 1, motionCapacity, rig, motions, palettes });
  const morphRow = 3 * paletteCount;
  return {
    entries: Array.from({ length: paletteCount }, (_, p) => Array.from(palettes.subarray(12 * p, 12 * p + 12))),
    morphs: Array.from({ length: laneCount - model.joints.length }, (_, lane) =>
      Array.from(palettes.subarray(4 * (morphRow + lane), 4 * (morphRow + lane) + 3)),
    ).flat(),
  };
}
