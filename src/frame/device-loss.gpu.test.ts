import { afterEach, describe, expect, test } from 'vitest';
import { moteModel } from '../../test/format/mote.ts';
import { noGpu, testDevice } from '../../test/support/gpu.ts';
import { full } from '../../test/support/setup.ts';
import { soldier } from '../../test/support/soldiers.ts';
import { packCharacter } from '../character/pack/index.ts';
import { addSockets } from '../character/sockets.ts';
import type { Crowd } from '../crowd/crowd.ts';
import { createCrowd } from '../../test/support/create-crowd.ts';
import { nodeDevice } from '../node/node-gpu.ts';
import { updateAndWait } from '../../test/support/update-and-wait.ts';

describe.skipIf(noGpu())('a device that is lost', () => {
  const mote = addSockets(packCharacter(moteModel()), 'all');
  const crowds: Crowd[] = [];

  function someCrowd(device: GPUDevice): Crowd {
    const crowd = createCrowd(device, { characters: [mote], capacity: 4 });
    crowds.push(crowd);
    crowd.spawn(mote, { count: 2 });
    return crowd;
  }
  afterEach(() => crowds.splice(0).forEach((crowd) => crowd.destroy()));

  test('fails frames that are under way, those that follow, and what is being read back, with a code', async () => {
    const { device } = await nodeDevice();
    const [crowd, other] = [someCrowd(device), someCrowd(device)];
    const [id] = other.spawn(mote).ids;
    for (const each of [crowd, other]) await updateAndWait(each, { dt: 0.1 });
    const pending = [
      updateAndWait(crowd, { dt: 0.1 }),
      other.readPose(id!),
      other.readVertices(id!),
      other.readStats(),
    ];
    device.destroy();
    await Promise.all(pending.map((each) => expect(each).rejects.toMatchObject({ code: 'DEVICE_LOST' })));
    await expect(updateAndWait(crowd, { dt: 0.1 })).rejects.toMatchObject({ code: 'DEVICE_LOST' });
    crowd.update({ dt: 0.1 }); // a loop goes on: nothing is thrown, and no rejection is left
    await new Promise((resolve) => setTimeout(resolve, 100));
  });

  // compiles what only it can use
  test.runIf(full)('fails frames of characters with controllers, and what they are asked, with a code', async () => {
    const { device } = await nodeDevice();
    const fighter = soldier();
    const crowd = createCrowd(device, { characters: [fighter], capacity: 4, maxModifiers: 1 });
    crowds.push(crowd);
    const army = crowd.spawn(fighter, { count: 2 });
    const heard: string[] = [];
    crowd.on('event', ({ name }) => heard.push(name));
    army.playState('Attack');
    await updateAndWait(crowd, { dt: 0.125 });
    army.trigger('attack');
    army.parameter('speed').fill(2);
    const reads = [crowd.readControllers(army.ids), crowd.readTransforms(army.ids), crowd.readStats()];
    const pending = [updateAndWait(crowd, { dt: 0.5 }), ...reads];
    device.destroy();
    await Promise.all(pending.map((each) => expect(each).rejects.toMatchObject({ code: 'DEVICE_LOST' })));
    await expect(updateAndWait(crowd, { dt: 0.1 })).rejects.toMatchObject({ code: 'DEVICE_LOST' });
    await expect(crowd.readControllers(army.ids)).rejects.toMatchObject({ code: 'DEVICE_LOST' });
    expect(heard).toEqual([]);
  });

  test('is another thing than a crowd that is destroyed with a frame under way: that frame just ends', async () => {
    const crowd = someCrowd((await testDevice()).device);
    const pending = updateAndWait(crowd, { dt: 0.1 });
    crowd.destroy();
    await expect(pending).resolves.toBeUndefined();
    await expect(updateAndWait(crowd, { dt: 0.1 })).rejects.toMatchObject({ code: 'CROWD_DESTROYED' });
  });
});
