// Kernels against their twins, on random lists. Choices agree but for near ties; assignments and lists are exact.
import { describe, expect, test } from 'vitest';
import { noCore, noGpu, runCompute, testDevice } from '../../../test/support/gpu.ts';
import { Random } from '../../../test/support/random.ts';
import { someSeeds } from '../../../test/support/setup.ts';
import { View } from '../../layout/index.ts';
import { Resident, RESIDENT_NONE, Transform, VisibleCharacter } from '../../stages/layout.ts';
import { kernels as assignCode } from './assign.gen.ts';
import { kernels as chooseCode } from './choose.gen.ts';
import { kernels as listCode } from './list.gen.ts';
import {
  CHOICE_NONE,
  COUNT_DRAWN,
  COUNT_TILES,
  COUNT_WAITING,
  COUNT_WORD,
  GROUP_ROWS,
  Impostor,
  ImpostorChoice,
  ImpostorClip,
  ImpostorDraw,
  ImpostorParams,
  ImpostorTile,
  ImpostorType,
  SET_TILES,
  TILES_AT_ONCE,
} from './layout.ts';
import { marksOf } from './marks.ts';
import { assignTiles, chooseImpostors, listImpostors, type ImpostorViews } from './reference.ts';

const CHARACTERS = 300;
const [TYPES, CLIPS, PHASES, LEVELS, PAGES] = [3, 4, 4, 2, 2];
const FIRST_SHARED = CHARACTERS;
const NEAR = 1e-4;

interface Scene extends ImpostorViews {
  readonly plan: Uint32Array<ArrayBuffer>;
}

function createScene(random: Random): Scene {
  const capacity = CHARACTERS + TYPES * CLIPS * PHASES;
  const rowCapacity = GROUP_ROWS * Math.ceil(capacity / GROUP_ROWS);
  const drawCount = PAGES * TYPES * LEVELS;
  const setCount = random.integer(1, 12);
  const residents = new View(Resident, capacity);
  const transforms = new View(Transform, capacity);
  for (let i = 0; i < CHARACTERS; i++) {
    const typeIndex = random.integer(0, TYPES - 1);
    const shared = FIRST_SHARED + typeIndex * CLIPS * PHASES + random.integer(0, 2);
    const leader = random.next() < 0.8 ? shared : i;
    const tint = random.next() < 0.9 ? 0xff808080 : 0x80ffffff;
    residents.assign(i, { typeIndex: random.next() < 0.98 ? typeIndex : RESIDENT_NONE, leader, tint });
    const scale = random.pick([1, 1, 2, -1]);
    // few directions, so that tiles are shared
    const rotation = random.pick([[0, 0, 0, 1], [0, 1, 0, 0], random.quaternion(3)]); // prettier-ignore
    transforms.assign(i, { position: random.vector(60), scale, rotation });
  }
  const typeWords = (ImpostorType.size * TYPES) / 4;
  const clipWords = (ImpostorClip.size * TYPES * CLIPS) / 4;
  const plan = new Uint32Array(typeWords + clipWords + (ImpostorDraw.size * drawCount) / 4);
  const types = new View(ImpostorType, plan.buffer, 0, TYPES);
  const clips = new View(ImpostorClip, plan.buffer, 4 * typeWords, TYPES * CLIPS);
  const draws = new View(ImpostorDraw, plan.buffer, 4 * (typeWords + clipWords), drawCount);
  for (let t = 0; t < TYPES; t++) types.assign(t, { parts: [7, t], size: 2, isHeld: Number(t < 2) });
  for (let c = 0; c < TYPES * CLIPS; c++) clips.assign(c, { center: random.vector(1), extent: [1, 1, 1] });
  const stride = 64;
  const targets = new Uint32Array(stride * drawCount);
  const visible = new View(VisibleCharacter, rowCapacity);
  let row = 0;
  for (let d = 0; d < drawCount; d++) {
    const most = Math.floor((capacity - row) / 2);
    // some characters in each scene, and draws without any
    const count = d === 0 ? random.integer(most >> 1, most) : random.pick([0, 0, random.integer(0, most)]);
    targets.set([row, count], stride * d);
    const primitiveCount = random.integer(1, 3);
    draws.assign(d, { recordWord: stride * d, instanceWord: stride * d + 5, primitiveCount });
    for (const end = row + count; row < end; row++) {
      const words = visible.words.subarray((VisibleCharacter.size / 4) * row);
      for (let w = 0; w < VisibleCharacter.size / 4; w++) words[w] = random.integer(0, 2 ** 32 - 1);
      visible.assign(row, {
        character: random.integer(0, CHARACTERS - 1),
        views: random.integer(0, 3),
        parts: random.pick([[7, 3], [3, 0], [0, 0]]), // prettier-ignore
        detail: d % LEVELS,
      });
    }
  }
  const params = new View(ImpostorParams, 1);
  // of two choices in the same buffers either one
  const firstChoice = random.pick([0, rowCapacity]);
  const tileTargets = targets.length;
  params.assign(0, {
    eye: random.vector(80),
    isParallel: random.integer(0, 1),
    depth: [0, 0, random.pick([-1, 1]), random.range(100, 200)],
    pixelsPerMetre: 700,
    below: 12,
    above: 15,
    frame: 20,
    views: random.pick([1, 2, 3]),
    firstShared: FIRST_SHARED,
    rowCapacity,
    drawCount,
    clipRow: typeWords / 4,
    drawRow: (typeWords + clipWords) / 4,
    phases: PHASES,
    setCount,
    directions: 4,
    tileLimit: random.integer(1, TILES_AT_ONCE),
    tileTargets,
    quadTargets: 2 * tileTargets + random.pick([0, 4]),
    firstChoice,
  });
  const at = marksOf(setCount, rowCapacity);
  const marks = new Uint32Array(at.length);
  marks.fill(CHOICE_NONE, at.requests, at.used);
  return {
    params,
    visible,
    targets,
    residents,
    transforms,
    types,
    clips,
    draws,
    plan,
    marks,
    choices: new View(ImpostorChoice, 2 * rowCapacity),
    tiles: new View(ImpostorTile, SET_TILES * setCount),
    listed: new View(VisibleCharacter, rowCapacity + TILES_AT_ONCE),
    listedTargets: new Uint32Array(2 * tileTargets + 64),
    impostors: new View(Impostor, 2 * rowCapacity),
  };
}

/** Runs a kernel on copies of a scene's arrays. */
async function run(scene: Scene, code: string, names: readonly (keyof Scene)[], groups: number) {
  const { device } = await testDevice();
  const wordsOf = (name: keyof Scene) => {
    const array = scene[name];
    return array instanceof Uint32Array ? array : array.words;
  };
  const written = new Set(['choices', 'tiles', 'marks', 'listed', 'listedTargets', 'impostors']);
  const results = await runCompute(device, {
    code,
    bindings: names.map((name) => {
      const reads =
        name === 'tiles' && names.includes('residents') ? true : name === 'choices' && !names.includes('residents');
      const isRead = reads || !written.has(name);
      return { data: wordsOf(name), type: name === 'params' ? 'uniform' : isRead ? 'read-only-storage' : 'storage' };
    }),
    workgroups: [groups],
  });
  return new Map(names.map((name, i) => [name, new Uint32Array(results[i]!)]));
}

const CHOOSE = [
  'params',
  'visible',
  'targets',
  'residents',
  'transforms',
  'plan',
  'tiles',
  'choices',
  'marks',
] as const;
const ASSIGN = ['params', 'choices', 'tiles', 'marks'] as const;
const LIST = [
  'params',
  'visible',
  'targets',
  'plan',
  'choices',
  'marks',
  'listed',
  'listedTargets',
  'impostors',
] as const;

describe.skipIf(noGpu() || noCore())('impostors: kernels and twins', () => {
  test.each(someSeeds(4, 40, 900))('three pictures of a list, seed %i', async (seed) => {
    const scene = createScene(new Random(seed));
    const groups = scene.params.get(0, 'rowCapacity') / GROUP_ROWS;
    let [seen, tiles] = [0, 0];
    for (let picture = 0; picture < 3; picture++) {
      const { marks, choices } = scene;
      marks.fill(0, COUNT_WORD, COUNT_WORD + 4);
      const unsure = new Set<number>();
      const chosen = await run(scene, chooseCode.base, CHOOSE, groups);
      chooseImpostors(scene, (row, margin) => margin < NEAR && unsure.add(row));
      const found = new View(ImpostorChoice, chosen.get('choices')!.buffer);
      // where rounding decides, the twin goes on from the kernel's choice
      const words = ImpostorChoice.size / 4;
      const firstChoice = scene.params.get(0, 'firstChoice');
      for (const row of unsure) {
        const at = words * (firstChoice + row);
        choices.words.set(found.words.subarray(at, at + words), at);
      }
      if (unsure.size > 0) marks.set(chosen.get('marks')!);
      for (let row = 0; row < choices.count; row++) {
        expect(Math.abs(found.get(row, 'fade') - choices.get(row, 'fade')), `fade of row ${row}`).toBeLessThan(1e-4);
        found.set(row, 'fade', choices.get(row, 'fade'));
      }
      expect(found.words).toEqual(choices.words);
      expect(chosen.get('marks')).toEqual(marks);

      const assigned = await run(scene, assignCode.base, ASSIGN, 1);
      assignTiles(scene);
      expect(assigned.get('tiles')).toEqual(scene.tiles.words);
      expect(assigned.get('marks')).toEqual(marks);

      const listed = await run(scene, listCode.base, LIST, groups);
      listImpostors(scene);
      for (const name of ['listed', 'listedTargets', 'impostors'] as const) {
        const own = scene[name];
        expect(listed.get(name), name).toEqual(own instanceof Uint32Array ? own : own.words);
      }
      seen += marks[COUNT_WORD + COUNT_DRAWN]!;
      tiles += marks[COUNT_WORD + COUNT_TILES]!;
      if (picture === 0) expect(marks[COUNT_WORD + COUNT_WAITING]).toBeGreaterThan(0);
      scene.params.set(0, 'frame', scene.params.get(0, 'frame') + 1);
    }
    expect(tiles).toBeGreaterThan(0);
    expect(seen).toBeGreaterThan(0);
  });
});
