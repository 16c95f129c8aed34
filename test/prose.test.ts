// Plain English in comments, messages, labels and Markdown. Honest uses of a banned word are in prose-allow.txt, one line
// each: the file, a colon, and a part of the sentence with code as X. While prose-counts.json exists, it has the breaches
// that are left, by folder. They may fall, never rise.
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { countBreaches, sentencesOf } from './support/prose.ts';

type Counts = Record<string, Record<string, number>>;

const root = path.resolve(import.meta.dirname, '..');
const countsFile = path.join(import.meta.dirname, 'prose-counts.json');

/** `MANIPLE_PROSE=lower` writes counts that have fallen. */
const lowers = process.env['MANIPLE_PROSE'] === 'lower';

/** Files that people read, by folder; folders of `src` apart. */
function proseFiles(): Map<string, string[]> {
  const files = new Map<string, string[]>([['.', ['README.md', 'CONTRIBUTING.md']]]);
  for (const top of ['src', 'demo', 'docs', 'examples', 'site']) {
    for (const name of readdirSync(path.join(root, top), { recursive: true, encoding: 'utf8' })) {
      const file = `${top}/${name.replaceAll('\\', '/')}`;
      const ends = top === 'docs' || top === 'site' ? /\.md$/ : /\.(tsx?|wesl|md)$/;
      if (!ends.test(file) || /\.(gen|test|d)\.ts$|node_modules|\.pages|\.vitepress|\/api\//.test(file)) continue;
      const folder = top === 'src' && file.split('/').length > 2 ? file.split('/').slice(0, 2).join('/') : top;
      files.set(folder, [...(files.get(folder) ?? []), file]);
    }
  }
  return files;
}

/** Honest uses, which break no rule. */
const allowed = readFileSync(path.join(import.meta.dirname, 'prose-allow.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => ({ line, file: line.slice(0, line.indexOf(': ')), part: line.slice(line.indexOf(': ') + 2) }));

/** Whether an honest use is in a sentence of a file. */
const isIn = (file: string, text: string) => (use: (typeof allowed)[number]) =>
  use.file === file && text.includes(use.part);

/** Sentences of each folder, with their places. */
const everySentence = new Map(
  Array.from(proseFiles(), ([folder, files]) => [
    folder,
    files.flatMap((file) =>
      sentencesOf(file, readFileSync(path.join(root, file), 'utf8')).map((sentence) => ({ file, ...sentence })),
    ),
  ]),
);

/** Those without honest uses. */
const sentences = new Map(
  Array.from(everySentence, ([folder, list]) => [
    folder,
    list.filter(({ file, text }) => !allowed.some(isIn(file, text))),
  ]),
);

test('every line of prose-allow.txt names a sentence that breaks a rule', () => {
  const breaking = [...everySentence.values()].flat().filter((each) => Object.keys(countBreaches([each])).length > 0);
  const unused = allowed.filter((use) => !breaking.some(({ file, text }) => isIn(file, text)(use)));
  expect(unused.map(({ line }) => line)).toEqual([]);
});

test('no folder breaks a rule more often than before', () => {
  const limits = existsSync(countsFile) ? (JSON.parse(readFileSync(countsFile, 'utf8')) as Counts) : {};
  const all = Array.from(sentences, ([folder, list]) => [folder, countBreaches(list)] as const);
  const counts = Object.fromEntries(all.filter(([, rules]) => Object.keys(rules).length > 0));
  const cells = Object.entries(counts).flatMap(([folder, rules]) =>
    Object.entries(rules).map(([rule, count]) => ({ folder, rule, count, limit: limits[folder]?.[rule] ?? 0 })),
  );
  const risen = cells.filter(({ count, limit }) => count > limit);
  const places = risen.map(({ folder, rule, count, limit }) => {
    const breaches = sentences.get(folder)!.filter((sentence) => countBreaches([sentence])[rule] !== undefined);
    return [
      `${folder}, ${rule}: ${count} of ${limit}`,
      ...breaches.map(({ file, line, text }) => `  ${file}:${line} ${text}`),
    ];
  });
  expect(places.flat().join('\n')).toBe('');
  if (lowers && Object.keys(counts).length === 0) rmSync(countsFile, { force: true });
  else if (lowers) writeFileSync(countsFile, `${JSON.stringify(counts, null, 2)}\n`);
  else expect(limits, 'Counts have fallen: run this test once with MANIPLE_PROSE=lower.').toEqual(counts);
});

describe('rules', () => {
  const breaches = (text: string, file = 'a.md') => countBreaches(sentencesOf(file, text));

  test.each([
    ['The row that nobody has.', 'who, nobody …'],
    ['What of a file goes to the reader.', 'What … (subject)'],
    ['Of a uniform: which struct is bound.', 'Of a …:'],
    ['The records are none.', 'is none'],
    ['The key is no JSON.', 'is no …'],
    ['The key stands here twice.', 'stands'],
    ['Rows behind the last one.', 'behind, beside, ahead'],
    ['The crowd goes on with it.', 'goes on with …'],
    ['The kernel is told the row.', 'told, tells'],
    ['The character finds no room.', 'no room'],
    ['It takes the place of the old one.', 'takes the place of'],
  ])('%s', (text, rule) => {
    expect(breaches(text)).toEqual({ [rule]: 1 });
  });

  test('keep plain sentences', () => {
    expect(breaches('Characters outside every view still run their state machines. They are not posed.')).toEqual({});
    expect(breaches(`${'word '.repeat(29)}word.`)).toEqual({});
    expect(breaches(`${'word '.repeat(30)}word.`)).toEqual({ 'over 30 words': 1 });
  });

  test('find prose in Markdown, and leave code out', () => {
    const text = ['# Nobody', '', '```', 'nobody', '```', '', '- one `nobody`', '  nobody', '', '| nobody | x |'].join(
      '\n',
    );
    expect(breaches(text)).toEqual({ 'who, nobody …': 3 });
  });

  test('find comments, docstrings and messages', () => {
    const text = [
      '/** What a file has. */',
      'export const nobody = 1; // nobody lives here',
      '/**',
      ' * Reads a row.',
      ' * @param row Whether it lives.',
      ' */',
      "fail('CROWD_BAD', 'row', 'has no character.');",
      "fail('CROWD_BAD', 'row', `Row ${nobody} is free.`);",
    ].join('\n');
    expect(breaches(text, 'src/a.ts')).toEqual({
      'docstring begins with What …': 1,
      'What … (subject)': 1,
      'who, nobody …': 1,
      'message begins with a small letter': 1,
    });
  });

  test('leave out examples in docstrings, and begin another sentence with each item', () => {
    const item = ` * - ${'word '.repeat(20)}word`;
    const example = [' * @example', ' *   nobody();', ' * @throws ManipleError nobody', ' */'];
    const text = ['/**', ' * A row:', item, item, ' *', ' *     nobody', ...example, '// nobody'].join('\n');
    expect(breaches(text, 'src/a.ts')).toEqual({ 'who, nobody …': 2 });
  });

  test('find labels of a page', () => {
    expect(breaches('<button title="Go on with it">nobody here</button>', 'demo/a.tsx')).toEqual({
      'goes on with …': 1,
      'who, nobody …': 1,
    });
  });
});
