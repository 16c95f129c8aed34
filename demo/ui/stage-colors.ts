/** A colour for each stage, the same in chart and table: warm for animation, cool for drawing. */
const COLORS: Readonly<Record<string, string>> = {
  'shift-transforms': '#8d8478',
  'step-controllers': '#f2b84b',
  'ground-characters': '#b5a642',
  'cull-characters': '#e58a4b',
  'gather-motions': '#d9694f',
  'pose-joints': '#d4567f',
  'place-sockets': '#b26a9f',
  'update-characters': '#c08ab8',
  'keep-palettes': '#a06ac0',
  'skin-vertices': '#9c7be0',
  'filter-triangles': '#6d86e8',
  'raster-triangles': '#4fa3e0',
  'draw-shadows': '#5a7f9e',
  'draw-contact': '#3f9a95',
  'shade-pixels': '#4cc3b0',
  'draw-forward': '#57c98a',
  temporal: '#9bcf6a',
  'three.js': '#6fbf9a',
};

export function stageColor(name: string): string {
  return COLORS[name] ?? '#9aa4b2';
}
