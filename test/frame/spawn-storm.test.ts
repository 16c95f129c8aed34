// Many characters come and go in random order, with all ids checked.
import { expect, test } from 'vitest';
import type { CharacterId } from '../../src/index.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { largeActor, smallActor } from '../support/crowd-truth.ts';
import { Random } from '../support/random.ts';
import { full } from '../support/setup.ts';
import { updateAndWait } from '../support/update-and-wait.ts';

const CHANGES = full ? 100_000 : 40_000;
const CAPACITY = full ? 3000 : 1200;

test(`${CHANGES} spawns and despawns in random order leave every id right`, async () => {
  const characters = [smallActor().character, largeActor().character];
  const crowd = createCrowd(undefined, { characters, capacity: CAPACITY, backend: 'cpu', maxVertexBytes: 2 ** 27 });
  const random = new Random(9);
  const living: CharacterId[] = [];
  const at = new Map<CharacterId, number>();
  const dead: CharacterId[] = [];
  for (let change = 0; change < CHANGES;) {
    if (living.length < CAPACITY && (living.length === 0 || random.chance(0.5))) {
      const count = Math.min(random.integer(1, 40), CAPACITY - living.length, CHANGES - change);
      const x = change;
      const { ids } = crowd.spawn(random.pick(characters), {
        count,
        place: (i, place) => place.position.set(x + i, 0, 0),
      });
      ids.forEach((id, i) => at.set(id, x + i));
      living.push(...ids);
      change += count;
    } else {
      const count = Math.min(random.integer(1, 40), living.length, CHANGES - change);
      for (let k = 0; k < count; k++) {
        const index = random.integer(0, living.length - 1);
        const [id] = [living[index]!];
        living[index] = living.at(-1)!;
        living.pop();
        crowd.despawn(id);
        dead.push(id);
      }
      change += count;
    }
    if (random.chance(0.01)) await updateAndWait(crowd, { dt: 0.01, views: [] });
  }
  await updateAndWait(crowd, { dt: 0.01, views: [] });
  expect(crowd.count).toBe(living.length);
  expect(new Set([...living, ...dead]).size).toBe(living.length + dead.length);
  for (const id of dead) expect(crowd.isAlive(id)).toBe(false);
  for (const id of living) expect(crowd.isAlive(id)).toBe(true);
  const places = await crowd.readTransforms(living);
  living.forEach((id, i) => expect(places[i]!.position.x).toBe(Math.fround(at.get(id)!)));
  crowd.destroy();
}, 60_000);
