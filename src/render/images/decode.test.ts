import { readdirSync, readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { fromPixels, ktx2Of, largestError, meanError, opaque, picture } from '../../../test/support/images.ts';
import { full, hasTurn, runSeed } from '../../../test/support/setup.ts';
import { ManipleError } from '../../errors.ts';
import { importGltf } from '../../import/index.ts';
import { crc32 } from './encode-png.ts';
import { decodeImage, MAX_IMAGE_SIZE, type RgbaImage } from './index.ts';

const clear = picture(52, 36);
const solid = opaque(clear);
const noise = (byteLength: number) =>
  Uint8Array.from({ length: byteLength }, (_, i) => (Math.imul(i + 1, 2654435761) >>> 13) & 255);

async function issueOf(bytes: Uint8Array, mimeType = ''): Promise<{ message: string; suggestion?: string }> {
  const thrown: unknown = await decodeImage(bytes, mimeType, '/images/3').catch((reason: unknown) => reason);
  expect(thrown).toBeInstanceOf(ManipleError);
  const [issue, ...others] = (thrown as ManipleError).issues;
  expect(issue).toMatchObject({ code: 'IMAGE_UNDECODABLE', severity: 'error', path: '/images/3' });
  expect(others).toEqual([]);
  return issue!;
}

const grayOf = ({ data }: RgbaImage) => data.filter((_, i) => i % 4 === 0);
const grayToRgba = (gray: Uint8Array) =>
  Uint8Array.from({ length: gray.length * 4 }, (_, i) => (i % 4 === 3 ? 255 : gray[i >> 2]!));

/** A PNG of random bytes, its rows filtered in all five ways by turns; `rows` of pixels are stored. */
function noisePng(width: number, height: number, colourType: number, rows = height): Uint8Array {
  const stride = 1 + width * { 0: 1, 2: 3, 4: 2, 6: 4 }[colourType]!;
  const pixels = noise(stride * rows).map((value, i) => (i % stride === 0 ? (i / stride) % 5 : value));
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, colourType], 8);
  const chunk = (name: string, data: Uint8Array) => {
    const body = Buffer.concat([Buffer.from(name), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
  const image = chunk('IDAT', deflateSync(pixels));
  return Buffer.concat([signature, chunk('IHDR', header), image, chunk('IEND', Buffer.alloc(0))]);
}

describe.runIf(hasTurn(0))('decodeImage: PNG', () => {
  test('RGBA, exactly, with the colours of transparent pixels', async () => {
    const data = noise(52 * 36 * 4).map((value, i) => (i % 4 === 3 && i % 3 === 0 ? 0 : value));
    const {
      width,
      height,
      data: decoded,
    } = await decodeImage(
      await fromPixels({ ...clear, data })
        .png()
        .toBuffer(),
    );
    expect([width, height]).toEqual([52, 36]);
    expect(largestError(decoded, data)).toBe(0);
  });

  test('RGB without alpha, interlaced', async () => {
    const bytes = await fromPixels(solid).removeAlpha().png({ progressive: true }).toBuffer();
    expect(largestError((await decodeImage(bytes)).data, solid.data)).toBe(0);
  });

  test('8-bit gray', async () => {
    const gray = grayOf(clear);
    const sharp = (await import('sharp')).default;
    const bytes = await sharp(gray, { raw: { width: 52, height: 36, channels: 1 } })
      .toColourspace('b-w')
      .png()
      .toBuffer();
    expect(bytes[25]).toBe(0); // colour type: gray
    expect(largestError((await decodeImage(bytes)).data, grayToRgba(gray))).toBe(0);
  });

  test('palette, with transparency', async () => {
    const four = clear.data.map(
      (_, i) =>
        [
          [255, 0, 0, 255],
          [0, 255, 0, 255],
          [0, 0, 255, 128],
          [9, 9, 9, 255],
        ][(i >> 2) % 4]![i % 4]!,
    );
    const bytes = await fromPixels({ ...clear, data: four })
      .png({ palette: true, colours: 4, dither: 0 })
      .toBuffer();
    expect(bytes[25]).toBe(3); // colour type: palette
    expect(largestError((await decodeImage(bytes)).data, four)).toBeLessThanOrEqual(2);
  });

  test('16-bit RGBA and gray, to the nearest or the next lower 8-bit value', async () => {
    const sharp = (await import('sharp')).default;
    const wide = Uint16Array.from({ length: 52 * 36 * 4 }, (_, i) => Math.imul(i, 40503) & 0xffff);
    const raw = { width: 52, height: 36, channels: 4 as const };
    const rgba = await sharp(wide, { raw }).toColourspace('rgb16').png().toBuffer();
    expect(rgba[24]).toBe(16); // bit depth
    const exact = (value: number) => value / 257;
    (await decodeImage(rgba)).data.forEach((value, i) =>
      expect(Math.abs(value - exact(wide[i]!))).toBeLessThanOrEqual(1),
    );
    const gray = await sharp(wide.subarray(0, 52 * 36), { raw: { ...raw, channels: 1 } })
      .toColourspace('grey16')
      .png()
      .toBuffer();
    expect([gray[24], gray[25]]).toEqual([16, 0]);
    (await decodeImage(gray)).data.forEach((value, i) =>
      expect(Math.abs(value - (i % 4 === 3 ? 255 : exact(wide[i >> 2]!)))).toBeLessThanOrEqual(1),
    );
  });

  test('ignores an embedded colour profile', async () => {
    const bytes = await fromPixels(solid).withIccProfile('p3', { attach: true }).png().toBuffer();
    const sharp = (await import('sharp')).default;
    const stored = await sharp(bytes, { ignoreIcc: true }).ensureAlpha().raw().toBuffer();
    expect(largestError(stored, solid.data)).toBeGreaterThan(5); // sharp converted them to P3 when it wrote them
    expect(largestError((await decodeImage(bytes)).data, stored)).toBe(0);
  });
});

describe.runIf(hasTurn(0))('decodeImage: JPEG and WebP', () => {
  test('JPEG, baseline, progressive and gray', async () => {
    for (const options of [{}, { progressive: true }, { chromaSubsampling: '4:4:4' }]) {
      const bytes = await fromPixels(solid)
        .jpeg({ quality: 95, ...options })
        .toBuffer();
      expect(meanError((await decodeImage(bytes)).data, solid.data)).toBeLessThan(6);
    }
    const gray = await fromPixels(solid).grayscale().jpeg({ quality: 95 }).toBuffer();
    const { data } = await decodeImage(gray, 'image/jpeg');
    for (let i = 0; i < data.length; i += 4)
      expect([data[i + 1], data[i + 2], data[i + 3]]).toEqual([data[i], data[i], 255]);
  });

  test('JPEG with an orientation is turned as a browser turns it', async () => {
    const bytes = await fromPixels(solid).withMetadata({ orientation: 6 }).jpeg({ quality: 95 }).toBuffer();
    const upright = await decodeImage(bytes);
    const expected = await fromPixels(solid).rotate(90).raw().toBuffer();
    expect([upright.width, upright.height]).toEqual([36, 52]);
    expect(meanError(upright.data, expected)).toBeLessThan(6);
  });

  test('WebP, lossless, lossy, with alpha', async () => {
    const lossless = await fromPixels(clear).webp({ lossless: true, exact: true }).toBuffer();
    expect(largestError((await decodeImage(lossless)).data, clear.data)).toBe(0);
    const lossy = await fromPixels(clear).webp({ quality: 95 }).toBuffer();
    expect(meanError((await decodeImage(lossy)).data, clear.data)).toBeLessThan(8);
    const plain = await fromPixels(solid).webp({ quality: 95 }).toBuffer();
    expect(meanError((await decodeImage(plain)).data, solid.data)).toBeLessThan(8);
  });

  test('the content decides, whatever the declared type', async () => {
    const bytes = await fromPixels(clear).png().toBuffer();
    expect((await decodeImage(bytes, 'image/jpeg')).width).toBe(52);
  });

  test('a view into a larger buffer, as a GLB gives it', async () => {
    const bytes = await fromPixels(clear).png().toBuffer();
    const glb = new Uint8Array(bytes.length + 30).fill(255);
    glb.set(bytes, 13);
    expect(largestError((await decodeImage(glb.subarray(13, 13 + bytes.length))).data, clear.data)).toBe(0);
  });
});

describe.runIf(hasTurn(0))('decodeImage: KTX2', () => {
  test.each([
    ['etc1s', 12],
    ['uastc', 3],
    ['uastc-zstd', 3],
  ] as const)('%s', async (kind, tolerance) => {
    const { width, height, data } = await decodeImage(await ktx2Of(clear, kind), 'image/ktx2');
    expect([width, height]).toEqual([52, 36]);
    expect(meanError(data, clear.data)).toBeLessThan(tolerance);
  });

  test('sizes that are not a multiple of four', async () => {
    const odd = picture(13, 7);
    const { width, height, data } = await decodeImage(await ktx2Of(odd, 'uastc'));
    expect([width, height]).toEqual([13, 7]);
    expect(meanError(data, odd.data)).toBeLessThan(4);
  });

  test('several at once, and after one that failed', async () => {
    const bytes = await ktx2Of(clear, 'uastc-zstd');
    const broken = bytes.slice();
    broken.fill(0x55, bytes.length - 40); // inside the Zstandard frame
    const results = await Promise.allSettled([bytes, broken, bytes, broken, bytes].map((file) => decodeImage(file)));
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect(meanError((await decodeImage(bytes)).data, clear.data)).toBeLessThan(3);
  });

  test.each([
    ['a format that is not Basis Universal', (view: DataView) => view.setUint32(12, 37, true), /format 37/],
    ['a volume', (view: DataView) => view.setUint32(28, 2, true), /not a plain 2D/],
    ['an array', (view: DataView) => view.setUint32(32, 2, true), /not a plain 2D/],
    ['a cube', (view: DataView) => view.setUint32(36, 6, true), /not a plain 2D/],
    ['zlib', (view: DataView) => view.setUint32(44, 3, true), /supercompression 3/],
    ['premultiplied alpha', (view: DataView) => view.setUint8(view.getUint32(48, true) + 15, 1), /multiplied/],
    ['UASTC HDR', (view: DataView) => view.setUint8(view.getUint32(48, true) + 12, 167), /colour model 167/],
    ['a bomb', (view: DataView) => view.setUint32(96, 0x7fffffff, true), /2147483647 bytes of blocks/],
    ['too many levels', (view: DataView) => view.setUint32(40, 1000, true), /truncated or damaged/],
    ['a level beyond the end', (view: DataView) => view.setUint32(84, 1, true), /truncated or damaged/],
    ['a size of zero', (view: DataView) => view.setUint32(20, 0, true), /0×36/],
    ['another size', (view: DataView) => view.setUint32(20, 400, true), /blocks/],
  ])('refuses %s', async (_, change, message) => {
    const bytes = (await ktx2Of(clear, 'uastc-zstd')).slice();
    change(new DataView(bytes.buffer));
    expect((await issueOf(bytes)).message).toMatch(message);
  });

  test('survives any single changed byte', async () => {
    for (const kind of ['etc1s', 'uastc-zstd'] as const) {
      const bytes = await ktx2Of(picture(16, 16), kind);
      const step = full ? 5 : 23;
      for (let i = runSeed % step; i < bytes.length; i += step) {
        const changed = bytes.slice();
        changed[i]! ^= 0xff;
        const result: unknown = await decodeImage(changed).catch((reason: unknown) => reason);
        if (result instanceof Error) expect(result).toMatchObject({ code: 'IMAGE_UNDECODABLE' });
        else {
          const { width, height, data } = result as RgbaImage;
          expect(data.length).toBe(4 * width * height);
          // the size stands in bytes 20 … 27
          if (i < 20 || i > 27) expect([width, height], `byte ${i}`).toEqual([16, 16]);
        }
      }
    }
  });
});

const encoders: [string, () => Promise<Uint8Array>][] = [
  ['png', () => fromPixels(clear).png().toBuffer()],
  ['palette png', () => fromPixels(clear).png({ palette: true }).toBuffer()],
  ['jpeg', () => fromPixels(solid).jpeg().toBuffer()],
  ['progressive jpeg', () => fromPixels(solid).jpeg({ progressive: true }).toBuffer()],
  ['lossy webp', () => fromPixels(clear).webp().toBuffer()],
  ['lossless webp', () => fromPixels(clear).webp({ lossless: true }).toBuffer()],
  ['etc1s', () => ktx2Of(clear, 'etc1s')],
  ['uastc', () => ktx2Of(clear, 'uastc')],
  ['uastc-zstd', () => ktx2Of(clear, 'uastc-zstd')],
];

describe.runIf(hasTurn(0))('decodeImage: damaged and hostile', () => {
  test.each(encoders)('%s: no truncation decodes', async (_, encode) => {
    const bytes = await encode();
    await decodeImage(bytes);
    const step = Math.max(1, Math.floor(bytes.length / (full ? 150 : 30)));
    const lengths = [bytes.length - 1, bytes.length - 2, bytes.length - 3];
    for (let length = runSeed % step; length < bytes.length; length += step) lengths.push(length);
    for (const length of lengths) await issueOf(bytes.subarray(0, length));
  });

  test.each(encoders.slice(0, 6))('%s: changed bytes never crash', async (_, encode) => {
    const bytes = await encode();
    const step = full ? 7 : 29;
    for (let i = runSeed % step; i < bytes.length; i += step) {
      const changed = Uint8Array.from(bytes);
      changed[i]! ^= 0xff;
      const result: unknown = await decodeImage(changed).catch((reason: unknown) => reason);
      if (result instanceof Error) expect(result).toMatchObject({ code: 'IMAGE_UNDECODABLE' });
    }
  });

  test('dimensions beyond the limit, before anything is allocated', async () => {
    const png = Uint8Array.from(await fromPixels(clear).png().toBuffer());
    const view = new DataView(png.buffer);
    for (const [width, height] of [
      [100_000, 100_000],
      [MAX_IMAGE_SIZE + 1, 1],
      [1, 0xffffffff],
      [0, 5],
    ] as const) {
      view.setUint32(16, width);
      view.setUint32(20, height);
      expect((await issueOf(png)).message).toContain(`${width}×${height}`);
    }
    const jpeg = Uint8Array.from(await fromPixels(solid).jpeg().toBuffer());
    const frame = jpeg.findIndex((value, i) => value === 0xff && jpeg[i + 1] === 0xc0);
    new DataView(jpeg.buffer).setUint16(frame + 5, 65_000);
    expect((await issueOf(jpeg)).message).toContain('52×65000');
  });

  test('bytes that are not an image', async () => {
    expect((await issueOf(new Uint8Array())).message).toContain('0 bytes');
    expect((await issueOf(new TextEncoder().encode('<svg/>'), 'image/svg+xml')).message).toContain(
      'declared as image/svg+xml',
    );
    await issueOf(noise(5000), 'image/png');
    for (const start of ['\x89PNG\r\n\x1a\n', '\xff\xd8\xff', 'RIFF\x88\x13\0\0WEBP', '\xabKTX 20\xbb\r\n\x1a\n']) {
      const bytes = noise(5000);
      bytes.set(Array.from(start, (character) => character.charCodeAt(0)));
      await issueOf(bytes);
    }
  });
});

describe.runIf(hasTurn(0))('decodeImage without its packages', () => {
  afterEach(() => {
    vi.doUnmock('sharp');
    vi.resetModules();
  });

  async function decodeWithoutSharp(): Promise<typeof decodeImage> {
    vi.resetModules();
    vi.doMock('sharp', () => {
      throw new Error('Cannot find package');
    });
    return (await import('./index.ts')).decodeImage;
  }

  test('says how to install sharp', async () => {
    const afresh = await decodeWithoutSharp();
    const turned = fromPixels(solid).withMetadata({ orientation: 6 });
    for (const image of [fromPixels(clear).webp(), turned.clone().jpeg(), turned.clone().png()])
      await expect(afresh(await image.toBuffer())).rejects.toThrow(/IMAGE_UNDECODABLE.*npm install sharp@/);
  });

  test('decodes JPEG without sharp, baseline, progressive and gray, and refuses too many scans', async () => {
    const jpegs = [{}, { progressive: true }, { chromaSubsampling: '4:4:4' }].map((options) =>
      fromPixels(solid).jpeg({ quality: 95, ...options }),
    );
    const upright = fromPixels(solid).withMetadata({ orientation: 1 }).jpeg({ quality: 95 });
    const images = [...jpegs, upright, fromPixels(solid).grayscale().jpeg({ quality: 95 })];
    const files = await Promise.all(images.map((image) => image.toBuffer()));
    const expected = await Promise.all(files.map((bytes) => decodeImage(bytes)));
    const afresh = await decodeWithoutSharp();
    for (const [i, bytes] of files.entries()) {
      const { width, height, data } = await afresh(bytes);
      expect([width, height]).toEqual([expected[i]!.width, expected[i]!.height]);
      // chroma of half the size is not smoothed
      expect(meanError(data, expected[i]!.data), `image ${i}`).toBeLessThan(i === 2 ? 1 : 6);
    }
    const scan = files[0]!.indexOf(Buffer.from([0xff, 0xda]));
    const scans = Array.from({ length: 101 }, () => files[0]!.subarray(scan, -2));
    const endless = Buffer.concat([files[0]!.subarray(0, scan), ...scans, Buffer.from([0xff, 0xd9])]);
    await expect(afresh(endless)).rejects.toThrow('101 scans; the limit is 100');
  });

  test('decodes PNGs of all kinds without sharp: interlaced, palettes, 1, 2, 4 and 16 bits', async () => {
    const sharp = (await import('sharp')).default;
    const wide = Uint16Array.from({ length: 52 * 36 * 4 }, (_, i) => Math.imul(i, 40503) & 0xffff);
    const raw = { width: 52, height: 36, channels: 4 as const };
    const images = [
      ...[false, true].flatMap((progressive) => [
        fromPixels(clear).png({ progressive }),
        fromPixels(solid).removeAlpha().png({ progressive }),
        ...[2, 4, 16, 256].map((colours) => fromPixels(clear).png({ palette: true, colours, dither: 0, progressive })),
        sharp(wide, { raw }).toColourspace('rgb16').png({ progressive }),
      ]),
      sharp(wide.subarray(0, 52 * 36), { raw: { ...raw, channels: 1 } })
        .toColourspace('grey16')
        .png(),
    ];
    const files = await Promise.all(images.map((image) => image.toBuffer()));
    expect(new Set(files.map((bytes) => bytes[24]))).toEqual(new Set([1, 2, 4, 8, 16]));
    const expected = await Promise.all(files.map((bytes) => decodeImage(bytes)));
    const afresh = await decodeWithoutSharp();
    for (const [i, bytes] of files.entries())
      expect(largestError((await afresh(bytes)).data, expected[i]!.data), `image ${i}`).toBeLessThanOrEqual(
        bytes[24] === 16 ? 1 : 0,
      );
  });

  test.each(encoders.slice(0, 4))('%s: damage never crashes what decodes without sharp', async (_, encode) => {
    const bytes = await encode();
    const afresh = await decodeWithoutSharp();
    const step = full ? 7 : 29;
    for (let i = runSeed % step; i < bytes.length; i += step) {
      const changed = Uint8Array.from(bytes);
      changed[i]! ^= 0xff;
      const result: unknown = await afresh(changed).catch((reason: unknown) => reason);
      if (result instanceof Error) expect(result).toMatchObject({ code: 'IMAGE_UNDECODABLE' });
    }
  });

  test('decodes plain PNGs without sharp, of every colour type and filter, and refuses damaged ones', async () => {
    const plain = [0, 2, 4, 6].map((colourType) => noisePng(33, 25, colourType));
    const expected = await Promise.all(plain.map((bytes) => decodeImage(bytes)));
    vi.resetModules();
    vi.doMock('sharp', () => {
      throw new Error('Cannot find package');
    });
    const afresh = (await import('./index.ts')).decodeImage;
    expect(await Promise.all(plain.map((bytes) => afresh(bytes)))).toEqual(expected);
    for (const [at, reason] of [
      [60, 'is damaged'],
      [19, 'is damaged'],
    ] as const) {
      const damaged = Uint8Array.from(plain[1]!);
      damaged[at]! ^= 1;
      await expect(afresh(damaged)).rejects.toThrow(reason);
    }
    for (const [rows, reason] of [
      [24, 'bytes of pixels, not 2500'],
      [26, 'more than 2500 bytes of pixels'],
    ] as const)
      await expect(afresh(noisePng(33, 25, 2, rows))).rejects.toThrow(reason);
  });

  test('decodes every picture of the props and characters that ship', async () => {
    const files = ['props', 'characters'].flatMap((folder) =>
      readdirSync(folder).flatMap((name) => (name.endsWith('.glb') ? [`${folder}/${name}`] : [])),
    );
    const models = await Promise.all(files.map((name) => importGltf({ name, bytes: readFileSync(name) })));
    const pictures = models.flatMap(({ images }) => images.map(({ bytes }) => bytes));
    expect(pictures.length).toBeGreaterThan(0);
    const expected = await Promise.all(pictures.map((bytes) => decodeImage(bytes)));
    vi.resetModules();
    vi.doMock('sharp', () => {
      throw new Error('Cannot find package');
    });
    const afresh = (await import('./index.ts')).decodeImage;
    expect(await Promise.all(pictures.map((bytes) => afresh(bytes)))).toEqual(expected);
  });

  test('says how to install the transcoder, and works when it is there later', async () => {
    vi.resetModules();
    const { setBasisTranscoder } = await import('./basis.ts');
    const afresh = (await import('./index.ts')).decodeImage;
    const bytes = await ktx2Of(clear, 'uastc');
    setBasisTranscoder({ script: 'file:///nonexistent.js', wasm: 'file:///nonexistent.wasm' });
    await expect(afresh(bytes)).rejects.toThrow(/IMAGE_UNDECODABLE.*nonexistent.*npm install three@/);
    const folder = import.meta.resolve('three/addons/libs/basis/basis_transcoder.js').replace(/[^/]*$/, '');
    setBasisTranscoder({ script: `${folder}basis_transcoder.js`, wasm: new URL(`${folder}basis_transcoder.wasm`) });
    expect((await afresh(bytes)).width).toBe(52);
  });
});
