import { describe, expect } from 'vitest';
import { noVisibility, readBuffer, testDevice, uploadBuffer } from '../../../../test/support/gpu.ts';
import { Random } from '../../../../test/support/random.ts';
import { someSeeds, testInTurn } from '../../../../test/support/setup.ts';
import { drawnWords, finish, looksCrowd, randomLooks, visibilityOf } from '../../../../test/support/shade-scene.ts';
import { createBindGroup, createBindGroupLayout, View } from '../../../layout/index.ts';
import { loadContactPoints } from '../../contact-points.ts';
import { lensOf } from '../../forward/lens.ts';
import { cascadesOf } from '../../lighting/cascades.ts';
import { frameUniforms } from '../../lighting/frame-uniforms.ts';
import { viewBindings } from '../../lighting/layout.ts';
import { litFrame } from '../../lighting/lit-frame.ts';
import { DEFAULT_LIGHTING } from '../../lighting/scene.ts';
import { createMaterialTable, materialRows } from '../../materials/material-table.ts';
import { readMaterials } from '../../materials/material.ts';
import { planTextures, decodeTextures } from '../../materials/textures.ts';
import { drawnCharacters } from '../../reference/drawn.ts';
import { filterView, rasterView } from '../../reference/fill.ts';
import { createLook, maskOf } from '../../reference/picture.ts';
import { unpackHalf } from '../../../math/packing.ts';
import { pixelsFromWorld, ShownVertices } from '../shown-triangle.ts';
import { TriangleReader } from '../triangle-reference.ts';
import { BatchRange } from '../triangles.ts';
import { ShadeParams } from './layout.ts';
import { shadePixel, type ShadedPixel } from './reference.ts';
import { createShadePixels, encodeShade } from './stage.ts';
import { internalsOf } from '../../../crowd/internals.ts';

/** One of either variant. */
const SEEDS = someSeeds(2, 30, 700);
const SIZE: Readonly<Record<'width' | 'height', number>> = { width: 128, height: 64 };
const RESOLUTION = 64;
/**
 * Linear colours: halves of 16 bits, and texture filters, whose levels and weights adapters round as they like (SwiftShader's
 * logarithm is off by 0.04; an H200 has weights of 8 bits and levels of its own). On the average much less.
 */
const COLOR = 0.01;
/** Of a pixel and of each pixel moved. */
const MOTION = 3e-5;
/**
 * By the kind of adapter. `ambiguous`: share of pixels beyond COLOR: a texel of a shadow map is about as far as the surface, a
 * highlight is sharp, and textures are noise, so that another level is another colour. Normals: numbers of 8 bits, and
 * filters of normal maps, whose errors grow where their texels point against each other.
 */
const LIMITS = {
  software: { ambiguous: 0.004, meanColor: 0.0005, normal: 0.05, meanNormal: 0.0015 },
  hardware: { ambiguous: 0.03, meanColor: 0.002, normal: 0.4, meanNormal: 0.005 },
} as const;

const counts: Record<string, Readonly<Record<string, number>>> = {};

describe.skipIf(noVisibility())('shade-pixels', () => {
  testInTurn(1).each(SEEDS)('shades as its twin does: seed %i', async (seed) => {
    const random = new Random(seed);
    // the variant for standard geometry, and the one that reads all
    const standard = seed % 2 === 0;
    const scene = await createScene(random, standard ? 1 : 2);
    const expected = scene.twin();
    const actual = await scene.kernel(standard);
    const found = { color: 0, meanColor: 0, ambiguous: 0, motion: 0, normal: 0, meanNormal: 0, shown: 0 };
    expected.forEach((pixel, at) => {
      const own = actual.pixel(at);
      expect(own.ids, `seed ${seed}, pixel ${at}`).toEqual(pixel.ids);
      if (pixel.ids[0] !== 0) found.shown++;
      const [color, motion, normal] = (['color', 'motion', 'normal'] as const).map((key) =>
        Math.max(...pixel[key].map((value, c) => Math.abs(value - own[key][c]!))),
      ) as [number, number, number];
      if (color > COLOR) found.ambiguous++;
      else found.color = Math.max(found.color, color);
      found.meanColor += color / expected.length;
      found.motion = Math.max(found.motion, motion / (1 + Math.hypot(...pixel.motion)));
      found.normal = Math.max(found.normal, normal);
      found.meanNormal += normal / expected.length;
    });
    counts[`seed ${seed}`] = found;
    if (seed === SEEDS.at(-1)) console.table(counts);
    const limits = (await testDevice()).kind === 'hardware' ? LIMITS.hardware : LIMITS.software;
    expect(found.shown).toBeGreaterThan(500);
    expect(found.ambiguous, `seed ${seed}`).toBeLessThanOrEqual(limits.ambiguous * expected.length);
    expect(found.meanColor, `seed ${seed}`).toBeLessThanOrEqual(limits.meanColor);
    expect(found.motion, `seed ${seed}`).toBeLessThanOrEqual(MOTION);
    expect(found.normal, `seed ${seed}`).toBeLessThanOrEqual(limits.normal);
    expect(found.meanNormal, `seed ${seed}`).toBeLessThanOrEqual(limits.meanNormal);
  });
});

/** The same bytes for both. */
async function createScene(random: Random, texcoordSets: 1 | 2) {
  const { device } = await testDevice();
  const character = await randomLooks(random, texcoordSets);
  const crowd = await looksCrowd(random, character);
  const arrays = internalsOf(crowd).host.backend.arrays!;
  const plan = planTextures([character]);
  const table = materialRows([character], plan);
  const materials = readMaterials(table.rows, await decodeTextures(plan));
  await loadContactPoints([character]);
  const things = drawnCharacters(arrays, table.rowOf);

  const camera = { eye: [random.range(-1, 1), 1.6, 3.6], target: [0, 0.6, -0.6] } as const;
  const previousCamera = { ...camera, eye: [0.1, 1.5, 3.7] } as const;
  const bounds = { min: [-3, 0, -4], max: [3, 2.5, 2] } as const;
  const dust = { center: [0.5, 0.4, -1], size: [3, 1, 1.5], density: 0.2, color: [0.7, 0.5, 0.4] } as const;
  const toneMap = (['neutral', 'filmic', 'none'] as const)[random.integer(0, 2)]!;
  const seed = random.integer(0, 1000);
  const scene = { ...DEFAULT_LIGHTING, fadeDistance: 120, hillHeight: 0.1, groundScale: 0.5, seed, dust, toneMap };
  const look = { camera, aspect: SIZE.width / SIZE.height, sunDirection: scene.sunDirection, bounds };
  const cascades = cascadesOf({ ...look, count: 2, resolution: RESOLUTION });
  const common = { crowdViews: 0xffffffff, gridSteps: 256 };
  const maps = cascades.map(({ sunFromWorld }) => {
    const view = { clipFromWorld: sunFromWorld, width: RESOLUTION, height: RESOLUTION, ...common };
    return finish(rasterView(view, finish(filterView(view, things)), (row) => maskOf(materials[row]!))).depths;
  });
  const lens = lensOf({ camera, previousCamera, ...SIZE });
  const view = { clipFromWorld: lens.clipFromWorld, ...SIZE, ...common };
  const uniforms = frameUniforms({ camera }, scene, lens, { cascades, resolution: RESOLUTION });
  const contact = Uint8Array.from({ length: SIZE.width * SIZE.height }, () => random.integer(0, 155));
  const drawn = drawnWords(things, view, arrays.indices);
  const { depths, ids } = visibilityOf(view, things, materials);
  const [page] = arrays.pages;

  return { twin, kernel };

  function twin(): ShadedPixel[] {
    const { skinned } = page!;
    const words = { views: drawn.views, drawn: drawn.words, indices: arrays.indices, skinned };
    const reader = new TriangleReader(words);
    const vertices = new ShownVertices(skinned, arrays.geometry);
    const frame = litFrame(uniforms, maps);
    const shades = createLook(
      frame,
      materials,
      (x, y) => 1 - contact[Math.floor(y) * SIZE.width + Math.floor(x)]! / 255,
    );
    const pixels = pixelsFromWorld(view.clipFromWorld, SIZE.width, SIZE.height);
    return ids.map((id, at) => {
      const seen = id === undefined ? undefined : { triangle: reader.shown(id), vertices, depth: depths[at]! };
      return shadePixel(shades, pixels, [(at % SIZE.width) + 0.5, Math.floor(at / SIZE.width) + 0.5], seen);
    });
  }

  async function kernel(standard: boolean) {
    const { COMPUTE } = GPUShaderStage;
    const { STORAGE, UNIFORM } = GPUBufferUsage;
    const table3 = await createMaterialTable(device, [character], COMPUTE);
    const light = createBindGroupLayout(device, 'light', viewBindings, COMPUTE);
    const owned: { destroy(): void }[] = [table3];
    const upload = (data: ArrayBufferView, usage: number = STORAGE) => {
      const buffer = uploadBuffer(device, data, usage);
      owned.push(buffer);
      return buffer;
    };
    const texture = (
      format: GPUTextureFormat,
      usage: number,
      { width, height, layers = 1 }: { width: number; height: number; layers?: number },
    ) => {
      const made = device.createTexture({ format, usage, size: [width, height, layers] });
      owned.push(made);
      return made;
    };
    const { TEXTURE_BINDING, STORAGE_BINDING, COPY_DST, COPY_SRC } = GPUTextureUsage;
    const read = TEXTURE_BINDING | COPY_DST;
    const shadowMaps = texture('r32float', read, { width: RESOLUTION, height: RESOLUTION, layers: maps.length });
    maps.forEach((map, layer) => {
      const to = { texture: shadowMaps, origin: [0, 0, layer] };
      device.queue.writeTexture(to, map, { bytesPerRow: 4 * RESOLUTION }, [RESOLUTION, RESOLUTION]);
    });
    const contactShade = texture('r8unorm', read, SIZE);
    device.queue.writeTexture({ texture: contactShade }, contact, { bytesPerRow: SIZE.width }, SIZE);
    const visibility = texture('rg32uint', read, SIZE);
    const bits = new Uint32Array(depths.buffer);
    const pairs = Uint32Array.from(ids.flatMap((id, at) => (id === undefined ? [0, 0] : [~id >>> 0, bits[at]!])));
    device.queue.writeTexture({ texture: visibility }, pairs, { bytesPerRow: 8 * SIZE.width }, SIZE);
    const write = STORAGE_BINDING | COPY_SRC;
    const outs = {
      color: texture('rgba16float', write, SIZE),
      motion: texture('rg32float', write, SIZE),
      ids: texture('rg32uint', write, SIZE),
      normals: texture('rgba8snorm', write, SIZE),
    };
    const params = new View(ShadeParams, 1);
    params.assign(0, { viewIndex: 0, isFirst: 1 });
    const range = new View(BatchRange, 1);
    range.assign(0, { batchCount: 0xffffff, runCount: things.length });
    const dispatch = createShadePixels(device, { light, materials: table3, standard, surfaces: true }).bind(
      {
        shade: upload(params.words, UNIFORM),
        views: upload(drawn.views, UNIFORM),
        range: upload(range.words, UNIFORM),
        drawn: upload(drawn.words),
        indices1: upload(arrays.indices),
        skinned: upload(page!.skinned),
        visibility: visibility.createView(),
        colorOut: outs.color.createView(),
        motionOut: outs.motion.createView(),
        idOut: outs.ids.createView(),
        normalOut: outs.normals.createView(),
      },
      {
        light: createBindGroup(device, 'light', light, viewBindings, {
          frame: upload(uniforms, UNIFORM),
          shadowMaps: shadowMaps.createView({ dimension: '2d-array' }),
          contactShade: contactShade.createView(),
        }),
        geometry: upload(arrays.geometry),
        materials: table3.group,
      },
      SIZE,
    );
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    encodeShade(pass, dispatch);
    pass.end();
    const buffers = Object.values(outs).map((out, index) => {
      const bytesPerPixel = [8, 8, 8, 4][index]!;
      // rows of copies are multiples of 256 bytes; so are those of this width
      const size = bytesPerPixel * SIZE.width * SIZE.height;
      const buffer = device.createBuffer({ size, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC });
      owned.push(buffer);
      encoder.copyTextureToBuffer({ texture: out }, { buffer, bytesPerRow: bytesPerPixel * SIZE.width }, SIZE);
      return buffer;
    });
    device.queue.submit([encoder.finish()]);
    const [color, motion, id, normal] = await Promise.all(buffers.map((buffer) => readBuffer(device, buffer)));
    for (const each of owned) each.destroy();
    const [halves, moves, rows, codes] = [
      new Uint16Array(color!),
      new Float32Array(motion!),
      new Uint32Array(id!),
      new Int8Array(normal!),
    ];
    return {
      pixel: (at: number) => ({
        color: [0, 1, 2].map((c) => unpackHalf(halves[4 * at + c]!)),
        motion: [moves[2 * at]!, moves[2 * at + 1]!],
        ids: [rows[2 * at]!, rows[2 * at + 1]!],
        normal: [0, 1, 2].map((c) => codes[4 * at + c]! / 127),
      }),
    };
  }
}
