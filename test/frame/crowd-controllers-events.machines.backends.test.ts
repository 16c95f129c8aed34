// Events of clips, on both backends, against what is worked out by hand.
import { expect, test } from 'vitest';
import { describeBackends } from '../support/backends.ts';
import { Parade } from '../support/parade.ts';
import { Random } from '../support/random.ts';
import { updateAndWait } from '../support/update-and-wait.ts';

const STEPS = [0, 1 / 64, 1 / 16, 1 / 2, 1, 2.25];

describeBackends('events', (backend) => {
  // thousands of character-frames; more frames than there are staging buffers: what stays in the ring comes with a later one
  test.each([1, 4, 10])(
    'are reported once each, in the order of frames, %i of them in flight at once',
    async (inFlight) => {
      const { device } = backend;
      const random = new Random(11);
      const parade = new Parade(device);
      const { crowd } = parade;
      parade.spawn(40, (i) => [0.5, 1, 1.5][i % 3]!);
      for (let round = 0; round < 60 / inFlight; round++) {
        const pending = Array.from({ length: inFlight }, () => {
          const dt = random.pick(STEPS);
          parade.foresee(dt);
          return updateAndWait(crowd, { dt, views: [] });
        });
        await Promise.all(pending);
      }
      await updateAndWait(crowd, { dt: 0, views: [] }); // brings what is still in the ring
      expect(parade.heard.length).toBeGreaterThan(1000);
      expect(parade.heard).toEqual(parade.expected);
      expect(crowd.droppedEventCount).toBe(0);
      crowd.destroy();
    },
  );

  // kept and dropped ones are all
  test('over the limit are counted', async () => {
    const { device } = backend;
    const parade = new Parade(device, { capacity: 600, maxEvents: 1024 });
    const { crowd } = parade;
    const lost: number[] = [];
    crowd.on('eventsDropped', (count) => lost.push(count));
    parade.spawn(600);
    for (const dt of [0.5, 1, 0.125]) {
      parade.foresee(dt);
      await updateAndWait(crowd, { dt, views: [] });
    }
    // 0 and ¼; then ¾, 1, 1¼ of 600 characters; then none
    expect(parade.expected).toHaveLength(1200 + 1800);
    expect(lost).toEqual([1200 - 1024, 1800 - 1024]);
    expect(parade.heard).toHaveLength(2 * 1024);
    expect(crowd.droppedEventCount).toBe(1200 + 1800 - 2 * 1024);
    const all = new Set(parade.expected.map((told) => JSON.stringify(told)));
    for (const told of parade.heard) expect(all.delete(JSON.stringify(told))).toBe(true);
    crowd.destroy();
  });

  // a step so long that an event would fire eight times: four are kept
  test('that repeat too often in one step are counted', async () => {
    const { device } = backend;
    const parade = new Parade(device);
    const { crowd } = parade;
    parade.spawn(2);
    await updateAndWait(crowd, { dt: 0.5, views: [] });
    parade.heard.length = 0;
    await updateAndWait(crowd, { dt: 8, views: [] });
    expect(parade.heard).toHaveLength(2 * 3 * 4);
    expect(crowd.droppedEventCount).toBe(2 * 3 * 4);
    crowd.destroy();
  });

  test.each([[[0, 1, 2]], [[2, 0, 1]]])(
    'belong to the character that lived when they fired, frames in order %j',
    async (order) => {
      const { device } = backend;
      const parade = new Parade(device, { capacity: 2 });
      const { crowd } = parade;
      const frame = (dt: number) => {
        parade.foresee(dt);
        const encoder = device?.createCommandEncoder();
        const encoded = crowd.encode(encoder, { dt, views: [] });
        if (encoder) device!.queue.submit([encoder.finish()]);
        return encoded;
      };
      const [first, neighbour] = parade.spawn(2) as [number, number];
      const frames = [frame(0.5)];
      parade.despawn(first);
      const [second] = parade.spawn(1) as [number];
      frames.push(frame(0.5));
      parade.despawn(second);
      parade.despawn(parade.spawn(1)[0]!); // one that no frame has seen
      const [third] = parade.spawn(1) as [number];
      frames.push(frame(0.25));
      const arrived = order.map((i) => frames[i]!.submitted());
      await Promise.all(arrived);
      expect(parade.heard).toEqual(parade.expected);
      expect(new Set(parade.heard.map(({ character }) => character))).toEqual(
        new Set([first, neighbour, second, third]),
      );
      crowd.destroy();
    },
  );

  test('go to every listener until it is stopped, also after one that throws', async () => {
    const { crowd, spawn } = ((parade) => ({ crowd: parade.crowd, spawn: () => parade.spawn(1) }))(
      new Parade(backend.device),
    );
    spawn();
    const told = [0, 0, 0];
    const count = () => void told[0]!++;
    const stops = [crowd.on('event', count), crowd.on('event', count)];
    const fail = crowd.on('event', () => {
      told[1]!++;
      throw new Error('a bug of the game');
    });
    crowd.on('event', () => void told[2]!++);
    await expect(updateAndWait(crowd, { dt: 0.5 })).rejects.toThrow('a bug of the game');
    expect(told).toEqual([4, 2, 2]); // two events
    stops[0]!();
    stops[0]!();
    fail();
    await updateAndWait(crowd, { dt: 0.5 });
    expect(told).toEqual([6, 2, 4]);
    stops[1]!();
    await updateAndWait(crowd, { dt: 0.5 });
    expect(told).toEqual([6, 2, 5]);
  });
});
