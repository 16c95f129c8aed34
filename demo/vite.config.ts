import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type UserConfig } from 'vite';
import { firstView } from './bake/first-view.ts';
import { bakedFiles } from './bake/plugin.ts';
import { shippedShadersOfPage } from '../tools/ship-shaders.ts';

const at = (file: string) => fileURLToPath(new URL(file, import.meta.url));

/** Pages of the demo; each is a file of its own that any static server can serve from any folder. */
const pages = ['index.html', 'inspector.html', 'bench.html'].map(at).filter((page) => existsSync(page));

const config: UserConfig = defineConfig({
  root: at('.'),
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [bakedFiles(), firstView(), shippedShadersOfPage()],
  // the library's sources are next to this folder
  server: { fs: { allow: [at('..')] } },
  worker: { format: 'es', plugins: () => [shippedShadersOfPage()] },
  build: {
    target: 'es2022',
    outDir: at('dist'),
    emptyOutDir: true,
    rolldownOptions: { input: pages },
    chunkSizeWarningLimit: 1500, // kilobytes: mostly shaders' text, which compresses to a quarter
  },
});

export default config;
