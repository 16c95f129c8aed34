/** A file that is not glTF: its kind, as in “This is …”, and what to do. */
export interface ForeignFile {
  readonly kind: string;
  readonly suggestion: string;
}

const CONVERT = 'Convert it to GLB, for example with Blender.';
const UNPACK = 'Unpack it, then use the .glb or .gltf inside.';

const begins =
  (...words: readonly string[]) =>
  (start: string): boolean =>
    words.some((word) => start.startsWith(word));

/** Files that are taken for models, by their first bytes, a character each. */
const KINDS: readonly (readonly [is: (start: string) => boolean, kind: string, suggestion: string])[] = [
  [(start) => start === '', 'an empty file', 'Download or export it again.'],
  [begins('Kaydara FBX', '; FBX'), 'an FBX file', CONVERT],
  [begins('PK\x03\x04', 'PK\x05\x06'), 'a ZIP archive', UNPACK],
  [begins('\x1f\x8b', '7z\xbc\xaf', 'Rar!'), 'a compressed archive', UNPACK],
  [begins('BLENDER'), 'a Blender file', 'In Blender, choose File > Export > glTF 2.0, with the format GLB.'],
  [begins('PXR-USDC', '#usda'), 'a USD file', CONVERT],
  [begins('HIERARCHY'), 'a BVH file', CONVERT],
  [(start) => start.includes('<COLLADA'), 'a COLLADA file', CONVERT],
  [begins('version https://git-lfs'), 'a Git LFS pointer, not the model', 'Run `git lfs pull` where it comes from.'],
  [begins('<'), 'an HTML or XML page', 'Check the address it was downloaded from.'],
];

/** Bytes of a file's start that {@link foreignFile} needs. */
export const FOREIGN_HEAD = 512;

/** Tells a file that is not glTF by its first bytes; undefined where they say nothing. */
export function foreignFile(head: Uint8Array): ForeignFile | undefined {
  const start = String.fromCharCode(...head.subarray(0, FOREIGN_HEAD)).replace(/^(\xef\xbb\xbf)?\s*/, '');
  const found = KINDS.find(([is]) => is(start));
  return found && { kind: found[1], suggestion: found[2] };
}
