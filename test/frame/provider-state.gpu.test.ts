// Providers per view, per character and with state: kernels and twins show the same, whatever the CPU side does between frames.
import { afterEach, describe, expect, test } from 'vitest';
import { packCharacter } from '../../src/character/index.ts';
import type { CrowdView } from '../../src/frame/tables/crowd-view.ts';
import {
  checkProviders,
  type Crowd,
  type CrowdOptions,
  type CharacterGroup,
  type ProviderSite,
  type VertexProvider,
} from '../../src/index.ts';
import { saveSnapshot, readSnapshot, rebuildCrowd, recordInputs, replayInputs } from '../../src/state/index.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { multiply, orthographic, viewFromWorld } from '../../src/render/camera.ts';
import { coded, smallActor } from '../support/crowd-truth.ts';
import { shownBy, type Shown } from '../support/flight.ts';
import { noGpu, testDevice } from '../support/gpu.ts';
import { updateAndWait } from '../support/update-and-wait.ts';
import { internalsOf } from '../../src/crowd/internals.ts';

/** Moves vertices along x by state, along y by a row of the character, along z by a row of all. */
const pull: VertexProvider = {
  name: 'pull',
  space: 'model',
  rowCount: 1,
  characterRowCount: 1,
  stateRowCount: 2,
  code: `
fn pull(site: VertexSite, surface: Surface) -> Surface {
  let by = vec3f(pullState(0u).x, pullCharacterRow(0u).y, pullRow(0u).z);
  return Surface(surface.position + by, surface.normal, surface.tangent);
}`,
  twin: ({ row, characterRow, state }: ProviderSite, { position, normal, tangent }) => ({
    position: [position[0]! + state(0)[0]!, position[1]! + characterRow(0)[1]!, position[2]! + row(0)[2]!],
    normal,
    tangent,
  }),
  update: {
    // x: updates so far, times the character's own step; y: seconds; second row: how it has moved
    code: `
fn pullUpdate(site: CharacterSite, state: array<vec4f, 2>) -> array<vec4f, 2> {
  let step = select(pullCharacterRow(0u).x, 0.0, site.isNew);
  let moved = (site.position - site.previousPosition) * 0.25;
  return array(state[0] + vec4f(step + moved.x, site.elapsed, site.dt, f32(site.views)), vec4f(site.position, site.scale));
}`,
    twin: ({ characterRow, isNew, position, previousPosition, elapsed, dt, views, scale }, state) => {
      const step = isNew ? 0 : characterRow(0)[0]!;
      const [x, y, z, w] = state[0]!;
      const moved = (position[0]! - previousPosition[0]!) * 0.25;
      const [px, py, pz] = position as [number, number, number];
      return [
        [x + step + moved, y + elapsed, z + dt, w + views],
        [px, py, pz, scale],
      ];
    },
  },
};

const { model } = smallActor();
const provided = packCharacter(model, { errorBudget: 0, providers: () => 0b1 });
const plain = packCharacter(model, { errorBudget: 0 });

function between(left: number, right: number): CrowdView {
  const clipFromView = orthographic({ left, right, bottom: -9, top: 9, near: 0, far: 40 });
  const clipFromWorld = multiply(clipFromView, viewFromWorld({ eye: [0, 0, 20], target: [0, 0, 0] }));
  return { clipFromWorld, height: 200 };
}
/** The first sees characters 0 and 1, the second 1 and 2. */
const VIEWS = [between(-60, 10), between(-10, 60)];
const PLACES = [-40, 0, 40];

interface Pair {
  readonly crowds: readonly [gpu: Crowd, cpu: Crowd];
  readonly groups: readonly CharacterGroup[];
}

const open: Crowd[] = [];
afterEach(() => open.splice(0).forEach((crowd) => crowd.destroy()));

async function pair(options: Partial<CrowdOptions> = {}): Promise<Pair> {
  const { device } = await testDevice();
  const crowds = (['gpu', 'cpu'] as const).map((backend) => {
    const all = {
      characters: [provided, plain],
      capacity: 6,
      providers: [pull],
      updateRates: false,
      ...options,
    } as const;
    return createCrowd(backend === 'gpu' ? device : undefined, { ...all, backend });
  });
  open.push(...crowds);
  const groups = crowds.map((crowd) => {
    const group = crowd.spawn(provided, { count: 3, place: (i, at) => at.position.set(PLACES[i]!, 0, 0) });
    group.setProviderRows('pull', 1, (i, rows) => rows.set([0.5 + i, 2 * i, 0, 0]));
    return group;
  });
  return { crowds: crowds as [Crowd, Crowd], groups };
}

/** A step between packed positions that are 16 to 32 m from the origin. */
const STEP = 1.01 * 2 ** -13;

/** Runs a frame on both; what the GPU shows, after it was found to be what the twins show. */
async function shownOf({ crowds }: Pair, views: readonly CrowdView[] | undefined = VIEWS, dt = 0.25) {
  const { device } = await testDevice();
  await Promise.all(crowds.map((crowd) => updateAndWait(crowd, { dt, ...(views ? { views } : {}) })));
  const [shown, twins] = [await read(device, crowds[0]), await read(undefined, crowds[1])];
  expect(new Set(shown.keys())).toEqual(new Set(twins.keys()));
  for (const [row, { current, previous }] of shown) {
    expect(farthest(current, twins.get(row)!.current), `current of ${row}`).toBeLessThan(STEP);
    expect(farthest(previous, twins.get(row)!.previous), `previous of ${row}`).toBeLessThan(STEP);
  }
  return shown;
}

const read = (device: GPUDevice | undefined, crowd: Crowd) => shownBy(device as never, crowd, [0, 1, 2, 3, 4, 5]);

function farthest(a: Float32Array, b: Float32Array): number {
  expect(a.length).toBe(b.length);
  return a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i]!)), 0);
}

/** How far the first vertex stands from where it stands without the provider. */
let rest: Float32Array;
const offset = ({ current }: Shown) => [0, 1, 2].map((axis) => current[axis]! - rest[axis]!);
const both = ({ crowds }: Pair, call: (crowd: Crowd, index: number) => void) => crowds.forEach(call);
const near = (actual: readonly number[], expected: readonly number[]) =>
  actual.forEach((value, axis) => expect(value).toBeCloseTo(expected[axis]!, 4));

describe.skipIf(noGpu())('providers of a crowd', () => {
  test('keep a state from frame to frame, for each character of its own, and know how it moves', async () => {
    const { device } = await testDevice();
    await checkProviders(device, [pull]);
    const crowds = await pair();
    both(crowds, (crowd) => crowd.setProvider('pull', crowd.ids, false));
    rest = (await shownOf(crowds)).get(0)!.current.slice();
    both(crowds, (crowd) => crowd.setProvider('pull', crowd.ids, true));
    // the first update is told that it is new; then 0.5, 1.5, 2.5 in each frame
    const first = await shownOf(crowds);
    for (const i of [0, 1, 2]) near(offset(first.get(i)!), [0, 2 * i, 0]);
    const second = await shownOf(crowds);
    for (const i of [0, 1, 2]) near(offset(second.get(i)!), [0.5 + i, 2 * i, 0]);
    both(crowds, (crowd) => crowd.setProviderRows('pull', Float32Array.of(0, 0, 3, 0)));
    both(crowds, (_, c) => crowds.groups[c]!.setTransform((i, at) => at.position.set(PLACES[i]! + 4, 0, 0)));
    const third = await shownOf(crowds);
    for (const i of [0, 1, 2]) near(offset(third.get(i)!), [2 * (0.5 + i) + 1, 2 * i, 3]);
    // last frame's vertices are those of last frame's state
    for (const i of [0, 1, 2]) expect(farthest(third.get(i)!.previous, second.get(i)!.current)).toBe(0);
  });

  test('run for the views that are asked for now, and for the characters that are switched on', async () => {
    const crowds = await pair();
    both(crowds, (crowd) => crowd.setProvider('pull', crowd.ids, false));
    const calm = await shownOf(crowds);
    rest = calm.get(0)!.current.slice();
    both(crowds, (crowd) => crowd.setProvider('pull', crowd.ids, true));
    both(crowds, (crowd) => crowd.setProviderViews('pull', 0b10));
    const moved = async () => {
      const shown = await shownOf(crowds);
      return [0, 1, 2].map((i) => Math.hypot(...offset(shown.get(i)!)) > 1e-3);
    };
    await moved();
    expect(await moved()).toEqual([false, true, true]);
    both(crowds, (crowd) => crowd.setProviderViews('pull', 0b01));
    await moved();
    expect(await moved()).toEqual([true, true, false]);
    both(crowds, (crowd) => crowd.setProviderViews('pull', 0));
    const off = await shownOf(crowds);
    // where no view wants it, vertices are those of plain skinning, to the bit
    for (const i of [0, 1, 2]) expect(off.get(i)!.current).toEqual(calm.get(i)!.current);
    both(crowds, (crowd) => crowd.setProviderViews('pull', 0xffffffff));
    both(crowds, (_, c) => crowds.groups[c]!.setProvider('pull', false, [1]));
    expect(await moved()).toEqual([true, false, true]);
    expect(crowds.crowds[0].providerViews('pull')).toBe(0xffffffff);
  });

  test('update the characters that survive culling and no other, and know how long they did not', async () => {
    const crowds = await pair();
    const [left] = VIEWS;
    await shownOf(crowds, VIEWS);
    for (let frame = 0; frame < 4; frame++) await shownOf(crowds, [left!]); // character 2 is culled
    const states = (await internalsOf(crowds.crowds[1]).host.backend.saveState(3, 0)).providers;
    const onGpu = (await internalsOf(crowds.crowds[0]).host.backend.saveState(3, 0)).providers;
    // frame and time of the update, then two rows of state, of each character
    const [floats, kernels] = [new Float32Array(states.buffer), new Float32Array(onGpu.buffer)];
    const frames = [0, 1, 2].map((i) => states[12 * i]);
    expect(frames).toEqual([5, 5, 1]);
    expect(farthest(kernels.filter((_, i) => i % 12 > 3), floats.filter((_, i) => i % 12 > 3))).toBeLessThan(1e-5); // prettier-ignore
    expect([0, 1, 2].map((i) => onGpu[12 * i])).toEqual(frames);
    // seconds since the update before: in the first frame none, then 0.25 each
    expect([0, 1, 2].map((i) => floats[12 * i + 5])).toEqual([1, 1, 0]);
    await shownOf(crowds, VIEWS);
    const after = new Float32Array((await internalsOf(crowds.crowds[0]).host.backend.saveState(3, 0)).providers.buffer);
    expect(after[12 * 2 + 5]).toBeCloseTo(5 * 0.25, 5); // all that has passed
    expect(after[12 * 2 + 6]).toBeCloseTo(2 * 0.25, 5); // as `dt` says
  });

  test('start again for a new character of a row, and continue when the crowd grows or adds a type', async () => {
    const crowds = await pair();
    both(crowds, (_, c) => crowds.groups[c]!.setProvider('pull', false));
    rest = (await shownOf(crowds)).get(0)!.current.slice();
    both(crowds, (_, c) => crowds.groups[c]!.setProvider('pull', true));
    for (let frame = 0; frame < 3; frame++) await shownOf(crowds);
    both(crowds, (crowd) => crowd.grow(70));
    const grown = await shownOf(crowds);
    near(offset(grown.get(2)!), [3 * 2.5, 4, 0]);
    const late = packCharacter(model, { errorBudget: 0, providers: () => 0b1 });
    both(crowds, (crowd) => crowd.addCharacter(late));
    both(crowds, (_, c) => crowds.groups[c]!.despawn([2]));
    both(crowds, (crowd) => crowd.spawn(late, { place: (_, at) => at.position.set(40, 0, 0) }));
    const came = await shownOf(crowds);
    near(offset(came.get(1)!), [4 * 1.5, 2, 0]);
    near(offset(came.get(2)!), [0, 0, 0]);
  });

  test('are saved with their state, on either backend, and replayed by a log', async () => {
    const { device } = await testDevice();
    const crowds = await pair();
    const [gpu, cpu] = crowds.crowds;
    for (let frame = 0; frame < 3; frame++) await shownOf(crowds);
    const snapshot = readSnapshot((await saveSnapshot(gpu)).bytes);
    const log = recordInputs(gpu);
    both(crowds, (crowd) => crowd.setProviderViews('pull', 0b10));
    both(crowds, (crowd) => crowd.setProviderCharacterRows('pull', crowd.ids[1]!, Float32Array.of(9, 1, 0, 0)));
    await shownOf(crowds);
    both(crowds, (crowd) => crowd.setProvider('pull', crowd.ids[2]!, false));
    const last = await shownOf(crowds);
    log.stop();
    const options = {
      characters: [provided, plain],
      capacity: 6,
      providers: [pull],
      updateRates: false,
      from: snapshot,
    } as const;
    const again = createCrowd(device, options);
    const onTwins = createCrowd(undefined, { ...options, backend: 'cpu' });
    open.push(again, onTwins);
    for (const crowd of [again, onTwins]) await replayInputs(crowd, log.since());
    for (const [crowd, from] of [[again, device], [onTwins, undefined]] as const) {
      const shown = await read(from, crowd);
      for (const [row, { current }] of last) expect(farthest(shown.get(row)!.current, current)).toBeLessThan(STEP);
    } // prettier-ignore
    expect((await saveSnapshot(again)).bytes).toEqual((await saveSnapshot(gpu)).bytes);
    // another state, or a list with other rows, is another crowd
    const { update: _, stateRowCount: __, ...still } = pull;
    const fewer = { ...options, providers: [still], backend: 'cpu' } as const;
    expect(() => createCrowd(undefined, fewer)).toThrow(coded('SNAPSHOT_MISMATCH') as Error);
    expect(cpu.frame).toBe(gpu.frame);
  });

  test('are as they were in a rebuilt crowd, which shows all frames again that update', async () => {
    const options = { characters: [provided], capacity: 3, providers: [pull], backend: 'cpu' } as const;
    const crowd = createCrowd(undefined, { ...options, keep: { intervalSeconds: 100 } });
    crowd.spawn(provided, { count: 2 }).setProviderRows('pull', 1, (i, rows) => rows.set([1 + i, 0, 0, 0]));
    for (let frame = 0; frame < 15; frame++) await updateAndWait(crowd, { dt: 0.1, views: VIEWS });
    const state = (await internalsOf(crowd).host.backend.saveState(2, 0)).providers;
    expect(new Float32Array(state.buffer)[4]).toBe(14);
    const rebuilt = await rebuildCrowd(crowd, undefined);
    open.push(rebuilt.crowd);
    expect(rebuilt.from).toBe('snapshot');
    expect((await internalsOf(rebuilt.crowd).host.backend.saveState(2, 0)).providers).toEqual(state);
  });

  test('with only code are not part of a snapshot', async () => {
    const { device } = await testDevice();
    const { update: _, stateRowCount: __, rowCount: ___, characterRowCount: ____, ...bare } = pull;
    const fixed = { ...bare, code: 'fn pull(site: VertexSite, surface: Surface) -> Surface { return surface; }' };
    const crowd = createCrowd(device, { characters: [provided], capacity: 2, providers: [fixed] });
    open.push(crowd);
    const [id] = crowd.spawn(provided).ids;
    await updateAndWait(crowd, { dt: 0 });
    const taken = await saveSnapshot(crowd);
    const other = createCrowd(device, { characters: [provided], capacity: 2, from: taken });
    open.push(other);
    // switched off it is one
    crowd.setProvider('pull', id!, false);
    const changed = await saveSnapshot(crowd);
    const without = { characters: [provided], capacity: 2, from: changed };
    expect(() => createCrowd(device, without)).toThrow(coded('SNAPSHOT_MISMATCH') as Error);
  });

  test('refuse what cannot be', async () => {
    const { crowds, groups } = await pair();
    const bad = coded('CROWD_BAD_ARGUMENT') as Error;
    const [crowd] = crowds;
    expect(() => crowd.setProviderViews('push', 1)).toThrow(bad);
    expect(() => crowd.setProviderViews('pull', 0.5)).toThrow(bad);
    expect(() => crowd.setProviderViews('pull', 2 ** 32)).toThrow(bad);
    expect(() => crowd.setProviderCharacterRows('pull', crowd.ids, new Float32Array(8))).toThrow(bad);
    expect(() => crowd.setProvider('pull', [999_999], false)).toThrow(coded('CROWD_BAD_ID') as Error);
    const [stranger] = crowd.spawn(plain).ids;
    expect(() => crowd.setProvider('pull', [groups[0]!.id(0), stranger!], false)).toThrow(bad);
    const { update, ...still } = pull;
    const create = (provider: VertexProvider, backend: 'gpu' | 'cpu' = 'cpu') => () =>
      createCrowd(undefined, { characters: [provided], capacity: 1, providers: [provider], backend });
    expect(create(still)).toThrow(coded('PROVIDER_INVALID') as Error);
    expect(create({ ...pull, stateRowCount: 17 })).toThrow(coded('PROVIDER_INVALID') as Error);
    expect(create({ ...pull, update: { ...update!, code: 'fn other() {}' } })).toThrow(coded('PROVIDER_INVALID') as Error);
    expect(create({ ...pull, update: { code: update!.code } })).toThrow(coded('PROVIDER_MISSING') as Error);
  }); // prettier-ignore
});
