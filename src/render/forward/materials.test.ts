import { expect, test } from 'vitest';
import { moteModel } from '../../../test/format/mote.ts';
import { fromPixels, picture } from '../../../test/support/images.ts';
import type { MaterialModel } from '../../asset/model.ts';
import { packCharacter } from '../../asset/pack/index.ts';
import { checkTexturePixels } from './materials.ts';

const texture = (imageIndex: number): MaterialModel['baseColorTexture'] => ({
  imageIndex,
  offset: [0, 0],
  scale: [1, 1],
  rotation: 0,
  wrapS: 'REPEAT',
  wrapT: 'REPEAT',
});

test('textures have a limit together, which is asked before any is decoded', async () => {
  const bytes = new Uint8Array(await fromPixels(picture(52, 36)).png().toBuffer());
  bytes.fill(0, 100, 120); // damaged past the header: decoding it would fail
  const image = { name: 'skin', mimeType: 'image/png' as const, bytes };
  const model = moteModel();
  const [first] = model.materials;
  const character = packCharacter({
    ...model,
    materials: [0, 1].map((index) => ({ ...first!, baseColorTexture: texture(index) })),
    images: [image, image, image], // the last is no material's
  });
  const pixels = 2 * 52 * 36;
  expect(() => checkTexturePixels([character, character])).not.toThrow();
  expect(() => checkTexturePixels([character], pixels)).not.toThrow();
  expect(() => checkTexturePixels([character, character], pixels)).toThrow(
    `IMAGE_UNDECODABLE at mote, mote: its textures have ${2 * pixels} pixels together; the limit is ${pixels}. Scale`,
  );
});
