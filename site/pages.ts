// Which files become pages, and where: those of this folder, and all Markdown of the repository at the paths that it has.
import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';

export const ROOT: string = path.resolve(import.meta.dirname, '..');
/** What VitePress reads; made anew by every build. */
export const PAGES: string = path.join(import.meta.dirname, '.pages');

/** Paths within the repository, with slashes: all files that git knows or would take, without `site/` tooling. */
export function repositoryFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], { cwd: ROOT });
  return listed
    .toString()
    .split('\n')
    .filter((file) => file !== '' && existsSync(path.join(ROOT, file)) && file !== 'site/README.md');
}

/**
 * `docs/controllers.md` → `docs/controllers.md`, `src/import/README.md` → `src/import/index.md`, `site/guide/x.md` → `guide/x.md`,
 * `demo/README.md` → `about-demo/index.md`: the demo itself is at `/demo/`.
 */
export function pageOf(file: string): string {
  if (file === 'README.md') return 'readme.md';
  return file
    .replace(/^site\//, '')
    .replace(/^demo\//, 'about-demo/')
    .replace(/(^|\/)README\.md$/, '$1index.md');
}

/** The address of a page, absolute within the site. */
export function addressOf(file: string): string {
  return `/${pageOf(file)
    .replace(/(^|\/)index\.md$/, '$1')
    .replace(/\.md$/, '')}`;
}

/** What a link of a document leads to: a path within the repository, and what stands behind `#`. */
function targetOf(document: string, link: string): { readonly file: string; readonly hash: string } {
  const [, place, hash] = /^([^#]*)(#.*)?$/.exec(link) as unknown as [string, string, string | undefined];
  const from = place.startsWith('/') ? '' : path.posix.dirname(document);
  return { file: path.posix.join(from, decodeURIComponent(place)).replace(/\/$/, ''), hash: hash ?? '' };
}

/** Sources are shown, not downloaded (servers take `.ts` for videos). */
export function servedAs(file: string): string {
  return ['.glb', '.jpg', '.json', '.png', '.svg', '.txt'].includes(path.extname(file)) ? file : `${file}.txt`;
}

export interface FixedPage {
  readonly text: string;
  /** Files that the page links to and that are no pages: they are put beside them as they are. */
  readonly files: readonly string[];
  /** Links that lead nowhere. */
  readonly dead: readonly string[];
}

/** Makes links of a document absolute: to pages, to folders by their README, to files by themselves. */
export function fixLinks(document: string, text: string, pages: ReadonlySet<string>): FixedPage {
  const files: string[] = [];
  const dead: string[] = [];
  const fixed = (link: string, isImage: boolean): string => {
    if (/^([a-z][a-z0-9+.-]*:|\/\/|#|\/api\/)/i.test(link)) return link;
    const { file, hash } = targetOf(document, link);
    const readme = path.posix.join(file, 'README.md');
    const page = [file, readme].find((it) => pages.has(it));
    if (page !== undefined && !isImage) return addressOf(page) + hash;
    const onDisk = path.join(ROOT, file);
    if (file.startsWith('..') || !existsSync(onDisk)) {
      dead.push(`${document}: ${link}`);
      return link;
    }
    if (statSync(onDisk).isDirectory()) return ''; // no page tells of it: its name alone stays
    files.push(file);
    return `/${servedAs(file)}${hash}`;
  };
  const withLinks = outsideCode(text, (prose) =>
    prose
      .replace(
        /(!?)\[((?:[^\]\\]|\\.|\[[^\]]*\])*)\]\(\s*<?([^)\s>]+)>?([^)]*)\)/g,
        (_, mark: string, label, link, rest) => {
          const to = fixed(link as string, mark === '!');
          return to === '' ? String(label) : `${mark}[${label}](${to}${rest})`;
        },
      )
      .replace(/\b(src|href)="([^"]+)"/g, (_, name, link) => `${name}="${fixed(link as string, name === 'src')}"`),
  );
  return { text: withLinks, files, dead };
}

/** Changes what is neither a block of code nor code in a line. */
function outsideCode(text: string, change: (prose: string) => string): string {
  const code = /^( {0,3})(```|~~~)[^]*?^\1\2.*$|(?<!`)(`+)(?!`)[^]*?(?<!`)\3(?!`)/gm;
  // links may have code in their text, so it is put back only after the change
  const kept: string[] = [];
  const held = text.replace(code, (found) => `\uE000${kept.push(found) - 1}\uE000`);
  return change(held).replace(/\uE000(\d+)\uE000/g, (_, index) => kept[Number(index)]!);
}
