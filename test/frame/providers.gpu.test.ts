// A wind by instance id, in crowds: kernels and twins show the same, to the views that want it and to no other.
import { describe, expect, test } from 'vitest';
import { packCharacter } from '../../src/character/index.ts';
import type { CrowdView } from '../../src/frame/tables/crowd-view.ts';
import { checkProviders, type Character, type CharacterId, type Crowd, type VertexProvider } from '../../src/index.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { multiply, orthographic, viewFromWorld } from '../../src/render/camera.ts';
import { coded, smallActor } from '../support/crowd-truth.ts';
import { shownBy, type Shown } from '../support/flight.ts';
import { noGpu, testDevice } from '../support/gpu.ts';
import { updateAndWait } from '../support/update-and-wait.ts';

const SECOND_VIEW = 0b10;

/** Sways by the character's number and the time. Its row: direction and strength. */
const wind: VertexProvider = {
  name: 'wind',
  space: 'model',
  views: SECOND_VIEW,
  rowCount: 1,
  code: `
fn wind(site: VertexSite, surface: Surface) -> Surface {
  // a parabola per half turn, alike on every machine; sin is not
  let x = fract(f32(site.character) * 0.3 + site.time + 0.05) * 2.0 - 1.0;
  let row = windRow(0u);
  let by = row.w * 4.0 * x * (1.0 - abs(x)) * surface.position.y;
  return Surface(surface.position + row.xyz * by, surface.normal, surface.tangent);
}`,
  twin: ({ character, time, row }, { position, normal, tangent }) => {
    const turns = character * 0.3 + time + 0.05;
    const x = (turns - Math.floor(turns)) * 2 - 1;
    const [dx, dy, dz, strength] = row(0) as unknown as [number, number, number, number];
    const by = strength * 4 * x * (1 - Math.abs(x)) * position[1]!;
    return { position: [position[0]! + dx * by, position[1]! + dy * by, position[2]! + dz * by], normal, tangent };
  },
};

/** Sees who stands between two places. */
function between(left: number, right: number): CrowdView {
  const clipFromView = orthographic({ left, right, bottom: -9, top: 9, near: 0, far: 40 });
  const clipFromWorld = multiply(clipFromView, viewFromWorld({ eye: [0, 0, 20], target: [0, 0, 0] }));
  return { clipFromWorld, height: 200 };
}

const VIEWS = [between(-60, 10), between(-10, 60)];
/** Seen by the first view, by both, by the second; one that nobody sees; and its follower, seen by the second. */
const PLACES = [-40, 0, 40, 500, 30];
const [FIRST, BOTH, SECOND, LEADER, FOLLOWER] = [0, 1, 2, 3, 4] as const;

function people(device: GPUDevice | undefined, character: Character): { crowd: Crowd; ids: readonly CharacterId[] } {
  const backend = device ? 'gpu' : 'cpu';
  const crowd = createCrowd(device, { characters: [character], capacity: 8, providers: [wind], backend });
  const group = crowd.spawn(character, { count: PLACES.length, place: (i, at) => at.position.set(PLACES[i]!, 0, 0) });
  crowd.setPoseSource(group.id(FOLLOWER), group.id(LEADER));
  return { crowd, ids: group.ids };
}

function farthest(a: Shown, b: Shown): number {
  return a.current.reduce((most, value, i) => Math.max(most, Math.abs(value - b.current[i]!)), 0);
}

const keysOf = (shown: ReadonlyMap<number, Shown>) => [...shown.keys()].sort((a, b) => a - b);

describe.skipIf(noGpu())('a crowd with a wind by instance id', () => {
  const { model } = smallActor();
  const character = packCharacter(model, { errorBudget: 0, providers: () => 0b1 });
  const rows = PLACES.map((_, i) => i);

  test('shows it to the view that wants it, with kernels as with twins, by the current rows', async () => {
    const { device } = await testDevice();
    await checkProviders(device, [wind]);
    const [gpu, cpu] = [people(device, character), people(undefined, character)];
    const frame = async (views?: readonly CrowdView[]) => {
      await Promise.all([gpu, cpu].map(({ crowd }) => updateAndWait(crowd, { dt: 0, ...(views ? { views } : {}) })));
      const shown = await shownBy(device, gpu.crowd, rows);
      const twins = await shownBy(undefined as never, cpu.crowd, rows);
      expect(keysOf(shown)).toEqual(keysOf(twins));
      for (const [row, one] of shown) expect(farthest(one, twins.get(row)!), `character ${row}`).toBeLessThan(1e-4);
      return shown;
    };
    for (const { crowd } of [gpu, cpu]) await updateAndWait(crowd, { dt: 4096 * 3 + 0.125 });
    const calm = await frame(VIEWS);
    for (const { crowd } of [gpu, cpu]) crowd.setProviderRows('wind', Float32Array.of(0.6, 0, 0.8, 0.5));
    const windy = await frame(VIEWS);
    expect(keysOf(calm)).toEqual([FIRST, BOTH, SECOND, FOLLOWER]);
    expect([FIRST, BOTH, SECOND, FOLLOWER].map((i) => windy.get(i)!.views)).toEqual([1, 3, 2, 2]);
    expect(farthest(windy.get(FIRST)!, calm.get(FIRST)!)).toBe(0);
    for (const i of [BOTH, SECOND, FOLLOWER]) expect(farthest(windy.get(i)!, calm.get(i)!)).toBeGreaterThan(0.01);
    // all play the same and stand the same: what differs is the wind, by who they are
    expect(farthest(windy.get(BOTH)!, windy.get(SECOND)!)).toBeGreaterThan(0.01);
    // without views everyone is seen by all there could be
    const everywhere = await frame();
    for (const i of rows) expect(farthest(everywhere.get(i)!, calm.get(BOTH)!), `character ${i}`).toBeGreaterThan(0.01);
    gpu.crowd.destroy();
    cpu.crowd.destroy();
  });

  test('refuses lists and rows that cannot be', async () => {
    const { device } = await testDevice();
    const options = { characters: [character], capacity: 1 };
    expect(() => createCrowd(device, { ...options, providers: [{ ...wind, code: '' }] })).toThrow(coded('PROVIDER_INVALID') as Error);
    const { twin: _, ...mute } = wind;
    expect(() => createCrowd(undefined, { ...options, backend: 'cpu', providers: [mute] })).toThrow(coded('PROVIDER_MISSING') as Error);
    const crowd = createCrowd(undefined, { ...options, backend: 'cpu', providers: [wind] });
    const bad = coded('CROWD_BAD_ARGUMENT') as Error;
    expect(() => crowd.setProviderRows('cape', new Float32Array(4))).toThrow(bad);
    expect(() => crowd.setProviderRows('wind', new Float32Array(3))).toThrow(bad);
    expect(() => crowd.setProviderRows('wind', new Float32Array(4), 1)).toThrow(bad);
    expect(() => crowd.setProviderRows('wind', new Float32Array(4), -1)).toThrow(bad);
    crowd.destroy();
    expect(() => crowd.setProviderRows('wind', new Float32Array(4))).toThrow(coded('CROWD_DESTROYED') as Error);
  }); // prettier-ignore
});
