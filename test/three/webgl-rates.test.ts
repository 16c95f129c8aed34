// Defaults of the WebGL 2 tier: poses that are rarer, and what stays as in the other tiers.
import { expect, test } from 'vitest';
import { addSockets } from '../../src/character/sockets.ts';
import type { CrowdOptions } from '../../src/crowd/options.ts';
import { clipFromWorld } from '../../src/render/camera.ts';
import { webglOptions } from '../../src/three/tiers.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { soldier } from '../support/soldiers.ts';

const COUNT = 60;
const FRAMES = 16;
const VIEWS = [{ clipFromWorld: clipFromWorld({ eye: [0, 2, 6], target: [0, 1, -180] }, 16 / 9), height: 1080 }];

/** Soldiers one after the other, 6 m apart, and what frames show of them. */
async function run(options: (own: Omit<CrowdOptions, 'backend'>) => CrowdOptions) {
  const character = addSockets(soldier(), ['head']); // poses can be read
  const crowd = createCrowd(undefined, options({ characters: [character], capacity: COUNT }));
  const events: string[] = [];
  crowd.on('event', ({ name, character: id, time }) => events.push(`${name} ${id} ${time}`));
  const army = crowd.spawn(character, { count: COUNT, place: (i, at) => at.position.set(0, 0, -6 * i) });
  army.parameter('speed').fill(2);
  crowd.trigger(army.ids.slice(0, COUNT / 2), 'attack');
  const posed = army.ids.map(() => 0);
  for (let frame = 0; frame < FRAMES; frame++) {
    crowd.update({ dt: 1 / 20, views: VIEWS });
    await crowd.workDone();
    const poses = await crowd.readPose(army.ids);
    poses.forEach((pose, i) => (posed[i] = posed[i]! + Number(pose !== undefined)));
  }
  const { listed, posed: last } = await crowd.readStats();
  return { posed, last, listed, events: events.toSorted(), states: await crowd.readControllers(army.ids) };
}

test('poses small characters more seldom than other tiers, with the same states and events', async () => {
  const core = await run((options) => ({ ...options, backend: 'cpu', skin: 'vertex' }));
  const webgl = await run(webglOptions);
  expect([core.listed, webgl.listed]).toEqual([COUNT, COUNT]);
  expect(webgl.posed[0], 'the nearest').toBe(FRAMES);
  // the first frame poses all of them
  expect(Math.min(...webgl.posed), 'the farthest').toBeLessThan(FRAMES / 2);
  expect(webgl.posed.every((count, i) => count <= core.posed[i]!)).toBe(true);
  expect(webgl.last).toBeLessThan(0.7 * core.last);
  expect(webgl.events.length).toBeGreaterThan(0);
  expect(webgl.events).toEqual(core.events);
  expect(webgl.states).toEqual(core.states);
});

test('has the sizes that ADR 0041 gives', async () => {
  const updateRates = { halfBelowPx: 240, quarterBelowPx: 100, eighthBelowPx: 40 };
  const given = await run((options) => ({ ...options, updateRates, backend: 'cpu', skin: 'vertex' }));
  expect((await run(webglOptions)).posed).toEqual(given.posed);
  expect(new Set(given.posed).size).toBeGreaterThan(3);
});

test('takes the rates of the application', async () => {
  const all = await run((options) => webglOptions({ ...options, updateRates: false }));
  expect(new Set(all.posed)).toEqual(new Set([FRAMES]));
  const { updateRates } = webglOptions({ characters: [], capacity: 1, updateRates: { halfBelowPx: 50 } });
  expect(updateRates).toEqual({ halfBelowPx: 50, quarterBelowPx: 100, eighthBelowPx: 40 });
});
