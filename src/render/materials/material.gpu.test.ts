import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { moteModel } from '../../../test/format/mote.ts';
import { noCore, noGpu, readBuffer, testDevice, uploadBuffer } from '../../../test/support/gpu.ts';
import { fromPixels } from '../../../test/support/images.ts';
import { linkTestShader } from '../../../test/support/wesl.ts';
import type { MaterialModel, TextureModel, Wrap } from '../../character/model.ts';
import { packCharacter } from '../../character/pack/index.ts';
import type { RgbaImage } from '../images/image.ts';
import { withUsedTextures } from '../compatibility/used-textures.ts';
import { createMaterialTable, DEFAULT_MATERIAL, type MaterialTable } from './material-table.ts';

const HEAD = `
import package::render::materials::material::{sampleMaterial, sampleAlpha};
@group(0) @binding(0) var<storage, read_write> lookups: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> found: array<vec4f>;
@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) id: vec3u) {
  let lookup = lookups[id.x];
  let row = u32(lookup.z);
  let uv = vec4f(lookup.xy, 0.25, 0.75);
  let m = sampleMaterial(row, uv, vec4f(lookup.w, 0.0, 0.0, 0.0), vec4f(0.0, lookup.w, 0.0, 0.0));
  found[3u * id.x] = m.baseColor;
  found[3u * id.x + 1u] = vec4f(m.normal, m.metallic);
  found[3u * id.x + 2u] = vec4f(m.emissive.r, m.roughness, m.occlusion,
    sampleAlpha(row, uv, vec4f(lookup.w, 0.0, 0.0, 0.0), vec4f(0.0, lookup.w, 0.0, 0.0)));
}
`;

/** u, v, which material, and how far the next pixel's u and v are. */
type Question = readonly [u: number, v: number, row: number, step?: number];

interface Answer {
  readonly baseColor: readonly number[];
  readonly normal: readonly number[];
  readonly metallic: number;
  readonly roughness: number;
  readonly emissive: number;
  readonly occlusion: number;
  readonly alpha: number;
}

async function pngOf(image: RgbaImage) {
  const bytes = new Uint8Array(await fromPixels(image).png().toBuffer());
  return { name: 'image', mimeType: 'image/png' as const, bytes };
}

function imageOf(side: number, colorAt: (x: number, y: number) => readonly number[]): RgbaImage {
  const pixels = Array.from({ length: side * side }, (_, i) => colorAt(i % side, Math.floor(i / side)));
  return { width: side, height: side, data: Uint8Array.from(pixels.flat()) };
}

const looked = (imageIndex: number, wrapS: Wrap = 'REPEAT', wrapT: Wrap = 'REPEAT'): TextureModel => ({
  imageIndex,
  offset: [0, 0],
  scale: [1, 1],
  rotation: 0,
  wrapS,
  wrapT,
});

const linear = (code: number) => ((code / 255 + 0.055) / 1.055) ** 2.4;

describe.skipIf(noGpu())('materials on the GPU', () => {
  let device: GPUDevice;
  let code: string;

  beforeAll(async () => {
    ({ device } = await testDevice());
    code = await linkTestShader(HEAD);
  });

  let table: MaterialTable | undefined;
  afterAll(() => table?.destroy());

  /** Answers by the table of a character whose primitives have these materials. */
  async function ask(
    looks: readonly Partial<MaterialModel>[],
    images: readonly RgbaImage[],
    questions: readonly Question[],
    constants?: (table: MaterialTable) => Record<string, number>,
  ): Promise<Answer[]> {
    const mote = packCharacter({ ...moteModel(), materials: [], images: [] });
    const character = {
      ...mote,
      materials: looks.map((look) => ({ ...DEFAULT_MATERIAL, ...look })),
      images: await Promise.all(images.map(pngOf)),
      primitives: looks.map((_, materialIndex) => ({ ...mote.primitives[0]!, materialIndex })),
    };
    table?.destroy();
    table = await createMaterialTable(device, [mote, character], GPUShaderStage.COMPUTE);
    const buffers = [
      Float32Array.from(questions.flatMap(([u, v, look, step = 1e-4]) => [u, v, table!.rowOf(character, look), step])),
      new Float32Array(12 * questions.length),
    ].map((data) => uploadBuffer(device, data, GPUBufferUsage.STORAGE));
    const entries = [0, 1].map((binding) => ({
      binding,
      visibility: GPUShaderStage.COMPUTE,
      buffer: { type: 'storage' as const },
    }));
    const own = device.createBindGroupLayout({ entries });
    const empty = device.createBindGroupLayout({ entries: [] });
    // all lookups that there could be are too many for the compatibility level
    const used = noCore() ? withUsedTextures(code, table) : code;
    const pipeline = await device.createComputePipelineAsync({
      layout: device.createPipelineLayout({ bindGroupLayouts: [own, empty, empty, table.layout] }),
      compute: { module: device.createShaderModule({ code: used }), ...(constants && { constants: constants(table) }) },
    });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    const nothing = device.createBindGroup({ layout: empty, entries: [] });
    const bound = buffers.map((buffer, binding) => ({ binding, resource: { buffer } }));
    [device.createBindGroup({ layout: own, entries: bound }), nothing, nothing, table.group].forEach((group, index) =>
      pass.setBindGroup(index, group),
    );
    pass.dispatchWorkgroups(questions.length);
    pass.end();
    device.queue.submit([encoder.finish()]);
    const values = new Float32Array(await readBuffer(device, buffers[1]!));
    for (const buffer of buffers) buffer.destroy();
    return questions.map((_, i) => {
      const v = [...values.subarray(12 * i, 12 * i + 12)];
      const [emissive, roughness, occlusion, alpha] = v.slice(8) as [number, number, number, number];
      return {
        baseColor: v.slice(0, 4),
        normal: v.slice(4, 7),
        metallic: v[7]!,
        roughness,
        emissive,
        occlusion,
        alpha,
      };
    });
  }

  test('factors and textures of all kinds, in their colour spaces; without textures only the factors', async () => {
    const base = imageOf(256, () => [200, 100, 50, 128]);
    const numbers = imageOf(4, () => [64, 128, 192, 255]);
    const looks: Partial<MaterialModel>[] = [
      { baseColor: [0.5, 0.25, 1, 0.75], metallic: 0.25, roughness: 0.75, emissive: [0.125, 0, 0] },
      {
        baseColor: [1, 1, 0.5, 0.5],
        baseColorTexture: looked(0),
        metallic: 0.5,
        roughness: 1,
        metallicRoughnessTexture: looked(1),
        normalTexture: looked(1, 'CLAMP', 'MIRROR'),
        normalScale: 0.5,
        occlusionTexture: looked(1),
        occlusionStrength: 0.5,
        emissive: [2, 0, 0],
        emissiveTexture: looked(0),
      },
    ];
    const questions: Question[] = [
      [0.3, 0.4, 0],
      [0.3, 0.4, 1],
    ];
    const answers = await ask(looks, [base, numbers], questions);
    expect(answers[0]).toEqual({
      baseColor: [0.5, 0.25, 1, 0.75],
      normal: [0, 0, 1],
      metallic: 0.25,
      roughness: 0.75,
      emissive: 0.125,
      occlusion: 1,
      alpha: 0.75,
    });
    const expected = [linear(200), linear(100), 0.5 * linear(50), (0.5 * 128) / 255];
    answers[1]!.baseColor.forEach((value, c) => expect(value).toBeCloseTo(expected[c]!, 2.5));
    expect(answers[1]!.alpha).toBe(answers[1]!.baseColor[3]);
    expect(answers[1]!.emissive).toBeCloseTo(2 * linear(200), 2);
    expect(answers[1]!.roughness).toBeCloseTo(128 / 255, 3);
    expect(answers[1]!.metallic).toBeCloseTo((0.5 * 192) / 255, 3);
    expect(answers[1]!.occlusion).toBeCloseTo(1 + 0.5 * (64 / 255 - 1), 3);
    const [x, y, z] = [0.5 * ((2 * 64) / 255 - 1), 0.5 * ((2 * 128) / 255 - 1), (2 * 192) / 255 - 1];
    [x, y, z].forEach((value, c) => expect(answers[1]!.normal[c]).toBeCloseTo(value / Math.hypot(x, y, z), 3));
    // with what the table needs alone compiled in, all is the same
    expect(await ask(looks, [base, numbers], questions, ({ constants }) => ({ ...constants }))).toEqual(answers);
  });

  test('repeat, clamp and mirror along each axis, and transforms', async () => {
    // red grows with x
    const image = imageOf(256, (x) => [x, 0, 0, 255]);
    const wraps: Record<Wrap, (u: number) => number> = {
      REPEAT: (u) => u - Math.floor(u),
      CLAMP: (u) => Math.min(1, Math.max(0, u)),
      MIRROR: (u) => (Math.floor(u) % 2 === 0 ? u - Math.floor(u) : 1 - (u - Math.floor(u))),
    };
    const names = Object.keys(wraps) as Wrap[];
    const looks = names.flatMap((wrap) => [
      { occlusionTexture: looked(0, wrap, 'REPEAT') },
      { occlusionTexture: { ...looked(0, wrap, 'CLAMP'), offset: [0.125, 0] as const, rotation: Math.PI / 2 } },
    ]);
    const at = [-1.8, -0.3, 0.2, 0.6, 1.4, 2.7];
    const questions = names.flatMap((_, n) => at.flatMap((u): Question[] => [[u, 0.5, 2 * n], [0.5, u, 2 * n + 1]])); // prettier-ignore
    const answers = await ask(looks, [image], questions);
    questions.forEach(([u, v, look], i) => {
      // uv' = offset + R(90°) (u, v) = (0.125 + v, −u) in glTF's sense of turning
      const inside = wraps[names[look >> 1]!](look % 2 === 0 ? u : 0.125 + v);
      const expected = Math.min(255, Math.max(0, inside * 256 - 0.5));
      expect(Math.abs(answers[i]!.occlusion * 255 - expected), `${names[look >> 1]} ${u} ${v}`).toBeLessThan(0.6);
    });
  });

  test('distant pixels see the mean of the light, whatever size images have', async () => {
    const looks = [256, 512, 256].map((_, i) => ({ baseColorTexture: looked(i) }));
    const images = [256, 300, 30].map((side) => imageOf(side, (x) => (x % 2 ? [255, 255, 255, 255] : [0, 0, 0, 0])));
    const answers = await ask(
      looks,
      images,
      looks.map((_, i): Question => [0.5, 0.5, i, 4]),
    );
    for (const { baseColor } of answers) for (const value of baseColor) expect(value).toBeCloseTo(0.5, 1.7);
  });
});
