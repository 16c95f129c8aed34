// What characters carry, and what many of them are asked, on the GPU.
import { describe, test } from 'vitest';
import { noGpu, testDevice } from '../support/gpu.ts';
import { READ_CASES, SOCKET_CASES } from '../support/socket-cases.ts';

describe.skipIf(noGpu())('sockets', () => {
  test.each(Object.entries(SOCKET_CASES))('%s', async (_, run) => run((await testDevice()).device));
});

describe.skipIf(noGpu())('reads', () => {
  test.each(Object.entries(READ_CASES))('%s', async (_, run) => run((await testDevice()).device));
});
