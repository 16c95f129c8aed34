import { describe, expect, it } from 'vitest';
import { readBaked, writeBaked } from '../../src/character/file/index.ts';
import { sample } from '../support/setup.ts';
import { stopwatch } from '../support/stopwatch.ts';
import { refusalOf, tryRead, withJson } from './damage.ts';
import { jsonOf, withDescription, type Json } from './edit.ts';
import { moteCharacter } from './mote.ts';
import { playAll } from './play.ts';

const character = moteCharacter();
const file = writeBaked(character);
const text = JSON.stringify(jsonOf(file));

describe('an invalid description', () => {
  it.each([
    ['', 'cannot be parsed'],
    ['{', 'cannot be parsed'],
    ['null', 'Expected an object, got null'],
    ['[]', 'Expected an object, got an empty list'],
    ['"mote"', 'Expected an object'],
    ['{}', 'Expected a string, got nothing'],
    [`${text}x`, 'cannot be parsed'],
    [`\ufeff${text}`, 'cannot be parsed'],
    [text.replace('"size":', '"size":1e999,"x":'), 'Expected a number'],
    [text.replace('"size":', '"size":NaN,"x":'), 'cannot be parsed'],
  ])('%.40s is refused', (json, message) => {
    const refusal = refusalOf(withJson(file, json));
    expect(refusal.code).toBe('BAKED_CORRUPT');
    expect(refusal.message).toContain(message);
  });

  it('that is not UTF-8 is refused, not mended', () => {
    const bytes = new TextEncoder().encode(text);
    bytes[bytes.indexOf(0x6d)] = 0xff; // the m of "mote"
    expect(refusalOf(withJson(file, bytes)).message).toContain('cannot be parsed');
  });
});

describe('a description that is a bomb', () => {
  const quick = (json: string) => {
    const elapsed = stopwatch();
    const refusal = refusalOf(withJson(file, json));
    expect(elapsed()).toBeLessThan(2000);
    expect(refusal.code).toBe('BAKED_CORRUPT');
    return refusal.message;
  };

  it('nested deeply', () => {
    expect(quick('['.repeat(5_000_000))).toContain('levels of nesting');
    expect(quick(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`)).toContain('levels of nesting');
    expect(quick(`${'['.repeat(33)}${']'.repeat(33)}`)).toContain('33 levels of nesting; the limit is 32');
  });

  it('of many values', () => {
    expect(quick(`[${'0,'.repeat(4_000_000)}0]`)).toContain('values; the limit is');
    expect(quick(`[${'[],'.repeat(2_000_000)}0]`)).toContain('values; the limit is');
    expect(quick(`{${'"a":{},'.repeat(1_000_000)}"b":0}`)).toContain('values; the limit is');
  });

  it('of many bytes', () => {
    expect(quick(' '.repeat(2 ** 24 + 1))).toContain('bytes of JSON; the limit is 16777216');
    expect(quick(text.replace('"mote"', `"${'m'.repeat(2 ** 24)}"`))).toContain('bytes of JSON');
  });

  it('of long lists that nothing else has', () => {
    const message = (change: (json: Json) => void) => refusalOf(withDescription(file, change)).message;
    expect(message((json) => void (json.joints = Array(5000).fill((json.joints as Json[])[0])))).toContain(
      'at most 4096',
    );
    expect(message((json) => void (json.morphNames = Array(1025).fill('x')))).toContain('at most 1024');
    expect(message((json) => void (json.parts = Array(65).fill('x')))).toContain('at most 64');
    expect(message((json) => void (json.images = Array(2000).fill((json.images as Json[])[0])))).toContain(
      'at most 1024',
    );
    const wrong = refusalOf(withDescription(file, (json) => void (json.issues = Array(200_000).fill(0))));
    expect(wrong.issues.length).toBe(41);
    expect(wrong.issues.at(-1)!.message).toBe('199960 more problems.');
  });
});

describe('fields', () => {
  it('that are not known are skipped', () => {
    const extended = withDescription(file, (json) => {
      json.impostors = [{ deep: [[[]]] }];
      (json.joints as Json[])[0]!.mirror = 3;
    });
    expect(readBaked(extended)).toEqual(character);
  });

  it('that are duplicated count once: the last', () => {
    expect(readBaked(withJson(file, text.replace('"mote"', '1,"name":"mote"')))).toEqual(character);
    expect(readBaked(withJson(file, text.replace('"mote"', '"other","name":"mote"'))).name).toBe('mote');
    expect(refusalOf(withJson(file, text.replace('"mote"', '"mote","name":1'))).message).toContain('Expected a string');
  });

  it('of the names of methods are not taken from prototypes', () => {
    const hostile = text.replace('{"name"', '{"__proto__":{"size":1},"constructor":1,"toString":2,"name"');
    expect(readBaked(withJson(file, hostile))).toEqual(character);
    const inherited = text.replace('"size"', '"__proto__":{"size":1},"sighs"');
    expect(refusalOf(withJson(file, inherited)).message).toContain(
      'json/size: Expected a number from 0 to 3.4e38, got nothing',
    );
  });

  it('of issues may have codes of other versions', () => {
    const later = withDescription(file, (json) => void ((json.issues as Json[])[0]!.code = 'GLTF_WORN'));
    expect(readBaked(later).issues[0]).toEqual({
      code: 'BAKED_UNKNOWN_ISSUE',
      severity: 'warning',
      path: '/meshes/0',
      message: 'GLTF_WORN: one vertex.',
      suggestion: 'None.',
    });
  });

  it.each([
    ['parentIndex', (json: Json) => void ((json.joints as Json[])[2]!.parentIndex = 4), 'parents come before children'],
    ['socket joint', (json: Json) => void ((json.sockets as Json[])[0]!.jointIndex = 4), 'is not of joint 4'],
    ['socket entry', (json: Json) => void ((json.sockets as Json[])[0]!.entry = 7), 'names entry 7 of 7'],
    ['clip count', (json: Json) => void (json.clips as Json[]).pop(), 'clipCount is 5'],
    ['clip form', (json: Json) => void ((json.clips as Json[])[0]!.form = 'exact'), 'ClipHeader.flags'],
    ['clip rates', (json: Json) => void ((json.clips as Json[])[1]!.form = 'linear'), 'ClipHeader.flags'],
    ['clip loops', (json: Json) => void ((json.clips as Json[])[0]!.loops = false), 'ClipHeader.flags'],
    ['clip knots', (json: Json) => void ((json.clips as Json[])[0]!.knots = 9), 'intervalCount'],
    ['clip duration', (json: Json) => void ((json.clips as Json[])[0]!.duration = 1.5), 'ClipHeader.duration'],
    ['material', (json: Json) => void ((json.primitives as Json[])[0]!.materialIndex = 2), 'has material 2 of 2'],
    ['part', (json: Json) => void ((json.primitives as Json[])[0]!.part = 3), 'is in part 3 of 3'],
    ['vertices', (json: Json) => void ((json.primitives as Json[])[0]!.vertexCount = 5), 'not at 5'],
    ['indices', (json: Json) => void ((json.primitives as Json[])[0]!.indexCount = 3), 'primitive before ends at 3'],
    ['sources', (json: Json) => void ((json.primitives as Json[])[0]!.sourceCount = 9), 'have 25 sources'],
    ['variant', (json: Json) => void ((json.batchRuns as Json[])[0]!.variant = 1), 'variants increase'],
    ['first batch', (json: Json) => void ((json.batchRuns as Json[])[1]!.firstBatch = 0), 'ends at 1'],
    ['batch count', (json: Json) => void ((json.batchRuns as Json[])[0]!.batchCount = 2 ** 50), 'batchCount is 4'],
    [
      'image of a texture',
      (json: Json) => void (((json.materials as Json[])[0]!.baseColorTexture as Json).imageIndex = 1),
      'is 1; there are 1',
    ],
    [
      'image of a normal map',
      (json: Json) => {
        const [material] = json.materials as Json[];
        material!.normalTexture = { ...(material!.baseColorTexture as Json), imageIndex: 1 };
      },
      'normalTexture/imageIndex: is 1; there are 1',
    ],
    ['images', (json: Json) => void (json.images as Json[]).push((json.images as Json[])[0]!), '2 entries for 1 image'],
    ['bounds', (json: Json) => void ((json.bounds as Json).min = [99, 0, 0]), 'min is above max'],
    ['histogram', (json: Json) => void (json.influenceHistogram = [1]), 'counts 1 vertices of 14'],
  ])('may not contradict the tables: %s', (_, change, message) => {
    expect(refusalOf(withDescription(file, change)).message).toContain(message);
  });

  it('of any wrong value are refused, or do no harm', { timeout: 600_000 }, async () => {
    const values = [null, true, 'x', -1, 0, 1, 1.5, 1e308, 2 ** 53, [], {}, [[]], undefined];
    const cases = sample(
      leaves(jsonOf(file)).flatMap((path) => values.map((value) => ({ path, value }))),
      12,
    );
    expect(cases.length).toBeGreaterThan(200);
    for (const { path, value } of cases) {
      const broken = withDescription(file, (json) => replace(json, path, value));
      const { character: read } = tryRead(broken);
      if (read) expect(await playAll(read, 2), `${path.join('/')} = ${JSON.stringify(value)}`).toBe(true);
    }
  });
});

/** Paths of everything in a value that holds nothing else, and of every list and object. */
function leaves(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inside = Object.entries(value).flatMap(([key, entry]) => leaves(entry, [...path, key]));
  return path.length === 0 ? inside : [path, ...inside];
}

function replace(json: Json, path: readonly string[], value: unknown): void {
  const holder = path.slice(0, -1).reduce((inner: Json, key) => inner[key] as Json, json);
  const key = path.at(-1)!;
  if (value === undefined) delete holder[key];
  else holder[key] = value;
}
