import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Plugin } from 'vite';
import { root } from './inputs.ts';

/** The picture that is shown until there is a live one, and its width in the page. */
const [PICTURE, WIDTH] = ['docs/images/battle.jpg', 1024];

/**
 * Parts of a page's first view that are no modules: the still picture, links to the documentation, and a hint that the
 * browser may fetch the page's scripts all at once. Links lead to the site beside the page (`npm run site`); the one to the
 * sources follows `repository` in package.json where there is one.
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
      // without a site, its pages are shown as they are written
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

/** A small JPEG. As it is where the package that scales it is not installed. */
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
