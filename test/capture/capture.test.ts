// Captures taken on the CPU backend: what they hold, the way through a file, and replays on twins.
import { beforeAll, describe, expect, test } from 'vitest';
import { joinSections, splitSections, type Section } from '../../src/character/file/container.ts';
import {
  CAPTURE_VERSION,
  captureFrame,
  type CapturedStage,
  readCapture,
  replayStage,
  writeCapture,
  type FrameCapture,
} from '../../src/capture/index.ts';
import { CAPTURE_FORM, CaptureReport } from '../../src/capture/capture-file.ts';
import type { VertexProvider } from '../../src/index.ts';
import { capturedCrowd, PLAIN_STAGES, tidalCrowd, TIDE, VIEWS } from '../support/captured-crowd.ts';
import { coded } from '../support/crowd-truth.ts';
import { Random } from '../support/random.ts';
import { runSeed } from '../support/setup.ts';

const DAMAGES = 300;

/** Arrays as strings, which are compared in no time. */
const asText = ({ stage, ...arrays }: CapturedStage) => ({
  stage,
  ...Object.fromEntries(
    Object.entries(arrays as Record<string, Record<string, Uint32Array>>).map(([kind, all]) => [
      kind,
      Object.entries(all).map(([name, words]) => [
        name,
        words.constructor.name,
        Buffer.from(words.buffer, words.byteOffset, words.byteLength).toString('base64'),
      ]),
    ]),
  ),
});

describe('crowds that have changed', () => {
  test('are captured as they are, grown', async () => {
    const crowd = await capturedCrowd(undefined, { backend: 'cpu' });
    crowd.grow(70);
    const capture = readCapture(writeCapture(await captureFrame(crowd, { dt: 0.1, views: VIEWS })));
    expect(capture.options.capacity).toBe(70);
    for (const stage of PLAIN_STAGES) expect((await replayStage(capture, stage)).differences).toEqual([]);
  });

  test('are captured with all characters skinned by draws', async () => {
    const crowd = await capturedCrowd(undefined, { backend: 'cpu', skin: 'vertex' });
    const capture = readCapture(writeCapture(await captureFrame(crowd, { dt: 0.1, views: VIEWS })));
    expect(capture.options.skin).toEqual(['vertex', 'vertex', 'vertex']);
    for (const stage of PLAIN_STAGES) expect((await replayStage(capture, stage)).differences).toEqual([]);
  });
});

describe('a capture of the CPU backend', () => {
  let capture: FrameCapture;
  let file: Uint8Array<ArrayBuffer>;
  beforeAll(async () => {
    const crowd = await capturedCrowd(undefined, { backend: 'cpu' });
    capture = await captureFrame(crowd, { dt: 0.1, views: VIEWS });
    file = writeCapture(capture);
  });

  test('has all stages, in the order of the frame', () => {
    expect(capture.stages.map(({ stage }) => stage)).toEqual(PLAIN_STAGES);
    expect(capture).toMatchObject({ backend: 'cpu', frame: 3, numbers: { characterCount: 15, isSeen: true } });
    for (const { stage, inputs, outputs } of capture.stages) {
      const changed = Object.entries(outputs).filter(([name, words]) =>
        words.some((word, i) => word !== inputs[name]![i]),
      );
      expect(changed.length, stage).toBeGreaterThan(0);
    }
  });

  test('comes back from its file as it was', () => {
    const read = readCapture(file);
    expect(read.stages.map(asText)).toEqual(capture.stages.map(asText));
    expect({ ...read, stages: 0, options: 0 }).toEqual({ ...capture, stages: 0, options: 0 });
    expect(Buffer.compare(writeCapture(read), file)).toBe(0);
  });

  test.each(PLAIN_STAGES)('%s does on its twin again what it did', async (stage) => {
    const { outputs, differences } = await replayStage(readCapture(file), stage);
    expect(differences).toEqual([]);
    expect(outputs).toEqual(capture.stages.find((each) => each.stage === stage)!.outputs);
  });

  test('shows what differs, field by field', async () => {
    const stages = capture.stages.map((each) => {
      if (each.stage !== 'pose-joints') return each;
      const palettes = each.outputs.palettes!.slice();
      new Float32Array(palettes.buffer)[4 * 3 + 1]! += 0.5;
      return { ...each, outputs: { palettes } };
    });
    const { differences } = await replayStage({ ...capture, stages }, 'pose-joints');
    expect(differences).toEqual([
      expect.objectContaining({ array: 'palettes', field: 'row', count: 1, largest: 0.5, row: 3 }),
    ]);
  });

  test('has palettes that draws read, of those alone whom draws skin', async () => {
    const keep = capture.stages.find(({ stage }) => stage === 'keep-palettes')!;
    const skins = capture.stages.find(({ stage }) => stage === 'skin-vertices')!;
    expect(capture.options.skin).toEqual(['compute', 'vertex', 'compute']);
    const [before, after, last] = [keep.inputs['kept/0']!, keep.outputs['kept/0']!, skins.outputs['skinned/0']!];
    const row = before.findIndex((word, i) => word !== after[i]) >> 2;
    // skin-vertices leaves them alone
    expect(last.slice(4 * row, 4 * row + 4)).toEqual(after.slice(4 * row, 4 * row + 4));
    const kept = after.slice();
    new Float32Array(kept.buffer)[4 * row + 2]! += 0.25;
    const wrong = { ...capture, stages: [{ ...keep, outputs: { 'kept/0': kept } }] };
    const { differences } = await replayStage(wrong, 'keep-palettes');
    expect(differences).toEqual([
      expect.objectContaining({ array: 'kept/0', field: 'row', count: 1, largest: 0.25, row }),
    ]);
  });

  test.each(PLAIN_STAGES)('%s is refused where it lacks what it wrote, or all that it read', async (stage) => {
    const captured = capture.stages.find((each) => each.stage === stage)!;
    const first = Object.keys(captured.outputs)[0]!;
    const { [first]: gone, ...others } = captured.outputs;
    const wrong: Partial<CapturedStage>[] = [
      { outputs: {} },
      { outputs: others },
      { outputs: { ...others, [first]: gone!.slice(4) } },
      { inputs: {} },
      { inputs: { ...captured.inputs, dance: new Uint32Array(4) } },
    ];
    for (const part of wrong) {
      const forged = { ...capture, stages: [{ ...captured, ...part }] };
      await expect(replayStage(forged, stage)).rejects.toThrow(coded('CAPTURE_INVALID'));
    }
  });

  test('of a crowd without bounds on its memory comes back from its file', async () => {
    const boundless = { maxVertexBytes: Infinity, lodTolerancePx: Infinity };
    const crowd = await capturedCrowd(undefined, { backend: 'cpu', ...boundless });
    const read = readCapture(writeCapture(await captureFrame(crowd, { dt: 0.1, views: VIEWS })));
    for (const stage of PLAIN_STAGES) expect((await replayStage(read, stage)).differences).toEqual([]);
  });

  test('of a frame that nobody looks at has what runs then', async () => {
    const crowd = await capturedCrowd(undefined, { backend: 'cpu' });
    const unseen = readCapture(writeCapture(await captureFrame(crowd, { dt: 0.1, views: [] })));
    const stages = ['step-controllers', 'ground-characters', 'place-sockets'] as const;
    expect(unseen.stages.map(({ stage }) => stage)).toEqual(stages);
    for (const stage of stages) expect((await replayStage(unseen, stage)).differences).toEqual([]);
    await expect(replayStage(unseen, 'pose-joints')).rejects.toThrow(coded('CAPTURE_UNSUPPORTED'));
  });

  test('with vertex providers is replayed with them alone', async () => {
    const capture = await captureFrame(await tidalCrowd(undefined), { dt: 0.1 });
    const read = readCapture(writeCapture(capture));
    expect(read.stages.map(({ stage }) => stage)).toContain('update-characters');
    for (const stage of ['update-characters', 'skin-vertices'] as const) {
      await expect(replayStage(read, stage)).rejects.toThrow(coded('CAPTURE_UNSUPPORTED'));
      expect((await replayStage(read, stage, { providers: [TIDE] })).differences).toEqual([]);
      const smaller = { ...TIDE, characterRowCount: 0 };
      await expect(replayStage(read, stage, { providers: [smaller] })).rejects.toThrow(coded('CAPTURE_UNSUPPORTED'));
    }
    // what is kept for draws depends on the providers' rows, and not on their code
    expect((await replayStage(read, 'keep-palettes')).differences).toEqual([]);
    expect((await replayStage(read, 'pose-joints')).differences).toEqual([]);
    const still: VertexProvider = { ...TIDE, twin: (_, surface) => surface };
    const { differences } = await replayStage(read, 'skin-vertices', { providers: [still] });
    expect(differences).toEqual([expect.objectContaining({ array: 'skinned/0', field: 'position' })]);
  });

  test('is bounded, and the frame runs all the same', async () => {
    const crowd = await capturedCrowd(undefined, { backend: 'cpu' });
    await expect(captureFrame(crowd, { dt: 0.1, byteLimit: 10_000 })).rejects.toThrow(coded('CAPTURE_TOO_LARGE'));
    expect(crowd.frame).toBe(3);
    const { stages } = await captureFrame(crowd, { dt: 0.1, stages: ['pose-joints'] });
    expect(stages.map(({ stage }) => stage)).toEqual(['pose-joints']);
    await expect(captureFrame(crowd, { dt: 0, stages: ['dance' as never] })).rejects.toThrow(
      coded('CROWD_BAD_ARGUMENT'),
    );
  });

  test(`is refused where it is damaged`, () => {
    const random = new Random(runSeed);
    for (let i = 0; i < DAMAGES; i++) {
      const at = random.integer(0, file.length - 1);
      const damaged = file.slice(0, random.chance(0.1) ? at : undefined);
      if (damaged.length === file.length) damaged[at]! ^= random.integer(1, 255);
      expect(() => readCapture(damaged), `byte ${at}`).toThrow(coded('CAPTURE_INVALID'));
    }
    for (const bytes of [new Uint8Array(), new Uint8Array(100), new TextEncoder().encode('glTF')]) {
      expect(() => readCapture(bytes)).toThrow(coded('CAPTURE_INVALID'));
    }
  });

  test('is refused in another version, or where a section is missing or of another kind', () => {
    const sections = splitSections(file, new CaptureReport(undefined), CAPTURE_FORM);
    const joined = (others: readonly Section[], version = CAPTURE_VERSION) =>
      joinSections(version, others, CAPTURE_FORM)!;
    expect(() => readCapture(joined(sections))).not.toThrow();
    for (const version of [0, CAPTURE_VERSION - 1, CAPTURE_VERSION + 1]) {
      expect(() => readCapture(joined(sections, version))).toThrow(coded('CAPTURE_INVALID'));
    }
    const wrong: (readonly Section[])[] = [
      [],
      sections.slice(1),
      sections.slice(0, -1),
      sections.map(({ kind, bytes }) => ({ kind: kind === 'ARRY' ? 'CTRL' : kind, bytes })),
      sections.map(({ kind, bytes }) => ({ kind, bytes: kind === 'ARRY' ? bytes.subarray(1) : bytes })),
    ];
    for (const others of wrong) expect(() => readCapture(joined(others))).toThrow(coded('CAPTURE_INVALID'));
  });
});
