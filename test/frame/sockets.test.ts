// What characters carry, and what many of them are asked, on the CPU backend.
import { describe, test } from 'vitest';
import { READ_CASES, SOCKET_CASES } from '../support/socket-cases.ts';

describe('sockets', () => {
  test.each(Object.entries(SOCKET_CASES))('%s', (_, run) => run(undefined));
});

describe('reads', () => {
  test.each(Object.entries(READ_CASES))('%s', (_, run) => run(undefined));
});
