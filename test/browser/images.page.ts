// Runs in the browser: what images.browser.test.ts asks of it. Bytes travel as base64.
import { decodeImage, encodePng, setBasisTranscoder } from '../../src/render/images/index.ts';
import { ManipleError } from '../../src/errors.ts';

const toBytes = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

/** An image's size and pixels, or the error's text. */
async function decode(base64: string): Promise<{ width: number; height: number; data: string } | string> {
  try {
    const { width, height, data } = await decodeImage(toBytes(base64));
    return { width, height, data: toBase64(data) };
  } catch (reason) {
    return reason instanceof ManipleError ? reason.message : `not coded: ${String(reason)}`;
  }
}

/** Decodes and encodes again. */
async function recode(base64: string): Promise<string> {
  return toBase64(await encodePng(await decodeImage(toBytes(base64))));
}

declare global {
  interface Window {
    imageTest: { decode: typeof decode; recode: typeof recode; setBasisTranscoder: typeof setBasisTranscoder };
  }
}
window.imageTest = { decode, recode, setBasisTranscoder };
