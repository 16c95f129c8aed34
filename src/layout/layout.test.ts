import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { WgslReflect } from 'wgsl_reflect/wgsl_reflect.module.js';
import * as geometry from '../character/format/geometry-layout.ts';
import * as rig from '../character/format/rig-layout.ts';
import { animatorBindings } from '../controller/eval/layout.ts';
import * as forward from '../render/forward/layout.ts';
import * as impostors from '../render/impostors/layout.ts';
import * as lighting from '../render/lighting/layout.ts';
import * as materials from '../render/materials/layout.ts';
import * as cullCharacters from '../stages/cull-characters/layout.ts';
import * as gatherMotions from '../stages/gather-motions/layout.ts';
import * as filterTriangles from '../render/visibility/filter-triangles/layout.ts';
import * as rasterTriangles from '../render/visibility/raster-triangles/layout.ts';
import * as shadePixels from '../render/visibility/shade-pixels/layout.ts';
import * as triangles from '../render/visibility/triangles.ts';
import * as visibility from '../render/visibility/layout.ts';
import * as stages from '../stages/layout.ts';
import * as groundCharacters from '../stages/ground-characters/layout.ts';
import * as readJoints from '../stages/read-joints/layout.ts';
import * as keepPalettes from '../stages/keep-palettes/layout.ts';
import * as shiftTransforms from '../stages/shift-transforms/layout.ts';
import * as placeSockets from '../stages/place-sockets/layout.ts';
import * as poseJoints from '../stages/pose-joints/layout.ts';
import * as skinVertices from '../stages/skin-vertices/layout.ts';
import * as stepControllers from '../stages/step-controllers/layout.ts';
import { Random } from '../../test/support/random.ts';
import { someSeeds } from '../../test/support/setup.ts';
import { View, bindings, isStruct, layoutModule, reads, struct, uniform, writes } from './index.ts';
import type { Bindings, Field, Primitive, Struct } from './index.ts';
import { keptProviderBindings, providerBindings, updateProviderBindings } from '../stages/provider-layout.ts';
import { updateCharactersBindings } from '../stages/update-characters/layout.ts';

interface Reflected {
  readonly size: number;
  readonly members: readonly { readonly name: string; readonly offset: number }[];
}

/** What an independent WGSL parser says about a struct's layout. */
function reflect(wgsl: string, name: string): Reflected {
  const found = new WgslReflect(wgsl).structs.find((s: { name: string }) => s.name === name);
  if (!found) throw new Error(`wgsl_reflect finds no ${name} in\n${wgsl}`);
  return found as unknown as Reflected;
}

const AFFINE = 'struct Affine { row0: vec4f, row1: vec4f, row2: vec4f }';

function expectLayout(definition: Struct, inner: readonly Struct[] = []): void {
  const wgsl = [AFFINE, ...inner.map((s) => s.wgsl), definition.wgsl].join('\n');
  const reflected = reflect(wgsl, definition.name);
  expect(reflected.size, wgsl).toBe(definition.size);
  for (const { name, offset } of reflected.members)
    expect(definition.offsets[name], `${name} in\n${wgsl}`).toBe(offset);
}

describe('struct', () => {
  const visible = [triangles, filterTriangles, rasterTriangles, shadePixels];
  const all = [
    rig,
    geometry,
    stages,
    gatherMotions,
    poseJoints,
    skinVertices,
    forward,
    impostors,
    lighting,
    materials,
    ...visible,
  ]
    .flatMap((module) => Object.values(module) as unknown[])
    .filter((value): value is Struct => typeof value === 'object' && value !== null && 'fields' in value);

  test.each(all.map((definition) => [definition.name, definition] as const))(
    '%s lies as WGSL lays it out',
    (_, definition) => {
      const inner = Object.values(definition.fields).flatMap((field: Field) => {
        const element = Array.isArray(field) ? (field[0] as Field) : field;
        return typeof element === 'object' && isStruct(element) ? [element] : [];
      });
      expectLayout(definition, inner);
    },
  );

  // plain numbers, so that bundles need not hold the structs
  test('records are as long as constants say', () => {
    expect(16 * stages.MOTION_ROWS).toBe(stages.Motion.size);
    expect(16 * triangles.PROJECTION_ROWS).toBe(triangles.Projection.size);
    expect(4 * visibility.LARGE_WORDS).toBe(visibility.LargeDisc.size);
    expect(4 * stepControllers.EVENT_WORDS).toBe(stepControllers.EventRecord.size);
  });

  test.each(someSeeds(5, 50))('500 random structs agree with wgsl_reflect (seed %i)', (seed) => {
    const random = new Random(seed);
    const primitives: Primitive[] = [
      'f32',
      'u32',
      'i32',
      'vec2f',
      'vec3f',
      'vec4f',
      'vec2u',
      'vec3u',
      'vec4u',
      'Affine',
      'mat4x4f',
    ];
    for (let n = 0; n < 100; n++) {
      const names = (prefix: string, count: number, field: () => Field) =>
        Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i}`, field()]));
      const inner = struct(
        'Inner',
        names('a', random.integer(1, 3), () => random.pick(primitives)),
      );
      const outer = struct(
        'Outer',
        names('f', random.integer(1, 8), (): Field => {
          if (random.chance(0.2)) return inner;
          if (random.chance(0.2)) return [random.pick(primitives), random.integer(1, 4)];
          return random.pick(primitives);
        }),
      );
      expectLayout(outer, [inner]);
    }
  });
});

describe('View', () => {
  const Thing = struct('Thing', { a: 'u32', b: 'vec3f', c: 'i32', d: 'vec2u' });

  test('reads back what it wrote, row by row, at the struct’s offsets', () => {
    const view = new View(Thing, 3);
    view.assign(1, { a: 0xffffffff, b: [1, 2, 3], c: -5, d: [7, 8] });
    expect([view.get(1, 'a'), view.get(1, 'b'), view.get(1, 'c'), view.get(1, 'd')]).toEqual([
      0xffffffff,
      [1, 2, 3],
      -5,
      [7, 8],
    ]);
    expect(view.get(0, 'b')).toEqual([0, 0, 0]);
    expect(view.floats[(Thing.size + Thing.offsets.b) / 4]).toBe(1);
  });

  test('looks at bytes from an offset on', () => {
    const buffer = new ArrayBuffer(Thing.size * 2 + 16);
    new View(Thing, buffer, 16, 2).set(1, 'c', 9);
    expect(new Int32Array(buffer)[(16 + Thing.size + Thing.offsets.c) / 4]).toBe(9);
  });
});

describe('bindings', () => {
  const Params = struct('Params', { count: 'u32' });
  const group = bindings(2, { params: uniform(Params), input: reads('vec4u'), output: writes('f32') });

  test('declares what it binds, in order', () => {
    expect(group.wgsl.split('\n')).toEqual([
      '@group(2) @binding(0) var<uniform> params: Params;',
      '@group(2) @binding(1) var<storage, read> input: array<vec4u>;',
      '@group(2) @binding(2) var<storage, read_write> output: array<f32>;',
    ]);
    expect(group.storageBufferCount).toBe(2);
  });

  test('no stage takes more than the eight storage buffers of every device; three of skin-vertices’ stay free for providers', () => {
    const { rigBindings, rigRowBindings, geometryBindings } = stages;
    const skin = [skinVertices.skinVerticesBindings, geometryBindings];
    const kernels: Readonly<Record<string, readonly Bindings[]>> = {
      'step-controllers': [stepControllers.stepControllersBindings, rigRowBindings, animatorBindings],
      'shift-transforms': [shiftTransforms.shiftTransformsBindings],
      'ground-characters': [groundCharacters.groundCharactersBindings],
      'cull-characters grant-slots': [cullCharacters.grantSlotsBindings],
      'cull-characters rebalance-slots': [cullCharacters.rebalanceBindings],
      'cull-characters decide-characters': [cullCharacters.decideBindings],
      'cull-characters tighten-characters': [cullCharacters.tightenBindings, rigRowBindings, animatorBindings],
      'cull-characters share-characters': [cullCharacters.shareBindings, rigRowBindings, animatorBindings],
      'cull-characters take-slots': [cullCharacters.takeSlotsBindings],
      'cull-characters assign-slots': [cullCharacters.assignSlotsBindings],
      'cull-characters scan-bins': [cullCharacters.scanBindings],
      'cull-characters list-characters': [cullCharacters.listBindings],
      'cull-characters write-ranges': [cullCharacters.writeRangesBindings],
      'gather-motions': [gatherMotions.gatherMotionsBindings, rigRowBindings, animatorBindings],
      'gather-motions count-dropped': [gatherMotions.countDroppedBindings],
      'gather-motions list': [gatherMotions.listMotionsBindings, rigRowBindings, animatorBindings],
      'pose-joints': [poseJoints.poseJointsBindings, rigBindings],
      'place-sockets': [placeSockets.placeSocketsBindings],
      'keep-palettes': [keepPalettes.keepPalettesBindings],
      'skin-vertices': skin,
      'skin-vertices with providers': [...skin, providerBindings],
      'update-characters': [updateCharactersBindings, updateProviderBindings],
      'keep-palettes with providers': [keepPalettes.keepPalettesBindings, keptProviderBindings],
      'read-joints': [readJoints.readJointsBindings],
      'read-joints rows': [readJoints.readRowsBindings],
      'filter-triangles size-instances': [filterTriangles.sizeBindings],
      'filter-triangles select-instances': [filterTriangles.selectBindings],
      'filter-triangles drop-instances': [filterTriangles.dropBindings],
      'filter-triangles count-batches': [filterTriangles.countBindings],
      'filter-triangles place-instances': [filterTriangles.instanceBindings],
      'filter-triangles': [filterTriangles.filterBindings],
      'filter-triangles place-arguments': [filterTriangles.argumentBindings],
      'raster-triangles': [rasterTriangles.wideRasterBindings, geometryBindings, materials.materialBindings],
      'raster-triangles draw': [
        rasterTriangles.drawBindings,
        geometryBindings,
        rasterTriangles.wideDrawnPixelBindings,
        materials.materialBindings,
      ],
      'shade-pixels': [lighting.viewBindings, geometryBindings, shadePixels.shadeBindings, materials.materialBindings],
      'shade-pixels with named columns': [
        lighting.viewBindings,
        geometryBindings,
        shadePixels.shadeBindings,
        materials.changedMaterialBindings,
      ],
    };
    const folders = ['src/stages', 'src/render/visibility'].flatMap((home) =>
      readdirSync(home, { withFileTypes: true }).filter((entry) => entry.isDirectory()),
    );
    const named = new Set(Object.keys(kernels).map((name) => name.split(' ')[0]));
    expect(named).toEqual(new Set(folders.map(({ name }) => name)));
    const counts = Object.entries(kernels).map(
      ([name, groups]) => [name, groups.reduce((sum, { storageBufferCount }) => sum + storageBufferCount, 0)] as const,
    );
    for (const [name, count] of counts) {
      expect(count, name).toBeLessThanOrEqual(name === 'skin-vertices' ? 6 : 8);
    }
    // what their READMEs say
    expect(Object.fromEntries(counts)).toMatchObject({
      'cull-characters tighten-characters': 8,
      'cull-characters share-characters': 8,
      'cull-characters take-slots': 8,
      'gather-motions': 6,
      'place-sockets': 8,
      'skin-vertices with providers': 6,
      'filter-triangles place-instances': 8,
      'filter-triangles': 5,
      'raster-triangles': 8,
      'shade-pixels': 6,
      'shade-pixels with named columns': 7,
    });
  });
});

describe('layoutModule', () => {
  const Row = struct('Row', { a: 'u32', b: 'f32', c: 'vec2u', m: 'Affine', d: 'vec3f', pad: 'u32' });
  const groups = { pair: ['b', 'c'] };
  const textOf = (
    element: 'vec4u' | 'vec4f' | 'u32' | 'atomic<u32>',
    isWritten: boolean,
    record: Struct = Row,
  ): string =>
    layoutModule({
      records: [{ struct: record, table: 'rows', ...(record === Row ? { groups } : {}) }],
      bindings: bindings(0, { rows: isWritten ? writes(element) : reads(element) }),
      constants: { LIMIT: 7 },
    });
  const functions = (wgsl: string): Record<string, string> =>
    Object.fromEntries(
      Array.from(wgsl.matchAll(/^fn (\w+)(\(.*\{)\n((?: .*\n)*)\}/gm), ([, name, , body]) => [
        name!,
        body!.trim().replaceAll(/\n\s*/g, ' '),
      ]),
    );

  test('declares structs, constants, bindings and accessors', () => {
    const wgsl = textOf('vec4u', true);
    expect(wgsl).toContain('import package::math::affine::Affine;');
    expect(wgsl).toContain('const LIMIT: u32 = 7u;');
    expect(wgsl).toContain('const ROW_ROWS: u32 = 5u;');
    expect(wgsl).toContain('struct RowPair {\n  b: f32,\n  c: vec2u,\n}');
    const own = wgsl.replace('import package::math::affine::Affine;', AFFINE);
    const reflected = new WgslReflect(`${own}\n@compute @workgroup_size(1) fn main() { _ = loadRow(0u); }`);
    const names = ['', 'Pair', 'A', 'B', 'C', 'M', 'D'].flatMap((name) => [
      name === '' ? 'loadRow' : `row${name}`,
      `storeRow${name}`,
    ]);
    expect(reflected.functions.map((f: { name: string }) => f.name)).toEqual([...names, 'main']);
  });

  test('reads each row that holds the fields once', () => {
    expect(functions(textOf('vec4u', false))).toEqual({
      loadRow:
        'let r0 = rows[row]; let r1 = rows[row + 1u]; let r2 = rows[row + 2u]; let r3 = rows[row + 3u]; let r4 = rows[row + 4u]; ' +
        'return Row(r0.x, bitcast<f32>(r0.y), r0.zw, Affine(bitcast<vec4f>(r1), bitcast<vec4f>(r2), bitcast<vec4f>(r3)), bitcast<vec3f>(r4.xyz), r4.w);',
      rowPair: 'let r0 = rows[row]; return RowPair(bitcast<f32>(r0.y), r0.zw);',
      rowA: 'return rows[row].x;',
      rowB: 'return bitcast<f32>(rows[row].y);',
      rowC: 'return rows[row].zw;',
      rowM: 'return Affine(bitcast<vec4f>(rows[row + 1u]), bitcast<vec4f>(rows[row + 2u]), bitcast<vec4f>(rows[row + 3u]));',
      rowD: 'return bitcast<vec3f>(rows[row + 4u].xyz);',
    });
  });

  test('writes only what is written', () => {
    const written = functions(textOf('vec4u', true));
    const { storeRow, storeRowPair, storeRowB, storeRowC, storeRowM } = written;
    expect({ storeRow, storeRowPair, storeRowB, storeRowC, storeRowM }).toEqual({
      storeRow:
        'rows[row] = vec4u(value.a, bitcast<u32>(value.b), value.c); rows[row + 1u] = bitcast<vec4u>(value.m.row0); ' +
        'rows[row + 2u] = bitcast<vec4u>(value.m.row1); rows[row + 3u] = bitcast<vec4u>(value.m.row2); ' +
        'rows[row + 4u] = vec4u(bitcast<vec3u>(value.d), value.pad);',
      storeRowPair: 'rows[row] = vec4u(0u, bitcast<u32>(value.b), value.c);',
      storeRowB: 'rows[row].y = bitcast<u32>(value);',
      storeRowC: 'rows[row].z = value.x; rows[row].w = value.y;',
      storeRowM:
        'rows[row + 1u] = bitcast<vec4u>(value.row0); rows[row + 2u] = bitcast<vec4u>(value.row1); rows[row + 3u] = bitcast<vec4u>(value.row2);',
    });
  });

  test('knows tables of floats, of words and of atomic words', () => {
    expect(functions(textOf('vec4f', true))).toMatchObject({
      rowA: 'return bitcast<u32>(rows[row].x);',
      rowM: 'return Affine(rows[row + 1u], rows[row + 2u], rows[row + 3u]);',
      storeRowD: 'rows[row + 4u].x = value.x; rows[row + 4u].y = value.y; rows[row + 4u].z = value.z;',
    });
    const Words = struct('Words', { a: 'u32', b: 'f32', c: 'u32' });
    expect(textOf('u32', true, Words)).toContain('const WORDS_WORDS: u32 = 3u;');
    expect(functions(textOf('u32', true, Words))).toMatchObject({
      loadWords: 'return Words(rows[row], bitcast<f32>(rows[row + 1u]), rows[row + 2u]);',
      storeWords: 'rows[row] = value.a; rows[row + 1u] = bitcast<u32>(value.b); rows[row + 2u] = value.c;',
    });
    expect(functions(textOf('atomic<u32>', true, Words))).toMatchObject({
      wordsB: 'return bitcast<f32>(atomicLoad(&rows[row + 1u]));',
      storeWordsB: 'atomicStore(&rows[row + 1u], bitcast<u32>(value));',
    });
  });

  test('refuses what it cannot load, and records that are not whole rows', () => {
    expect(() => textOf('vec4u', false, struct('Half', { a: 'vec2u' }))).toThrow('whole number of rows');
    expect(() => textOf('vec4u', false, struct('Matrix', { m: 'mat4x4f' }))).toThrow('not a scalar');
  });
});
