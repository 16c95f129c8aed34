import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Plugin } from 'vite';
import { root } from './inputs.ts';

/** Still picture shown until the first frame, and its width in the page. */
const [PICTURE, WIDTH] = ['docs/images/battle.jpg', 1024];

/**
 * Adds the parts of a page's first view that are not modules: the still picture and links to the documentation. Also adds a
 * hint that lets the browser fetch all the page's scripts at once. Links lead to the site next to the page (`npm run site`). The link to
 * the sources uses `repository` in package.json, if it is set.
 */
export function firstView(): Plugin {
  return {
    name: 'maniple-first-view',
    async buildStart() {
      if (this.meta.watchMode || this.environment.mode !== 'build') return;
      this.emitFile({ type: 'asset', fileName: 'still.jpg', source: await still() });
    },
    configureServer(server) {
      server.middlewares.use('/still.jpg', (_request, response, next) => {
        still().then((bytes) => response.end(bytes), next);
      });
      // without a built site, serves the source text of its pages
      server.middlewares.use((request, response, next) => {
        const page = /^\/((?:guide|docs)\/[\w-]+|readme)\.html/.exec(request.url ?? '')?.[1];
        if (page === undefined) return next();
        const file = page === 'readme' ? 'README.md' : `${page.replace(/^guide/, 'site/guide')}.md`;
        response.setHeader('Content-Type', 'text/plain; charset=utf-8');
        readFile(path.join(root, file)).then((text) => response.end(text), next);
      });
    },
    transformIndexHtml: {
      order: 'post',
      async handler(html, { bundle, chunk }) {
        const scripts = new Set<string>();
        const add = (name: string): void => {
          const found = bundle?.[name];
          if (found?.type !== 'chunk' || scripts.has(name) || chunk?.imports.includes(name)) return;
          scripts.add(name);
          found.imports.forEach(add);
        };
        chunk?.dynamicImports.forEach(add);
        const source = await sourceAddress();
        return {
          html: html.replace('%GUIDE%', '../guide/install.html').replace('%SOURCE%', source),
          tags: [...scripts].map((name) => ({
            tag: 'link',
            attrs: { rel: 'modulepreload', crossorigin: true, href: `./${name}` },
            injectTo: 'head',
          })),
        };
      },
    },
  };
}

/** Returns a small JPEG, or the full picture if the package that scales it is not installed. */
async function still(): Promise<Uint8Array> {
  const bytes = await readFile(path.join(root, PICTURE));
  const sharp = await import('sharp').catch(() => undefined);
  return sharp ? sharp.default(bytes).resize(WIDTH).jpeg({ quality: 60, mozjpeg: true }).toBuffer() : bytes;
}

async function sourceAddress(): Promise<string> {
  const { repository } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as {
    readonly repository?: string | { readonly url: string };
  };
  const url = typeof repository === 'string' ? repository : repository?.url;
  return url?.replace(/^git\+/, '').replace(/\.git$/, '') ?? '../readme.html';
}
