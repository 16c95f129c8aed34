import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadModel } from '../../import/index.ts';
import { packCharacter } from './index.ts';

test('9 of the legionary’s 14 clips are sampled, since that saves two fifths of their bytes', async () => {
  const model = await loadModel(new Uint8Array(readFileSync('characters/legionary.glb')));
  const { clips } = packCharacter(model, { errorBudget: 0.0001 });
  expect(clips.map(({ form }) => form).filter((form) => form === 'sampled')).toHaveLength(9);
  expect(clips).toHaveLength(14);
});
