/** A file that is not glTF: its kind, as in “This is …”, and what to do. */
export interface ForeignFile {
  readonly kind: string;
  readonly suggestion: string;
}

const CONVERT = 'Convert it to GLB, for example with Blender.';
const UNPACK = 'Unpack it, then use the .glb or .gltf inside.';

/** First bytes of files that are taken for models, a character each. */
const KINDS: readonly (readonly [start: RegExp, kind: string, suggestion: string])[] = [
  [/^$/, 'an empty file', 'Download or export it again.'],
  [/^Kaydara FBX|^; FBX/, 'an FBX file', CONVERT],
  [/^PK[\x03\x05]/, 'a ZIP archive', UNPACK],
  [/^\x1f\x8b|^7z\xbc\xaf|^Rar!/, 'a compressed archive', UNPACK],
  [/^BLENDER/, 'a Blender file', 'In Blender, choose File > Export > glTF 2.0, with the format GLB.'],
  [/^PXR-USDC|^#usda/, 'a USD file', CONVERT],
  [/^HIERARCHY\s/, 'a BVH file', CONVERT],
  [/^<\?xml[^]*<COLLADA/, 'a COLLADA file', CONVERT],
  [/^version https:\/\/git-lfs/, 'a Git LFS pointer, not the model', 'Run `git lfs pull` where it comes from.'],
  [/^</, 'an HTML or XML page', 'Check the address it was downloaded from.'],
];

/** Bytes of a file's start that {@link foreignFile} needs. */
export const FOREIGN_HEAD = 512;

/** Tells a file that is not glTF by its first bytes; undefined where they say nothing. */
export function foreignFile(head: Uint8Array): ForeignFile | undefined {
  const start = String.fromCharCode(...head.subarray(0, FOREIGN_HEAD)).replace(/^(\xef\xbb\xbf)?\s*/, '');
  const found = KINDS.find(([pattern]) => pattern.test(start));
  return found && { kind: found[1], suggestion: found[2] };
}
