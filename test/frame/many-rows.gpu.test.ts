// A list of several workgroups: the characters at its end are posed and skinned like the first.
import { describe, expect, test } from 'vitest';
import { createCrowd } from '../support/create-crowd.ts';
import { offPose, smallActor } from '../support/crowd-truth.ts';
import { noGpu, testDevice } from '../support/gpu.ts';
import { updateAndWait } from '../support/update-and-wait.ts';

const COUNT = 200;

describe.skipIf(noGpu())('a list of 200 characters', () => {
  test('has every pose that its clips ask for, from the first row to the last', async () => {
    const { device } = await testDevice();
    const actor = smallActor();
    const crowd = createCrowd(device, { characters: [actor.character], capacity: COUNT });
    const { ids } = crowd.spawn(actor.character, { count: COUNT });
    const time = (i: number) => 0.1 + 0.001 * i;
    ids.forEach((id, i) => crowd.play(id, 0, { time: time(i), speed: 0, loops: false }));
    await updateAndWait(crowd, { dt: 0 });
    for (const i of [0, 63, 64, 127, 128, COUNT - 1]) {
      expect(await offPose(crowd, actor, ids[i]!, { clip: 0, time: time(i) }), `${i}`).toBeLessThan(1e-5);
    }
    crowd.destroy();
  });
});
