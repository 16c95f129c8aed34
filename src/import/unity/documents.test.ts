import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { unity } from '../../../test/import/unity-yaml.ts';
import { noShared, shared } from '../../../test/support/setup.ts';
import { stopwatch } from '../../../test/support/stopwatch.ts';
import { ManipleError } from '../../errors.ts';
import { readUnityDocuments } from './documents.ts';

const read = (fields: string) => readUnityDocuments(unity.text(unity.object(91, 1, 'Thing', fields))).get('1')!.value;

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof ManipleError) return `${thrown.code} ${thrown.issues[0]!.path}`.trimEnd();
    throw thrown;
  }
  return 'none';
}

describe('readUnityDocuments', () => {
  it('keeps fileIDs and numbers as they are written', () => {
    const documents = readUnityDocuments(
      unity.text(
        unity.object(1102, '-8686891246979933110', 'AnimatorState', 'm_Name: A\nm_Speed: 1e-07'),
        unity
          .object(114, '9007199254740993', 'MonoBehaviour', 'm_Value: -Infinity')
          .replace('&9007199254740993', '&9007199254740993 stripped'),
      ),
    );
    expect([...documents.keys()]).toEqual(['-8686891246979933110', '9007199254740993']);
    expect(documents.get('-8686891246979933110')).toEqual({
      classId: 1102,
      stripped: false,
      value: { m_Name: 'A', m_Speed: '1e-07' },
    });
    expect(documents.get('9007199254740993')).toEqual({
      classId: 114,
      stripped: true,
      value: { m_Value: '-Infinity' },
    });
  });

  it('reads maps, lists, and lists next to their keys', () => {
    expect(
      read('a: {fileID: 1, guid: ab, type: 2}\nb:\n- c: 1\n  d:\n  - {x: 0, y: -1}\n- e\nf: []\ng: {}\nh: [1, 2]'),
    ).toEqual({
      a: { fileID: '1', guid: 'ab', type: '2' },
      b: [{ c: '1', d: [{ x: '0', y: '-1' }] }, 'e'],
      f: [],
      g: {},
      h: ['1', '2'],
    });
  });

  it('reads flow maps that are wrapped, with and without indentation', () => {
    const wanted = { fileID: '7400000', guid: '00000000000000000000000000000001', type: '2' };
    const flow = '{fileID: 7400000, guid: 00000000000000000000000000000001,';
    expect(read(`a: ${flow}\n  type: 2}\nb: 1`)).toEqual({ a: wanted, b: '1' });
    expect(read(`l:\n- c: ${flow}\n  type: 2}\n  d: 1`)).toEqual({ l: [{ c: wanted, d: '1' }] });
  });

  it('reads quoted, wrapped and literal text', () => {
    expect(
      read(
        `a: 'it''s'\nb: "tab\\tand: colon"\nc: 'x: y'\nd: plain text\n  that goes on\ne: "double\n  quoted"\nf: |\n  two\n  lines\ng: ""`,
      ),
    ).toEqual({
      a: "it's",
      b: 'tab\tand: colon',
      c: 'x: y',
      d: 'plain text that goes on',
      e: 'double quoted',
      f: 'two\nlines\n',
      g: '',
    });
  });

  it('reads names that only look special', () => {
    expect(read('m_Name: Attack [L] {2}, -1\nb: a:b\nc: -5\nd: x#y\nm_ConditionEvent: {a: [1, {b: 2}]}')).toEqual({
      m_Name: 'Attack [L] {2}, -1',
      b: 'a:b',
      c: '-5',
      d: 'x#y',
      m_ConditionEvent: { a: ['1', { b: '2' }] },
    });
  });

  it('reads CRLF and a byte order mark', () => {
    const text = unity.text(unity.object(91, 1, 'Thing', 'a: 1\nb:\n- c\nd: {x: 1,\n  y: 2}'));
    const plain = [...readUnityDocuments(text)];
    expect([...readUnityDocuments(`\uFEFF${text.replaceAll('\n', '\r\n')}`)]).toEqual(plain);
  });

  it('reads tables that repeat the key data as lists', () => {
    const pair = (first: number, second: string) => `\n  data:\n    first: {fileID: ${first}}\n    second:${second}`;
    const refs = '\n    - {fileID: 7}\n    - {fileID: 8}';
    const [one, two] = [
      { first: { fileID: '1' }, second: [{ fileID: '7' }, { fileID: '8' }] },
      { first: { fileID: '2' }, second: [] },
    ];
    expect(read(`t:${pair(1, refs)}\nu: 1`)).toEqual({ t: [one], u: '1' });
    expect(read(`t:${pair(1, refs)}${pair(2, ' []')}\nu: 1`)).toEqual({ t: [one, two], u: '1' });
    expect(read(`t:\n  data: {first: {fileID: 2}, second: []}`)).toEqual({ t: [two] });
    // a field that is only called so
    expect(read(`t:${pair(2, ' []')}\n  size: 1\nu:\n  data: 3`)).toEqual({
      t: { data: two, size: '1' },
      u: { data: '3' },
    });
  });

  it('takes a key like any other, whatever it is called', () => {
    const value = read('__proto__: {polluted: 1}\nconstructor: 2');
    expect(Object.hasOwn(value, '__proto__')).toBe(true);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(value.constructor).toBe('2');
  });

  it.each([
    ['an empty text', '', 'UNITY_INVALID'],
    ['a web page', '<!doctype html>\n', 'UNITY_INVALID line 1'],
    ['a Git LFS pointer', 'version https://git-lfs.github.com/spec/v1\n', 'UNITY_INVALID line 1'],
    ['YAML without objects', '%YAML 1.1\n', 'UNITY_INVALID'],
    ['another document', '%YAML 1.1\n--- \na: 1\n', 'UNITY_INVALID'],
    ['a document that is no object', unity.text('--- !u!91 &1\nplain\n'), 'UNITY_INVALID &1'],
    ['two objects in one', unity.text('--- !u!91 &1\nA:\n  x: 1\nB:\n  x: 1\n'), 'UNITY_INVALID &1'],
    ['an object of no fields', unity.text('--- !u!91 &1\nA: text\n'), 'UNITY_INVALID &1'],
    [
      'a fileID twice',
      unity.text(unity.object(91, 1, 'A', 'x: 1'), unity.object(74, 1, 'A', 'x: 1')),
      'UNITY_INVALID &1',
    ],
    ['a key twice', unity.text(unity.object(91, 1, 'A', 'x: 1\ny: 1\nx: 2')), 'UNITY_INVALID line 7'],
    [
      'data twice, not in pairs',
      unity.text(unity.object(91, 1, 'A', 'x:\n  data: 1\n  data: 2')),
      'UNITY_INVALID line 7',
    ],
    [
      'data twice beside another key',
      unity.text(unity.object(91, 1, 'A', `x:\n  y: 1${'\n  data: {first: 1, second: 2}'.repeat(2)}`)),
      'UNITY_INVALID line 6',
    ],
    ['a key twice in a flow map', unity.text(unity.object(91, 1, 'A', 'x: {a: 1, a: 2}')), 'UNITY_INVALID line 5'],
    ['an alias', unity.text(unity.object(91, 1, 'A', 'x: *b')), 'UNITY_INVALID line 5'],
    ['an anchor', unity.text(unity.object(91, 1, 'A', 'x: &b 1')), 'UNITY_INVALID line 5'],
    ['an open bracket', unity.text(unity.object(91, 1, 'A', 'x: {a: 1\ny: 2')), 'UNITY_INVALID line 5'],
    ['an open quote', unity.text(unity.object(91, 1, 'A', 'x: "a\ny: 2')), 'UNITY_INVALID line 5'],
    ['less indentation', unity.text('--- !u!91 &1\nA:\n    x: 1\n  y: 2\n'), 'UNITY_INVALID line 6'],
    ['tabs', unity.text('--- !u!91 &1\nA:\n\tx: 1\n'), 'UNITY_INVALID line 5'],
    ['deep flow', unity.text(unity.object(91, 1, 'A', `x: ${'['.repeat(99)}${']'.repeat(99)}`)), 'UNITY_LIMIT line 5'],
    ['deep blocks', unity.text(unity.object(91, 1, 'A', `x:\n${'- '.repeat(5000)}`)), 'UNITY_LIMIT line 6'],
    ['too many documents', unity.text('--- !u!91 &1\nA:\n'.repeat(65_537)), 'UNITY_LIMIT'],
    ['too much text', ' '.repeat(64 * 1024 * 1024 + 1), 'UNITY_LIMIT'],
  ])('refuses %s', (_, text, code) => {
    expect(codeOf(() => readUnityDocuments(text))).toBe(code);
  });

  it.each([
    ['lines without a colon', '- a\n'],
    ['long runs of brackets', '- {}\n'],
    ['quotes', `- 'a''b'\n`],
    ['distinct keys', 'k'],
    ['open brackets', '- [\n'],
    ['blank lines', '\n'],
  ])('is done with 4 MiB of %s in bounded time', (_, line) => {
    const lines = line === 'k' ? Array.from({ length: 300_000 }, (_, i) => `k${i}: 1`).join('\n  ') : '';
    const fields =
      line === 'k' ? lines : `x:\n  ${line.replaceAll('\n', '\n  ').repeat((4 * 1024 * 1024) / (line.length + 2))}`;
    const elapsed = stopwatch();
    codeOf(() => readUnityDocuments(unity.text(`--- !u!91 &1\nA:\n  ${fields}\n`)));
    expect(elapsed()).toBeLessThan(5_000);
  });
});

describe.skipIf(noShared())('real files', () => {
  const folder = path.join(shared, 'unity');
  const files = noShared() ? [] : readdirSync(folder).filter((file) => /\.(controller|anim)$/.test(file));

  it.each(files)('%s reads as a whole YAML reader reads it, and fast', (file) => {
    const text = readFileSync(path.join(folder, file), 'utf8');
    readUnityDocuments(text);
    const elapsed = stopwatch();
    const documents = [...readUnityDocuments(text).values()];
    expect(elapsed()).toBeLessThan(300);
    const parts = text.split(/^--- .*$/m).slice(1);
    expect(documents).toHaveLength(parts.length);
    parts.forEach((part, i) => {
      // one file wraps flow maps with too little indentation for other readers
      const whole = parseDocument(part.replaceAll(/,\n *type: /g, ', type: '), { schema: 'failsafe' });
      const value = Object.values(whole.toJS() as Record<string, unknown>)[0];
      expect(documents[i]!.value).toEqual(JSON.parse(JSON.stringify(value).replaceAll(':null', ':""')));
    });
  });
});
