// Captures of crowds whose characters are not those that they were created with.
import { beforeAll, describe, expect, test } from 'vitest';
import { joinSections, splitSections, type Section } from '../../src/character/file/container.ts';
import {
  CAPTURE_VERSION,
  captureFrame,
  readCapture,
  replayStage,
  writeCapture,
  type FrameCapture,
  type TypePlace,
} from '../../src/capture/index.ts';
import { gapBytes, GAP_LIMIT } from '../../src/capture/check-places.ts';
import { CAPTURE_FORM, CaptureReport, type CaptureDescription } from '../../src/capture/form.ts';
import { spaceOf } from '../../src/capture/space.ts';
import type { Crowd } from '../../src/index.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { changedCrowd, PLAIN_STAGES, SHARING, VIEWS } from '../support/captured-crowd.ts';
import { coded } from '../support/crowd-truth.ts';
import { recruit, soldier } from '../support/soldiers.ts';
import { updateAndWait } from '../support/update-and-wait.ts';
import { internalsOf } from '../../src/crowd/internals.ts';

/** A file whose description, or sections, are others. */
function edited(
  file: Uint8Array<ArrayBuffer>,
  describe: (description: CaptureDescription) => object,
  section: (section: Section) => Section = (own) => own,
): Uint8Array<ArrayBuffer> {
  const [json, ...others] = splitSections(file, new CaptureReport(undefined), CAPTURE_FORM);
  const description = describe(JSON.parse(new TextDecoder().decode(json!.bytes)) as CaptureDescription);
  const bytes = new TextEncoder().encode(JSON.stringify(description));
  return joinSections(CAPTURE_VERSION, [{ kind: 'JSON', bytes }, ...others.map(section)], CAPTURE_FORM)!;
}

describe('a capture of a crowd whose characters have changed', () => {
  let crowd: Crowd;
  let capture: FrameCapture;
  beforeAll(async () => {
    crowd = await changedCrowd(undefined, { backend: 'cpu' });
    capture = readCapture(writeCapture(await captureFrame(crowd, { dt: 0.1, views: VIEWS })));
  });

  test('has its tables as they stand, gaps included', () => {
    const { types, rig, geometry, indices } = internalsOf(crowd).host.tables;
    const anew = spaceOf(capture, []).shape.tables;
    expect(anew.rig.words).toEqual(rig.words);
    expect(anew.geometry).toEqual(geometry);
    expect(anew.indices).toEqual(indices);
    expect(gapBytes(types)).toBeGreaterThan(0);
    // another crowd of the same characters has them elsewhere
    const { characters } = internalsOf(crowd).record.options;
    const other = createCrowd(undefined, { characters, capacity: 40, backend: 'cpu' });
    expect(internalsOf(other).host.tables.types.map(({ typeRow }) => typeRow)).not.toEqual(
      types.map(({ typeRow }) => typeRow),
    );
    // one level has a skeleton of its own
    expect(types.some(({ typeRow, levels }) => levels[1] && levels[1].skeletonRow !== typeRow)).toBe(true);
  });

  test.each(PLAIN_STAGES)('%s does on its twin again what it did', async (stage) => {
    const { outputs, differences } = await replayStage(capture, stage);
    expect(differences).toEqual([]);
    expect(outputs).toEqual(capture.stages.find((each) => each.stage === stage)!.outputs);
  });

  test('shows what differs where places are others', async () => {
    const { inputs, outputs } = capture.stages.find(({ stage }) => stage === 'cull-characters')!;
    const visible = outputs.visible!.slice();
    visible[2]! += 1;
    const stages = [{ stage: 'cull-characters' as const, inputs, outputs: { ...outputs, visible } }];
    const { differences } = await replayStage({ ...capture, stages }, 'cull-characters');
    expect(differences).toEqual([
      expect.objectContaining({ array: 'visible', field: 'geometryRow', count: 1, largest: 1, row: 0 }),
    ]);
  });

  test('that shares poses, too', async () => {
    const sharing = await changedCrowd(undefined, { backend: 'cpu', poseSharing: SHARING });
    const shared = readCapture(writeCapture(await captureFrame(sharing, { dt: 0.6, views: VIEWS })));
    for (const { stage } of shared.stages) expect((await replayStage(shared, stage)).differences).toEqual([]);
  });

  test('is refused where types have no place of their own, or one that is out of all proportion', () => {
    const [first, second] = capture.places;
    const file = (index: number, place: Partial<TypePlace>) =>
      writeCapture({ ...capture, places: capture.places.map((own, c) => (c === index ? { ...own, ...place } : own)) });
    const level = (place: TypePlace, part: Partial<TypePlace['levels'][number]>) => ({
      levels: place.levels.map((own) => ({ ...own, ...part })),
    });
    const late = capture.places.findIndex(({ levels }) => levels.length === 2);
    const lod = capture.places[late]!;
    expect(() => readCapture(file(0, {}))).not.toThrow();
    const wrong: [number, Partial<TypePlace>][] = [
      [0, { typeRow: second!.typeRow }],
      [0, { typeRow: second!.typeRow + 1 }],
      [0, { controllerRow: first!.typeRow }],
      [0, { controllerRow: -1 }],
      [1, { controllerRow: 2 ** 20 }],
      [0, level(first!, { geometryRow: second!.levels[0]!.geometryRow + 1 })],
      [0, level(first!, { firstIndex: second!.levels[0]!.firstIndex + 1 })],
      [0, level(first!, { skeletonRow: first!.typeRow + 1 })],
      [0, { levels: [] }],
      [0, { levels: [...first!.levels, ...first!.levels] }],
      [late, { levels: [lod.levels[0]!, { ...lod.levels[1]!, skeletonRow: lod.typeRow }] }],
      [0, { typeRow: -1 }],
      [0, { typeRow: 0.5 }],
    ];
    for (const [index, place] of wrong) {
      expect(() => readCapture(file(index, place)), JSON.stringify(place)).toThrow(coded('CAPTURE_INVALID'));
    }
    // a place far behind all others makes a table that long: such a crowd's capture is not written
    const far = { typeRow: GAP_LIMIT / 16 + 1000 };
    const levels = first!.levels.map((own) => ({ ...own, skeletonRow: far.typeRow }));
    expect(() => file(0, { ...far, levels })).toThrow(coded('CAPTURE_TOO_LARGE'));
    // nor read, whoever wrote it
    const forged = (place: object | undefined) =>
      edited(writeCapture(capture), ({ characters, ...others }) => ({
        ...others,
        characters: characters.map((own, c) => (c === 0 ? { ...own, place } : own)),
      }));
    expect(() => readCapture(forged(first))).not.toThrow();
    expect(() => readCapture(forged({ ...first, ...far, levels }))).toThrow(/bytes of the crowd's tables empty/);
    for (const place of [undefined, { ...first, typeRow: 2 ** 28 + 1 }, { ...first, levels: [{}] }]) {
      expect(() => readCapture(forged(place))).toThrow(coded('CAPTURE_INVALID'));
    }
  });

  test('has no controllers that are many times what the file is', () => {
    const forged = edited(
      writeCapture(capture),
      ({ characters, ...others }) => {
        const controlled = characters.find(({ controller }) => controller);
        return { ...others, characters: Array.from({ length: 1000 }, () => controlled), stages: [] };
      },
      ({ kind, bytes }) => ({ kind, bytes: kind === 'CTRL' ? new Uint8Array(2 ** 21) : bytes }),
    );
    expect(() => readCapture(forged)).toThrow('are 2097152000 bytes');
  });

  test('has a character in one place that is in the crowd twice', async () => {
    const [twice, once] = [recruit(), soldier()];
    const double = createCrowd(undefined, { characters: [twice, once, twice], capacity: 8, backend: 'cpu' });
    double.spawn(twice, { count: 3 }).play('walk');
    double.spawn(once, { count: 2 });
    await updateAndWait(double, { dt: 0.2 });
    const read = readCapture(writeCapture(await captureFrame(double, { dt: 0.1 })));
    expect(read.places[0]).toEqual(read.places[2]);
    for (const { stage } of read.stages) expect((await replayStage(read, stage)).differences).toEqual([]);
  });
});
