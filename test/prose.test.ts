// Plain English in comments, messages, labels and Markdown: breaches per folder may fall, never rise.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
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

/** Sentences of each folder, with their places. */
const sentences = new Map(
  Array.from(proseFiles(), ([folder, files]) => [
    folder,
    files.flatMap((file) =>
      sentencesOf(file, readFileSync(path.join(root, file), 'utf8')).map((sentence) => ({ file, ...sentence })),
    ),
  ]),
);

test('no folder breaks a rule more often than before', () => {
  const limits = JSON.parse(readFileSync(countsFile, 'utf8')) as Counts;
  const counts = Object.fromEntries(Array.from(sentences, ([folder, list]) => [folder, countBreaches(list)]));
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
  if (lowers) writeFileSync(countsFile, `${JSON.stringify(counts, null, 2)}\n`);
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

  test('find labels of a page', () => {
    expect(breaches('<button title="Go on with it">nobody here</button>', 'demo/a.tsx')).toEqual({
      'goes on with …': 1,
      'who, nobody …': 1,
    });
  });
});
