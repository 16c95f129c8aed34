import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { pollCalmly } from './device.ts';

test('callbacks of native code wait a little, all others go on at once', async () => {
  pollCalmly();
  pollCalmly(); // once is enough
  const order: string[] = [];
  const native = Array.prototype.push.bind(order, 'native') as () => void;
  setImmediate(native);
  await new Promise<void>((resolve) => {
    setImmediate((text: string) => {
      order.push(text);
      resolve();
    }, 'ours');
  });
  expect(order).toEqual(['ours']);
  await pause(20);
  expect(order).toEqual(['ours', 'native']);
});
