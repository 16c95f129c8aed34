import { describe, expect, it } from 'vitest';
import { clipNameByMeta, readUnityMeta } from './meta.ts';

const guid = '0123456789abcdef0123456789abcdef';
const head = `fileFormatVersion: 2\nguid: ${guid}\n`;
const clipsOf = (text: string) => Object.fromEntries(readUnityMeta(head + text)!.clips);

describe('names of clips in a .meta file', () => {
  it('are in fileIDToRecycleName up to Unity 2018', () => {
    const text = `timeCreated: 1480325262
licenseType: Free
ModelImporter:
  serializedVersion: 19
  fileIDToRecycleName:
    100000: //RootNode
    400000: //RootNode
    4300000: Body
    7400000: Idle
    7400002: 'Walk: slow'
  materials:
    importMaterials: 1
  animations:
    clipAnimations: []
`;
    expect(clipsOf(text)).toEqual({ 7400000: 'Idle', 7400002: 'Walk: slow' });
  });

  it('are in internalIDToNameTable, and next to clips, from Unity 2019 on', () => {
    const text = `ModelImporter:
  serializedVersion: 22200
  internalIDToNameTable:
  - first:
      74: -203655887218126122
    second: mixamo.com
  - first:
      43: 4300000
    second: Body
  animations:
    legacyGenerateAnimations: 4
    clipAnimations:
    - serializedVersion: 16
      name: Run
      takeName: Take 001
      internalID: 6564411413370888346
      firstFrame: 0
      events: []
    - serializedVersion: 16
      name: Old
      internalID: 0
  userData:
`;
    expect(clipsOf(text)).toEqual({ '-203655887218126122': 'mixamo.com', '6564411413370888346': 'Run' });
  });

  it('are empty for other assets', () => {
    expect(clipsOf('NativeFormatImporter:\n  mainObjectFileID: 7400000\n  userData: \n')).toEqual({});
    expect(clipsOf('')).toEqual({});
    expect(readUnityMeta('fileFormatVersion: 2\nguid: 12\n')).toBeUndefined();
    expect(readUnityMeta('')).toBeUndefined();
  });

  it('that cannot be read leave the guid, with a warning', () => {
    const { issues, ...rest } = readUnityMeta(`${head}ModelImporter:\n  a: 1\n  a: 2\n`)!;
    expect(rest).toEqual({ guid, clips: new Map() });
    expect(issues).toMatchObject([{ code: 'UNITY_INVALID', severity: 'warning', path: 'line 5' }]);
  });
});

describe('a clip of a file with a .meta file', () => {
  const meta = readUnityMeta(`${head}A:\n  fileIDToRecycleName:\n    7400000: Idle\n`)!;

  it.each([
    ['is called as there', 'Assets/Hero.fbx', '7400000', 'Idle'],
    ['is called by the file where that tells nothing', 'Assets/Hero.fbx', '-12', 'Hero:-12'],
    ['is the file itself', 'Assets\\Hero@Walk.v2.anim', '7400002', 'Hero@Walk.v2'],
  ])('%s', (_, path, fileID, name) => expect(clipNameByMeta(path, meta, fileID)).toBe(name));
});
