import { describe, expect, it } from 'vitest';
import { Random } from '../support/random.ts';
import { stopwatch } from '../support/stopwatch.ts';
import { UncheckedBlob } from '../../src/character/file/blob.ts';
import { InfluenceCheck, MorphCheck } from '../../src/character/file/checks/deformation.ts';
import { readBaked, writeBaked } from '../../src/character/file/index.ts';
import { Report } from '../../src/character/file/report.ts';
import {
  GEOMETRY_TANGENTS,
  GEOMETRY_TEXCOORDS,
  GeometryHeader,
  LOADER_VARIABLE,
  SkinBatch,
} from '../../src/character/format/geometry-layout.ts';
import { RigTable } from '../../src/character/format/clip-format.ts';
import {
  CharacterType,
  ClipHeader,
  ClipInterval,
  RestLane,
  TYPE_CUBIC,
} from '../../src/character/format/rig-layout.ts';
import type { Fields, Struct } from '../../src/layout/index.ts';
import { assemble, refusalOf, reseal, viewOf } from './damage.ts';
import { Table, withDescription, withTable, type Json } from './edit.ts';
import { strayFetches } from './kernel-fetches.ts';
import { moteCharacter, recordedMote } from './mote.ts';
import { playAll } from './play.ts';

/** Files whose checksums are right, and one statement in which is a lie. */
const character = moteCharacter();
const file = writeBaked(character);
const [WAVE, BOUNCE, BLINK, FAR, POSE] = ['Wave', 'Bounce', 'Blink', 'Far', 'Pose'].map((name) =>
  character.clips.findIndex((clip) => clip.name === name),
) as [number, number, number, number, number];
const RIG_PAIRS = character.rig.length / 2;

type Edit = (table: Table) => void;

/** Words are written as they are, all other numbers as floats. */
function put(table: Table, at: number, value: number): void {
  if (value === value >>> 0) table.words[at] = value;
  else table.floats[at] = value;
}

function clipWord(table: Table, clip: number): number {
  return 4 * table.get(CharacterType, 0, 'clipRow') + (clip * ClipHeader.size) / 4;
}

/** Sets a field of a clip's header. */
function clipField(clip: number, key: keyof (typeof ClipHeader)['fields'], value: number): Edit {
  return (table) => table.set(ClipHeader, clipWord(table, clip), key, value);
}

/** Sets a field of one of a clip's intervals. */
function interval(clip: number, k: number, key: keyof (typeof ClipInterval)['fields'], value: number): Edit {
  return (table) => {
    const first = 4 * table.get(ClipHeader, clipWord(table, clip), 'intervalRow');
    table.set(ClipInterval, first + (k * ClipInterval.size) / 4, key, value);
  };
}

/** Sets a word of what a clip's header points at. */
function clipData(
  clip: number,
  key: 'hintPair' | 'trackPair' | 'constantPair' | 'valuePair' | 'tangentPair',
  word: number,
  value: number,
): Edit {
  return (table) => {
    const at = 2 * table.get(ClipHeader, clipWord(table, clip), key) + word;
    put(table, at, value);
  };
}

function both(first: Edit, second: Edit): Edit {
  return (table) => {
    first(table);
    second(table);
  };
}

function typeField(key: keyof (typeof CharacterType)['fields'], value: number): Edit {
  return (table) => table.set(CharacterType, 0, key, value);
}

function rest(lane: number, key: keyof (typeof RestLane)['fields'], value: number): Edit {
  return (table) => {
    const at = 4 * table.get(CharacterType, 0, 'restRow') + (lane * RestLane.size + RestLane.offsets[key]) / 4;
    table.floats[at] = value;
  };
}

const rigCases: [what: string, edit: Edit, message: RegExp][] = [
  ['no joints', typeField('jointCount', 0), /jointCount is 0; 1 to 4096/],
  ['more joints than are described', typeField('jointCount', 7), /jointCount is 7; the list of joints makes it 6/],
  ['lanes without end', typeField('laneCount', 0xffffffff), /laneCount/],
  ['a palette without end', typeField('paletteCount', 0xffffffff), /paletteStride/],
  ['a palette too small', typeField('paletteStride', 1), /paletteStride/],
  ['rounds without end', typeField('roundCount', 0xffffffff), /roundCount/],
  ['the wrong path', typeField('flags', 14), /CharacterType.flags is 14; what the character holds makes it 12/],
  ['no rates', typeField('flags', 4), /CharacterType.flags is 4; what the character holds makes it 12/],
  ['no exact clips', typeField('flags', 8), /CharacterType.flags is 8; what the character holds makes it 12/],
  ['no scales, where one is animated', typeField('flags', 13), /lane 5 is scaled; all scales are 1/],
  ['no scales, where one is not 1', both(typeField('flags', 13), rest(3, 'scale', 1.5)), /rest scale of lane 3 is 1.5, 1, 1/],
  ['unknown flags', typeField('flags', 0x100), /flags/],
  ['rest poses outside', typeField('restRow', 0xfffffff0), /RestLane.*would end/],
  ['rest poses in the record itself', typeField('restRow', 0), /RestLane overlaps/],
  ['an odd palette', typeField('bindJointPair', 3), /does not begin on a row/],
  ['a joint that is its own ancestor', (t) => void (t.words[2 * t.get(CharacterType, 0, 'ancestorPair') + 4] = 0xffffff02), /ancestor of joint 2 in round 0 is 2/],
  ['an ancestor after its joint', (t) => void (t.words[2 * t.get(CharacterType, 0, 'ancestorPair')] = 0xffffff05), /ancestor of joint 0/],
  ['an ancestor after the last round', (t) => void (t.words[2 * t.get(CharacterType, 0, 'ancestorPair') + 3] = 0), /in round 4/],
  ['a palette entry of no joint', (t) => void (t.words[2 * t.get(CharacterType, 0, 'bindJointPair') + 1] = 6), /names joint 6 of 6/],
  ['an infinite inverse bind', (t) => void (t.floats[4 * t.get(CharacterType, 0, 'bindRow') + 3] = Infinity), /inverse bind is Infinity/],
  ['a socket that is not its joint', (t) => void (t.floats[4 * t.get(CharacterType, 0, 'bindRow') + 12 * 6] = 2), /inverse bind is not the identity/],
  ['a rest rotation of no length', (t) => [0, 1, 2, 3].forEach((c) => (t.floats[4 * t.get(CharacterType, 0, 'restRow') + c] = 0)), /has length 0/],
  ['a rest position of NaN', rest(3, 'translation', Number.NaN), /rest translation is NaN/],
  ['an absurd rest scale', rest(3, 'scale', 1e30), /rest scale is/],
  ['no intervals', clipField(WAVE, 'intervalCount', 0), /intervalCount/],
  ['intervals outside', clipField(WAVE, 'intervalRow', 0x0fffffff), /interval table.*would end/],
  ['values of two clips in one place', (t) => clipField(WAVE, 'valuePair', t.get(ClipHeader, clipWord(t, BOUNCE), 'valuePair'))(t), /overlaps/],
  ['a clip that begins late', interval(WAVE, 0, 'startPhase', 5), /first interval begins at 5/],
  ['intervals out of order', interval(WAVE, 1, 'startPhase', 0xffffffff), /inverse span|begins before/],
  ['an interval of no length', interval(WAVE, 0, 'inversePhaseSpan', Infinity), /inverse span Infinity/],
  ['an interval of NaN length', interval(WAVE, 0, 'inversePhaseSpan', Number.NaN), /inverse span NaN/],
  ['values outside', interval(WAVE, 0, 'valueRow', 0x10000), /value rows.*would end/],
  ['tangents outside', interval(BOUNCE, 0, 'tangentRow', 0x7fffffff), /tangent rows.*would end/],
  ['rates of a clip without them', interval(BLINK, 1, 'tangentRow', 0), /interval 1 has rates, the clip's flags say that none has/],
  ['values at the very end', clipField(POSE, 'valuePair', RIG_PAIRS), /value rows and a pair more \(2 words\) would end/],
  ['an interval that is one off', interval(FAR, 1, 'valueRow', 5), /not that of an exact clip/],
  ['a cubic in an exact clip', interval(FAR, 1, 'tangentRow', 0), /not that of an exact clip/],
  ['a hint that is never left', clipData(WAVE, 'hintPair', 0, 0x00000001), /hint 0 is 1 to 0/],
  ['a hint to nowhere', clipData(WAVE, 'hintPair', 1, 0xffff0000), /hint 1/],
  ['hints without end', clipField(WAVE, 'hintShift', 1), /hintShift is 1; 20 to 31/],
  ['a shift by too much', clipField(WAVE, 'hintShift', 32), /hintShift is 32/],
  ['a rotation that is not there', clipData(WAVE, 'trackPair', 2, 0xffff0007), /names channel 7 of 1/],
  ['constants outside, of a clip without any', clipField(BOUNCE, 'constantPair', RIG_PAIRS), /constants \(2 words\) would end/],
  ['constants between rows', clipField(BLINK, 'constantPair', 7), /constants does not begin on a row/],
  ['a constant in the next table', clipData(BLINK, 'trackPair', 2 * 4, 0x8002ffff), /constants overlaps another table/],
  ['a constant that is not there', clipData(WAVE, 'trackPair', 2, 0xfffffffe), /constants.*would end/],
  ['a constant of NaN', clipData(FAR, 'constantPair', 0, Number.NaN), /constant is NaN/],
  ['channels in the wrong order', clipField(WAVE, 'translationBase', 9), /translationBase/],
  ['more channels than a row has', clipField(WAVE, 'scaleBase', 3), /scaleBase/],
  ['rows of another length', clipField(WAVE, 'rowStride', 0), /rowStride/],
  ['a unit of NaN', clipField(WAVE, 'translationUnit', Number.NaN), /translationUnit is NaN/],
  ['a unit between', clipField(WAVE, 'scaleUnit', 0.3), /powers of two/],
  ['a unit of 0', clipField(BOUNCE, 'translationRateUnit', 0), /powers of two/],
  ['a unit that overflows', clipField(WAVE, 'translationUnit', 2 ** 90), /translationUnit/],
  ['rates that overflow', clipField(BOUNCE, 'translationRateUnit', 2 ** 60), /lets a tangent be/],
  ['a negative duration', clipField(WAVE, 'duration', -1), /duration is -1/],
  ['an endless duration', clipField(WAVE, 'duration', Infinity), /duration/],
  ['flags that do not go together', clipField(FAR, 'flags', 6), /ClipHeader.flags is 6; the description of the clip makes it 2/],
  ['exact values of NaN', clipData(FAR, 'valuePair', 0, Number.NaN), /value is NaN/],
  ['an exact rate without end', clipData(FAR, 'valuePair', 2 * 8 + 4, Infinity), /a rate is Infinity/],
  ['an exact rate that overflows', clipData(FAR, 'valuePair', 2 * 8 + 4, 2 ** 100), /a rate is 1.267/],
  ['a slerp by more than half a turn', clipData(FAR, 'valuePair', 2 * 8, 1.8), /slerp turns by/],
  ['channels that nobody named', (t) => void (t.words[clipWord(t, WAVE) + ClipHeader.offsets.pad1 / 4] = 1), /pad1 has to be 0/],
]; // prettier-ignore

function header(key: keyof (typeof GeometryHeader)['fields'], value: number): Edit {
  return (table) => table.set(GeometryHeader, 0, key, value);
}

function batchWord(table: Table, batch: number): number {
  return 4 * table.get(GeometryHeader, 0, 'batchRow') + (batch * SkinBatch.size) / 4;
}

function batch(index: number, key: keyof (typeof SkinBatch)['fields'], value: number): Edit {
  return (table) => table.set(SkinBatch, batchWord(table, index), key, value);
}

/** Sets a word of a stream that a record points at. */
function stream<F extends Fields>(
  struct: Struct<F>,
  record: (t: Table) => number,
  key: keyof F & string,
  unit: 1 | 4,
  word: number,
  value: number,
): Edit {
  return (table) => {
    const at = unit * table.get(struct, record(table), key) + word;
    put(table, at, value);
  };
}

const first = () => 0;
const at = (index: number) => (table: Table) => batchWord(table, index);

const geometryCases: [what: string, edit: Edit, message: RegExp][] = [
  ['more vertices than are described', header('vertexCount', 15), /vertexCount is 15/],
  ['batches outside', header('batchRow', 0x0ffffff0), /batches.*would end/],
  ['unknown flags', header('flags', 0x80), /flags/],
  ['no vertex without influence', header('flags', GEOMETRY_TANGENTS | GEOMETRY_TEXCOORDS), /flags say that no vertex has no influence; one has none/],
  ['influences of entries that the palette lacks', header('paletteCount', 8), /paletteCount is 8; 0 to 7/],
  ['weights inside the palette', header('morphWeightRow', 0), /morphWeightRow/],
  ['positions outside', header('positionRow', 0x3fffffff), /positions.*would end/],
  ['tangents outside', header('tangentWord', 0xfffffff0), /tangents.*would end/],
  ['a position of NaN', stream(GeometryHeader, first, 'positionRow', 4, 4, Number.NaN), /position is NaN/],
  ['an endless texture coordinate', stream(GeometryHeader, first, 'texcoordWord', 1, 3, Infinity), /texture coordinate is Infinity/],
  ['an empty batch', batch(1, 'vertexCount', 0), /vertexCount is 0; 1 to 256/],
  ['a batch too large', batch(1, 'vertexCount', 257), /vertexCount is 257; 1 to 256/],
  ['batches that share vertices', batch(1, 'firstVertex', 0), /firstVertex is 0; the batch before makes it 4/],
  ['batches beyond the vertices', batch(3, 'vertexCount', 4), /ends at vertex 15 of 14/],
  ['vertices without a batch', batch(3, 'vertexCount', 2), /batches end at vertex 13 of 14/],
  ['fixed influences outside', batch(0, 'influence', 0x3fffffff), /influences.*would end/],
  ['variable influences outside', batch(1, 'influence', 0xffffffff), /influence headers.*would end/],
  ['an entry that is not there', stream(SkinBatch, at(0), 'influence', 4, 4, 0x00060001), /names palette entry 6 of 6/],
  ['weights that do not sum to 1', stream(SkinBatch, at(0), 'influence', 4, 6, 1), /weights of a vertex sum to/],
  ['a first weight of 0', stream(SkinBatch, at(0), 'influence', 4, 6, 0xffff0000), /weights of a vertex are 0, 65535, 0, 0; those of 0 come last/],
  ['a weight after one of 0', both(stream(SkinBatch, at(0), 'influence', 4, 6, 0xfffe), stream(SkinBatch, at(0), 'influence', 4, 7, 1)), /weights of a vertex are 65534, 0, 1, 0; those of 0 come last/],
  ['influences that are left out', batch(0, 'influenceCount', 1), /influenceCount is 1; 2 to 4 are allowed/],
  ['more influences than a row has', batch(0, 'influenceCount', 5), /influenceCount is 5; 2 to 4 are allowed/],
  ['fewer influences than headers say', batch(1, 'influenceCount', 4), /influenceCount is 4; the vertex with the most makes it 5/],
  ['padding that holds something', (t) => void (t.words[batchWord(t, 1) + SkinBatch.offsets.namedRow / 4] = 1), /NamedChannels overlaps another table/],
  ['a variant that runs tell', batch(1, 'variant', 1), /variant is 1; the format, where runs have the variant, makes it 0/],
  ['pairs outside', stream(SkinBatch, at(1), 'influence', 1, 0, 0x05ffffff), /influences.*would end/],
  ['a pair that names nothing', stream(GeometryHeader, first, 'influencePairWord', 1, 0, 6), /names palette entry 6 of 6/],
  ['a weight of NaN', stream(GeometryHeader, first, 'influencePairWord', 1, 1, Number.NaN), /weight is NaN/],
  ['a negative weight', stream(GeometryHeader, first, 'influencePairWord', 1, 1, -0.4), /weight is -0.4/],
  ['float weights that do not sum to 1', stream(GeometryHeader, first, 'influencePairWord', 1, 1, 0.9), /weights of a vertex sum to 1\.49/],
  ['morph weights that are not there', batch(2, 'morphTargets', 0x00020001), /names weights 1 to 3 of 2/],
  ['no morph targets', batch(2, 'morphTargets', 0), /names weights 0 to 0/],
  ['morph targets without the variant', batch(0, 'morphTargets', 0x00010000), /morphTargets is 65536/],
  ['deltas outside', batch(2, 'morphStride', 0xffffffff), /morph deltas.*would end/],
  ['a delta of NaN', stream(SkinBatch, at(2), 'morphWord', 1, 1, Number.NaN), /morph delta is NaN/],
  ['a half that is infinite', stream(SkinBatch, at(2), 'morphWord', 1, 4, 0x7c000000), /half that is not finite/],
  ['a part that is left out', (t) => void (t.words[batchWord(t, 1) + 2] = 1), /does not name part 1/],
  ['a part that does not exist', (t) => void (t.words[batchWord(t, 1) + 3] = 1), /names parts that do not exist/],
]; // prettier-ignore

describe('a lie in the rig blob', () => {
  it.each(rigCases)('%s', (_, edit, message) => {
    const refusal = refusalOf(withTable(file, 'RIG ', edit));
    expect(refusal.code).toBe('BAKED_CORRUPT');
    expect(refusal.message).toMatch(message);
    for (const { path } of refusal.issues) expect(path).toMatch(/^file:(rig\+\d+|json\/)/);
  });
});

const recorded = recordedMote();
const recordedFile = writeBaked(recorded);
const SHIVERING = recorded.clips.findIndex(({ form }) => form === 'sampled');

/** Sets a word of the first SampledChannel of a segment. */
function channelWord(word: number, value: number, channel = 0): Edit {
  return (table) => {
    const pair = table.get(ClipHeader, clipWord(table, SHIVERING), 'valuePair');
    put(table, 2 * pair + 4 * channel + word, value);
  };
}

const sampledCases: [what: string, edit: Edit, message: RegExp][] = [
  ['no flag of the clip', clipField(SHIVERING, 'flags', 1), /ClipHeader.flags is 1; the description of the clip makes it 9/],
  ['no flag of the type', typeField('flags', 12), /CharacterType.flags is 12; what the character holds makes it 44/],
  ['no channels', clipField(SHIVERING, 'rowStride', 0), /rowStride/],
  ['a segment without steps', interval(SHIVERING, 0, 'tangentRow', 100 << 14), /segment 0 has no steps/],
  ['more steps than knots', interval(SHIVERING, 0, 'tangentRow', 41), /codes of channel|leads to/],
  ['a run that ends in the codes', interval(SHIVERING, 0, 'tangentRow', 40), /end at bit .* of 0/],
  ['a run that ends in a pair', interval(SHIVERING, 0, 'tangentRow', 40 | (65 << 14)), /has 65 bits; runs are whole pairs/],
  ['codes in two pairs', both(interval(SHIVERING, 0, 'tangentRow', 19 | (128 << 14)), channelWord(3, 62 | (1 << 18))), /lie in two pairs: bits 62 to/],
  ['steps without end', interval(SHIVERING, 0, 'tangentRow', 0xfff03fff), /segment 0 .* would end/],
  ['a segment outside', interval(SHIVERING, 0, 'valueRow', 0xfffffff0), /segment 0 .* would end/],
  ['a segment at the very end', both(clipField(SHIVERING, 'valuePair', recorded.rig.length / 2 - 12), interval(SHIVERING, 0, 'tangentRow', 1)), /segment 0 .*(overlaps|would end)/],
  ['segments in one place', clipField(SHIVERING, 'valuePair', 0), /segment 0 overlaps/],
  ['codes beyond the run', channelWord(3, 0x3ffff), /codes of channel 0 end at bit/],
  ['steps outside', clipField(SHIVERING, 'tangentPair', 0xfffffff0), /steps of channels .*would end/],
  ['a step of 0', clipData(SHIVERING, 'tangentPair', 0, 0), /step of channel 0 is 0/],
  ['a step of NaN', clipData(SHIVERING, 'tangentPair', 0, 0x7fc00000), /step of channel 0 is NaN/],
  ['a negative step', clipData(SHIVERING, 'tangentPair', 0, 0xbf800000), /step of channel 0 is -1/],
  ['a unit without end', clipData(SHIVERING, 'tangentPair', 0, 0x5480001f), /step of channel 0 is/],
  ['bits that have no meaning', clipData(SHIVERING, 'tangentPair', 0, 0x38000020), /step of channel 0 is/],
  ['a channel that is not there', clipData(SHIVERING, 'trackPair', 2, 0xffff0007), /names channel 7 of 5/],
]; // prettier-ignore

describe('a lie about a clip in sampled form', () => {
  it.each(sampledCases)('%s', (_, edit, message) => {
    const refusal = refusalOf(withTable(recordedFile, 'RIG ', edit));
    expect(refusal.code).toBe('BAKED_CORRUPT');
    expect(refusal.message).toMatch(message);
  });

  it('is not that of codes and lines, which may have any bits', async () => {
    const noise = new Random(5);
    const edit: Edit = (table) => {
      const { valuePair, rowStride } = new RigTable(table.words.slice()).clip(0, SHIVERING);
      for (let word = 0; word < 4 * rowStride; word++) {
        if (word % 4 < 3) table.words[2 * valuePair + word] = noise.integer(0, 0xffffffff);
      }
      for (let word = 4 * rowStride; word < 4 * rowStride + 40; word++) {
        table.words[2 * valuePair + word] = noise.integer(0, 0xffffffff);
      }
    };
    expect(await playAll(readBaked(withTable(recordedFile, 'RIG ', edit)))).toBe(true);
  });

  it('is not in older files', () => {
    const older = recordedFile.slice();
    viewOf(older).setUint32(8, 3, true);
    expect(refusalOf(reseal(older)).message).toMatch(/version 3 have no clips in sampled form/);
  });
});

describe('a lie in the geometry blob', () => {
  it.each(geometryCases)('%s', (_, edit, message) => {
    const refusal = refusalOf(withTable(file, 'GEOM', edit));
    expect(refusal.code).toBe('BAKED_CORRUPT');
    expect(refusal.message).toMatch(message);
  });
});

describe('a lie that table and description share', () => {
  const withForm = (clip: number, form: string, edit: Edit) =>
    withDescription(withTable(file, 'RIG ', edit), (json) => void ((json.clips as Json[])[clip]!.form = form));

  it('a clip with rates is called linear', () => {
    const broken = withForm(BOUNCE, 'linear', clipField(BOUNCE, 'flags', 1));
    expect(refusalOf(broken).message).toMatch(/interval 0 has rates, the clip's flags say that none has/);
  });

  it('a clip without rates is called cubic', () => {
    const broken = withForm(BLINK, 'cubic', clipField(BLINK, 'flags', 4));
    expect(refusalOf(broken).message).toMatch(/flags say that there are rates; no interval has any/);
  });

  it('tangents end where the blob does', () => {
    const broken = assemble(file, (kind, bytes) => {
      if (kind !== 'RIG ') return bytes;
      // two rows of two pairs
      const grown = Uint8Array.of(...bytes, ...new Uint8Array(32));
      clipField(BOUNCE, 'tangentPair', RIG_PAIRS)(new Table(grown));
      return grown;
    });
    expect(refusalOf(broken).message).toMatch(/tangent rows and a pair more \(10 words\) would end/);
  });

  it('no vertex is unmoved, but the flags say so', () => {
    const broken = withTable(file, 'GEOM', (table) => {
      for (const index of [0, 2]) stream(SkinBatch, at(index), 'influence', 4, 2, 0xffff)(table);
    });
    expect(refusalOf(broken).message).toMatch(/flags say that some vertex has no influence; none has none/);
  });
});

describe('other tables', () => {
  it.each([
    ['INDX', 3, /names vertex 99, outside 0 to 4/],
    ['SRCV', 7, /names vertex 99, outside 0 to 4/],
  ] as const)('%s names a vertex of another primitive', (kind, word, message) => {
    const broken = withTable(file, kind, (table) => void (table.words[word] = 99));
    expect(refusalOf(broken).message).toMatch(message);
  });

  it.each(['RIG ', 'GEOM', 'INDX', 'SRCV'] as const)('%s is empty, or not whole', (kind) => {
    for (const length of [0, 1, 4, 12, 17]) {
      const cut = assemble(file, (section, bytes) => (section === kind ? bytes.slice(0, length) : bytes));
      expect(refusalOf(cut).code).toBe('BAKED_CORRUPT');
    }
    const longer = assemble(file, (section, bytes) => (section === kind ? Uint8Array.of(...bytes, 0, 0) : bytes));
    expect(refusalOf(longer).message).toMatch(/not a multiple of/);
  });

  it('the rig is larger than it needs to be: gaps do no harm', () => {
    const longer = assemble(file, (section, bytes) =>
      section === 'RIG ' ? Uint8Array.of(...bytes, ...new Uint8Array(64).fill(0xee)) : bytes,
    );
    expect(readBaked(longer).rig.length).toBe(character.rig.length + 16);
  });
});

describe('the harness of these tests', () => {
  it.each([
    ['a rotation that is not there', clipData(WAVE, 'trackPair', 2, 0xffff7000)],
    ['tangents outside', interval(BOUNCE, 0, 'tangentRow', 0x7fffff)],
    ['an inverse bind of NaN', (t: Table) => void (t.floats[4 * t.get(CharacterType, 0, 'bindRow') + 3] = Number.NaN)],
    ['a rest position of NaN', rest(3, 'translation', Number.NaN)],
  ])('sees the effect of %s where nothing checks it', async (_, edit) => {
    const table = new Table(new Uint8Array(character.rig.slice().buffer));
    edit(table);
    const played = playAll({ ...character, rig: table.words as Uint32Array<ArrayBuffer> }).catch(
      (thrown: unknown) => thrown,
    );
    expect([false, expect.any(RangeError)]).toContainEqual(await played);
  });
});

describe('what kernels fetch and twins do not', () => {
  it('lies inside the tables', () => {
    expect(strayFetches(character)).toEqual([]);
    expect(strayFetches(recorded)).toEqual([]);
  });

  it.each<[what: string, kind: 'rig' | 'geometry', edit: Edit, stray: RegExp]>([
    ['constants of a clip without any', 'rig', clipField(BOUNCE, 'constantPair', RIG_PAIRS), /constant at rig/],
    ['values at the very end', 'rig', clipField(POSE, 'valuePair', RIG_PAIRS), /rate at rig/],
    ['no rates', 'rig', typeField('flags', 4), /rates that are left out/],
    ['no exact clips', 'rig', typeField('flags', 8), /exact clip that is left out/],
    ['no scales', 'rig', typeField('flags', 13), /scale that is left out/],
    ['influences that are left out', 'geometry', batch(0, 'influenceCount', 1), /weights that are left out/],
    ['no vertex without influence', 'geometry', header('flags', 0), /vertex that nothing moves/],
  ])('is seen where nothing checks it: %s', (_, kind, edit, stray) => {
    const table = new Table(new Uint8Array(character[kind].slice().buffer));
    edit(table);
    expect(strayFetches({ ...character, [kind]: table.words }).join('\n')).toMatch(stray);
  });
});

describe('small files that ask for much work', () => {
  it('refuses forty thousand clips that share one table', () => {
    const count = 40_000;
    const many = assemble(file, (kind, bytes) => {
      if (kind === 'JSON') {
        const json = JSON.parse(new TextDecoder().decode(bytes)) as Json & { clips: unknown[] };
        json.clips = Array.from({ length: count }, () => json.clips[WAVE]);
        return new TextEncoder().encode(JSON.stringify(json));
      }
      if (kind !== 'RIG ') return bytes;
      const grown = new Uint8Array(bytes.length + count * ClipHeader.size);
      grown.set(bytes);
      const table = new Table(grown);
      const start = 4 * clipWord(table, WAVE);
      for (let i = 0; i < count; i++) {
        grown.copyWithin(bytes.length + i * ClipHeader.size, start, start + ClipHeader.size);
      }
      table.set(CharacterType, 0, 'clipRow', bytes.length / 16);
      table.set(CharacterType, 0, 'clipCount', count);
      table.set(CharacterType, 0, 'flags', TYPE_CUBIC);
      return grown;
    });
    const elapsed = stopwatch();
    expect(refusalOf(many).message).toMatch(/overlaps another table/);
    expect(elapsed()).toBeLessThan(5000);
  });

  it('refuses seventy thousand primitives that share all triangles', () => {
    const many = withDescription(file, (json) => {
      const [primitive] = json.primitives as Json[];
      json.primitives = Array.from({ length: 70_000 }, () => primitive);
    });
    const elapsed = stopwatch();
    expect(refusalOf(many).message).toMatch(/begins at index 0; the primitive before ends at 6/);
    expect(elapsed()).toBeLessThan(5000);
  });

  it('counts what batches read, however often it is the same', () => {
    const shared = () => {
      const report = new Report(undefined);
      const words = new Uint32Array(2048);
      // a batch of 256 vertices, one morph target
      words.set([0, 256, 1, 0, 16, 16, 0, 1 << 16]);
      const blob = new UncheckedBlob('geometry', words, report);
      return { report, words, blob, batch: blob.record(SkinBatch, 0) };
    };
    const morphed = shared();
    const morphs = new MorphCheck(morphed.blob, 1);
    morphs.check(morphed.batch);
    expect(morphed.report.failed).toBe(false);
    morphs.check(morphed.batch);
    expect(() => morphed.report.throwIfFailed()).toThrow(/more deltas than the blob can hold/);

    const influenced = shared();
    const pairWord = 512;
    // every vertex has the same 255 influences
    influenced.words.fill(0xff << 24, 16, 16 + 256);
    for (let i = 0; i < 255; i++) influenced.blob.floats[pairWord + 2 * i + 1] = 1 / 255;
    new InfluenceCheck(influenced.blob, pairWord, 1).check(influenced.batch, LOADER_VARIABLE);
    expect(() => influenced.report.throwIfFailed()).toThrow(/more influences than the blob can hold/);
  });
});
