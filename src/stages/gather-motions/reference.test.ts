import { describe, expect, it, test } from 'vitest';
import { Random } from '../../../test/support/random.ts';
import { clipOf, smallModel, trackOf } from '../../../test/support/small-model.ts';
import { planAnimators } from '../../controller/eval/regions.ts';
import { packCharacter } from '../../character/pack/index.ts';
import { joinTables, type CrowdTables } from '../../frame/tables/crowd-types.ts';
import { View } from '../../layout/index.ts';
import { fixedSeconds, splitSeconds } from '../../math/fixed.ts';
import {
  FrameParams,
  MOTION_END,
  MOTION_EXACT,
  MOTION_ROWS,
  MOTION_SAMPLE,
  Motion,
  VisibleCharacter,
} from '../layout.ts';
import { Modifier, PLAYER_LOOPS, PLAYER_NONE, Player } from './layout.ts';
import { readMotion, writeMotion } from '../motion-record.ts';
import { playedUntil } from './player.ts';
import { playerAt } from '../player-at.ts';
import { gatherMotions } from './reference.ts';

/** A phase as a 0.32 fixed-point number, a speed in cycles per second as an 8.24 one. */
const phaseOf = (share: number) => share * 2 ** 32;
const rateOf = (cyclesPerSecond: number) => cyclesPerSecond * 2 ** 24;
const LAST_PHASE = 0xffffffff;

type PlayerFields = Parameters<View<(typeof Player)['fields']>['assign']>[1];

/** A player that holds the start of clip 0 with weight 1, but for what is said otherwise. */
function writePlayer(players: View<(typeof Player)['fields']>, row: number, fields: PlayerFields, startTime = 0): void {
  const [startTimeLow, startTimeHigh] = splitSeconds(fixedSeconds(startTime));
  players.assign(row, { clip: 0, weightFrom: 1, weightTo: 1, startTimeLow, startTimeHigh, ...fields });
}

const PLAYED = [
  ['the twin', playerAt],
  ['the host', playedUntil],
] as const;

describe.each(PLAYED)('a player at a time, by hand: %s', (_, playedAt) => {
  /** What plays at `now`, of a player that started at `startTime`. */
  function played(fields: PlayerFields, now: number, startTime = 0) {
    const players = new View(Player, 1);
    writePlayer(players, 0, fields, startTime);
    return playedAt(players, 0, fixedSeconds(now));
  }

  it('moves its phase by rate × time', () => {
    const fields = { startPhase: phaseOf(0.25), rate: rateOf(0.5) };
    expect(played(fields, 0).phase).toBe(phaseOf(0.25));
    expect(played(fields, 1).phase).toBe(phaseOf(0.75));
    expect(played(fields, 8, 7.25).phase).toBe(phaseOf(0.625));
    expect(played({ startPhase: phaseOf(0.25) }, 1000).phase).toBe(phaseOf(0.25));
  });

  it('starts again where it loops, and holds its last phase where it does not', () => {
    const fields = { startPhase: phaseOf(0.5), rate: rateOf(0.25) };
    expect(played({ ...fields, clip: PLAYER_LOOPS }, 1).phase).toBe(phaseOf(0.75));
    expect(played({ ...fields, clip: PLAYER_LOOPS }, 2).phase).toBe(0);
    expect(played({ ...fields, clip: PLAYER_LOOPS }, 11).phase).toBe(phaseOf(0.25));
    expect(played(fields, 2).phase).toBe(LAST_PHASE);
    expect(played(fields, 11).phase).toBe(LAST_PHASE);
  });

  it('runs backwards at a negative rate, and then holds its first phase', () => {
    const fields = { startPhase: phaseOf(0.5), rate: rateOf(-0.25) };
    expect(played(fields, 1).phase).toBe(phaseOf(0.25));
    expect(played(fields, 2).phase).toBe(0);
    expect(played(fields, 3).phase).toBe(0);
    expect(played({ ...fields, clip: PLAYER_LOOPS }, 3).phase).toBe(phaseOf(0.75));
  });

  it('does not drift: a day later the phase is the same to the last bit', () => {
    const day = 86_400;
    const fields = { clip: PLAYER_LOOPS, rate: rateOf(0.75) };
    // 0.75 × 86,400 is whole, so is 0.75 × 4
    expect(played(fields, day + 1).phase).toBe(phaseOf(0.75));
    expect(played(fields, 100 * day + 4.5, 100 * day).phase).toBe(phaseOf(0.375));
    // where a word of the clock ends
    expect(played(fields, 2 ** 31 + 1, 2 ** 31).phase).toBe(phaseOf(0.75));
  });

  it('fades in a straight line, and then keeps what it reached', () => {
    const fades = { weightFrom: 0.25, weightTo: 0.75, fadeSeconds: 2 };
    expect([4, 4.5, 5, 6, 60].map((now) => played(fades, now, 4).weight)).toEqual([0.25, 0.375, 0.5, 0.75, 0.75]);
    expect(played({ weightFrom: 1, weightTo: 0, fadeSeconds: 0.5 }, 0.125).weight).toBe(0.75);
    expect(played({ ...fades, fadeSeconds: 0 }, 4, 4).weight).toBe(0.75);
  });
});

test('the host finds what the twin finds, to the last bit of the phase', () => {
  const random = new Random(1);
  const players = new View(Player, 1);
  for (let i = 0; i < 10_000; i++) {
    const word = () => random.integer(0, 0xffffffff);
    const fields = {
      clip: random.chance(0.5) ? PLAYER_LOOPS : 0,
      startPhase: random.pick([0, LAST_PHASE, word()]),
      rate: random.pick([0, 1, -1, random.integer(-(2 ** 31), 2 ** 31 - 1)]),
      weightFrom: random.next(),
      weightTo: random.next(),
      fadeSeconds: random.pick([0, 0.5, 1000]),
    };
    const start = random.range(0, 2 ** 31);
    writePlayer(players, 0, fields, start);
    const now = fixedSeconds(start) + BigInt(random.pick([0, 1, word(), 1000 * word()]));
    const [twin, host] = [playerAt(players, 0, now), playedUntil(players, 0, now)];
    expect(host.phase, JSON.stringify({ ...fields, start, now: String(now) })).toBe(twin.phase);
    expect(host.weight).toBeCloseTo(twin.weight, 12);
  }
});

/** Keys 1 s apart: along X, then along Y. */
const LINE = clipOf(2, trackOf('translation', 0, 'LINEAR', [0, 0, 0, 0], [1, 8, 0, 0], [2, 8, 4, 0]));
const STEPS = clipOf(2, trackOf('translation', 0, 'STEP', [0, 1, 0, 0], [1, 2, 0, 0], [2, 3, 0, 0]));
/** Another order of clips: whoever reads the other type's table finds other values. */
const TYPES = [
  [LINE, STEPS],
  [STEPS, LINE],
];

interface Scene {
  readonly now?: number;
  readonly players: readonly (PlayerFields | undefined)[];
  readonly playerCapacity?: number;
  readonly motionCapacity?: number;
  /** Who is visible, in the order of the page: a character and its type. */
  readonly visible?: readonly (readonly [character: number, type: number])[];
  readonly errorBudget?: number;
}

const UNTOUCHED = 0x7f7f7f7f;

/** Runs the twin; returns every visible character's list as its records, up to its end. */
function gather({ now = 0, players, motionCapacity = 4, visible = [[0, 0]], errorBudget = 0, ...scene }: Scene) {
  const playerCapacity = scene.playerCapacity ?? players.length;
  const characters = TYPES.map((clips) => packCharacter(smallModel({ clips }), { errorBudget }));
  const tables = joinTables(characters, { serialPoses: false, layers: false });
  const [timeLow, timeHigh] = splitSeconds(fixedSeconds(now));
  const params = new View(FrameParams, 1);
  params.assign(0, { timeLow, timeHigh, visibleCount: visible.length, playerCapacity, motionCapacity });
  const list = new View(VisibleCharacter, visible.length);
  visible.forEach(([character, type], i) => {
    const motionRow = i * motionCapacity * MOTION_ROWS;
    list.assign(i, { character, typeRow: tables.types[type]!.typeRow, motionRow });
  });
  const column = new View(Player, players.length);
  players.forEach((fields, row) => writePlayer(column, row, fields ?? { clip: PLAYER_NONE }));
  const motions = new Uint32Array(visible.length * motionCapacity * MOTION_ROWS * 4).fill(UNTOUCHED);
  const { regions } = planAnimators({ capacity: 0, machines: 0, layers: 0, parameters: 0, hasRoot: false });
  const [modifiers, animators] = [new View(Modifier, 0), new Uint32Array()];
  gatherMotions({ params, visible: list, players: column, modifiers, regions, animators, rig: tables.rig, motions });
  const kinds = new View(Motion, motions.buffer);
  const lists = visible.map((_, i) => {
    const rows = Array.from({ length: motionCapacity }, (_, m) => i * motionCapacity + m);
    const end = rows.findIndex((row) => kinds.get(row, 'kind') === MOTION_END);
    return rows.slice(0, end < 0 ? undefined : end).map((row) => readMotion(motions, row * MOTION_ROWS));
  });
  return { tables, lists, kinds };
}

/** Translation of the only channel of a value row, in exact form. */
function floatsAt({ rig }: CrowdTables, pair: number): number[] {
  return Array.from(rig.floats.subarray(2 * pair, 2 * pair + 3));
}

describe('gather-motions, by hand', () => {
  it('finds the interval that holds the phase, and the place in it', () => {
    // clip 0 of 2 s at 1.25 s: a quarter of the second interval
    const { tables, lists, kinds } = gather({ players: [{ startPhase: phaseOf(0.625) }] });
    const { motion, weight } = lists[0]![0]!;
    expect(weight).toBe(1);
    expect(motion.fraction).toBe(0.25);
    expect(kinds.get(0, 'kind')).toBe(MOTION_EXACT);
    // rows of an interval: start, end, rate at the start, rate at the end
    const rows = [0, 1, 2, 3].map((row) => floatsAt(tables, motion.value0 + row * motion.rate0));
    expect(rows).toEqual([
      [8, 0, 0],
      [8, 4, 0],
      [0, 4, 0],
      [0, 4, 0],
    ]);
    // Hermite at ¼, span 1 s: 2/64 − 3/16 + 1, 3/16 − 2/64, 1/64 − 2/16 + 1/4, 1/64 − 1/16
    expect(motion.basis).toEqual([0.84375, 0.15625, 0.140625, -0.046875]);
  });

  it('weighs the ends of a packed straight line', () => {
    const { lists, kinds } = gather({ players: [{ startPhase: phaseOf(0.625) }], errorBudget: 0.001 });
    const { motion } = lists[0]![0]!;
    expect(kinds.get(0, 'kind')).toBe(MOTION_SAMPLE);
    expect(motion.basis).toEqual([0.75, 0.25, 0, 0]);
    // one channel to a row
    expect(motion.value1 - motion.value0).toBe(1);
  });

  test.each([
    ['at the start', 0, 1],
    ['just before a key', 0x7fffffff, 1],
    ['exactly at a key', 0x80000000, 2],
    ['just before the end', 0xfffffffe, 2],
    ['held at the end', LAST_PHASE, 3],
  ])('a step, %s', (_, startPhase, x) => {
    const { tables, lists } = gather({ players: [{ clip: 1, startPhase }] });
    expect(floatsAt(tables, lists[0]![0]!.motion.value0)).toEqual([x, 0, 0]);
  });

  it('lists what plays in the order of its places, without those that are empty or weigh nothing', () => {
    const { lists } = gather({
      players: [
        undefined,
        { weightFrom: 0.25, weightTo: 0.25 },
        { weightFrom: 0, weightTo: 0 },
        { clip: (PLAYER_LOOPS | 1) >>> 0, weightFrom: 0.75, weightTo: 0.75 },
      ],
    });
    expect(lists[0]!.map(({ weight }) => weight)).toEqual([0.25, 0.75]);
  });

  it('ends a list of nothing at once', () => {
    const { lists, kinds } = gather({ players: [undefined, undefined] });
    expect(lists).toEqual([[]]);
    expect(kinds.get(1, 'kind')).toBe(UNTOUCHED);
  });

  it('writes no end to a full list, and no more than a list can hold', () => {
    const weights = [0.125, 0.25, 0.5].map((weight) => ({ weightFrom: weight, weightTo: weight }));
    const full = gather({ players: weights, motionCapacity: 3 });
    expect(full.lists[0]!.map(({ weight }) => weight)).toEqual([0.125, 0.25, 0.5]);
    expect(gather({ players: weights, motionCapacity: 2 }).lists[0]).toHaveLength(2);
  });

  it('reads the places of the character and the clips of its type', () => {
    const players = [0.25, 0.5, 0.75].flatMap((weight) => [undefined, { weightFrom: weight, weightTo: weight }]);
    const { tables, lists } = gather({
      players,
      playerCapacity: 2,
      visible: [
        [2, 0],
        [0, 1],
      ],
    });
    expect(lists.map(([record]) => record!.weight)).toEqual([0.75, 0.25]);
    // clip 0 is LINE for the one, STEPS for the other
    expect(lists.map(([record]) => floatsAt(tables, record!.motion.value0))).toEqual([
      [0, 0, 0],
      [1, 0, 0],
    ]);
  });

  it('plays by the clock of the frame', () => {
    const { lists } = gather({ now: 0.75, players: [{ rate: rateOf(0.5) }] });
    // 0.375 of 2 s: three quarters of the first interval
    expect(lists[0]![0]!.motion.fraction).toBe(0.75);
  });
});

describe('motion records', () => {
  it('come back as they were written', () => {
    const motions = new Uint32Array(3 * MOTION_ROWS * 4).fill(UNTOUCHED);
    const motion = {
      value0: 1,
      value1: 2,
      rate0: 3,
      rate1: 0xffffffff,
      basis: [0.5, -0.25, 8, 2 ** -20],
      fraction: 0.375,
      trackPair: 4,
      constantPair: 5,
      translationBase: 0xfffe,
      scaleBase: 0xffff,
      exact: false,
      rotationRateUnit: 2 ** -20,
      translationUnit: 2 ** 100,
      translationRateUnit: 2 ** -100,
      scaleUnit: 1,
      scaleRateUnit: 0,
    } as const;
    writeMotion(motions, MOTION_ROWS, motion, 0.625);
    expect(readMotion(motions, MOTION_ROWS)).toEqual({ motion, weight: 0.625 });
    const sampled = { ...motion, sampled: true } as const;
    writeMotion(motions, MOTION_ROWS, sampled, 0.625);
    expect(readMotion(motions, MOTION_ROWS).motion).toEqual(sampled);
    const others = [...motions.subarray(0, MOTION_ROWS * 4), ...motions.subarray(2 * MOTION_ROWS * 4)];
    expect(new Set(others)).toEqual(new Set([UNTOUCHED]));
  });
});
