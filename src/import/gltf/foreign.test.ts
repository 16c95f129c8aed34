import { expect, test } from 'vitest';
import { foreignFile } from './foreign.ts';

const bytes = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

test.each([
  ['', /an empty file/],
  ['glTF\x02', /a GLB or VRM file.*importModel/],
  ['Kaydara FBX Binary  \0', /an FBX file.*importModel/],
  ['; FBX 7.4.0 project file', /an FBX file/],
  ['HIERARCHY\n', /a BVH file.*importModel/],
  ['PK\x03\x04', /a ZIP archive.*Unpack/],
  ['\x1f\x8b\x08', /a compressed archive/],
  ['7z\xbc\xaf\x27\x1c', /a compressed archive/],
  ['BLENDER-v404', /a Blender file.*GLB/],
  ['PXR-USDC', /a USD file/],
  ['\xef\xbb\xbf<?xml version="1.0"?>', /an HTML or XML page/],
  ['\n<!doctype html><p>404', /an HTML or XML page/],
  ['version https://git-lfs.github.com/spec/v1\n', /a Git LFS pointer.*git lfs pull/],
])('%j is recognised by its first bytes', (start, words) => {
  const { kind, suggestion } = foreignFile(bytes(start))!;
  expect(`${kind}: ${suggestion}`).toMatch(words);
});

test('other files are not guessed at', () => {
  expect(foreignFile(bytes('hello'))).toBeUndefined();
});
