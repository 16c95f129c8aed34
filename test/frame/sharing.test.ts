// Far characters that share poses, on the twins.
import { describe, expect, test } from 'vitest';
import { createCrowd, type SharingOptions } from '../../src/index.ts';
import { coded, smallActor } from '../support/crowd-truth.ts';
import { CONTROLLER_SHARING_CASES, SHARING_CASES } from '../support/sharing-cases.ts';

describe('sharing', () => {
  test.each(Object.entries({ ...SHARING_CASES, ...CONTROLLER_SHARING_CASES }))('%s', async (_, run) => run(undefined));

  test('refuses what makes no sense, and more than there is room for', () => {
    const { character } = smallActor();
    const create = (sharing: SharingOptions) =>
      createCrowd(undefined, { characters: [character], capacity: 4, backend: 'cpu', sharing });
    const wrong: SharingOptions[] = [
      { below: -1 },
      { below: NaN },
      { below: 9, phases: 0 },
      { below: 9, phases: 1.5 },
      { below: 9, phases: 257 },
      { below: 9, weight: 0.5 },
      { below: 9, weight: 1.1 },
    ];
    for (const sharing of wrong) expect(() => create(sharing)).toThrow(coded('CROWD_BAD_ARGUMENT'));
    // three clips of 256 parts each
    const characters = Array.from({ length: 86 }, () => ({ ...character }));
    const many = () =>
      createCrowd(undefined, { characters, capacity: 4, backend: 'cpu', sharing: { below: 9, phases: 256 } });
    expect(many).toThrow(coded('CROWD_LIMIT'));
    expect(create({ below: 9, phases: 256, weight: 1 }).capacity).toBe(4);
  });
});
