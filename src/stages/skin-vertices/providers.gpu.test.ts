import { describe, expect, test } from 'vitest';
import { noGpu, testDevice } from '../../../test/support/gpu.ts';
import { writePalette } from '../../../test/support/random-palette.ts';
import { randomModel } from '../../../test/support/random-model.ts';
import { Random } from '../../../test/support/random.ts';
import { some, testInTurn } from '../../../test/support/setup.ts';
import { StageScene, vertexIn } from '../../../test/support/stage-scene.ts';
import { packCharacter } from '../../character/pack/index.ts';
import { openVertices } from '../../vertex/vertex-channels.ts';
import type { VertexFormatChoice } from '../../character/vertex-formats.ts';
import { ManipleError } from '../../errors.ts';
import { View } from '../../layout/index.ts';
import { unpackOctahedral, unpackTangent } from '../../math/packing.ts';
import { VisibleCharacter } from '../layout.ts';
import { checkProviders } from '../check-providers.ts';
import type { VertexProvider } from '../providers.ts';

type Vertex = ReturnType<typeof vertexIn>;

/** Sways by the character's number and the time; rows: direction and strength. Wanted by views 0 and 2. */
const wind: VertexProvider = {
  name: 'wind',
  space: 'model',
  views: 0b101,
  rowCount: 1,
  code: `
fn wind(site: VertexSite, surface: Surface) -> Surface {
  let phase = f32(site.character) * 0.7 + site.time;
  // a parabola per half turn, alike on every machine; sin is not
  let x = fract(phase) * 2.0 - 1.0;
  let sway = 4.0 * x * (1.0 - abs(x));
  let row = windRow(0u);
  return Surface(surface.position + row.xyz * (row.w * sway * surface.position.y), surface.normal, surface.tangent);
}`,
  twin: ({ character, time, row }, { position, normal, tangent }) => {
    const phase = character * 0.7 + time;
    const x = (phase - Math.floor(phase)) * 2 - 1;
    const [dx, dy, dz, strength] = row(0) as unknown as [number, number, number, number];
    const by = strength * 4 * x * (1 - Math.abs(x)) * position[1]!;
    return { position: [position[0]! + dx * by, position[1]! + dy * by, position[2]! + dz * by], normal, tangent };
  },
};

/** A mesh out of nothing but numbers: what is stored is not looked at. */
const spiral: VertexProvider = {
  name: 'spiral',
  space: 'mesh',
  code: `
fn spiral(site: VertexSite, surface: Surface) -> Surface {
  let v = f32(site.vertex);
  let side = select(1.0, -1.0, (site.vertex & 1u) == 1u);
  return Surface(vec3f(v * 0.01, side, f32(site.character)), vec3f(side, 0.0, 0.0), vec4f(0.0, 1.0, 0.0, -side));
}`,
  twin: ({ character, vertex }) => {
    const side = vertex % 2 === 1 ? -1 : 1;
    return { position: [vertex * 0.01, side, character], normal: [side, 0, 0], tangent: [0, 1, 0, -side] };
  },
};

describe.skipIf(noGpu())('providers', () => {
  const layouts: readonly (readonly [layout: string, format: VertexFormatChoice])[] = [
    ['standard', 'standard'],
    ['packed', 'packed'],
    ['general', 'compact'],
  ];
  testInTurn(2).each(some(layouts, 2))('run for the meshes that name them and the views that want them, %s layout: GPU and twin', async (_, format) => {
    const random = new Random(3);
    const shape = { joints: 8, depth: 4, influences: 4, morphs: 2, clips: 0, vertices: 60, scales: false, meshes: 3 };
    const model = randomModel(random, { ...shape, keys: 1, interpolations: ['LINEAR'] });
    // one mesh has a shadow of its own: another vertex of the same character, through the vertex loader
    const twist: VertexProvider = {
      name: 'twist',
      space: 'mesh',
      code: `
fn neighbour(vertex: u32) -> u32 { return vertex ^ 1u; }
fn twist(site: VertexSite, surface: Surface) -> Surface {
  let other = neighbour(site.vertex);
  let loader = openVertices(site.geometryRow, other);
  return Surface(loadPosition(loader, other, 0u), loadNormal(loader, other, 0u), loadTangent(loader, other, 0u));
}`,
      twin: ({ vertex, geometryRow }) => {
        const [other, { geometry }] = [vertex ^ 1, scene.tables];
        const loader = openVertices(geometry, geometryRow, other);
        return {
          position: loader.loadPosition(other, 0),
          normal: loader.loadNormal(other, 0),
          tangent: loader.loadTangent(other, 0),
        };
      },
    };
    // mesh 0: spiral and wind; mesh 1: twist; mesh 2: none
    const character = packCharacter(model, {
      vertexFormat: format,
      providers: ({ name }) => ({ 'mesh 0': 0b011, 'mesh 1': 0b100, 'mesh 2': 0 })[name]!,
    });
    const [seen, unseen] = [0b110, 0b010];
    const count = 6;
    const list = [wind, spiral, twist];
    const providers = {
      list,
      time: 2.25,
      frame: 7,
      rows: Float32Array.of(0.6, 0, 0.8, 0.5),
    };
    const kernels = { serialPoses: true, cachedPalettes: false, serialLists: true };
    const scene = new StageScene([character], { each: count, motionCapacity: 1, kernels, providers });
    const { places, arrays } = scene;
    const viewsOf = (i: number) => (i % 3 === 0 ? unseen : seen);
    const visible = new View(VisibleCharacter, arrays.visible.buffer);
    for (let i = 0; i < count; i++) visible.set(i, 'views', viewsOf(i));
    const palettes = new Float32Array(arrays.palettes.buffer);
    for (let i = 0; i < count; i++) writePalette(palettes, places[i]!.type, 4 * places[i]!.paletteRow, random);
    const { device } = await testDevice();
    await checkProviders(device, list);
    const [twin, gpu] = [scene.onTwin('skin-vertices'), await scene.onGpu(device, 'skin-vertices')];
    const without = packCharacter(model, { vertexFormat: format });
    const plain = new StageScene([without], { each: count, motionCapacity: 1, kernels });
    plain.arrays.palettes.set(arrays.palettes);
    const untouched = plain.onTwin('skin-vertices');
    const near = (a: readonly number[], b: readonly number[], bar: number, label: string) =>
      a.forEach((value, c) => expect(Math.abs(value - b[c]!), label).toBeLessThan(bar));
    const read = (unpack: typeof unpackOctahedral, word: number) => {
      const out = [0, 0, 0, 1];
      unpack(word, out);
      return out;
    };
    for (let i = 0; i < count; i++) {
      for (const { name, firstVertex, vertexCount } of character.primitives) {
        const plainFirst = without.primitives.find((primitive) => primitive.name === name)!.firstVertex;
        let moved = 0;
        for (let v = 0; v < vertexCount; v++) {
          const [expected, actual] = [twin, gpu].map(({ skinned }) => vertexIn(skinned, places[i]!, firstVertex + v)) as [Vertex, Vertex];
          const label = `character ${i}, ${name}, vertex ${v}`;
          near(actual.position, expected.position, 1e-5 * character.size + 1e-5 * Math.hypot(...expected.position), label);
          near(read(unpackOctahedral, actual.normal), read(unpackOctahedral, expected.normal), 2e-4, label);
          near(read(unpackTangent, actual.tangent), read(unpackTangent, expected.tangent), 3e-4, label);
          const before = vertexIn(untouched.skinned, plain.places[i]!, plainFirst + v).position;
          if (Math.hypot(...actual.position.map((value, c) => value - before[c]!)) > 1e-3) moved++;
        }
        expect(moved > 0, `character ${i}, ${name}`).toBe(name !== 'mesh 2');
      }
    }
    // the wind reaches whom a view sees that wants it: the same character without it differs there, and only there
    const calm = new StageScene([character], {
      ...scene.options,
      providers: { ...providers, rows: new Float32Array(4) },
    });
    calm.arrays.palettes.set(arrays.palettes);
    calm.arrays.visible.set(arrays.visible);
    const still = calm.onTwin('skin-vertices').skinned;
    const { firstVertex, vertexCount } = character.primitives.find(({ name }) => name === 'mesh 0')!;
    for (let i = 0; i < count; i++) {
      const differs = Array.from({ length: vertexCount }, (_, v) => firstVertex + v).some((v) => {
        const [moved, kept] = [gpu.skinned, still].map((skinned) => vertexIn(skinned, places[i]!, v).position) as [number[], number[]];
        return moved.some((value, c) => Math.abs(value - kept[c]!) > 1e-3);
      });
      expect(differs, `wind on character ${i}`).toBe((viewsOf(i) & wind.views!) !== 0);
    }
  }); // prettier-ignore

  const refusal = async (...list: VertexProvider[]) => {
    const { device } = await testDevice();
    const thrown: unknown = await checkProviders(device, list).catch((reason: unknown) => reason);
    expect(thrown).toBeInstanceOf(ManipleError);
    return (thrown as ManipleError).issues;
  };

  test('that do not compile are refused with the compiler’s words, the line and the column of their own text', async () => {
    const broken: VertexProvider = {
      name: 'broken',
      space: 'model',
      code: 'fn broken(site: VertexSite, surface: Surface) -> Surface {\n  let x: f32 = 1u;\n  return surface;\n}',
    };
    const [issue] = await refusal(wind, broken);
    expect(issue).toMatchObject({
      code: 'PROVIDER_INVALID',
      severity: 'error',
      path: expect.stringMatching(/^provider broken:2:\d+$/) as string,
    });
    expect(issue!.message).toMatch(/f32.*u32.*: let x: f32 = 1u;/);
  });

  test('are checked in workgroups that the device has', async () => {
    const { device } = await testDevice({ limits: 'compatibility' });
    await checkProviders(device, [wind, spiral]);
  });

  test('with a function of another form are refused where it is called', async () => {
    const [issue] = await refusal({ name: 'other', space: 'mesh', code: 'fn other(x: f32) -> f32 { return x; }' });
    expect(issue).toMatchObject({ code: 'PROVIDER_INVALID', path: 'provider other' });
  });

  test('with bindings of their own are refused', async () => {
    const code = `@group(3) @binding(0) var<storage, read> mine: array<f32>;
fn greedy(site: VertexSite, surface: Surface) -> Surface { return Surface(vec3f(mine[0]), surface.normal, surface.tangent); }`;
    const [issue] = await refusal({ name: 'greedy', space: 'mesh', code });
    expect(issue).toMatchObject({ code: 'PROVIDER_INVALID', path: 'providers' });
  });
});
