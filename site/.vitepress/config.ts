import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type DefaultTheme, defineConfig } from 'vitepress';

// files that links lead to and that are no pages
process.env.VITE_EXTRA_EXTENSIONS = 'glb';

const sidebarFile = path.resolve(import.meta.dirname, '../.pages/api/sidebar.json');
const api = existsSync(sidebarFile)
  ? (JSON.parse(readFileSync(sidebarFile, 'utf8')) as Record<string, DefaultTheme.SidebarItem[]>)
  : {};

/** Decisions, by their headings: `# 0022: The visibility buffer`. */
const decisionFolder = path.resolve(import.meta.dirname, '../../docs/adr');
const decisions = readdirSync(decisionFolder).map((file) => ({
  text: readFileSync(path.join(decisionFolder, file), 'utf8').split('\n')[0]!.replace(/^# /, ''),
  link: `/docs/adr/${file.replace(/\.md$/, '')}`,
}));

const guide: DefaultTheme.SidebarItem[] = [
  {
    text: 'Begin',
    items: [
      { text: 'Install', link: '/guide/install' },
      { text: 'A first crowd', link: '/guide/first-crowd' },
      { text: 'A first crowd in three.js', link: '/guide/three' },
      { text: 'three.js: ten thousand walkers', link: '/guide/ten-thousand' },
    ],
  },
  {
    text: 'Use',
    items: [
      { text: 'Files: import and bake', link: '/guide/files' },
      { text: 'Controllers', link: '/guide/controllers' },
      { text: 'Parameters and events', link: '/guide/parameters' },
      { text: 'Data of your own, for shaders', link: '/guide/columns' },
      { text: 'Sockets and reading back', link: '/guide/sockets' },
      { text: 'Views and levels of detail', link: '/guide/views' },
      { text: 'Renderers without three.js', link: '/guide/renderers' },
      { text: 'Saving and rebuilding', link: '/guide/state' },
      { text: 'Node, CI, offline pictures', link: '/guide/node' },
      { text: 'Performance', link: '/guide/performance' },
      { text: 'Troubleshooting', link: '/guide/troubleshooting' },
    ],
  },
  {
    text: 'Coming from …',
    items: [
      { text: 'AnimationMixer', link: '/guide/from-animation-mixer' },
      { text: 'A WebGLRenderer game', link: '/guide/from-webgl-game' },
      { text: 'Vertex-animation textures', link: '/guide/from-vat' },
      { text: 'Unity', link: '/guide/from-unity' },
      { text: 'Mixamo', link: '/guide/from-mixamo' },
      { text: 'Blender', link: '/guide/from-blender' },
      { text: 'VRM and Ready Player Me', link: '/guide/from-vrm' },
    ],
  },
];

const examples: DefaultTheme.SidebarItem[] = [
  {
    text: 'Examples',
    link: '/examples/',
    items: [
      'hello-crowd',
      'three-hello',
      'three-materials',
      'react-three-fiber',
      'controller',
      'unity',
      'footsteps',
      'sockets',
      'root-motion',
      'gameplay',
      'wind',
      'capes',
      'sequence',
    ].map((name) => ({ text: name, link: `/examples/${name}/` })),
  },
];

const reference: DefaultTheme.SidebarItem[] = [
  {
    text: 'Reference',
    items: [
      { text: 'Controllers', link: '/docs/controllers' },
      { text: 'Sockets, ground, large worlds', link: '/docs/sockets' },
      { text: 'State: save, replay, rebuild', link: '/docs/state' },
      { text: 'Error codes', link: '/docs/errors' },
      { text: 'Captures', link: '/docs/capture' },
      { text: 'What becomes of a character', link: '/docs/characters' },
      { text: 'The command', link: '/docs/command' },
    ],
  },
  {
    text: 'File formats',
    items: [
      { text: 'Baked characters', link: '/src/character/file/FORMAT' },
      { text: 'Controllers as JSON', link: '/guide/formats' },
      { text: 'What is read of glTF', link: '/src/import/' },
      { text: 'Files of Unity', link: '/docs/tables/unity' },
      { text: 'Graphs of PlayCanvas', link: '/docs/tables/playcanvas' },
    ],
  },
  {
    text: 'How it works',
    items: [
      { text: 'One character through a frame', link: '/docs/architecture' },
      { text: 'How fast, measured how', link: '/docs/bench' },
      { text: 'Contributing', link: '/CONTRIBUTING' },
      { text: 'Changes', link: '/CHANGELOG' },
    ],
  },
  { text: 'Decisions', collapsed: true, items: decisions },
];

export default defineConfig({
  title: 'Maniple',
  description: 'Crowds of animated characters on the GPU: TypeScript and WebGPU, in browsers and in Node',
  base: process.env.SITE_BASE ?? '/',
  srcDir: '.pages',
  outDir: 'dist',
  cleanUrls: false,
  lastUpdated: false,
  vite: { build: { chunkSizeWarningLimit: 4000 } },
  themeConfig: {
    nav: [
      { text: 'Guide', link: '/guide/install', activeMatch: '^/guide/' },
      // pages of their own, not of this site's router
      { text: 'Demo', link: '/demo/index.html', target: '_self' },
      { text: 'Examples', link: '/examples/', activeMatch: '^/examples/' },
      { text: 'API', link: '/api/', activeMatch: '^/api/' },
      { text: 'Reference', link: '/docs/controllers', activeMatch: '^/(docs|src)/' },
    ],
    sidebar: { ...api, '/guide/': guide, '/examples/': examples, '/': reference },
    outline: [2, 3],
    search: { provider: 'local' },
    docFooter: { prev: false, next: false },
  },
});
