// `maniple convert`: what it writes says what the original says, and is read back; what it refuses.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseController } from '../../src/controller/parse.ts';
import { clipJson, parseClip } from '../../src/cli/clip-form.ts';
import { openFileMap } from '../../src/cli/load-clips.ts';
import { openController } from '../../src/cli/load-controller.ts';
import { ManipleError } from '../../src/errors.ts';
import { importPlayCanvasGraph, importUnityClip, type UnityClip } from '../../src/import/index.ts';
import { PLAYCANVAS_CASES } from '../controller/playcanvas-cases.ts';
import { unity } from '../import/unity-yaml.ts';
import { Random } from '../support/random.ts';
import { hasTurn, noShared, runSeed, shared } from '../support/setup.ts';
import { randomScript, simulateAlone, visited } from '../support/simulate-randomly.ts';
import { stopwatch } from '../support/stopwatch.ts';
import { answer, maniple } from './maniple.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const file = (name: string): string => path.join(folder, name);
const write = (name: string, text: string | Buffer): string => {
  writeFileSync(file(name), text);
  return file(name);
};
const unityFolder = path.join(shared, 'unity');
const filesOf = (extension: string): string[] =>
  noShared() ? [] : readdirSync(unityFolder).filter((name) => name.endsWith(extension));

/** Steps of both, of one random script. */
async function runBoth(original: string, converted: string, seed: number) {
  const files = await openFileMap();
  const models = [(await openController(original, files)).model, (await openController(converted, files)).model];
  const script = randomScript(models[0]!, new Random(seed), 120);
  return [await simulateAlone(models[0]!, script), await simulateAlone(models[1]!, script)] as const;
}

describe.skipIf(noShared() || !hasTurn(1))('Unity’s controllers become JSON that does the same', () => {
  test.concurrent.each(filesOf('.controller'))('%s', async (name) => {
    const out = file(`${name}.json`);
    const original = path.join(unityFolder, name);
    const said = await answer(['convert', original, '--out', out]);
    const text = readFileSync(out, 'utf8');
    expect(said).toMatchObject({ file: original, out, kind: 'controller', bytes: Buffer.byteLength(text) });
    expect(parseController(text).name).toBe(name.replace('.controller', ''));
    const [before, after] = await runBoth(original, out, runSeed);
    expect(after).toEqual(before);
    expect(visited(before).states).toBeGreaterThanOrEqual(before[0]!.layers.length);
  });
});

test('graphs of PlayCanvas become JSON that does the same', async () => {
  const { graph } = PLAYCANVAS_CASES.find(({ topic }) => /tree/i.test(topic)) ?? PLAYCANVAS_CASES[0]!;
  const original = write('graph.json', JSON.stringify(graph));
  const out = file('graph-out.json');
  expect(await answer(['convert', original, '--out', out])).toMatchObject({ kind: 'controller' });
  expect(parseController(readFileSync(out))).toEqual({
    ...importPlayCanvasGraph(graph, { name: 'graph' }),
    issues: undefined,
  });
  const [before, after] = await runBoth(original, out, 6);
  expect(after).toEqual(before);
  for (const { graph: other } of PLAYCANVAS_CASES) {
    const model = importPlayCanvasGraph(other, { name: 'x' });
    const script = randomScript(model, new Random(runSeed), 40);
    const again = (await openController(write('other.json', JSON.stringify(other)), await openFileMap())).model;
    expect(await simulateAlone(again, script)).toEqual(await simulateAlone(model, script));
  }
});

test('clips in a controller’s own file: facts are kept, and a warning says that keys are not', async () => {
  const clip = `m_Name: Step\nm_AnimationClipSettings:\n  m_StopTime: 2\n  m_LoopTime: 1\nm_Events:\n- time: 0.5\n  functionName: foot`;
  const original = write(
    'embedded.controller',
    unity.text(
      unity.controller([{ name: 'Base', machine: 2 }], { go: 9 }),
      unity.machine(2, 'Base', { states: [10], start: 10 }),
      unity.state(10, 'Only', { motion: '{fileID: 7400000}', transitions: [20] }),
      unity.transition(20, { to: 10, when: [[1, 'go']] }),
      unity.object(74, 7400000, 'AnimationClip', clip),
    ),
  );
  const out = file('embedded.json');
  const { issues } = await answer<{ issues: object[] }>(['convert', original, '--out', out]);
  expect(issues).toContainEqual(
    expect.objectContaining({ code: 'CONTROLLER_SIMPLIFIED', path: 'clips/Step', severity: 'warning' }),
  );
  expect(parseController(readFileSync(out)).clips).toEqual({
    Step: { length: 2, loops: true, events: [{ name: 'foot', time: 0.5 }] },
  });
  const [before, after] = await runBoth(original, out, 7);
  expect(after).toEqual(before);
  expect(before.some(({ events }) => events.some(({ name }) => name === 'foot'))).toBe(true);
});

const LONG: UnityClip = {
  name: 'wave',
  duration: 0.5,
  loops: true,
  facts: { length: 0.5, loops: true, cycleOffset: 0.25, events: [{ name: 'e', time: 0.1, text: 'é\n' }] },
  tracks: [
    {
      path: 'Hips/Arm',
      channel: 'translation',
      interpolation: 'LINEAR',
      times: Float32Array.of(0, 0.1, 0.5),
      values: Float32Array.of(0, 1, 2, 3, 4, 5, 1e-40, 3.4e38, 1 / 3),
      rest: [0, 2],
    },
    {
      path: '',
      channel: 'rotation',
      interpolation: 'CUBICSPLINE',
      times: Float32Array.of(0),
      values: new Float32Array(12),
    },
    {
      path: 'Face',
      channel: 'weights',
      morph: 'a',
      interpolation: 'STEP',
      times: Float32Array.of(0, 0.5),
      values: Float32Array.of(0, 1),
    },
    {
      path: 'Face',
      channel: 'weights',
      morph: 'b',
      interpolation: 'STEP',
      times: Float32Array.of(0, 0.5),
      values: Float32Array.of(1, 0),
    },
  ],
  root: {
    times: Float32Array.of(0, 0.5),
    positions: Float32Array.of(0, 0, 0, 0, 0, 1),
    rotations: Float32Array.of(0, 0, 0, 1, 0, 0.6, 0, 0.8),
  },
  issues: [],
};

describe.runIf(hasTurn(1))('clips', () => {
  test('come back as they were', () => {
    const text = clipJson(LONG);
    expect(parseClip(text)).toEqual(LONG);
    expect(clipJson(parseClip(text))).toBe(text);
  });

  test.skipIf(noShared()).each(filesOf('.anim'))('%s comes back as it was', (name) => {
    const clip = importUnityClip(readFileSync(path.join(unityFolder, name), 'utf8'));
    const text = clipJson(clip);
    const read = parseClip(text);
    expect(clipJson(read)).toBe(text);
    expect(read.tracks.map(({ path: at, channel, morph, rest }) => [at, channel, morph, rest])).toEqual(
      clip.tracks.map(({ path: at, channel, morph, rest }) => [at, channel, morph, rest]),
    );
    read.tracks.forEach(({ times, values }, t) => {
      // === calls 0 and −0, which JSON does not tell apart, the same
      expect(times.every((time, i) => time === clip.tracks[t]!.times[i])).toBe(true);
      expect(values.every((value, i) => value === clip.tracks[t]!.values[i])).toBe(true);
      expect([times.length, values.length]).toEqual([clip.tracks[t]!.times.length, clip.tracks[t]!.values.length]);
    });
    expect({ ...read, tracks: [] }).toEqual({ ...clip, tracks: [], issues: [] });
  });

  test.skipIf(noShared())('play from JSON as from the original', async () => {
    const original = path.join(unityFolder, 'synthetic-all-curves.anim');
    const out = file('curves.json');
    expect(await answer(['convert', original, '--out', out])).toMatchObject({ kind: 'clip' });
    const controller = write(
      'play.json',
      JSON.stringify({
        format: 'maniple-controller',
        version: 1,
        name: 'play',
        parameters: {},
        layers: [{ name: 'Base', machine: { default: 'A', states: { A: { motion: 'curves' } } } }],
      }),
    );
    const maps = [original, out].map((place, i) => write(`map-${i}.json`, JSON.stringify({ curves: place })));
    const [anim, json] = await Promise.all(
      maps.map(async (map) => openController(controller, await openFileMap({ clips: map }))),
    );
    expect(json!.model).toEqual(anim!.model);
    expect(json!.clips.map(({ name, duration }) => [name, duration])).toEqual([['curves', 1]]);
  });

  const form = () => JSON.parse(clipJson(LONG)) as Record<string, never>;
  const place = (text: string): string => {
    try {
      parseClip(text);
      return 'accepted';
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(ManipleError);
      const { issues } = thrown as ManipleError;
      expect(issues.length).toBeLessThanOrEqual(20);
      return `${issues[0]!.code} ${issues[0]!.path}`;
    }
  };

  test.each<[string, unknown, string]>([
    ['version', 2, 'CONTROLLER_VERSION /version'],
    ['version', '1', 'CONTROLLER_INVALID /version'],
    ['format', 'maniple-controller', 'CONTROLLER_INVALID /format'],
    ['name', 7, 'CONTROLLER_INVALID /name'],
    ['name', 'x'.repeat(5000), 'CONTROLLER_INVALID /name'],
    ['duration', -1, 'CONTROLLER_INVALID /duration'],
    ['duration', 1e39, 'CONTROLLER_INVALID /duration'],
    ['duration', 0.25, 'CONTROLLER_INVALID /tracks/0/times/2'],
    ['loops', 1, 'CONTROLLER_INVALID /loops'],
    ['author', 'me', 'CONTROLLER_INVALID /author'],
    ['facts', undefined, 'CONTROLLER_INVALID /facts'],
    ['facts/length', 'long', 'CONTROLLER_INVALID /facts/length'],
    ['facts/speed', 1, 'CONTROLLER_INVALID /facts/speed'],
    ['facts/events/0/time', null, 'CONTROLLER_INVALID /facts/events/0/time'],
    ['tracks', {}, 'CONTROLLER_INVALID /tracks'],
    ['tracks/1', [], 'CONTROLLER_INVALID /tracks/1'],
    ['tracks/0/channel', 'toString', 'CONTROLLER_INVALID /tracks/0/channel'],
    ['tracks/0/interpolation', 'BEZIER', 'CONTROLLER_INVALID /tracks/0/interpolation'],
    ['tracks/0/path', null, 'CONTROLLER_INVALID /tracks/0/path'],
    ['tracks/0/times', [], 'CONTROLLER_INVALID /tracks/0/times'],
    ['tracks/0/times/1', 0, 'CONTROLLER_INVALID /tracks/0/times/1'],
    ['tracks/0/times/0', -1, 'CONTROLLER_INVALID /tracks/0/times/0'],
    ['tracks/0/values/3', null, 'CONTROLLER_INVALID /tracks/0/values/3'],
    ['tracks/0/values/8', 1e39, 'CONTROLLER_INVALID /tracks/0/values/8'],
    ['tracks/0/values', [1, 2], 'CONTROLLER_INVALID /tracks/0/values'],
    ['tracks/0/rest', [3], 'CONTROLLER_INVALID /tracks/0/rest'],
    ['tracks/1/rest', [0], 'CONTROLLER_INVALID /tracks/1/rest'],
    ['tracks/0/morph', 'a', 'CONTROLLER_INVALID /tracks/0/morph'],
    ['tracks/2/morph', undefined, 'CONTROLLER_INVALID /tracks/2/morph'],
    ['tracks/3/times/1', 0.25, 'CONTROLLER_INVALID /tracks/3/times'],
    ['root', [], 'CONTROLLER_INVALID /root'],
    ['root/times/1', 0.25, 'CONTROLLER_INVALID /root/times'],
    ['root/positions/0', 1, 'CONTROLLER_INVALID /root/positions'],
    ['root/rotations/6', 0.5, 'CONTROLLER_INVALID /root/rotations/4'],
  ])('with %s as %j are refused', (at, value, expected) => {
    const whole: Record<string, never> = form();
    const steps = at.split('/');
    const inner = steps.slice(0, -1).reduce<Record<string, unknown>>((node, step) => node[step] as never, whole);
    inner[steps.at(-1)!] = value;
    expect(place(JSON.stringify(whole))).toBe(expected);
  });

  test('of absurd texts are refused soon', () => {
    const elapsed = stopwatch();
    for (const text of [
      '',
      'null',
      '[]',
      '7',
      '"x"',
      '{',
      '['.repeat(1e6),
      `{"format":"maniple-clip","version":1,"tracks":[${'{},'.repeat(1e6)}{}]}`,
    ]) {
      expect(place(text)).toMatch(/^CONTROLLER_INVALID/);
    }
    expect(elapsed()).toBeLessThan(10_000);
  });
});

describe.skipIf(noShared() || !hasTurn(1))('files that are cut off or changed', () => {
  /** The text with one run of it cut out, doubled or overwritten. */
  function damaged(text: string, random: Random): string {
    const from = random.integer(0, text.length - 1);
    const to = Math.min(text.length, from + random.integer(1, 60));
    const kind = random.integer(0, 3);
    if (kind === 0) return text.slice(0, from);
    if (kind === 1) return text.slice(0, from) + text.slice(to);
    if (kind === 2) return text.slice(0, to) + text.slice(from);
    return (
      text.slice(0, from) + random.pick(['{', '[', '"', '&1', '9e99', '\0', ': ', '-\n', '\ud800']) + text.slice(to)
    );
  }

  test('are read, or refused with a code and the file', async () => {
    const random = new Random(runSeed);
    const sources = [
      ...['synthetic-all-features.controller', 'ma-SyncedLayer-AC1.controller'].map((name) =>
        path.join(unityFolder, name),
      ),
      write('source.json', JSON.stringify(PLAYCANVAS_CASES[0]!.graph)),
    ];
    const anim = readFileSync(path.join(unityFolder, 'synthetic-all-curves.anim'), 'utf8');
    const clip = clipJson(importUnityClip(anim));
    const files = await openFileMap();
    let [read, refused] = [0, 0];
    const attempt = async (run: () => unknown, at: string): Promise<void> => {
      try {
        await run();
        read++;
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(ManipleError);
        for (const issue of (thrown as ManipleError).issues) expect(issue.path.startsWith(at), issue.path).toBe(true);
        refused++;
      }
    };
    for (let i = 0; i < 60; i++) {
      for (const source of sources) {
        const name = `damaged${path.extname(source)}`;
        write(name, damaged(readFileSync(source, 'utf8'), random));
        await attempt(() => openController(file(name), files), file(name));
      }
      await attempt(() => importUnityClip(damaged(anim, random)), '');
      await attempt(() => parseClip(damaged(clip, random)), '');
    }
    expect(read).toBeGreaterThan(10);
    expect(refused).toBeGreaterThan(100);
  });
});

test('says to people what it wrote, and what it left out', async () => {
  const graph = write('said-graph.json', JSON.stringify(PLAYCANVAS_CASES[0]!.graph));
  const { code, stdout, stderr } = await maniple(['convert', graph, '--out', file('said.json')]);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/said\.json: controller, [\d.]+ (Ki)?B\n/);
});
