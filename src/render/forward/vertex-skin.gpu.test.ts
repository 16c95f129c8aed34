// Skinning in the vertex stage, vertex by vertex, against the twin of the stage whose place it takes.
import { describe, expect, test } from 'vitest';
import { noGpu, readBuffer, testDevice, uploadBuffer } from '../../../test/support/gpu.ts';
import { FORMATS, formatOf, matrixModel } from '../../../test/support/vertex-formats.ts';
import { writePalette } from '../../../test/support/random-palette.ts';
import { Random } from '../../../test/support/random.ts';
import { describeCase, randomCharacters, SEEDS } from '../../../test/support/random-rigs.ts';
import { sample } from '../../../test/support/setup.ts';
import { linkTestShader } from '../../../test/support/wesl.ts';
import type { Character } from '../../character/character.ts';
import { packCharacter } from '../../character/pack/index.ts';
import { verticesOf } from '../../frame/tables/read-vertices.ts';
import { joinTables } from '../../frame/tables/crowd-types.ts';
import {
  bindings,
  createBindGroup,
  createBindGroupLayout,
  reads,
  uniform,
  writes,
  type Bindings,
} from '../../layout/index.ts';
import { unpackOctahedral, unpackTangent } from '../../math/packing.ts';
import { geometryBindings } from '../../stages/layout.ts';
import { DrawnPrimitive, DrawnRun } from './layout.ts';

const testBindings = bindings(0, { queries: reads('vec4u'), answers: writes('vec4f') });
/** Of the renderer's group 2 only what skinning reads, in its place. */
const pageBindings = bindings(2, {
  run: uniform(DrawnRun),
  primitive: uniform(DrawnPrimitive),
  residents: reads('u32'),
  visible: reads('u32'),
  transforms: reads('u32'),
  skinned: reads('vec4u'),
});

const SHADER = `
import package::render::forward::vertex_skin::{loadBound, skinBound};
import package::vertex::vertex_loader::openVertices;
${testBindings.wgsl}
// geometry row, vertex, row of the palette
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= arrayLength(&queries)) { return; }
  let q = queries[id.x];
  let loader = openVertices(q.x, q.y);
  let surface = skinBound(loader, loadBound(loader, q.y), q.z);
  answers[3u * id.x] = vec4f(surface.position, 0.0);
  answers[3u * id.x + 1u] = vec4f(normalize(surface.normal), 0.0);
  answers[3u * id.x + 2u] = vec4f(normalize(surface.tangent.xyz), surface.tangent.w);
}`;

async function check(characters: readonly Character[], seed: number, label: string): Promise<void> {
  const random = new Random(seed);
  const tables = joinTables(characters, { serialPoses: false, layers: false, skin: () => 'vertex' });
  const slots = tables.types.map((type) => {
    // morph weights are written by sixteens
    const floats = new Float32Array(4 * type.keptRows + 16);
    writePalette(floats, type, 0, random);
    return floats.subarray(0, 4 * type.keptRows);
  });
  const starts = slots.map((_, type) => slots.slice(0, type).reduce((sum, { length }) => sum + length / 4, 5));
  const pageFloats = new Float32Array(4 * starts.at(-1)! + slots.at(-1)!.length);
  slots.forEach((slot, type) => pageFloats.set(slot, 4 * starts[type]!));
  const queries = tables.types.flatMap(({ levels }, type) =>
    Array.from({ length: levels[0]!.vertexCount }, (_, vertex) => [levels[0]!.geometryRow, vertex, starts[type]!, 0]),
  );
  const { device } = await testDevice();
  const used = [testBindings, geometryBindings, pageBindings] as readonly Bindings[];
  const layouts = used.map((group) => createBindGroupLayout(device, 'vertex skin', group));
  const module = device.createShaderModule({ code: await linkTestShader(SHADER) });
  const layout = device.createPipelineLayout({ bindGroupLayouts: layouts });
  const pipeline = await device.createComputePipelineAsync({ layout, compute: { module } });
  const upload = (words: Uint32Array | Float32Array) => uploadBuffer(device, words, GPUBufferUsage.STORAGE);
  const [geometry, unused] = [upload(tables.geometry), upload(new Uint32Array(64))];
  const buffers = {
    queries: upload(Uint32Array.from(queries.flat())),
    answers: upload(new Float32Array(12 * queries.length)),
    geometry4: geometry,
    geometry1: geometry,
    run: uploadBuffer(device, new Uint32Array(DrawnRun.size / 4), GPUBufferUsage.UNIFORM),
    primitive: uploadBuffer(device, new Uint32Array(DrawnPrimitive.size / 4), GPUBufferUsage.UNIFORM),
    residents: unused,
    visible: unused,
    transforms: unused,
    skinned: upload(pageFloats),
  };
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  used.forEach((group, index) =>
    pass.setBindGroup(
      index,
      createBindGroup(device, 'vertex skin', layouts[index]!, group as Bindings<keyof typeof buffers>, buffers),
    ),
  );
  pass.dispatchWorkgroups(Math.ceil(queries.length / 64));
  pass.end();
  device.queue.submit([encoder.finish()]);
  const answers = new Float32Array(await readBuffer(device, buffers.answers));
  for (const buffer of Object.values(buffers)) buffer.destroy();
  const worst = { position: 0, normal: 0, tangent: 0, handedness: 0 };
  let at = 0;
  for (const [index, type] of tables.types.entries()) {
    const tangents = new Uint32Array(type.levels[0]!.vertexCount);
    const words = verticesOf(
      type,
      type.levels[0]!,
      new Uint32Array(slots[index]!.slice().buffer),
      { providers: [] },
      tangents,
    );
    const floats = new Float32Array(words.buffer);
    for (let v = 0; v < words.length / 4; v++, at += 12) {
      const apart = (expected: ArrayLike<number>, from: number) =>
        Math.hypot(...[0, 1, 2].map((c) => expected[c]! - answers[from + c]!));
      worst.position = Math.max(worst.position, apart(floats.subarray(4 * v), at) / type.character.size);
      const normal = [0, 0, 0];
      unpackOctahedral(words[4 * v + 3]!, normal);
      worst.normal = Math.max(worst.normal, apart(normal, at + 4));
      const tangent = [0, 0, 0, 0];
      unpackTangent(tangents[v]!, tangent);
      worst.tangent = Math.max(worst.tangent, apart(tangent, at + 8));
      worst.handedness = Math.max(worst.handedness, Math.abs(tangent[3]! - answers[at + 11]!));
    }
  }
  expect(at).toBe(answers.length);
  expect(worst.position, label).toBeLessThan(1e-5);
  expect(worst.normal, label).toBeLessThan(2e-4);
  // a bit of theirs is the handedness
  expect(worst.tangent, label).toBeLessThan(4e-4);
  expect(worst.handedness, label).toBe(0);
}

describe.skipIf(noGpu())('vertices that draws skin (metric 1e-5 of size; normals 2e-4)', () => {
  test.each(sample(SEEDS, 16))('random meshes, influences and morph targets: seed %i', (seed) => {
    const characters = randomCharacters(seed);
    return check(characters, seed, describeCase(seed, characters));
  });

  test('in every format, with 0 to 255 influences and 0 to 8 morph targets', () => {
    const model = matrixModel(new Random(4), Object.keys(FORMATS), 'nothing');
    return check([packCharacter(model, { vertexFormat: formatOf })], 4, 'formats');
  });
});
