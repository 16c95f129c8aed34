import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

/**
 * What each part of src may import of the others: `folder` is everything below it, `folder/*` only the files that
 * stand in it, `folder/file.ts` that file. A part may always import its own files and `errors.ts`. No part may import
 * what is not listed here: nothing imports the command, `three` or the entries.
 */
const ARROWS: Arrows = {
  'errors.ts': [],
  layout: [],
  math: [],
  device: [],
  wgsl: [],
  forms: [],
  vertex: ['layout/index.ts', 'math/packing.ts', 'wgsl', 'character/format'],
  'character/format': ['layout/index.ts', 'math'],
  controller: ['forms', 'layout/index.ts', 'math', 'character/model.ts', 'character/names.ts'],
  'controller/eval': [
    'layout/index.ts',
    'math',
    'controller/tables.ts',
    'controller/repeated-directions.ts',
    'character/format',
  ],
  character: ['forms', 'layout/index.ts', 'math', 'vertex', 'character/format', 'controller/*'],
  humanoid: ['forms/rules.ts', 'character/*'],
  'import/model-builder': ['forms', 'math', 'character/*', 'character/format'],
  'import/gltf': ['forms', 'import/*', 'import/model-builder', 'math', 'character/*', 'character/format'],
  'import/bvh': [
    'import/decode-text.ts',
    'import/model-builder',
    'math/quaternion.ts',
    'character/arguments.ts',
    'character/evaluate.ts',
    'character/model.ts',
  ],
  'import/unity': [
    'forms',
    'import/bind-clip.ts',
    'import/decode-text.ts',
    'import/model-builder',
    'math',
    'character/arguments.ts',
    'character/humanoid.ts',
    'character/model.ts',
    'controller/model.ts',
    'retarget/index.ts',
  ],
  'import/fbx': ['import/*', 'import/gltf', 'import/model-builder', 'math', 'character/*'],
  'import/playcanvas': ['forms', 'import/model-builder', 'character/arguments.ts', 'controller/model.ts'],
  'import/lods': ['import/wasm.ts', 'import/model-builder', 'character/*', 'character/lods/index.ts'],
  retarget: ['humanoid/index.ts', 'import/bind-clip.ts', 'math', 'character/*'],
  import: [
    'humanoid/index.ts',
    'retarget/index.ts',
    'import/bvh',
    'import/fbx',
    'import/gltf',
    'import/lods',
    'import/model-builder',
    'import/playcanvas',
    'import/unity',
    'character/*',
  ],
  stages: [
    'layout/index.ts',
    'math',
    'vertex',
    'wgsl',
    'character/*',
    'character/format',
    'controller/tables.ts',
    'controller/eval',
    'device/adapter-kind.ts',
  ],
  'frame/tables': [
    'frame/backend.ts',
    'device/tier.ts',
    'layout/index.ts',
    'math/fixed.ts',
    'math/packing.ts',
    'character/*',
    'character/format',
    'controller/compile.ts',
    'controller/eval',
    'stages',
    'device/read-back.ts',
  ],
  'frame/gpu': ['frame/*', 'frame/tables', 'layout/index.ts', 'controller/eval', 'stages', 'device'],
  'frame/cpu': ['frame/*', 'frame/tables', 'layout/index.ts', 'controller/eval', 'stages'],
  frame: ['frame/tables', 'frame/gpu', 'frame/cpu', 'layout/index.ts', 'stages', 'device/read-back.ts'],
  crowd: [
    'frame/*',
    'frame/tables',
    'frame/gpu/backend.ts',
    'frame/cpu/backend.ts',
    'layout/index.ts',
    'math',
    'character/*',
    'character/format',
    'controller/compile.ts',
    'controller/eval',
    'stages',
    'device',
  ],
  state: [
    'crowd',
    'device/device-loss.ts',
    'frame/tables',
    'layout/index.ts',
    'math/fixed.ts',
    'character/character.ts',
    'character/file/crc32.ts',
    'controller/compile.ts',
    'controller/tables.ts',
    'controller/eval',
    'stages',
  ],
  render: [
    'crowd',
    'frame/backend.ts',
    'frame/tables',
    'stages/*',
    'layout/index.ts',
    'math',
    'vertex',
    'wgsl',
    'character/*',
    'character/format',
    'device',
  ],
  battle: [
    'render',
    'crowd',
    'character/character.ts',
    'controller/builder.ts',
    'controller/model.ts',
    'math/seeded-random.ts',
  ],
  capture: [
    'crowd',
    'frame/*',
    'frame/tables',
    'frame/gpu/bind-frame.ts',
    'frame/cpu/frame.ts',
    'frame/cpu/pose-on-cpu.ts',
    'frame/cpu/rows.ts',
    'stages',
    'layout/index.ts',
    'math/packing.ts',
    'character/character.ts',
    'character/file',
    'controller/compile.ts',
    'controller/eval/layout.ts',
    'wgsl/compile.ts',
    'device',
  ],
  diagram: ['controller/model.ts', 'character/humanoid.ts'],
  three: [
    'crowd',
    'frame/backend.ts',
    'frame/tables',
    'import/model-builder',
    'stages/layout.ts',
    'stages/skinned-channel.ts',
    'layout/index.ts',
    'math',
    'vertex/vertex-channels.ts',
    'character/*',
    'character/format',
    'character/pack/index.ts',
    'render/forward/layout.ts',
    'render/images/index.ts',
    'render/impostors',
    'retarget/index.ts',
    'device',
  ],
  node: ['device'],
  bench: [
    'battle',
    'character',
    'crowd',
    'device',
    'diagram/svg.ts',
    'diagram/theme.ts',
    'forms/rules.ts',
    'frame/tables',
    'import/index.ts',
    'layout/index.ts',
    'math/seeded-random.ts',
    'render',
    'stages/layout.ts',
    'three/index.ts',
  ],
  cli: [
    'battle',
    'bench',
    'capture',
    'character',
    'controller',
    'crowd',
    'device',
    'diagram',
    'forms',
    'frame/tables',
    'humanoid/index.ts',
    'import/*',
    'import/gltf',
    'import/lods',
    'import/model-builder',
    'import/playcanvas',
    'import/unity',
    'node',
    'render',
    'retarget/index.ts',
    'stages',
  ],
  'index.ts': ['crowd', 'character/*', 'stages/*', 'device'],
};

/**
 * What the shaders of each part may import: parts, and files that a part borrows for now. Modules that layouts generate belong to
 * `LAYOUT_OWNERS`.
 */
const SHADER_ARROWS: Arrows = {
  math: [],
  // draw memory binds the indices of its own
  vertex: ['math', 'character', 'stages', 'render/draw-memory/layout.wesl'],
  'controller/eval': ['controller', 'character', 'math'],
  stages: ['controller/eval', 'controller', 'character', 'vertex', 'math'],
  render: ['stages', 'character', 'vertex', 'math'],
};

/** Parts whose layouts generate the modules `package::layout::…`. */
const LAYOUT_OWNERS: Readonly<Record<string, string>> = {
  animator: 'controller/eval',
  controller: 'controller',
  geometry: 'character/format',
  indices: 'stages',
  rig: 'character/format',
  stages: 'stages',
  triangles: 'render',
};

/** Where packages may be imported; `node:` stands for all of Node's own modules. */
const PACKAGES: Arrows = {
  commander: ['cli'],
  '@gltf-transform/core': ['import/gltf', 'import/model-builder/node-transforms.ts'],
  '@gltf-transform/extensions': ['import/gltf/decode.ts'],
  '@dagrejs/dagre': ['diagram/graph-layout.ts', 'diagram/order.ts'],
  draco3dgltf: ['import/gltf/import-gltf.ts'],
  'gltf-validator': ['cli/actions/inspect/validator.ts'],
  fflate: ['import/fbx/inflate.ts'],
  'jpeg-js': ['render/images/decode-jpeg.ts'],
  meshoptimizer: ['import/gltf', 'import/lods'],
  sharp: ['render/images/decode-node.ts'],
  playcanvas: ['bench/baselines/playcanvas.ts'],
  three: ['three', 'bench/three'],
  zod: ['controller/schema.ts'],
  yaml: ['import/unity'],
  'node:': ['character/fetch-bytes.ts', 'character/read-file.ts', 'cli', 'node', 'render/images/basis.ts'],
};

/** What is imported by a name that bundlers must not see, or whose types compilers do not find: libav.js; `webgpu`; the Basis transcoder; `sharp`. */
const NAMED_AT_RUN_TIME = [
  'cli/video.ts',
  'node/software-adapter/packages.ts',
  'render/images/basis.ts',
  'render/images/decode-node.ts',
];

/** Files that know each other's types; none of these is a cycle when the code runs. */
const CYCLES_OF_TYPES = ['crowd/character-column.ts, crowd/crowd.ts, crowd/group.ts, crowd/internals.ts'];

const LINE_LIMIT = 600;
/** Longer files. `Crowd` is the public class: its methods are short, its docstrings are the reference. */
const LONG_FILES = ['crowd/crowd.ts'];

type Arrows = Readonly<Record<string, readonly string[]>>;
/** Text of each file, by its path below src. */
type Sources = ReadonlyMap<string, string>;

interface Import {
  readonly from: string;
  /** A path below src, the name of a package, or undefined for a name that is made at run time. */
  readonly to: string | undefined;
  readonly isPackage: boolean;
  readonly isType: boolean;
}

const STATIC = /^(?:import|export)\s+(type\s)?(?:[^;'"]*?\bfrom\s*)?['"]([^'"]+)['"]/gm;
const DYNAMIC = /\b(?:import|require|getBuiltinModule)\((?:\s*\/\*.*?\*\/)*\s*(?:(['"`])([^'"`]+)\1)?/g;

function importsOf(sources: Sources): Import[] {
  return Array.from(sources).flatMap(([from, text]) => {
    const code = text.replace(/^\s*(?:\*|\/[/*]).*$/gm, '');
    const make = (name: string | undefined, isType: boolean): Import => {
      const isPackage = name !== undefined && !name.startsWith('.');
      const to = name === undefined || isPackage ? name : path.posix.join(path.posix.dirname(from), name);
      return { from, to, isPackage, isType };
    };
    return [
      ...Array.from(code.matchAll(STATIC), ([, type, name]) => make(name, type !== undefined)),
      ...Array.from(code.matchAll(DYNAMIC), ([, , name]) => make(name, false)),
    ];
  });
}

/** Imports of shaders, by the files that they name; a generated module counts as a file of its owner. */
function shaderImportsOf(shaders: Sources): { readonly from: string; readonly to: string }[] {
  return Array.from(shaders).flatMap(([from, text]) => {
    const code = text.replace(/\/\/.*$/gm, '');
    // a list of items, or one item at the end
    return Array.from(code.matchAll(/\bpackage::([\w:]+)::(?:\{|\w+)/g), ([, module]) => {
      const [folder, ...names] = module!.replaceAll('_', '-').split('::');
      const owner = folder === 'layout' ? LAYOUT_OWNERS[names[0]!] : folder;
      return { from, to: `${[owner, ...names].join('/')}.wesl` };
    });
  });
}

const isShaderArrowListed = (part: string, to: string): boolean =>
  SHADER_ARROWS[part]?.some((place) => covers(place, to)) ?? false;

function covers(place: string, file: string): boolean {
  if (place.endsWith('/*')) return path.posix.dirname(file) === place.slice(0, -2);
  return file === place || file.startsWith(`${place}/`);
}

/** The innermost part with rules of its own. */
const partOf = (file: string): string =>
  file.split('/', 2).join('/') in ARROWS ? file.split('/', 2).join('/') : file.split('/')[0]!;

/** Imports between parts that the table does not allow. */
function forbiddenArrows(sources: Sources, arrows: Arrows = ARROWS): string[] {
  return importsOf(sources).flatMap(({ from, to, isPackage }) => {
    if (to === undefined || isPackage) return [];
    const allowed = arrows[partOf(from)];
    const own = allowed !== undefined && partOf(from) === partOf(to) && sources.has(to);
    const listed = allowed?.some((place) => covers(place, to)) ?? false;
    return own || listed || (allowed && to === 'errors.ts') ? [] : `${from} → ${to}`;
  });
}

/** Imports of packages from where the table does not allow them. */
function forbiddenPackages(sources: Sources, packages: Arrows = PACKAGES): string[] {
  return importsOf(sources).flatMap(({ from, to, isPackage }) => {
    if (to === undefined || !isPackage) return [];
    const allowed = packages[packageOf(to)] ?? [];
    return allowed.some((place) => covers(place, from)) ? [] : `${from} → ${to}`;
  });
}

function packageOf(name: string): string {
  if (name.startsWith('node:')) return 'node:';
  return name.split('/', name.startsWith('@') ? 2 : 1).join('/');
}

/** Entries of a table that nothing uses. */
function unusedArrows(arrows: Arrows, used: (key: string, place: string) => boolean): string[] {
  return Object.entries(arrows).flatMap(([key, places]) =>
    places.filter((place) => !used(key, place)).map((place) => `${key}: ${place}`),
  );
}

/** Groups of files that reach each other, each as one line. */
function cyclesOf(imports: readonly Import[]): string[] {
  const next = new Map<string, string[]>();
  for (const { from, to, isPackage } of imports) {
    if (to === undefined || isPackage) continue;
    next.set(from, [...(next.get(from) ?? []), to]);
  }
  const reachedFrom = (start: string): Set<string> => {
    const reached = new Set<string>();
    for (const pending = [start]; pending.length > 0;) {
      for (const file of next.get(pending.pop()!) ?? []) {
        if (!reached.has(file)) pending.push(file);
        reached.add(file);
      }
    }
    return reached;
  };
  const reach = new Map(Array.from(next.keys(), (file) => [file, reachedFrom(file)] as const));
  const groups = Array.from(reach, ([file, reached]) =>
    [...reached]
      .filter((other) => reach.get(other)?.has(file))
      .sort()
      .join(', '),
  );
  return [...new Set(groups.filter((group) => group !== ''))].sort();
}

const root = path.resolve(import.meta.dirname, '../src');
const filesOf = (end: string): Sources =>
  new Map(
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .map((file) => file.replaceAll('\\', '/'))
      .filter((file) => file.endsWith(end) && !file.endsWith('.test.ts'))
      .sort()
      .map((file) => [file, readFileSync(path.join(root, file), 'utf8')]),
  );
const sources: Sources = filesOf('.ts');
const imports = importsOf(sources);
const shaders: Sources = filesOf('.wesl');
const shaderImports = shaderImportsOf(shaders);

describe('src', () => {
  test('its parts import what the table allows, and all that it allows', () => {
    expect(forbiddenArrows(sources)).toEqual([]);
    const isUsed = (part: string, place: string) =>
      imports.some(({ from, to, isPackage }) => !isPackage && to && partOf(from) === part && covers(place, to));
    expect(unusedArrows(ARROWS, isUsed)).toEqual([]);
    expect(Object.keys(ARROWS).sort()).toEqual([...new Set(Array.from(sources.keys(), partOf))].sort());
  });

  test('its shaders import what their table allows, and all that it allows', () => {
    const between = shaderImports.filter(({ from, to }) => partOf(from) !== partOf(to));
    const forbidden = between.filter(({ from, to }) => !isShaderArrowListed(partOf(from), to));
    expect(forbidden.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
    const isUsed = (part: string, place: string) =>
      between.some(({ from, to }) => partOf(from) === part && covers(place, to));
    expect(unusedArrows(SHADER_ARROWS, isUsed)).toEqual([]);
  });

  test('packages are imported only where they belong', () => {
    expect(forbiddenPackages(sources)).toEqual([]);
    const isUsed = (name: string, place: string) =>
      imports.some(({ from, to, isPackage }) => isPackage && packageOf(to!) === name && covers(place, from));
    expect(unusedArrows(PACKAGES, isUsed)).toEqual([]);
    const atRunTime = imports.filter(({ to }) => to === undefined).map(({ from }) => from);
    expect(atRunTime).toEqual(NAMED_AT_RUN_TIME);
  });

  test('stages do not import each other', () => {
    const stageOf = (file: string) => /^stages\/[^/]+\//.exec(file)?.[0];
    const between = imports.filter(({ from, to, isPackage }) => {
      const [here, there] = [stageOf(from), to !== undefined && !isPackage ? stageOf(to) : undefined];
      return here && there && here !== there;
    });
    expect(between.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
    const linked = shaderImports.filter(({ from, to }) => {
      const [here, there] = [stageOf(from), stageOf(to)];
      return here && there && here !== there;
    });
    expect(linked).toEqual([]);
  });

  test('the command describes its subcommands without what they need to run', () => {
    const needed = Array.from(sources.get('cli/commands.ts')!.matchAll(STATIC), ([, , name]) => name!);
    expect(needed.sort()).toEqual(['./options.ts', 'commander']);
  });

  test('no files import each other in a circle', () => {
    expect(cyclesOf(imports.filter(({ isType }) => !isType))).toEqual([]);
    expect(cyclesOf(imports)).toEqual(CYCLES_OF_TYPES);
  });

  test(`no file has more than ${LINE_LIMIT} lines, generated ones aside`, () => {
    const lengths = Array.from(sources, ([file, text]) => [file, text.trimEnd().split('\n').length] as const);
    const long = lengths.filter(([file, length]) => !file.endsWith('.gen.ts') && length > LINE_LIMIT);
    expect(long.map(([file]) => file)).toEqual(LONG_FILES);
  });
});

describe('the checks themselves', () => {
  const made = (files: Readonly<Record<string, string>>): Sources => new Map(Object.entries(files));

  test('find imports in every form, and none in comments', () => {
    const text = [
      "import { a } from '../layout/index.ts';",
      "import type { B } from './b.ts';",
      "import {\n  type C,\n  d,\n} from './c.ts';",
      "export { e } from './e.ts';",
      "export * from './f.ts';",
      "import './g.ts';",
      "const h = await import(/* webpackIgnore: true */ './h.ts');",
      "let i: import('sharp').Sharp;",
      "process.getBuiltinModule('node:fs');",
      'const j = import(name);',
      "// import { k } from './k.ts';",
      "/**\n * import l from './l.ts';\n */",
      "export const m = 'n'; // from './o.ts'",
    ].join('\n');
    const found = importsOf(made({ 'stages/x.ts': text }));
    expect(found.map(({ to, isType }) => (isType ? `type ${to}` : to))).toEqual([
      'layout/index.ts',
      'type stages/b.ts',
      'stages/c.ts',
      'stages/e.ts',
      'stages/f.ts',
      'stages/g.ts',
      'stages/h.ts',
      'sharp',
      'node:fs',
      undefined,
    ]);
  });

  test('refuse what is not in the table', () => {
    const files = made({
      'layout/index.ts': "import type { Crowd } from '../crowd/crowd.ts';",
      'crowd/crowd.ts': "import { fail } from '../errors.ts';\nimport '../frame/stages.ts';\nimport '../cli/main.ts';",
      'crowd/loader.ts': "const load = () => import('../import/index.ts');",
      'frame/gpu/parts.ts': "import '../../stages/kernel.ts';\nimport '../cpu/parts.ts';\nimport '../../index.ts';",
      'stages/kernel.ts': "import '../../test/support/gpu.ts';\nimport './kernel.test.ts';",
      'errors.ts': "import './layout/index.ts';",
      'physics/world.ts': "import '../errors.ts';",
    });
    expect(forbiddenArrows(files)).toEqual([
      'layout/index.ts → crowd/crowd.ts',
      'crowd/crowd.ts → cli/main.ts',
      'crowd/loader.ts → import/index.ts',
      'frame/gpu/parts.ts → frame/cpu/parts.ts',
      'frame/gpu/parts.ts → index.ts',
      'stages/kernel.ts → ../test/support/gpu.ts',
      'stages/kernel.ts → stages/kernel.test.ts',
      'errors.ts → layout/index.ts',
      'physics/world.ts → errors.ts',
    ]);
  });

  test('refuse packages out of their place', () => {
    const files = made({
      'cli/main.ts': "import { Command } from 'commander';\nimport path from 'node:path';",
      'crowd/crowd.ts': "import { Command } from 'commander';\nimport path from 'node:path';",
      'render/canvas.ts': "import * as THREE from 'three';\nimport x from 'three/addons/x.js';",
      'import/gltf/decode.ts': "import('@gltf-transform/extensions');\nimport('@gltf-transform/functions');",
    });
    expect(forbiddenPackages(files)).toEqual([
      'crowd/crowd.ts → commander',
      'crowd/crowd.ts → node:path',
      'render/canvas.ts → three',
      'render/canvas.ts → three/addons/x.js',
      'import/gltf/decode.ts → @gltf-transform/functions',
    ]);
  });

  test('find imports of shaders by file, and those of generated modules by owner', () => {
    const text = [
      'import package::layout::rig::{rig2, TRACK_NONE};',
      'import package::stages::pose_joints::pose_lane::Pose;',
      '// import package::render::lighting::sky::skyColor;',
      'fn f() -> f32 { return package::math::cycles::wrap(1.0); }',
    ].join('\n');
    expect(shaderImportsOf(made({ 'render/a.wesl': text })).map(({ to }) => to)).toEqual([
      'character/format/rig.wesl',
      'stages/pose-joints/pose-lane.wesl',
      'math/cycles.wesl',
    ]);
  });

  test('find circles of any length', () => {
    const files = made({
      'a.ts': "import './b.ts';",
      'b.ts': "import type { C } from './c.ts';",
      'c.ts': "import './a.ts';\nimport './d.ts';",
      'd.ts': "import './d.ts';",
      'e.ts': "import './a.ts';",
    });
    expect(cyclesOf(importsOf(files))).toEqual(['a.ts, b.ts, c.ts', 'd.ts']);
    expect(cyclesOf(importsOf(files).filter(({ isType }) => !isType))).toEqual(['d.ts']);
  });
});
