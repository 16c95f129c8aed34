import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Character } from '../character/character.ts';
import { createCrowd } from '../../test/support/create-crowd.ts';
import type { CharacterEvent } from '../crowd/rows/events.ts';
import type { CharacterGroup } from '../crowd/group.ts';
import { packSoldiers } from '../../test/frame/backend-switch-scene.ts';
import { hasSoldierController, LEGIONARY, RAIDER } from './soldier.ts';
import { updateAndWait } from '../../test/support/update-and-wait.ts';

interface Extras {
  readonly speed?: number;
  readonly events: readonly { readonly name: string; readonly time: number }[];
}

/** What the makers of a character wrote beside its clips. */
function extrasOf(name: string): Map<string, Extras> {
  const bytes = readFileSync(`characters/${name}.glb`);
  const json = JSON.parse(bytes.toString('utf8', 20, 20 + bytes.readUInt32LE(12))) as {
    animations: { name: string; extras: Extras }[];
  };
  return new Map(json.animations.map((animation) => [animation.name, animation.extras]));
}

test.each([LEGIONARY, RAIDER])('$name: what the controller knows is what the file says', (facts) => {
  const extras = extrasOf(facts.name);
  const times = (clip: string, event: string) =>
    extras
      .get(clip)!
      .events.filter(({ name }) => name === event)
      .map(({ time }) => time);
  const speed = (clip: string) => extras.get(clip)!.speed;
  expect(facts.speeds).toEqual({
    walk: speed('walk'),
    run: speed('run'),
    back: speed('walk_back'),
    side: speed('strafe_left'),
  });
  expect(speed('strafe_right')).toBe(facts.speeds.side);
  expect(facts.strikes).toEqual([...times('attack_1', 'strike'), ...times('attack_2', 'strike')]);
  expect(facts.steps).toEqual({ walk: times('walk', 'step_right')[0], run: times('run', 'step_right')[0] });
  expect(['walk_back', 'strafe_left', 'strafe_right'].map((clip) => times(clip, 'step_right')[0])).toEqual([
    0.5, 0.28, 0.3867,
  ]);
  expect(facts.shouts).toEqual(times('cheer', 'shout'));
  expect([facts.down]).toEqual(times('fall', 'body_fall'));
  expect(times('block', 'impact')).toEqual([0.2667]);
});

describe('a soldier', () => {
  let characters: readonly Character[];
  beforeAll(async () => {
    characters = await packSoldiers();
  });

  interface One {
    readonly group: CharacterGroup;
    readonly events: CharacterEvent[];
    /** Steps, and says where the body is. */
    readonly step: (dt: number) => Promise<string>;
  }

  function spawn(character = characters[0]!): One {
    const crowd = createCrowd(undefined, { characters: [character], capacity: 1, backend: 'cpu' });
    const group = crowd.spawn(character);
    const events: CharacterEvent[] = [];
    crowd.on('event', (event) => events.push(event));
    return {
      group,
      events,
      async step(dt) {
        await updateAndWait(crowd, { dt, views: [] });
        const [state] = await crowd.readControllers(group.id(0));
        const body = state!.layers[0]!;
        return body.next === null ? body.state! : `${body.state}>${body.next}`;
      },
    };
  }

  /** [name, what it carries, the frame it came in and seconds into that]. */
  const described = (events: readonly CharacterEvent[]) =>
    events.map(({ name, integer, frame, time }) => [name, integer, frame, Math.round(time * 1e4) / 1e4]);

  test('has a controller that fits both characters in every name', () => {
    for (const character of characters) {
      expect(character.issues).toEqual([]);
      expect(hasSoldierController(character)).toBe(true);
      const { controller, ...without } = character;
      expect(hasSoldierController(without)).toBe(false);
      // bytes of a mask: legs and skirts are left to the body
      const { masked, additive } = controller!.layers[1]!;
      expect([masked, additive]).toEqual([true, true]);
    }
    expect(characters.map(({ controller }) => controller!.machines.map(({ states }) => states.length))).toEqual([
      [10, 2],
      [10, 2],
    ]);
  });

  test('strikes once for one attack, at the moment that the weapon lands', async () => {
    const { group, events, step } = spawn();
    group.trigger('attack');
    const places: string[] = [];
    for (let frame = 0; frame < 14; frame++) places.push(await step(0.1));
    // 0.12 s to begin; 0.85 × 0.9333 s = 0.7933 s until it goes back, for 0.25 s
    expect(places).toEqual([
      'Move>Attack.First',
      ...Array<string>(6).fill('Attack.First'),
      ...Array<string>(3).fill('Attack.First>Move'),
      ...Array<string>(4).fill('Move'),
    ]);
    expect(described(events)).toEqual([['strike', 1, 4, 0.0667]]); // 0.3667 s
  });

  test('strikes twice for a second attack during the first', async () => {
    const { group, events, step } = spawn();
    group.trigger('attack');
    await step(0.1);
    group.trigger('attack');
    const places = [];
    for (let frame = 0; frame < 7; frame++) places.push(await step(0.1));
    // 0.7 × 0.9333 s = 0.6533 s, then 0.15 s of blend
    expect(places.slice(-3)).toEqual(['Attack.First', 'Attack.First>Attack.Second', 'Attack.First>Attack.Second']);
    await step(1);
    // begun a tenth in, 0.1133 s: 0.6533 + 0.4667 − 0.1133 = 1.0067 s, in the ninth frame, which began at 0.8 s
    expect(described(events)).toEqual([
      ['strike', 1, 4, 0.0667],
      ['strike', 2, 9, 0.2067],
    ]);
  });

  test('begins with the heavy blow if he is ordered to', async () => {
    const { group, events, step } = spawn(characters[1]);
    group.parameter('heavy').fill(true);
    group.trigger('attack');
    expect(await step(0.2)).toBe('Attack.Second');
    await step(0.3);
    expect(described(events)).toEqual([['strike', 2, 2, 0.2667]]);
  });

  test('a blow staggers him, and with the shield up it is parried', async () => {
    const { group, events, step } = spawn();
    group.trigger('hit');
    expect(await step(0.1)).toBe('Hit');
    expect(await step(1)).toBe('Move'); // 0.8 × 0.6667 s, then 0.25 s
    group.parameter('guard').fill(true);
    expect(await step(0.1)).toBe('Move>Guard.Raise');
    expect(await step(0.1)).toBe('Guard.Raise>Guard.Hold'); // 0.19 × 0.6667 s = 0.1267 s, then 0.1 s
    expect(await step(0.05)).toBe('Guard.Hold');
    expect(events).toEqual([]); // the way up is no parry
    group.trigger('hit');
    expect(await step(0.1)).toBe('Guard.Parry');
    expect(described(events)).toEqual([['parry', undefined, 6, 0.08]]); // from 0.28 × 0.6667 s to 0.2667 s
    expect(await step(1)).toBe('Guard.Hold');
    group.parameter('guard').fill(false);
    expect(await step(0.05)).toBe('Guard.Hold>Guard.Lower');
    expect(await step(1)).toBe('Move');
    expect(events).toHaveLength(1); // backwards, from before the blow: none either
  });

  test('falls from any state, stays down whatever happens, and gets up when he lives', async () => {
    const { group, events, step } = spawn();
    group.trigger('attack');
    await step(0.3);
    group.parameter('dead').fill(true);
    group.trigger('hit');
    expect(await step(0.1)).toBe('Attack.First>Fall');
    for (let frame = 0; frame < 20; frame++) expect(await step(0.2)).toBe('Fall');
    expect(described(events)).toEqual([
      ['strike', 1, 2, 0.0667],
      ['down', undefined, 7, 0.0667], // 0.9667 s after it began, in a frame that began 0.9 s after it
    ]);
    group.resetTrigger('hit');
    group.parameter('dead').fill(false);
    expect(await step(0.5)).toBe('Fall>Move');
    expect(await step(0.5)).toBe('Move');
  });

  test('walks at the pace of the ground: two steps for each cycle', async () => {
    const { group, events, step } = spawn();
    group.parameter('forward').fill(1.4);
    for (let frame = 0; frame < 28; frame++) await step(0.1); // 2.8 s: three cycles of 0.9333 s
    const steps = events.filter(({ name }) => name === 'step');
    expect(steps.filter(({ clip }) => clip !== 'walk')).toEqual([]);
    // entered at 0, which is a step of its own; the fourth left foot may land in the last frame or behind it
    expect(steps.filter(({ text }) => text === 'right')).toHaveLength(3);
    expect([3, 4]).toContain(steps.filter(({ text }) => text === 'left').length);
    expect(steps.every(({ weight }) => Math.abs(weight - 1) < 1e-6)).toBe(true);
  });
});
