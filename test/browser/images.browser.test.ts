import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeImage } from '../../src/render/images/index.ts';
import { noBrowser } from '../support/chromium.ts';
import { fromPixels, ktx2Of, largestError, opaque, picture } from '../support/images.ts';
import { openPage, type TestPage } from '../support/page.ts';

const entry = fileURLToPath(new URL('images.page.ts', import.meta.url));
const basis = (name: string) => fileURLToPath(import.meta.resolve(`three/addons/libs/basis/basis_transcoder.${name}`));
const files = { '/basis/basis_transcoder.js': basis('js'), '/basis/basis_transcoder.wasm': basis('wasm') };
const clear = picture(52, 36);
const solid = opaque(clear);

async function open(head = ''): Promise<TestPage> {
  const opened = await openPage({ entry, files, head });
  await opened.page.waitForFunction(() => window.imageTest !== undefined);
  return opened;
}

async function decodeIn({ page }: TestPage, bytes: Uint8Array) {
  const found = await page.evaluate((base64) => window.imageTest.decode(base64), Buffer.from(bytes).toString('base64'));
  return typeof found === 'string' ? found : { ...found, data: new Uint8Array(Buffer.from(found.data, 'base64')) };
}

const encoders: [string, number, () => Promise<Uint8Array>][] = [
  ['RGBA PNG', 0, () => fromPixels(clear).png().toBuffer()],
  ['palette PNG', 0, () => fromPixels(clear).png({ palette: true }).toBuffer()],
  ['16-bit PNG', 1, () => fromPixels(clear).toColourspace('rgb16').png().toBuffer()],
  ['gray PNG', 0, () => fromPixels(solid).grayscale().png().toBuffer()],
  ['PNG with a colour profile', 0, () => fromPixels(solid).withIccProfile('p3', { attach: true }).png().toBuffer()],
  ['lossless WebP', 0, () => fromPixels(clear).webp({ lossless: true, exact: true }).toBuffer()],
  // decoders may round the conversion from luma and chroma differently
  ['lossy WebP', 3, () => fromPixels(solid).webp({ quality: 90 }).toBuffer()],
  ['JPEG', 3, () => fromPixels(solid).jpeg({ quality: 90, chromaSubsampling: '4:4:4' }).toBuffer()],
  [
    'turned JPEG',
    3,
    () => fromPixels(solid).withMetadata({ orientation: 6 }).jpeg({ chromaSubsampling: '4:4:4' }).toBuffer(),
  ],
  ['turned PNG', 0, () => fromPixels(solid).withMetadata({ orientation: 6 }).png().toBuffer()],
  ['turned WebP', 0, () => fromPixels(solid).withMetadata({ orientation: 6 }).webp({ lossless: true }).toBuffer()],
];

describe.skipIf(noBrowser())('images in Chromium', () => {
  let opened: TestPage;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened?.close());

  test.each(encoders)('%s decodes as in Node', async (_, tolerance, encode) => {
    const bytes = await encode();
    const [here, there] = [await decodeImage(bytes), await decodeIn(opened, bytes)];
    if (typeof there === 'string') throw new Error(there);
    expect([there.width, there.height]).toEqual([here.width, here.height]);
    expect(largestError(there.data, here.data)).toBeLessThanOrEqual(tolerance);
  });

  test('no truncation decodes', async () => {
    for (const [, , encode] of encoders) {
      const bytes = await encode();
      for (const share of [0.05, 0.3, 0.6, 0.9, 0.99]) {
        const result = await decodeIn(opened, bytes.subarray(0, Math.floor(bytes.length * share)));
        expect(result).toMatch(/^IMAGE_UNDECODABLE at image/);
      }
    }
  });

  test('damage is a coded error, and so are sizes beyond the limit', async () => {
    const bytes = Uint8Array.from(await fromPixels(clear).png().toBuffer());
    new DataView(bytes.buffer).setUint32(16, 30_000);
    expect(await decodeIn(opened, bytes)).toContain('30000×36');
    const changed = Uint8Array.from(await fromPixels(clear).png().toBuffer()).fill(0x55, 60, 90);
    expect(await decodeIn(opened, changed)).toMatch(/^IMAGE_UNDECODABLE/);
  });

  test('encodes a PNG that Node reads exactly, colours of transparent pixels included', async () => {
    const image = { ...clear, data: clear.data.map((value, i) => (i % 4 === 3 && i % 5 === 0 ? 0 : value)) };
    const bytes = await fromPixels(image).png().toBuffer();
    const recoded = await opened.page.evaluate((base64) => window.imageTest.recode(base64), bytes.toString('base64'));
    expect(largestError((await decodeImage(Buffer.from(recoded, 'base64'))).data, image.data)).toBe(0);
  });

  test('KTX2: says what a bundled page has to do, then decodes as Node does', async () => {
    const bytes = await ktx2Of(clear, 'uastc-zstd');
    expect(await decodeIn(opened, bytes)).toMatch(/^IMAGE_UNDECODABLE.*setBasisTranscoder\(\)/);
    await opened.page.evaluate(() =>
      window.imageTest.setBasisTranscoder({ script: '/basis/absent.js', wasm: '/basis/basis_transcoder.wasm' }),
    );
    expect(await decodeIn(opened, bytes)).toMatch(/^IMAGE_UNDECODABLE.*absent\.js: HTTP 404/);
    await opened.page.evaluate(() =>
      window.imageTest.setBasisTranscoder({
        script: '/basis/basis_transcoder.js',
        wasm: '/basis/basis_transcoder.wasm',
      }),
    );
    for (const kind of ['uastc-zstd', 'etc1s', 'uastc'] as const) {
      const file = await ktx2Of(clear, kind);
      const there = await decodeIn(opened, file);
      if (typeof there === 'string') throw new Error(there);
      expect(largestError(there.data, (await decodeImage(file)).data)).toBe(0);
    }
    expect(opened.errors.filter((line) => !/404|absent/.test(line))).toEqual([]);
  });

  test("KTX2: finds the transcoder through a page's import map", async () => {
    const map = { imports: { 'three/addons/libs/': '/' } };
    const mapped = await open(`<script type="importmap">${JSON.stringify(map)}</script>`);
    const there = await decodeIn(mapped, await ktx2Of(clear, 'etc1s'));
    expect(there).toMatchObject({ width: 52, height: 36 });
    expect(mapped.errors).toEqual([]);
    await mapped.close();
  });
});
