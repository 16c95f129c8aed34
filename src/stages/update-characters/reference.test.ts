import { expect, test } from 'vitest';
import { providerMemory } from '../../../test/support/provider-memory.ts';
import { View } from '../../layout/index.ts';
import { Transform, VISIBLE_NEW, VisibleCharacter } from '../layout.ts';
import { ProviderMemoryView } from '../provider-twins.ts';
import type { CharacterSite, VertexProvider } from '../providers.ts';
import { updateCharacters } from './reference.ts';

/** Tells what it is called with; its state counts calls. */
function counter(calls: CharacterSite[], parts: Partial<VertexProvider> = {}): VertexProvider {
  const twin = (site: CharacterSite, state: readonly (readonly [number, number, number, number])[]) => {
    calls.push(site);
    return state.map(([x, y, z, w]) => [x + 1, y, z, w] as const);
  };
  return { name: 'count', space: 'model', code: '', stateRowCount: 2, update: { code: '', twin }, ...parts };
}

function scene(list: readonly VertexProvider[], capacity = 4) {
  const visible = new View(VisibleCharacter, 3);
  const [transforms, previousTransforms] = [new View(Transform, capacity), new View(Transform, capacity)];
  for (let i = 0; i < capacity; i++) {
    transforms.assign(i, { position: [i, 0, 0], scale: 2, rotation: [0, 0, 0, 1] });
    previousTransforms.assign(i, { position: [i, 0, -1], scale: 2, rotation: [0, 1, 0, 0] });
  }
  visible.assign(0, { character: 2, views: 0b01 });
  visible.assign(1, { character: 0, views: 0b10, detail: VISIBLE_NEW });
  visible.assign(2, { character: 1, views: 0 });
  const memory = providerMemory({ list, time: 1, frame: 4, rows: new Float32Array(), dt: 0.5 }, capacity);
  const run = (time: number, frame: number, visibleCount = 3) => {
    const providers = new ProviderMemoryView({ ...memory.views, time, frame });
    updateCharacters({ visible, visibleCount, transforms, previousTransforms, providers });
    return providers;
  };
  return { run, memory };
}

test('every listed character is updated once, with where it was and is, and how long ago the last update was', () => {
  const calls: CharacterSite[] = [];
  const { run } = scene([counter(calls)]);
  run(1, 4);
  expect(calls.map(({ character, isNew, elapsed }) => [character, isNew, elapsed])).toEqual([[2, true, 0], [0, true, 0], [1, true, 0]]);
  const [moved, fresh, leader] = calls;
  expect([moved!.previousPosition, moved!.previousRotation]).toEqual([[2, 0, -1], [0, 1, 0, 0]]);
  // one that has just come has not moved
  expect([fresh!.position, fresh!.previousPosition]).toEqual([[0, 0, 0], [0, 0, 0]]);
  // one that no view sees is posed for its followers
  expect([moved!.views, fresh!.views, leader!.views]).toEqual([1, 2, 0xffffffff]);
  run(1.5, 5, 1);
  const after = run(0.25, 9, 2); // the clock of providers wraps at 4,096 seconds
  expect(calls.slice(3).map(({ character, elapsed }) => [character, elapsed])).toEqual([[2, 0.5], [2, 4094.75], [0, 4095.25]]);
  expect([0, 1, 2, 3].map((character) => after.rowsOf(character, 0).state(1)[0])).toEqual([2, 1, 3, 0]);
}); // prettier-ignore

test('masks of views, and switches of characters, decide which characters are updated', () => {
  const calls: CharacterSite[] = [];
  const { run, memory } = scene([counter([]), counter(calls, { name: 'other', views: 0b10 })]);
  const words = new Uint32Array(memory.views.rows.buffer);
  run(1, 4);
  expect(calls.map(({ character }) => character)).toEqual([0, 1]);
  words[4 * (2 + 1)] = 0b01; // character 1, behind two rows of masks: only the first provider
  run(2, 5);
  expect(calls.map(({ character }) => character)).toEqual([0, 1, 0]);
});

test('an update without a twin, or of another number of rows, is refused', () => {
  const mute = counter([], { update: { code: '' } });
  expect(() => scene([mute]).run(1, 4)).toThrow('Its update has no twin');
  const short = counter([], { update: { code: '', twin: () => [] } });
  expect(() => scene([short]).run(1, 4)).toThrow('returned 0 state rows');
});
