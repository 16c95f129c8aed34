// One director for the same battle in two crowds, and a soldier that somebody has taken in hand.
import { describe, expect, test } from 'vitest';
import { LedSide, ledBy } from '../../demo/field/led-side.ts';
import type { Character } from '../../src/index.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { packCharacter } from '../../src/character/index.ts';
import { Director } from '../../src/battle/director.ts';
import { LEGIONARY, RAIDER, soldierController } from '../../src/battle/soldier.ts';
import { stageBattle } from '../../src/battle/battle.ts';
import { soldierModel } from '../support/soldiers.ts';
import { saveSnapshot } from '../../src/state/index.ts';

const COUNT = 24;
const NAMES = ['side', 'forward', 'pace', 'guard', 'heavy', 'cheer', 'dead'];

describe('a led side', () => {
  // two joints are enough to be told what to do
  const pack = (facts: typeof LEGIONARY): Character =>
    packCharacter(soldierModel({ name: facts.name }), {
      controller: soldierController(facts),
      missingClips: 'warn',
      missingJoints: 'warn',
    });
  const characters = [pack(LEGIONARY), pack(RAIDER)] as const;

  async function open() {
    const crowd = createCrowd(undefined, { characters, capacity: COUNT, backend: 'cpu' });
    const battle = stageBattle(crowd, ...characters, { count: COUNT, seed: 4 });
    const sides = battle.groups.map((group) => new LedSide([group])) as [LedSide, LedSide];
    const [legion, raiders] = battle.sides!;
    const director = new Director([ledBy(legion, sides[0]), ledBy(raiders, sides[1])], { seed: 4 });
    return { crowd, sides, director, reference: battle.director! };
  }

  const said = (crowd: ReturnType<typeof createCrowd>) =>
    crowd.ids.map((id) => NAMES.map((name) => crowd.getParameter(id, name)));

  test('receives the commands of its soldiers, in every crowd, wherever it moves', async () => {
    const [led, plain] = [await open(), await open()];
    const go = (steps: number) => {
      for (let step = 0; step < steps; step++) {
        led.director.advance(0.1);
        plain.reference.advance(0.1);
      }
    };
    go(50);
    expect(said(led.crowd)).toEqual(said(plain.crowd));
    // two crowds from here on
    const from = await saveSnapshot(led.crowd);
    const twin = createCrowd(undefined, { characters, capacity: COUNT, backend: 'cpu', from });
    for (const side of led.sides) side.moveTo([led.crowd.group(side.group.ids), twin.group(side.group.ids)]);
    const before = said(twin);
    go(50);
    expect(said(led.crowd)).toEqual(said(plain.crowd));
    expect(said(twin)).toEqual(said(plain.crowd));
    expect(said(twin)).not.toEqual(before);
  });

  test('skips a soldier under control, and passes everything on when it is released', async () => {
    const [led, plain] = [await open(), await open()];
    const [legion] = led.sides;
    const id = legion.group.id(3);
    legion.set(3, 'guard', 1);
    legion.set(3, 'forward', 1.25);
    for (let step = 0; step < 80; step++) {
      led.director.advance(0.1);
      plain.reference.advance(0.1);
      expect([led.crowd.getParameter(id, 'guard'), led.crowd.getParameter(id, 'forward')]).toEqual([1, 1.25]);
    }
    expect(said(led.crowd).filter((_, i) => i !== 3)).toEqual(said(plain.crowd).filter((_, i) => i !== 3));
    legion.release(3);
    expect(said(led.crowd)).toEqual(said(plain.crowd));
  });
});
