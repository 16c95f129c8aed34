import { reasonOf } from '../../errors.ts';
import type { Sharp, SharpOptions } from 'sharp';
import type { ImageHeader } from './header.ts';
import { MAX_IMAGE_SIZE, undecodable, type RgbaImage } from './image.ts';

/** Time limit of a decode. The largest valid image takes far less; images built to decode forever stop here. */
const MAX_SECONDS = 60;

type CreateSharp = (input: Uint8Array, options: SharpOptions) => Sharp;

/** Decodes PNG, JPEG and WebP with the package `sharp`; without it, PNGs as {@link decodePlainPng} does. */
export async function decodeInNode(bytes: Uint8Array, { format }: ImageHeader, path: string): Promise<RgbaImage> {
  const sharp = await importSharp().catch(reasonOf);
  if (typeof sharp === 'string') return (format === 'png' && (await decodePlain(bytes))) || needsSharp(sharp, path);
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

async function decodePlain(bytes: Uint8Array): Promise<RgbaImage | undefined> {
  return (await import('./decode-plain-png.ts')).decodePlainPng(bytes);
}

function needsSharp(reason: string, path: string): never {
  const suggestion = 'Run: npm install sharp@0.35.5 (add -g where maniple is installed globally).';
  return undecodable(path, `Decoding it in Node needs the package sharp: ${reason}.`, suggestion);
}

/** A parameter, not a literal, so that bundlers for browsers do not resolve the import. */
function importAtRunTime(name: string): Promise<unknown> {
  return import(/* webpackIgnore: true */ /* @vite-ignore */ name);
}
