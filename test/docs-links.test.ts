import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');

/** Documents of the repository: those at its top, and all below these folders. */
const documents = [
  ...readdirSync(root).filter((file) => file.endsWith('.md')),
  ...['docs', 'src', 'examples', 'bench', 'characters', 'site/guide']
    .filter((folder) => existsSync(path.join(root, folder)))
    .flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.md') && !file.includes('node_modules'))
        .map((file) => path.join(folder, file)),
    ),
];

/** What a document's links and pictures point to, but for other sites and places in the document itself. */
function linksOf(markdown: string): string[] {
  const prose = markdown.replace(/^(```|~~~)[^]*?^\1/gm, '').replace(/`[^`\n]*`/g, '');
  const targets = [
    /\]\(\s*<?([^)\s>]+)/g, // [text](target), ![picture](target)
    /^ {0,3}\[[^\]]+\]:\s*<?([^\s>]+)/gm, // [name]: target
    /\b(?:href|src)=["']([^"']+)["']/g,
  ].flatMap((form) => Array.from(prose.matchAll(form), ([, target]) => target!));
  return targets.filter((target) => !/^([a-z][a-z0-9+.-]*:|\/\/|#|\/api\/)/i.test(target)); // the site makes and checks /api/
}

/** A target that begins with a slash counts from the top of the repository. */
function fileOf(document: string, target: string): string {
  const [file] = target.split(/[#?]/) as [string];
  const from = file.startsWith('/') ? '.' : path.dirname(document);
  return path.join(root, from, decodeURIComponent(file));
}

test('links of all forms are found, and code is left out', () => {
  const text = [
    '[a](a.md) ![b](b.png "B") [![c](c.png)](d.md#e) [f](<f.md>) <img src="g.png">',
    '[h]: h.md',
    '[out](https://example.org) [here](#top) `[code](no.md)`',
    '```\n[code](no.md)\n```',
  ].join('\n');
  expect(linksOf(text)).toEqual(['a.md', 'b.png', 'c.png', 'd.md#e', 'f.md', 'h.md', 'g.png']);
  expect(fileOf('docs/x.md', '../a%20b.md#c')).toBe(path.join(root, 'a b.md'));
});

test.each(documents)('%s links to files that exist', (document) => {
  const links = linksOf(readFileSync(path.join(root, document), 'utf8'));
  expect(links.filter((target) => !existsSync(fileOf(document, target)))).toEqual([]);
});
