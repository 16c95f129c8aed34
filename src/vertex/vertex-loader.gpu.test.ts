import { describe, expect, test } from 'vitest';
import { noGpu, readBuffer, testDevice, uploadBuffer } from '../../test/support/gpu.ts';
import { FORMATS, MISSING, formatOf, matrixModel } from '../../test/support/vertex-formats.ts';
import { Random } from '../../test/support/random.ts';
import { runSeed, testInTurn } from '../../test/support/setup.ts';
import { meshOf, smallModel } from '../../test/support/small-model.ts';
import { linkTestShader } from '../../test/support/wesl.ts';
import type { Character } from '../character/character.ts';
import { GeometryHeader, MeshChannels, VertexChannel } from '../character/format/geometry-layout.ts';
import { packCharacter } from '../character/pack/index.ts';
import { openVertices } from './vertex-channels.ts';
import { joinTables } from '../frame/tables/crowd-types.ts';
import {
  type Bindings,
  bindings,
  createBindGroup,
  createBindGroupLayout,
  reads,
  View,
  writes,
} from '../layout/index.ts';
import { geometryBindings, indexBindings } from '../stages/layout.ts';
import {
  CHANNEL_COUNT,
  CHANNEL_NORMAL,
  CHANNEL_POSITION,
  channelKey,
  isNormalized,
  isOctahedral,
} from './vertex-format.ts';
import { loadIndex } from './vertex-loader.ts';

const testBindings = bindings(0, { queries: reads('vec4u'), answers: writes('vec4u') });

const SHADER = `
import package::vertex::index_loader::{loadIndex, loadTriangle};
import package::vertex::vertex_loader::{openVertices, loadPosition, loadNormal, loadTangent, loadTexcoord, loadChannel, loadColor, loadSecondTexcoord, loadWind};
${testBindings.wgsl}
// geometry row, vertex, set and corner in 16 bits each, first index
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if (i >= arrayLength(&queries)) { return; }
  let q = vec4u(queries[i].xy, queries[i].z & 0xffffu, queries[i].w);
  let corner = queries[i].z >> 16u;
  let loader = openVertices(q.x, q.y);
  answers[8u * i] = bitcast<vec4u>(vec4f(loadPosition(loader, q.y, q.z), loadWind(loader, q.y, q.z)));
  answers[8u * i + 1u] = bitcast<vec4u>(vec4f(loadNormal(loader, q.y, q.z), 0.0));
  answers[8u * i + 2u] = bitcast<vec4u>(loadTangent(loader, q.y, q.z));
  answers[8u * i + 3u] = bitcast<vec4u>(vec4f(loadTexcoord(loader, q.y, q.z), 0.0, 0.0));
  answers[8u * i + 4u] = bitcast<vec4u>(loadColor(loader, q.y, q.z));
  answers[8u * i + 5u] = vec4u(loadTriangle(q.w, corner / 3u), loadIndex(q.w, corner));
  answers[8u * i + 6u] = bitcast<vec4u>(vec4f(loadSecondTexcoord(loader, q.y), 0.0, 0.0));
  answers[8u * i + 7u] = bitcast<vec4u>(loadChannel(loader, ${channelKey('_heat')}u, q.y));
}`;

interface Query {
  readonly type: number;
  readonly vertex: number;
  readonly setIndex: number;
}

/** The corner that is asked for beside a vertex. */
const cornerOf = ({ indices }: Character, vertex: number) => vertex % indices.length;

/** All answers of the kernel, and the tables that it read. */
async function ask(characters: readonly Character[], queries: readonly Query[]) {
  const tables = joinTables(characters, { serialPoses: false, layers: false });
  const { device } = await testDevice();
  const layouts = [testBindings, geometryBindings, indexBindings];
  const groups = layouts.map((group) => createBindGroupLayout(device, 'loader', group));
  const module = device.createShaderModule({ code: await linkTestShader(SHADER) });
  const layout = device.createPipelineLayout({ bindGroupLayouts: groups });
  const pipeline = await device.createComputePipelineAsync({ layout, compute: { module } });
  const upload = (words: Uint32Array) => uploadBuffer(device, words, GPUBufferUsage.STORAGE);
  const rows = queries.flatMap(({ type, vertex, setIndex }) => {
    const { levels, character } = tables.types[type]!;
    const { geometryRow, firstIndex } = levels[0]!;
    return [geometryRow, vertex, setIndex | (cornerOf(character, vertex) << 16), firstIndex];
  });
  const geometry = upload(tables.geometry);
  const buffers = {
    queries: upload(Uint32Array.from(rows)),
    answers: upload(new Uint32Array(32 * queries.length)),
    geometry4: geometry,
    geometry1: geometry,
    indices1: upload(tables.indices),
  };
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  layouts.forEach((group, index) =>
    pass.setBindGroup(
      index,
      createBindGroup(device, 'loader', groups[index]!, group as Bindings<keyof typeof buffers>, buffers),
    ),
  );
  pass.dispatchWorkgroups(Math.ceil(queries.length / 64));
  pass.end();
  device.queue.submit([encoder.finish()]);
  const answers = await readBuffer(device, buffers.answers);
  for (const buffer of Object.values(buffers)) buffer.destroy();
  return { tables, words: new Uint32Array(answers), floats: new Float32Array(answers) };
}

const vec4 = (floats: Float32Array, row: number, count: number) =>
  Array.from(floats.subarray(4 * row, 4 * row + count));

/** Distance in units of the last place of the larger; 0 and −0 are alike. */
function ulps(a: number, b: number): number {
  const size = Math.max(Math.abs(a), Math.abs(b), 2 ** -126);
  return Math.abs(a - b) / 2 ** (Math.floor(Math.log2(size)) - 23);
}

/** Whether all that an octahedral or dequantised element holds is near; anything else has to be the same bits. */
function expectSame(actual: readonly number[], expected: readonly number[], exact: boolean, label: string): void {
  actual.forEach((value, c) => {
    // a matcher takes far longer than to see that it holds
    if (Object.is(value, Math.fround(expected[c]!))) return;
    if (exact) expect(value, `${label}[${c}]`).toBe(Math.fround(expected[c]!));
    // unit vectors and boxes of 2 m: absolute, since components cancel
    else expect(Math.abs(value - expected[c]!), `${label}[${c}]`).toBeLessThan(6e-7);
  });
}

describe.skipIf(noGpu())('vertex-loader on the GPU', () => {
  testInTurn(2)('loads any vertex and set as the twin does: bit for bit, but unit vectors and boxes', async () => {
    const random = new Random(runSeed);
    const characters = Object.keys(MISSING).map((missing) =>
      packCharacter(matrixModel(random, Object.keys(FORMATS), missing), { vertexFormat: formatOf }),
    );
    const queries = characters.flatMap(({ vertexCount }, type) =>
      [0, 1, 8, 9].flatMap((setIndex) =>
        Array.from({ length: vertexCount }, (_, vertex): Query => ({ type, vertex, setIndex })),
      ),
    );
    const { tables, words, floats } = await ask(characters, queries);
    const met = new Set<number>();
    const heats = new Set<string>();
    queries.forEach(({ type, vertex, setIndex }, i) => {
      const { levels, character } = tables.types[type]!;
      const { geometryRow, firstIndex } = levels[0]!;
      const loader = openVertices(tables.geometry, geometryRow, vertex);
      const { channels } = loader.table;
      const primitive = character.primitives.find(
        (p) => vertex - p.firstVertex < p.vertexCount && vertex >= p.firstVertex,
      );
      const label = `${character.name}, ${primitive!.name}, vertex ${vertex}, set ${setIndex}`;
      const format = (channel: number) => (setIndex > 0 ? 0 : (channels[channel]?.format ?? 0));
      channels.forEach((place) => place && met.add(place.format));
      const row = 8 * i;
      const asked = cornerOf(character, vertex);
      expectSame(
        vec4(floats, row, 3),
        loader.loadPosition(vertex, setIndex),
        !isNormalized(format(0)),
        `${label} position`,
      );
      expectSame([floats[4 * row + 3]!], [loader.loadWind(vertex, setIndex)], true, `${label} wind`);
      expectSame(
        vec4(floats, row + 1, 3),
        loader.loadNormal(vertex, setIndex),
        !isOctahedral(format(1)),
        `${label} normal`,
      );
      expectSame(
        vec4(floats, row + 2, 4),
        loader.loadTangent(vertex, setIndex),
        !isOctahedral(format(2)),
        `${label} tangent`,
      );
      expectSame(vec4(floats, row + 3, 2), loader.loadTexcoord(vertex, setIndex), true, `${label} texcoord`);
      expectSame(vec4(floats, row + 6, 2), loader.loadSecondTexcoord(vertex), true, `${label} second texcoord`);
      const heat = loader.loadChannel('_HEAT', vertex);
      heats.add(JSON.stringify(heat.map((value) => value !== 0)));
      expectSame(vec4(floats, row + 7, 4), heat, true, `${label} heat`);
      const color = loader.loadColor(vertex, setIndex);
      // the standard layout's colours go through unpack4x8unorm
      vec4(floats, row + 4, 4).forEach((value, c) => {
        expect(ulps(value, Math.fround(color[c]!)), `${label} color`).toBeLessThanOrEqual(
          loader.table.firstVertex === 0 ? 1 : 0,
        );
      });
      expect(words[4 * (row + 5) + 3], `${label} index`).toBe(loadIndex(tables.indices, firstIndex, asked));
      const corner = firstIndex + asked - (asked % 3);
      expect([...words.subarray(4 * (row + 5), 4 * (row + 5) + 3)]).toEqual([
        ...tables.indices.subarray(corner, corner + 3),
      ]);
    });
    expect(met.size, 'formats that were met').toBe(9);
    // none, and one to four components
    expect(heats.size, 'widths that were met').toBe(5);
  });

  test('gives the default of every channel that a table lacks, positions and normals included', async () => {
    const mesh = meshOf([[3, 4, 5], [6, 7, 8], [9, 9, 9]], () => [[0, 1]]); // prettier-ignore
    const character = packCharacter(smallModel({ meshes: [mesh] }), { vertexFormat: 'compact' });
    const row = new View(GeometryHeader, character.geometry.buffer, 0, 1).get(0, 'channelRow');
    new View(MeshChannels, character.geometry.buffer, 16 * row, 1).set(0, 'activeChannels', 0);
    const { floats } = await ask(
      [character],
      [0, 1].map((setIndex): Query => ({ type: 0, vertex: 1, setIndex })),
    );
    expect(vec4(floats, 0, 4)).toEqual([0, 0, 0, 0]);
    expect(vec4(floats, 1, 3)).toEqual([0, 0, 1]);
    expect(vec4(floats, 2, 4)).toEqual([1, 0, 0, 1]);
    expect(vec4(floats, 3, 2)).toEqual([0, 0]);
    expect(vec4(floats, 4, 4)).toEqual([1, 1, 1, 1]);
    for (let c = 0; c < 5; c++) expect(vec4(floats, 6 + c, 4), 'a set adds nothing').toEqual([0, 0, 0, 0]);
    const loader = openVertices(character.geometry, 0, 1);
    expect([loader.loadPosition(1, 0), loader.loadNormal(1, 0), loader.loadTangent(1, 0)]).toEqual([[0, 0, 0], [0, 0, 1], [1, 0, 0, 1]]); // prettier-ignore
  });

  test('reads the packed layout bit for bit', async () => {
    const count = 256;
    const codes = Array.from({ length: count }, (_, code) => code);
    // every code of every byte, by the formula: e = (2 code − 255) / 255
    const share = (code: number) => code / 255;
    const mesh = meshOf(
      codes.map((code) => [code, -code / 3, 1e-3 * code]),
      () => [[0, 1]],
      {
        normals: Float32Array.from(codes.flatMap((code) => [code, 255 - code, (code * 7) & 255].map((c) => 2 * share(c) - 1))),
        tangents: Float32Array.from(codes.flatMap((code) => [(code * 3) & 255, code, 255 - code, (code & 1) * 255].map((c) => 2 * share(c) - 1))),
        wind: Float32Array.from(codes, share),
      },
    ); // prettier-ignore
    const character = packCharacter(smallModel({ meshes: [mesh] }), { vertexFormat: 'packed' });
    const row = new View(GeometryHeader, character.geometry.buffer, 0, 1).get(0, 'channelRow');
    const places = new View(VertexChannel, character.geometry.buffer, 16 * row + MeshChannels.size, CHANNEL_COUNT);
    const first = places.get(CHANNEL_POSITION, 'byteOffset') / 4;
    expect(places.get(CHANNEL_NORMAL, 'byteOffset')).toBe(4 * first + 12);
    const { floats } = await ask(
      [character],
      codes.map((vertex): Query => ({ type: 0, vertex, setIndex: 0 })),
    );
    const unbias = (code: number) => Math.fround((2 * code - 255) * Math.fround(1 / 255));
    for (const code of codes) {
      const word = character.geometry[first + 4 * code + 3]!;
      expect(word, `code ${code}`).toBe((code | ((255 - code) << 8) | (((code * 7) & 255) << 16) | (code << 24)) >>> 0);
      const expected = [
        code,
        Math.fround(-code / 3),
        Math.fround(1e-3 * code),
        Math.fround(code * Math.fround(1 / 255)),
      ];
      expect(vec4(floats, 8 * code, 4)).toEqual(expected);
      expect(vec4(floats, 8 * code + 1, 3)).toEqual([unbias(code), unbias(255 - code), unbias((code * 7) & 255)]);
      expect(vec4(floats, 8 * code + 2, 4)).toEqual([(code * 3) & 255, code, 255 - code, (code & 1) * 255].map(unbias));
    }
  });
});
