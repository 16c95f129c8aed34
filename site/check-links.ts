// Follows every link of the built site: pages, files, and places in pages. What leads nowhere fails the build.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

const DIST = path.join(import.meta.dirname, 'dist');
const base = process.env.SITE_BASE ?? '/';

const pages = readdirSync(DIST, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.html'));
const texts = new Map<string, string>(
  pages.map((page): [string, string] => [page, readFileSync(path.join(DIST, page), 'utf8')]),
);
const idsOf = new Map<string, Set<string>>();

function ids(page: string): Set<string> {
  const known =
    idsOf.get(page) ?? new Set(Array.from(texts.get(page)!.matchAll(/\bid="([^"]+)"/g), ([, id]) => decode(id!)));
  idsOf.set(page, known);
  return known;
}

function decode(text: string): string {
  return text.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'");
}

/** The file that an address names, within the site; undefined: there is none. */
function fileOf(address: string): string | undefined {
  const file = address.replace(/^\//, '');
  return [file, `${file}.html`, path.posix.join(file, 'index.html')].find(
    (it) => existsSync(path.join(DIST, it)) && statSync(path.join(DIST, it)).isFile(),
  );
}

const dead: string[] = [];
let count = 0;
for (const [page, text] of texts) {
  if (page === '404.html') continue;
  for (const [, raw] of text.matchAll(/\b(?:href|src)="([^"]+)"/g)) {
    const link = decode(raw!);
    if (/^([a-z][a-z0-9+.-]*:|\/\/)/i.test(link)) continue;
    count++;
    const [place, hash] = link.split('#') as [string, string | undefined];
    const address = place.startsWith('/')
      ? `/${place.slice(base.length)}`
      : path.posix.join('/', path.posix.dirname(page), place);
    const target = place === '' ? page : fileOf(decodeURIComponent(address.split('?')[0]!));
    if (target === undefined) dead.push(`${page}: ${link}`);
    else if (hash && target.endsWith('.html') && !ids(target).has(decodeURIComponent(hash)))
      dead.push(`${page}: ${link}`);
  }
}
if (dead.length > 0) {
  console.error(`links that lead nowhere:\n  ${[...new Set(dead)].join('\n  ')}`);
  process.exitCode = 1;
} else console.log(`${texts.size} pages, ${count} links`);
