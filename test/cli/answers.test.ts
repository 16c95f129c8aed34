// What inspect, pose and bake answer with --json: the fields that other programs rely on, and their values.
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { isBaked, readBaked } from '../../src/character/index.ts';
import { GltfBuilder } from '../import/build-gltf.ts';
import { POSE_LIMITS } from '../support/pose-limits.ts';
import { readReference, referencedFiles } from '../support/references.ts';
import { full, hasTurn, noShared, shared } from '../support/setup.ts';
import { answer, legionary, maniple, readGlb, refusal, root } from './maniple.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface PoseAnswer {
  readonly file: string;
  readonly clip: string | null;
  readonly time: number;
  readonly backend: string;
  readonly joints: readonly { node: number; name: string; worldFromJoint: number[] }[];
  readonly meshes: readonly { nodeIndex: number; node: string; primitive: number; positions: number[] }[];
  readonly issues: readonly object[];
}

interface BoxAnswer {
  readonly min: readonly number[];
  readonly max: readonly number[];
}

interface InspectAnswer {
  readonly joints: readonly { name: string; parent: number; node: number }[];
  readonly meshes: readonly { node: string; vertices: number; sourceVertices: number }[];
  readonly clips: readonly {
    name: string;
    duration: number;
    tracks: number;
    keys: number;
    bytes: number;
    sourceBytes: number;
    maxError: number;
    bounds: BoxAnswer | null;
  }[];
  readonly bounds: BoxAnswer;
  readonly reach: { center: number[]; radius: number; additiveLayers: number } | null;
  readonly influences: { max: number; histogram: number[] };
  readonly memory: Readonly<Record<string, number>>;
  readonly issues: readonly { code: string }[];
  readonly size: number;
}

const folder = temporaryFolder();
const onCpu = (file: string, ...args: string[]) => ['pose', file, '--backend', 'cpu', ...args];
const source = readGlb(readFileSync(path.join(root, legionary)));
const nameOf = (node: number) => source.nodes[node]!.name ?? '';

/** The largest distance between the vertices of two poses, in metres. */
function farthest(a: PoseAnswer, b: PoseAnswer): number {
  let most = 0;
  for (const [m, { positions }] of a.meshes.entries()) {
    const others = b.meshes[m]!.positions;
    expect(others).toHaveLength(positions.length);
    for (let at = 0; at < positions.length; at += 3) {
      most = Math.max(most, Math.hypot(...[0, 1, 2].map((c) => positions[at + c]! - others[at + c]!)));
    }
  }
  return most;
}

describe.runIf(hasTurn(1))('pose', () => {
  test('lists joints and vertices as in the file', async () => {
    const pose = await answer<PoseAnswer>(onCpu(legionary, '--clip', 'walk', '--time', '0.3'));
    expect(pose).toMatchObject({ file: legionary, clip: 'walk', time: 0.3, backend: 'cpu', issues: [] });

    const nodes = pose.joints.map(({ node }) => node);
    expect(nodes).toEqual([...new Set(nodes)].sort((a, b) => a - b));
    for (const { node, name, worldFromJoint: m } of pose.joints) {
      expect(name).toBe(nameOf(node));
      expect(m).toHaveLength(16);
      expect([m[3], m[7], m[11], m[15]]).toEqual([0, 0, 0, 1]); // column-major
    }

    const expected = source.nodes.flatMap(({ mesh }, nodeIndex) =>
      mesh === undefined
        ? []
        : source.meshes[mesh]!.primitives.map(({ attributes }, primitive) => ({
            nodeIndex,
            node: nameOf(nodeIndex),
            primitive,
            numbers: 3 * source.accessors[attributes.POSITION]!.count,
          })),
    );
    expect(pose.meshes.map(({ positions, ...mesh }) => ({ ...mesh, numbers: positions.length }))).toEqual(expected);
    // what a 32-bit float holds, in digits that bring it back
    const odd = pose.meshes
      .flatMap(({ positions }) => positions)
      .find((x) => Number(Math.fround(x).toPrecision(9)) !== x);
    expect(odd).toBeUndefined();
  });

  test('answers repeated --clip and --time with an array, and holds times at the ends of the clip', async () => {
    const pairs = '--clip walk --clip 6 --clip walk --clip walk --time 0.3 --time 0.1 --time -5 --time 99'.split(' ');
    const [third, run, before, after] = await answer<PoseAnswer[]>(onCpu(legionary, ...pairs));
    expect([third, run, before, after].map((p) => [p!.clip, p!.time])).toEqual([
      ['walk', 0.3],
      ['run', 0.1],
      ['walk', -5],
      ['walk', 99],
    ]);
    const ends = onCpu(legionary, ...'--clip walk --time 0 --time 0.9333333'.split(' '));
    const [start, end] = await answer<PoseAnswer[]>(ends); // one clip goes with all times
    expect(farthest(before!, start!)).toBeLessThan(1e-6);
    expect(farthest(after!, end!)).toBeLessThan(1e-5);
    expect(farthest(start!, third!)).toBeGreaterThan(0.05);
    const single = await answer<PoseAnswer>(onCpu(legionary, ...'--clip 5 --time 0.3'.split(' '))); // by index
    expect(farthest(single, third!)).toBeLessThan(1e-6); // clips packed beside it do not matter
    expect({ ...single, joints: [], meshes: [] }).toEqual({ ...third, joints: [], meshes: [] });
  });

  test('writes the same to --out, into folders that it makes', async () => {
    const out = path.join(folder, 'new/folder/pose.json');
    const said = await answer(onCpu(legionary, '--out', out)); // no clip: the rest pose
    const printed = await maniple(onCpu(legionary)); // prints JSON without being asked
    expect(printed).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(out, 'utf8')).toBe(printed.stdout);
    expect(JSON.parse(printed.stdout)).toMatchObject({ clip: null, time: 0 });
    expect(said).toMatchObject({ file: legionary, out });
  });

  test('carries issues as every answer does, also where the poses go to a file', async () => {
    const said = await answer(onCpu(legionary, '--out', path.join(folder, 'pose.json')));
    expect(said).toMatchObject({ issues: [] });
  });
});

describe.runIf(hasTurn(1))('a clip that overflows', () => {
  const file = path.join(folder, 'overflow.glb');

  /** Six nested nodes with rest scales of 1; the clip scales each, by so much at its end. */
  function write(scale: number): void {
    const gltf = new GltfBuilder();
    for (let i = 0; i < 5; i++) gltf.nodes.push({ name: `node ${i}`, children: [i + 1] });
    gltf.meshNode([gltf.triangle()]);
    gltf.scenes.push({ nodes: [0] });
    const track = { path: 'scale', type: 'VEC3', times: [0, 1], values: [1, 1, 1, scale, scale, scale] };
    gltf.clip(gltf.nodes.map((_, node) => ({ node, ...track })));
    writeFileSync(file, gltf.glb());
  }

  test.each([1e4, 1e15])('is refused: six nested scales of %f', async (scale) => {
    write(scale);
    const out = path.join(folder, 'overflow.out');
    for (const args of [onCpu(file, '--clip', '0', '--time', '1', '--out', out), ['bake', file, '--out', out]]) {
      const [first] = await refusal([...args, '--error-budget', '0']);
      expect(first).toMatchObject({ code: 'CHARACTER_TOO_LARGE', path: `${file}:clip` });
      expect(existsSync(out)).toBe(false);
    }
  });

  test('is refused where only vertices do: a morph target', async () => {
    const gltf = new GltfBuilder();
    const POSITION = gltf.accessor([1e15, 0, 0, 0, 1e15, 0, 0, 0, 1e15], 'VEC3');
    gltf.meshNode([gltf.triangle({}, { targets: [{ POSITION }] })], { scale: [1e15, 1e15, 1e15] });
    gltf.scenes.push({ nodes: [0] });
    gltf.clip([{ node: 0, path: 'weights', type: 'SCALAR', times: [0, 1], values: [0, 1e15] }]);
    writeFileSync(file, gltf.glb());
    const [first] = await refusal(onCpu(file, '--clip', '0', '--time', '1', '--out', path.join(folder, 'morph.json')));
    expect(first).toMatchObject({ code: 'CHARACTER_TOO_LARGE', path: file });
    expect(existsSync(path.join(folder, 'morph.json'))).toBe(false);
  });
});

describe.runIf(hasTurn(1))('bake', () => {
  const budgets: string[][][] = [[[]], [['--error-budget', '0']]];
  test.each(full ? budgets : budgets.slice(1))('%j: what is baked poses and inspects as its source', async (budget) => {
    const out = path.join(folder, `baked/${budget.length}.maniple`);
    const said = await answer(['bake', legionary, '--out', out, ...budget]);
    expect(said).toMatchObject({ file: legionary, out, bytes: statSync(out).size, issues: [] });
    expect(isBaked(readFileSync(out))).toBe(true);

    const moments = '--clip walk --clip attack_2 --time 0.3 --time 0.71'.split(' ');
    const poses = await answer<PoseAnswer[]>(onCpu(legionary, ...moments, ...budget));
    const baked = await answer<PoseAnswer[]>(onCpu(out, ...moments));
    const rename = (list: PoseAnswer[]) => list.map((pose) => ({ ...pose, file: '' }));
    expect(rename(baked)).toEqual(rename(poses));

    const { file: _, ...inspected } = await answer(['inspect', out]);
    const { file: __, ...wanted } = await answer(['inspect', legionary, ...budget]);
    expect(inspected).toEqual(wanted);
  });

  test('takes only some clips', async () => {
    const out = path.join(folder, 'some.maniple');
    await answer(['bake', legionary, '--out', out, '--clips', 'walk,0', '--clips', 'attack_1']);
    const character = readBaked(readFileSync(out));
    expect(character.clips.map(({ name }) => name)).toEqual(['walk', source.animations[0]!.name, 'attack_1']);
    expect(character.unpackedClips).toHaveLength(source.animations.length - 3);
    const [missing] = await refusal(['bake', legionary, '--out', out, '--clips', 'walk,fly']);
    expect(missing).toMatchObject({ code: 'CLIP_NOT_FOUND', path: 'fly' });
  });
});

describe.runIf(hasTurn(1))('inspect', () => {
  let inspected: Promise<InspectAnswer> | undefined;
  const inspectLegionary = () => (inspected ??= answer<InspectAnswer>(['inspect', legionary]));

  test('measures skeleton, clips, meshes, influences and memory', async () => {
    const report = await inspectLegionary();
    expect(report.joints.length).toBeGreaterThan(30);
    for (const [index, { name, parent, node }] of report.joints.entries()) {
      expect(name).toBe(nameOf(node));
      expect(parent).toBeLessThan(index);
    }
    expect(report.clips.map(({ name }) => name)).toEqual(source.animations.map(({ name }) => name));
    for (const clip of report.clips) {
      const { duration, tracks, keys, bytes, sourceBytes, maxError } = clip;
      for (const value of [duration, tracks, keys, bytes, sourceBytes]) expect(value, clip.name).toBeGreaterThan(0);
      expect(maxError, clip.name).toBeGreaterThanOrEqual(0);
      expect(maxError, clip.name).toBeLessThan((0.0001 / 1.8) * report.size * 1.01);
    }
    const vertices = report.meshes.reduce((sum, mesh) => sum + mesh.vertices, 0);
    const { max, histogram } = report.influences;
    expect(histogram).toHaveLength(max + 1);
    expect(histogram.reduce((sum, count) => sum + count, 0)).toBe(vertices);
    expect(histogram.at(-1)).toBeGreaterThan(0);
    // two copies of positions and one of normals, rounded up by an eighth at most; a matrix per joint; motions, players and the like
    const { perVisibleCharacter } = report.memory;
    expect(perVisibleCharacter).toBeGreaterThan(20 * vertices + 48 * report.joints.length);
    expect(perVisibleCharacter).toBeLessThan(1.125 * 20 * vertices + 2 * 48 * report.joints.length + 1000);

    const text = await maniple(['inspect', legionary]);
    expect(text).toMatchObject({ code: 0, stderr: '' });
    for (const { name } of report.clips) expect(text.stdout).toMatch(new RegExp(`^  ${name} `, 'm'));
    expect(text.stdout).not.toMatch(/NaN|Infinity|undefined|\[object/);
  });

  test('says what no pose leaves: a sphere for all clips, a box for each', async () => {
    const { bounds, reach, clips, size } = await inspectLegionary();
    const { center, radius, additiveLayers } = reach!;
    expect(additiveLayers).toBe(0);
    expect(radius).toBeGreaterThan(size / 2);
    expect(radius).toBeLessThan(3 * size);
    const distance = (point: readonly number[]) => Math.hypot(...center.map((c, k) => point[k]! - c));
    expect(Math.max(distance(bounds.min), distance(bounds.max))).toBeLessThan(radius);

    const moments = ['walk', 'attack_2'].flatMap((name) =>
      [0, 0.21, 0.47].flatMap((time) => ['--clip', name, '--time', `${time}`]),
    );
    for (const { clip, time, meshes } of await answer<PoseAnswer[]>(onCpu(legionary, ...moments))) {
      const box = clips.find(({ name }) => name === clip)!.bounds!;
      const seen = { min: [Infinity, Infinity, Infinity], max: [-Infinity, -Infinity, -Infinity] };
      for (const { positions } of meshes) {
        for (let at = 0; at < positions.length; at += 3) {
          const point = positions.slice(at, at + 3);
          expect(distance(point), `${clip} at ${time} s`).toBeLessThanOrEqual(radius);
          point.forEach((p, c) => {
            seen.min[c] = Math.min(seen.min[c]!, p);
            seen.max[c] = Math.max(seen.max[c]!, p);
          });
        }
      }
      for (let c = 0; c < 3; c++) {
        expect(box.min[c], `${clip} at ${time} s`).toBeLessThanOrEqual(seen.min[c]!);
        expect(box.max[c], `${clip} at ${time} s`).toBeGreaterThanOrEqual(seen.max[c]!);
      }
    }
  });
});

describe.skipIf(noShared() || !hasTurn(1))('files of other people', () => {
  const FILES = [
    'basics/SimpleSkin.gltf', // data URIs
    'basics/01_cs_morph/01_cs_morph.gltf', // a .bin beside it; morphs on cubic keys, no skin
    'characters/godot-robot-player.glb', // a clip of 0 s
    'creatures/bee.glb', // NaN weights
    'characters/astronaut-bee-draco.glb',
  ];
  interface Asset {
    readonly file: string;
    readonly clips: readonly { name: string; dur: number }[];
  }

  test('are inspected', async () => {
    const assets = JSON.parse(readFileSync(path.join(shared, 'assets/assets.json'), 'utf8')) as Asset[];
    for (const file of FILES) {
      const report = await answer<InspectAnswer>(['inspect', path.join(shared, 'assets', file)]);
      const { clips } = assets.find((asset) => asset.file === file)!;
      expect(report.clips, file).toHaveLength(clips.length);
      for (const [i, { name, dur }] of clips.entries()) {
        expect(report.clips[i]!.duration, `${file} ${name}`).toBeCloseTo(dur, 3);
        if (!name.startsWith('#')) expect(report.clips[i]!.name).toBe(name);
      }
      if (file.endsWith('bee.glb')) expect(report.issues.map(({ code }) => code)).toContain('GLTF_WEIGHTS_REPAIRED');
    }
  });

  test.each(['creatures/khronos-fox.glb', 'basics/01_cs_morph/01_cs_morph.gltf'])(
    '%s poses where an independent evaluation sees it',
    async (file) => {
      const { size } = referencedFiles().find((known) => known.file === file)!;
      const moments = readReference(file).clips.flatMap(({ index, samples }) =>
        samples.map(({ t, points }) => ({ args: ['--clip', `${index}`, '--time', `${t}`], points })),
      );
      const args = onCpu(path.join(shared, 'assets', file), ...moments.flatMap((moment) => moment.args));
      const poses = await answer<PoseAnswer[]>(args);
      for (const [i, { points }] of moments.entries()) {
        for (const { node, primitive, vertices, positions } of points) {
          const mesh = poses[i]!.meshes.find((m) => m.node === node && m.primitive === primitive)!;
          for (const [v, vertex] of vertices.entries()) {
            const off = Math.hypot(...[0, 1, 2].map((c) => mesh.positions[3 * vertex + c]! - positions[v]![c]!));
            expect(off / size).toBeLessThan(POSE_LIMITS.worst);
          }
        }
      }
    },
  );
});
