import { expect } from 'vitest';
import { param, blend1d } from '../../src/controller/builder.ts';
import { packCharacter } from '../../src/character/index.ts';
import { defineController } from '../../src/controller/index.ts';
import type { Character, CharacterId, Crowd } from '../../src/index.ts';
import { createCrowd } from './create-crowd.ts';
import { soldierModel } from './soldiers.ts';
import { full } from './setup.ts';
import { clipOf, trackOf } from './small-model.ts';
import { updateAndWait } from './update-and-wait.ts';

/**
 * Types of a crowd on the GPU, of which nobody is spawned: with them its kernels are those that other tests have compiled,
 * which takes a software adapter ten seconds. None in full runs, where every crowd has the kernels that it asks for.
 */
export const companions = (): Character[] => (full ? [] : [walker()]);

/** Walks a metre along Z in a second, and turns left by a quarter meanwhile: four times make a round. */
export function walker(): Character {
  const turned = [0, 1, 2, 3, 4].map(
    (i) => [i / 4, 0, Math.sin((i * Math.PI) / 16), 0, Math.cos((i * Math.PI) / 16)] as const,
  );
  const walk = {
    ...clipOf(
      1,
      trackOf('translation', 0, 'LINEAR', [0, 0, 0, 0], [1, 0, 0, 1]),
      trackOf('rotation', 0, 'LINEAR', ...turned),
    ),
    name: 'walk',
    events: [{ name: 'step', time: 0.5 }],
  };
  // nobody enters the trees: with them the kernels are those of crowds that have everything, which others have compiled
  const trees = blend1d('stroll', [0, blend1d('stroll', [0, 'walk'], [1, 'walk'])], [1, 'walk']);
  const machine = { default: 'Walk', states: { Walk: { motion: 'walk' }, Stand: {}, Stroll: { motion: trees } } };
  return packCharacter(soldierModel({ clips: [walk] }), {
    errorBudget: 0,
    rootMotion: { joint: 'root' },
    controller: defineController({
      name: 'walker',
      parameters: { stroll: param.float(0) },
      layers: [{ name: 'feet', machine }],
    }),
  });
}

/** Where root motion leads from a place: so many whole rounds' quarters. Worked out by hand. */
interface Pose {
  readonly position: readonly [number, number, number];
  /** Quarter turns to the left. */
  readonly quarters: number;
}

async function expectAt(crowd: Crowd, id: CharacterId, { position, quarters }: Pose, label: string): Promise<void> {
  const [at] = await crowd.readTransforms(id);
  const { x, y, z } = at!.position;
  [x, y, z].forEach((value, c) => expect(value, `${label}: ${'xyz'[c]}`).toBeCloseTo(position[c]!, 3));
  const half = (quarters * Math.PI) / 4;
  const { rotation: r } = at!;
  // q and −q turn alike
  const dot = Math.abs(r.y * Math.sin(half) + r.w * Math.cos(half));
  expect(dot, `${label}: rotation`).toBeCloseTo(1, 5);
}

/** Characters that their clips carry along. */
export async function checkRoot(device: GPUDevice | undefined): Promise<void> {
  const character = walker();
  const backend = device ? 'gpu' : 'cpu';
  const crowd = createCrowd(device, { characters: [character], capacity: 8, backend });
  const group = crowd.spawn(character, {
    count: 3,
    place: (i, at) => {
      at.position.set(10 * i, 0, 0);
      if (i === 1) at.rotation.setYaw(Math.PI / 2);
      if (i === 1) at.scale = 2;
    },
  });
  const [a, b, c] = group.ids as [CharacterId, CharacterId, CharacterId];
  // half a second at a time: halves of the way have to add up to all of it; seen or not
  for (let i = 0; i < 2; i++) await updateAndWait(crowd, { dt: 0.5, ...(i === 0 ? {} : { views: [] }) });
  await expectAt(crowd, a, { position: [0, 0, 1], quarters: 1 }, 'a metre ahead');
  await expectAt(crowd, b, { position: [12, 0, 0], quarters: 2 }, 'twice as far, from a quarter on');
  await expectAt(crowd, c, { position: [20, 0, 1], quarters: 1 }, 'another');

  // what the host does to one leaves its neighbours where they have got to
  crowd.setTransform(b, (at) => {
    expect(at.position.x).toBe(10); // where the host last had it
    at.position.set(5, 1, 5);
    at.rotation.setYaw(0);
  });
  await updateAndWait(crowd, { dt: 1 });
  await expectAt(crowd, a, { position: [1, 0, 1], quarters: 2 }, 'the second quarter');
  await expectAt(crowd, b, { position: [5, 1, 7], quarters: 1 }, 'from where it was put');
  await expectAt(crowd, c, { position: [21, 0, 1], quarters: 2 }, 'another, the second quarter');

  // two and a half quarters in one step; who stands stays; whoever comes anew begins where he is put
  crowd.playState(c, 'Stand');
  await updateAndWait(crowd, { dt: 2 });
  await expectAt(crowd, a, { position: [0, 0, 0], quarters: 4 }, 'a whole round');
  await expectAt(crowd, c, { position: [21, 0, 1], quarters: 2 }, 'standing');
  const [state] = await crowd.readControllers(a);
  state!.root.position.forEach((value) => expect(value).toBeCloseTo(0, 3));
  crowd.despawn(a);
  const d = crowd.spawn(character, { place: (_, at) => at.position.set(-3, 0, 0) }).id(0);
  await updateAndWait(crowd, { dt: 1 });
  await expectAt(crowd, d, { position: [-3, 0, 1], quarters: 1 }, 'in an old row');
  const [anew] = await crowd.readControllers(d);
  [0, 0, 1].forEach((value, i) => expect(anew!.root.position[i]).toBeCloseTo(value, 3));
  crowd.destroy();
}

/** Root motion that is summed up, and moves nobody. */
export async function checkReported(device: GPUDevice | undefined): Promise<void> {
  const character = walker();
  const backend = device ? 'gpu' : 'cpu';
  const reported = createCrowd(device, { characters: [character], capacity: 2, backend, rootMotion: 'report' });
  const id = reported.spawn(character, { place: (_, at) => at.position.set(7, 0, 0) }).id(0);
  for (let i = 0; i < 6; i++) await updateAndWait(reported, { dt: 0.5 });
  await expectAt(reported, id, { position: [7, 0, 0], quarters: 0 }, 'reported');
  const { root } = (await reported.readControllers(id))[0]!;
  [1, 0, 0].forEach((value, i) => expect(root.position[i], 'summed up').toBeCloseTo(value, 3));
  expect(Math.abs(root.rotation[1]!), 'three quarters').toBeCloseTo(Math.sin((3 * Math.PI) / 4), 4);
  reported.destroy();
}
