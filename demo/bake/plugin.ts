import { execFile } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Plugin } from 'vite';
import { PROPS } from '../../src/battle/scenery.ts';
import { BAKED, inputsOf, root } from './inputs.ts';

/** Folder of the baked files, next to the page. */
const URL_FOLDER = 'baked';

/**
 * Adds baked characters and props to the page. Bakes them from `characters/` and `props/` when they are missing or older than
 * their sources, which takes some 40 s, and keeps them in `out/`. With MANIPLE_DEMO_QUICK=1 they have no coarser levels of
 * detail, and take 5 s.
 */
export function bakedFiles(): Plugin {
  const quick = process.env.MANIPLE_DEMO_QUICK === '1';
  const folder = path.join(root, 'out', quick ? 'demo-baked-quick' : 'demo-baked');
  return {
    name: 'maniple-baked-files',
    async buildStart() {
      const known = await readFile(path.join(folder, 'inputs.txt'), 'utf8').catch(() => '');
      if (known !== (await inputsOf(quick))) await bake(folder, quick);
      if (this.meta.watchMode || this.environment.mode !== 'build') return;
      for (const name of BAKED) {
        const source = await readFile(path.join(folder, `${name}.maniple`));
        this.emitFile({ type: 'asset', fileName: `${URL_FOLDER}/${name}.maniple`, source });
      }
      // three.js reads the source files
      for (const name of PROPS) {
        const source = await readFile(propFile(name));
        this.emitFile({ type: 'asset', fileName: `${URL_FOLDER}/${name}.glb`, source });
      }
    },
    configureServer(server) {
      server.middlewares.use(`/${URL_FOLDER}`, (request, response, next) => {
        const { name, ext } = path.parse(request.url ?? '');
        if (!BAKED.includes(name)) return next();
        createReadStream(ext === '.glb' ? propFile(name) : path.join(folder, `${name}.maniple`)).pipe(response);
      });
    },
  };
}

const propFile = (name: string) => path.join(root, 'props', `${name}.glb`);

/** Bakes in a separate process, so that Vite's configuration does not include the code that bakes. */
async function bake(folder: string, quick: boolean): Promise<void> {
  const args = ['--import', 'tsx', 'demo/bake/main.ts', folder, ...(quick ? ['--quick'] : [])];
  console.log('baking characters and props …');
  await promisify(execFile)(process.execPath, args, { cwd: root });
}
