import { expect } from 'vitest';
import type { Character } from '../../src/character/character.ts';
import { resolveMotion, RigTable } from '../../src/character/format/clip-format.ts';
import { MIRROR_KEEPS, MirrorLane } from '../../src/character/format/rig-layout.ts';
import type { CrowdType } from '../../src/frame/tables/crowd-types.ts';
import { View } from '../../src/layout/index.ts';
import {
  LAYER_ADDITIVE,
  LAYER_OVERRIDE,
  LAYER_SET,
  LAYER_TURN,
  MASK_NONE,
  MOTION_END,
  MOTION_LAYER,
  MOTION_ROWS,
  Motion,
} from '../../src/stages/layout.ts';
import { writeModifier, writeMotion } from '../../src/stages/motion-record.ts';
import { groupThreadsFor } from './gpu.ts';
import type { Random } from './random.ts';
import { CLIPS, withFewerJoints } from './random-rigs.ts';
import { type SceneArrays, StageScene } from './stage-scene.ts';

const MOTION_CAPACITY = 40;
const MASK_PAIRS = 128; // room for 1,024 lanes
const MASKS = 3;

/** A mirror table with any pairs and any turns; morph weights keep to themselves. */
function randomMirror(random: Random, { rig }: Character): number[] {
  const { jointCount, laneCount } = new RigTable(rig).type(0);
  const table = new View(MirrorLane, laneCount!);
  for (let lane = 0; lane < laneCount!; lane++) {
    const keeps = lane >= jointCount! || random.chance(0.2);
    table.assign(lane, {
      pairLane: lane < jointCount! ? random.integer(0, jointCount! - 1) : lane,
      flags: keeps ? MIRROR_KEEPS : 0,
      pre: random.quaternion(Math.PI),
      post: random.quaternion(Math.PI),
    });
  }
  return Array.from(table.words);
}

/** 1–8 motions, some of them mirrored, under up to three layers with masks and 16 modifiers, for every character. */
function writeLists(scene: StageScene, random: Random, mirrorRows: readonly number[]): void {
  const { tables, arrays } = scene;
  for (const { type, motionRow: row } of scene.places.filter(({ posed }) => posed)) {
    let count = 0;
    const record = () => new View(Motion, arrays.motions.buffer, (row + count * MOTION_ROWS) * 16, 1);
    const motions = (most: number) => {
      for (let left = random.integer(1, most); left > 0; left--, count++) {
        const phase = random.pick([0, 0xffffffff, random.integer(0, 0xffffffff)]);
        const motion = resolveMotion(tables.rig, type.typeRow, random.integer(0, CLIPS - 1), phase);
        const mirrorRow = random.chance(0.5) ? mirrorRows[type.index] : undefined;
        writeMotion(arrays.motions, row + count * MOTION_ROWS, motion, random.range(0.05, 1), mirrorRow);
      }
    };
    const modifiers = (most: number) => {
      for (let left = random.integer(0, most); left > 0; left--, count++) {
        const held = () => (random.chance(0.5) ? random.range(-0.3, 0.3) : undefined);
        writeModifier(arrays.motions, row + count * MOTION_ROWS, {
          mode: random.pick([LAYER_SET, LAYER_TURN]),
          // from both ends, so that morph weights have their share
          lane: random.pick([random.integer(0, type.laneCount - 1), type.laneCount - 1]),
          weight: random.pick([0, 1, random.range(0, 1)]),
          translation: [held(), held(), held()],
          ...(random.chance(0.7) ? { rotation: random.quaternion(2) } : {}),
        });
      }
    };
    motions(8);
    modifiers(4);
    for (let layers = random.integer(0, 3); layers > 0; layers--) {
      record().assign(0, {
        kind: MOTION_LAYER,
        value0: random.chance(0.5) ? LAYER_OVERRIDE : LAYER_ADDITIVE,
        weight: random.range(0, 1),
        trackPair: random.chance(0.3) ? MASK_NONE : scene.extraPair + MASK_PAIRS * random.integer(0, MASKS - 1),
      });
      count++;
      motions(3);
      modifiers(4);
    }
    if (count < MOTION_CAPACITY) record().set(0, 'kind', MOTION_END);
  }
}

/**
 * The largest distance by which a palette entry moves a corner of the rest bounds, over the size of the character as posed:
 * its size times the largest scale of its palette, if that is above 1. Scales that layers add multiply down a chain, here up
 * to 14 times, and the rounding of a float grows with what it holds.
 */
function paletteError(type: CrowdType, at: number, expected: Float32Array, actual: Float32Array): number {
  const { bounds, size } = type.character;
  let worst = 0;
  let scale = 1;
  for (let entry = 0; entry < type.paletteCount; entry++) {
    const of = (palette: Float32Array, r: number, c: number): number => palette[at + 12 * entry + 4 * r + c]!;
    for (let c = 0; c < 3; c++) scale = Math.max(scale, Math.hypot(...[0, 1, 2].map((r) => of(expected, r, c))));
    for (let corner = 0; corner < 8; corner++) {
      const p = [0, 1, 2].map((c) => ((corner >> c) & 1 ? bounds.max[c]! : bounds.min[c]!));
      const d = [0, 1, 2].map((r) => {
        const delta = (c: number) => of(actual, r, c) - of(expected, r, c);
        return delta(0) * p[0]! + delta(1) * p[1]! + delta(2) * p[2]! + delta(3);
      });
      worst = Math.max(worst, Math.hypot(...d) / size);
    }
  }
  return worst / scale;
}

/** Characters with coarser levels that lack joints, masks, mirror tables and random motion lists. */
export function posesScene(random: Random, made: readonly Character[], seed: number, serialPoses: boolean): StageScene {
  const characters = made.map((character) => withFewerJoints(random, character));
  const masks = Array.from({ length: 2 * MASK_PAIRS * MASKS }, () => random.integer(0, 0xffffffff));
  const mirrors = random.chance(0.7) ? characters.map((character) => randomMirror(random, character)) : [];
  const scene = new StageScene(characters, {
    each: 3,
    unposed: 2,
    motionCapacity: MOTION_CAPACITY,
    kernels: { serialPoses, cachedPalettes: true, groupThreads: groupThreadsFor(seed) },
    mirror: mirrors.length > 0,
    extraRigWords: [...masks, ...mirrors.flat()],
  });
  let nextRow = (scene.extraPair * 2 + masks.length) / 4;
  const mirrorRows = mirrors.map(({ length }) => (nextRow += length / 4) - length / 4);
  writeLists(scene, random, mirrorRows);
  return scene;
}

/** Palettes agree to 1e-5 of a character's size as posed, morph weights to 2e-5. */
export function expectSamePoses(scene: StageScene, twin: SceneArrays, other: SceneArrays, label: string): void {
  const expected = new Float32Array(twin.palettes.buffer);
  const actual = new Float32Array(other.palettes.buffer);
  for (const [i, { type, posed, paletteRow }] of scene.places.entries()) {
    if (!posed) continue;
    const first = 4 * paletteRow;
    expect(paletteError(type, first, expected, actual), `${label}, character ${i}`).toBeLessThan(1e-5);
    const morphs = first + 12 * type.paletteCount;
    let worst = 0;
    for (let w = morphs; w < morphs + 4 * (type.laneCount - type.character.joints.length); w++) {
      worst = Math.max(worst, Math.abs(actual[w]! - expected[w]!));
    }
    expect(worst, `${label}, character ${i}, morph weights`).toBeLessThan(2e-5);
  }
}
