import { quoted } from '../../errors.ts';
import { refuse } from '../model-builder/issue-list.ts';

/** A file that a reader was not made for: its kind, as in “This is …”, and what to do. */
export interface ForeignFile {
  readonly kind: string;
  readonly suggestion: string;
}

const READ = 'Pass it to `importModel`, which finds the reader by the content.';
const CONVERT = 'Convert it to GLB, for example with Blender.';
const UNPACK = 'Unpack it, then use the .glb or .gltf inside.';

/** Files that are taken for models, by how they can begin, a character for each byte. */
const KINDS: readonly (readonly [starts: readonly string[], kind: string, suggestion: string])[] = [
  [['glTF'], 'a GLB or VRM file', READ],
  [['Kaydara FBX Binary', '; FBX'], 'an FBX file', READ],
  [['HIERARCHY'], 'a BVH file', READ],
  [['PK\x03\x04', 'PK\x05\x06'], 'a ZIP archive', UNPACK],
  [['\x1f\x8b', '7z\xbc\xaf', 'Rar!'], 'a compressed archive', UNPACK],
  [['BLENDER'], 'a Blender file', CONVERT],
  [['PXR-USDC', '#usda'], 'a USD file', CONVERT],
  [['version https://git-lfs'], 'a Git LFS pointer, not the model', 'Run `git lfs pull` in its repository.'],
  [['<'], 'an HTML or XML page', 'Check the address it was downloaded from.'],
];

/** A binary Unity asset: numbers, then the version of the editor that wrote it. */
const UNITY_ASSET = /^[^]{0,64}\0\d{1,4}\.\d+\.\d+[abfpx]\d+[^\0]{0,16}\0/;
const FORCE_TEXT =
  'In Unity, choose Project Settings > Editor > Asset Serialization > Force Text and save the asset again.';

/** Bytes of a file's start that {@link foreignFile} needs. */
export const FOREIGN_HEAD = 512;

/** Recognises a file by its first bytes. Undefined if they are not known. */
export function foreignFile(head: Uint8Array): ForeignFile | undefined {
  const start = String.fromCharCode(...head.subarray(0, FOREIGN_HEAD)).replace(/^(\xef\xbb\xbf)?\s*/, '');
  if (start === '') return { kind: 'an empty file', suggestion: 'Download or export it again.' };
  if (UNITY_ASSET.test(start)) return { kind: 'a binary Unity asset', suggestion: FORCE_TEXT };
  const found = KINDS.find(([starts]) => starts.some((each) => start.startsWith(each)));
  return found && { kind: found[1], suggestion: found[2] };
}

/** Refuses a file of unknown format. @throws ManipleError FILE_NOT_A_MODEL with what it is, or how it begins */
export function refuseForeign(bytes: Uint8Array): never {
  const start = String.fromCharCode(...bytes.subarray(0, SHOWN));
  const {
    kind = `in no format that is known: it begins with ${quoted(start)}`,
    suggestion = "Maniple reads glTF (.glb, .gltf), VRM, FBX, BVH and .maniple files, and Unity's humanoid clips (.anim).",
  }: Partial<ForeignFile> = foreignFile(bytes) ?? {};
  return refuse('FILE_NOT_A_MODEL', '', `This is ${kind}`, suggestion);
}

/** Bytes of an unknown file that a message quotes. */
const SHOWN = 24;
