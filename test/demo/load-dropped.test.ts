import { describe, expect, test } from 'vitest';
import { type Dropped, loadDropped } from '../../demo/files/load-dropped.ts';
import { setPath } from '../../demo/files/paths.ts';
import { packCharacter, writeBaked } from '../../src/character/index.ts';
import { importGltf } from '../../src/import/index.ts';
import { FbxBuilder } from '../import/build-fbx.ts';
import { GltfBuilder } from '../import/build-gltf.ts';
import { unity } from '../import/unity-yaml.ts';

const GUIDS = { walk: '1'.repeat(32), mask: '2'.repeat(32), soldier: '3'.repeat(32), run: '4'.repeat(32) };

function file(path: string, content: string | Uint8Array): File {
  const made = new File([content as BlobPart], path.slice(path.lastIndexOf('/') + 1));
  if (path.includes('/')) setPath(made, path);
  return made;
}

const meta = (path: string, guid: string): File => file(`${path}.meta`, `fileFormatVersion: 2\nguid: ${guid}\n`);

/** Entries without what is large. */
const told = (entries: readonly Dropped[]): string[] =>
  entries.map((entry) => {
    const codes = entry.issues.map(({ code, severity }) => (severity === 'error' ? code : `(${code})`));
    return [entry.kind, entry.name, ...codes].join(' ');
  });

/** A triangle that a clip moves. */
function triangle(): GltfBuilder {
  const made = new GltfBuilder();
  const node = made.meshNode([made.triangle()], { name: 'Root' });
  made.scenes.push({ nodes: [node] });
  made.clip([{ node, path: 'translation', times: [0, 1], values: [0, 0, 0, 1, 0, 0], type: 'VEC3' }], 'Slide');
  return made;
}

const KEYS = [0, 1].map((time) => ({ time, value: [2 * time, 0, 0] }));
const CLIP = unity.text(unity.clip({ curves: { m_PositionCurves: [unity.curve(KEYS, 'path: Root')] } }));

const motion = (guid: string): string => `{fileID: 7400000, guid: ${guid}, type: 2}`;
const controller = unity.text(
  unity.controller([{ name: 'Base', machine: 1, more: `m_Mask: {fileID: 31900000, guid: ${GUIDS.mask}, type: 2}` }]),
  unity.machine(1, 'Root', { states: [101], start: 101 }),
  unity.state(101, 'Walk', { motion: motion(GUIDS.walk) }),
);

describe('models', () => {
  test('are known by their content, whatever they are called', async () => {
    const baked = writeBaked(packCharacter(await importGltf({ name: 'soldier', bytes: triangle().glb() })));
    const progress: string[] = [];
    const files = [file('a.bin', triangle().glb()), file('b.glb', baked)];
    const entries = await loadDropped(files, (line) => progress.push(line));
    expect(told(entries)).toEqual(['character a.bin', 'character b.glb']);
    const [imported, read] = entries;
    expect(imported?.kind === 'character' && imported.model?.clips.map(({ name }) => name)).toEqual(['Slide']);
    expect(read?.kind === 'character' && [read.model, read.character.name]).toEqual([undefined, 'soldier']);
    expect(progress).toContain('a.bin: packing clip 1 of 1');
  });

  test('of all formats can be dropped together', async () => {
    const rig = new FbxBuilder();
    rig.model('Hips', 'LimbNode');
    const avatar = triangle();
    avatar.extra.extensions = { VRM: { humanoid: { humanBones: [{ bone: 'hips', node: 0 }] } } };
    const files = [
      file('a.vrm', avatar.glb()),
      file('b.fbx', rig.binary()),
      file('c', rig.text()),
      file(
        'd.bvh',
        'HIERARCHY\nROOT Hips { OFFSET 0 90 0 CHANNELS 1 Xrotation End Site { OFFSET 0 80 0 } }\nMOTION Frames: 0 Frame Time: 1',
      ),
      // what begins as nothing is known by its name
      file('e.fbx', ''),
      file('f.bvh', 'HIER'),
    ];
    expect(told(await loadDropped(files)).map((line) => line.replace(/ \(.*/, ''))).toEqual([
      'character a.vrm',
      'character b.fbx',
      'character c',
      'character d.bvh',
      'failed e.fbx FILE_NOT_A_MODEL',
      'failed f.bvh FILE_NOT_A_MODEL',
    ]);
  });

  test('of several files find each other, dropped together or in one folder', async () => {
    const made = triangle();
    made.extra.buffers = [{ byteLength: made.binary().length, uri: 'data/mesh%201.bin' }];
    const json = JSON.stringify(made.json());
    const flat = [file('hero.gltf', json), file('mesh 1.bin', made.binary())];
    const folder = [
      file('pack/hero/hero.gltf', json),
      file('pack/data/mesh 1.bin', new Uint8Array(4)),
      file('pack/hero/data/mesh 1.bin', made.binary()),
      file('pack/LICENSE.txt', 'free'),
    ];
    expect(told(await loadDropped(flat))).toEqual(['character hero.gltf']);
    expect(told(await loadDropped(folder))).toEqual(['character hero.gltf']);
    expect(told(await loadDropped(flat.slice(0, 1)))).toEqual(['failed hero.gltf GLTF_RESOURCE_MISSING']);
    expect(told(await loadDropped(flat.slice(1)))).toEqual(['failed mesh 1.bin FILE_NOT_A_MODEL']);
  });

  test('that are broken are reported with codes', async () => {
    const glb = triangle().glb();
    const files = [
      file('cut.glb', glb.slice(0, glb.length - 40)),
      file('page.glb', '<!doctype html>'),
      file('cut.gltf', '{"asset": {"version": "2.0"'),
      file('bad.maniple', 'MANIPLE'),
    ];
    expect(told(await loadDropped(files))).toEqual([
      'failed cut.glb FILE_TRUNCATED',
      'failed page.glb FILE_NOT_A_MODEL',
      'failed cut.gltf FILE_TRUNCATED',
      'failed bad.maniple BAKED_NOT_MANIPLE',
    ]);
  });
});

describe('controllers', () => {
  test('of Maniple and PlayCanvas are distinguished', async () => {
    const ours = {
      format: 'maniple-controller',
      version: 1,
      parameters: {},
      layers: [{ name: 'a', machine: { states: { Idle: {} } } }],
    };
    const graph = {
      layers: [
        { name: 'Base', states: [{ name: 'START' }, { name: 'Idle' }], transitions: [{ from: 'START', to: 'Idle' }] },
      ],
      parameters: {},
    };
    const files = [
      file('a.json', JSON.stringify(ours)),
      file('b.json', JSON.stringify(graph)),
      file('c.json', '{"x": 1}'),
    ];
    const entries = await loadDropped([...files, file('d.json', JSON.stringify({ ...ours, layers: 1 }))]);
    expect(entries.slice(0, 2).map((entry) => entry.kind === 'controller' && entry.controller.name)).toEqual([
      'a',
      'b',
    ]);
    expect(told(entries.slice(2))).toEqual(['failed d.json CONTROLLER_INVALID', 'failed c.json FILE_NOT_A_MODEL']);
  });

  test('from Unity find clips, masks and controllers by guid', async () => {
    const mask = unity.object(
      319,
      31900000,
      'AvatarMask',
      'm_Name: Upper\nm_Mask: \nm_Elements:\n- m_Path: Root\n  m_Weight: 1',
    );
    const override = unity.object(
      221,
      22100000,
      'AnimatorOverrideController',
      `m_Name: Orc\nm_Controller: {fileID: 9100000, guid: ${GUIDS.soldier}, type: 2}\nm_Clips:\n- m_OriginalClip: ${motion(GUIDS.walk)}\n  m_OverrideClip: ${motion(GUIDS.run)}`,
    );
    const files = [
      file('soldier.controller', controller),
      meta('soldier.controller', GUIDS.soldier),
      file('walk.anim', CLIP),
      meta('walk.anim', GUIDS.walk),
      file('run.anim', CLIP),
      meta('run.anim', GUIDS.run),
      file('upper.mask', unity.text(mask)),
      meta('upper.mask', GUIDS.mask),
      file('orc.overrideController', unity.text(override)),
    ];
    const entries = await loadDropped(files);
    expect(entries.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'controller soldier.controller',
      'controller orc.overrideController',
    ]);
    const motions = entries.map((entry) =>
      entry.kind === 'controller' ? entry.controller.layers[0]!.machine!.states.Walk!.motion : undefined,
    );
    const names = entries[0]?.kind === 'controller' ? entries[0].clips.map(({ name }) => name) : [];
    expect(names).toHaveLength(2);
    expect(motions).toEqual(names);
    const [soldier] = entries;
    expect(soldier?.kind === 'controller' && soldier.controller.layers[0]!.mask).toEqual({ Root: 1 });
    expect(soldier?.kind === 'controller' && soldier.controller.clips?.[names[0]!]?.length).toBe(1);
  });

  test('from Unity name clips of models by their .meta files, dropped alone or in a folder', async () => {
    const fbx = '9'.repeat(32);
    const table = 'ModelImporter:\n  internalIDToNameTable:\n  - first:\n      74: -5\n    second: walk\n';
    const state = (id: number, motion: string) => unity.state(id, `S${id}`, { motion });
    const text = unity.text(
      unity.controller([{ name: 'Base', machine: 1 }]),
      unity.machine(1, 'Root', { states: [101, 102, 103, 104], start: 101 }),
      state(101, motion(GUIDS.walk)),
      state(102, `{fileID: -5, guid: ${fbx}, type: 3}`),
      state(103, `{fileID: -6, guid: ${fbx}, type: 3}`),
      state(104, motion(GUIDS.run)),
    );
    for (const folder of ['', 'Assets/Hero/']) {
      const files = [
        file(`${folder}hero.controller`, text),
        file(`${folder}walk.anim`, CLIP.replace('Made', 'walk')),
        meta(`${folder}walk.anim`, GUIDS.walk),
        file(`${folder}Hero.fbx.meta`, `fileFormatVersion: 2\nguid: ${fbx}\n${table}`),
        meta(`${folder}run.anim`, GUIDS.run),
      ];
      const [entry, ...more] = await loadDropped(files);
      expect(more).toEqual([]);
      const states = entry?.kind === 'controller' ? entry.controller.layers[0]!.machine!.states : {};
      expect(Object.values(states).map((each) => each.motion)).toEqual(['walk', 'walk 2', 'Hero:-6', 'run']);
    }
  });

  test('from Unity in UTF-16 are read, with masks of older versions', async () => {
    const mask = unity.object(1011, 5, 'AvatarMask', 'm_Name: Upper\nm_Elements:\n- m_Path: Root\n  m_Weight: 1');
    const wide = (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le');
    const files = [
      file('soldier.controller', wide(controller)),
      file('upper.mask', wide(unity.text(mask)).swap16()),
      meta('upper.mask', GUIDS.mask),
    ];
    const [entry, ...more] = await loadDropped(files);
    expect(more).toEqual([]);
    expect(entry?.kind === 'controller' && entry.controller.layers[0]!.mask).toEqual({ Root: 1 });
  });

  test('from Unity that were not downloaded say so', async () => {
    const pointer = 'version https://git-lfs.github.com/spec/v1\n';
    const names = ['a.controller', 'b.overrideController', 'c.anim', 'd.mask'];
    const entries = await loadDropped(names.map((name) => file(name, pointer)));
    expect(entries.map(({ name }) => name).sort()).toEqual(names);
    for (const { kind, issues } of entries) {
      expect([kind, issues.length]).toEqual(['failed', 1]);
      expect(issues[0]).toMatchObject({ code: 'UNITY_INVALID', suggestion: expect.stringContaining('git lfs pull') });
    }
  });

  test('without the files that they need say which', async () => {
    const override = unity.text(
      unity.object(
        221,
        22100000,
        'AnimatorOverrideController',
        'm_Name: Orc\nm_Controller: {fileID: 1, guid: ee}\nm_Clips: []',
      ),
    );
    expect(told(await loadDropped([file('orc.overrideController', override)]))).toEqual([
      'failed orc.overrideController UNITY_DANGLING',
    ]);
    expect(told(await loadDropped([file('cut.controller', controller.slice(0, 300))]))[0]).toMatch(
      /^failed cut.controller UNITY_/,
    );
  });
});

describe('clips of Unity', () => {
  test('move the character that they are dropped with', async () => {
    const [entry] = await loadDropped([file('a.glb', triangle().glb()), file('walk.anim', CLIP)]);
    expect(entry?.kind === 'character' && entry.character.clips).toHaveLength(2);
  });

  test('without other files are reported', async () => {
    expect(told(await loadDropped([file('walk.anim', CLIP)]))).toEqual(['failed walk.anim FILE_NOT_A_MODEL']);
  });
});

describe('files of other kinds', () => {
  test('says what it is, or what is accepted', async () => {
    const files = [file('a.txt', 'hello'), file('b.blend', 'BLENDER-v404'), file('c.zip', 'PK\x03\x04')];
    const entries = await loadDropped(files);
    expect(told(entries)).toEqual(['failed other files FILE_NOT_A_MODEL FILE_NOT_A_MODEL FILE_NOT_A_MODEL']);
    expect(entries[0]?.issues.map(({ path, message }) => `${path}: ${message}`)).toEqual([
      'a.txt: This type of file is not supported.',
      'b.blend: This is a Blender file.',
      'c.zip: This is a ZIP archive.',
    ]);
    expect(entries[0]?.issues[0]?.suggestion).toContain('.glb');
    expect(entries[0]?.issues[1]?.suggestion).toContain('Convert it to GLB');
  });

  test('nothing, and too much', async () => {
    expect(await loadDropped([])).toEqual([]);
    const many = Array.from({ length: 2_001 }, (_, i) => file(`${i}.glb`, ''));
    expect(told(await loadDropped(many))).toEqual(['failed files FILE_TOO_LARGE']);
    expect(told(await loadDropped([file('empty.glb', '')]))).toEqual(['failed empty.glb FILE_NOT_A_MODEL']);
  });

  test('neither bombs of JSON nor files that cannot be read break anything', async () => {
    const gone = file('gone.glb', 'x');
    Object.defineProperty(gone, 'slice', { value: () => ({ arrayBuffer: () => Promise.reject(new Error('gone')) }) });
    const bomb = file('bomb.json', `{"asset":${'['.repeat(100_000)}`);
    expect(told(await loadDropped([bomb, gone]))).toEqual([
      'failed gone.glb FILE_UNREADABLE',
      'failed bomb.json GLTF_LIMIT',
    ]);
  });
});

describe('clips without meshes', () => {
  /** A chain of two joints, in metres, that turns at its root. */
  const bvh = (child: string): string => `HIERARCHY
ROOT Root
{
  OFFSET 0 0 0
  CHANNELS 3 Zrotation Xrotation Yrotation
  JOINT ${child}
  {
    OFFSET 0 1 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 1 0
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.1
0 0 0 0 0 0
90 0 0 0 0 0
`;
  const clipsOf = (entry: Dropped | undefined): string[] =>
    entry?.kind === 'character' ? entry.character.clips.map(({ name }) => name) : [];

  test('are stick figures where nothing can play them', async () => {
    const entries = await loadDropped([file('nod.bvh', bvh('Head'))]);
    expect(entries.map(({ kind, name }) => [kind, name])).toEqual([['character', 'nod.bvh']]);
    expect(entries[0]!.issues.map(({ code }) => code)).toContain('MODEL_NO_MESH');
  });

  test('are bound to all characters of the drop', async () => {
    const progress: string[] = [];
    const files = [file('nod.bvh', bvh('Head')), file('a.glb', triangle().glb()), file('b.glb', triangle().glb())];
    const entries = await loadDropped(files, (line) => progress.push(line));
    expect(entries.map(({ kind, name }) => [kind, name])).toEqual([['character', 'a.glb'], ['character', 'b.glb']]); // prettier-ignore
    for (const entry of entries) {
      expect(clipsOf(entry)).toEqual(['Slide', 'nod']);
      expect(entry.kind === 'character' && entry.added!.reports.map(({ method }) => method)).toEqual(['joints']);
      expect(entry.issues.map(({ code }) => code)).toContain('CLIP_RETARGETED');
    }
    expect(progress).toContain('a.glb: retargeting 1 clip of nod.bvh');
  });

  test('are bound to characters that are shown, which come again with them', async () => {
    const [first] = await loadDropped([file('a.glb', triangle().glb())]);
    if (first?.kind !== 'character') throw new Error('no character');
    const shown = [{ key: 7, name: 'a.glb', model: first.model }];
    const entries = await loadDropped([file('nod.bvh', bvh('Head'))], undefined, shown);
    expect(entries).toMatchObject([{ kind: 'character', name: 'a.glb', replaces: 7 }]);
    expect(clipsOf(entries[0])).toEqual(['Slide', 'nod']);
    expect(first.model!.clips).toHaveLength(1);
  });

  test('say on which characters they cannot be, and leave those alone', async () => {
    const other = new GltfBuilder();
    const node = other.meshNode([other.triangle()], { name: 'Chassis' });
    other.scenes.push({ nodes: [node] });
    const baked = writeBaked(packCharacter(await importGltf({ name: 'soldier', bytes: triangle().glb() })));
    const files = [file('nod.bvh', bvh('Head')), file('car.glb', other.glb()), file('soldier.maniple', baked)];
    expect(told(await loadDropped(files))).toEqual([
      'failed nod.bvh HUMANOID_NOT_FOUND',
      'character car.glb',
      'character soldier.maniple',
      'failed soldier.maniple FILE_NOT_A_MODEL',
    ]);
    const [failure] = await loadDropped(files);
    expect(failure).toMatchObject({ title: 'nod.bvh does not fit car.glb' });
    const model = await importGltf({ name: 'car', bytes: other.glb() });
    const shown = [{ key: 1, name: 'car.glb', model }];
    expect(told(await loadDropped(files.slice(0, 1), undefined, shown))).toEqual(['failed nod.bvh HUMANOID_NOT_FOUND']);
  });
});
