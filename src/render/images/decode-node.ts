import { reasonOf } from '../../errors.ts';
import type { Sharp, SharpOptions } from 'sharp';
import type * as JpegDecoder from './decode-jpeg.ts';
import type { ImageFormat, ImageHeader } from './header.ts';
import { MAX_IMAGE_SIZE, undecodable, type RgbaImage } from './image.ts';

/** Time limit of a decode. The largest valid image takes far less; images built to decode forever stop here. */
const MAX_SECONDS = 60;

type CreateSharp = (input: Uint8Array, options: SharpOptions) => Sharp;

/** Decodes PNG, JPEG and WebP with the package `sharp`; without it, PNG and JPEG more slowly. */
export async function decodeInNode(bytes: Uint8Array, { format }: ImageHeader, path: string): Promise<RgbaImage> {
  const sharp = await importSharp().catch(reasonOf);
  if (typeof sharp === 'string') return (await decodeWithoutSharp(bytes, format)) ?? needsSharp(sharp, path);
  const { data, info } = await sharp(bytes, {
    autoOrient: format !== 'webp', // as Chromium does
    failOn: 'error',
    ignoreIcc: true,
    limitInputPixels: MAX_IMAGE_SIZE * MAX_IMAGE_SIZE,
  })
    .toColourspace('srgb') // gray, palette and 16-bit images become three 8-bit channels; RGB stays as it is
    .ensureAlpha()
    .raw({ depth: 'uchar' })
    .timeout({ seconds: MAX_SECONDS })
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data: new Uint8Array(data.buffer, data.byteOffset, data.length) };
}

async function importSharp(): Promise<CreateSharp> {
  return ((await importAtRunTime('sharp')) as { default: CreateSharp }).default;
}

async function decodeWithoutSharp(bytes: Uint8Array, format: ImageFormat): Promise<RgbaImage | undefined> {
  if (format === 'png') return (await import('./decode-png.ts')).decodePng(bytes);
  if (format !== 'jpeg') return undefined;
  // not in bundles for browsers
  const file = siblingOf(import.meta.url, './decode-jpeg.ts');
  return ((await importAtRunTime(file)) as typeof JpegDecoder).decodeJpeg(bytes);
}

/** Not `new URL(…, import.meta.url)` in one place, which bundlers take for a file to copy. */
function siblingOf(url: string, name: string): string {
  return new URL(name, url).href;
}

function needsSharp(reason: string, path: string): never {
  const suggestion = 'Run: npm install sharp@0.35.5 (add -g where maniple is installed globally).';
  return undecodable(path, `Decoding it in Node needs the package sharp: ${reason}.`, suggestion);
}

/** A parameter, not a literal, so that bundlers for browsers do not resolve the import. */
function importAtRunTime(name: string): Promise<unknown> {
  return import(/* webpackIgnore: true */ /* @vite-ignore */ name);
}
