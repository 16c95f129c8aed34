import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readBaked } from '../../../src/character/file/index.ts';
import type { Character } from '../../../src/character/character.ts';
import {
  COVERS_ROTATION,
  COVERS_SCALE,
  COVERS_TRANSLATION,
  resolveMotion,
  RigTable,
  sampleLane,
} from '../../../src/character/format/clip-format.ts';
import { openVertices } from '../../../src/vertex/vertex-channels.ts';
import { fixedPhase } from '../../../src/math/fixed.ts';
import { refusalOf, reseal, sectionPlaces, viewOf } from '../damage.ts';
import { SHIVER } from '../mote.ts';
import { playAll, poseVertices } from '../play.ts';

function fixture(version: number | string): Uint8Array {
  return new Uint8Array(readFileSync(new URL(`character-v${version}.maniple`, import.meta.url)));
}

/** What a clip says about a lane: translation, rotation, scale; NaN where it says nothing. */
function sampled({ rig, clips }: Character, clip: string, lane: number, phase: number): [number[], number[], number[]] {
  const table = new RigTable(rig);
  const index = clips.findIndex(({ name }) => name === clip);
  const out = new Float64Array(10).fill(Number.NaN);
  const covers = sampleLane(table, resolveMotion(table, 0, index, fixedPhase(phase)), lane, out);
  expect(Number.isNaN(out[0]!)).toBe(!(covers & COVERS_TRANSLATION));
  expect(Number.isNaN(out[3]!)).toBe(!(covers & COVERS_ROTATION));
  expect(Number.isNaN(out[7]!)).toBe(!(covers & COVERS_SCALE));
  return [[...out.subarray(0, 3)], [...out.subarray(3, 7)], [...out.subarray(7)]];
}

function expectNear(actual: ArrayLike<number>, expected: readonly number[], tolerance = 1e-4): void {
  expect(actual.length).toBe(expected.length);
  expected.forEach((value, index) => expect(Math.abs(actual[index]! - value), `[${index}]`).toBeLessThan(tolerance));
}

const HALF = Math.SQRT1_2;

// All numbers below are worked out by hand from the description in ../mote.ts; none comes from the code under test.
describe('a character baked with format version 1', () => {
  const character = readBaked(fixture(1), 'character-v1.maniple');

  it('has its names, lists, materials and images', () => {
    expect(character).toMatchObject({
      name: 'mote',
      vertexCount: 14,
      sockets: [{ jointIndex: 5, entry: 6 }],
      parts: ['body node', 'cloak node', 'face node'],
      morphNames: ['smile', 'blink'],
      influenceHistogram: [2, 0, 5, 0, 0, 7],
      batchRuns: [0, 1, 2, 3].map((variant) => ({ variant, firstBatch: variant, batchCount: 1 })),
    });
    expect(character.joints[2]).toEqual({ name: 'bone 2', parentIndex: 1, nodeIndex: 12 });
    expect(character.clips.map(({ name, duration, form, loops }) => [name, duration, form, loops])).toEqual([
      ['Wave', 1, 'cubic', true],
      ['Bounce', 2, 'cubic', true],
      ['Blink', 1, 'linear', false],
      ['Far', 1, 'exact', false],
      ['Pose', 0, 'linear', false],
    ]);
    expect(character.primitives.map(({ name, part, firstVertex, vertexCount }) => [name, part, firstVertex, vertexCount])).toEqual([
      ['body', 0, 0, 4],
      ['cloak', 1, 4, 4],
      ['face', 2, 8, 3],
      ['ears', 2, 11, 3],
    ]); // prettier-ignore
    expect([...character.primitives[1]!.vertexOfSource]).toEqual([0, 1, 2, 3, 0, 1]);
    expect([...character.indices.subarray(6, 12)]).toEqual([4, 5, 6, 5, 6, 7]);
    expect(character.materials[0]).toMatchObject({
      name: 'skin',
      baseColor: [1, 0.5, 0.25, 1],
      baseColorTexture: { imageIndex: 0, scale: [2, 3], wrapS: 'CLAMP', wrapT: 'MIRROR' },
    });
    expect(character.images[0]).toMatchObject({ name: 'pixel', mimeType: 'image/png' });
    expect([...character.images[0]!.bytes.subarray(0, 4)]).toEqual([0x89, 0x50, 0x4e, 0x47]);
    expect(character.issues.map(({ code }) => code)).toEqual(['GLTF_WEIGHTS_REPAIRED', 'GLTF_VALIDATOR']);
  });

  it('has its clips: slerp, cubic, jump, exact, constant, morph weights', () => {
    expectNear(sampled(character, 'Wave', 1, 0.25)[1], [0, 0, Math.sin(Math.PI / 8), Math.cos(Math.PI / 8)]);
    expectNear(sampled(character, 'Wave', 6, 0.25)[0], [0.25, 0.75, 0]);
    expectNear(sampled(character, 'Bounce', 0, 0.25)[0], [0, 0.75, 0]);
    expectNear(sampled(character, 'Bounce', 5, 0.5)[2], [1, 1.5, 1]);
    expectNear(sampled(character, 'Blink', 2, 0.49)[0], [0, 0.25, 0]);
    expectNear(sampled(character, 'Blink', 2, 0.51)[0], [0, 0.5, 0]);
    expectNear(sampled(character, 'Blink', 2, 0.99)[0], [0, 0.125, 0]);
    expectNear(sampled(character, 'Blink', 4, 0.7)[0], [0.01, 0.2, 0], 1e-6);
    // 32-bit floats near 70,000 are 0.008 apart
    expectNear(sampled(character, 'Far', 3, 0.625)[0], [34998.4, 45000.5, 5.55], 0.01);
    expectNear(sampled(character, 'Far', 4, 0.5)[1], [0, 0, Math.sin(0.35), Math.cos(0.35)]);
    expectNear(sampled(character, 'Far', 5, 0.5)[1], [0, 0, Math.sin(0.15), Math.cos(0.15)], 1e-6);
    expectNear(sampled(character, 'Pose', 2, 0)[1], [0, 0, Math.sin(0.25), Math.cos(0.25)]);
  });

  it('moves its vertices, through all four loaders', async () => {
    const at = async (clip: string | undefined, vertex: number, phase = 0) =>
      (await poseVertices(character, clip, phase)).subarray(3 * vertex, 3 * vertex + 3);
    // at rest: where the file has them, and a quarter of "blink"
    expectNear(await at(undefined, 3), [0.1, 0.9, 0.05]);
    expectNear(await at(undefined, 8), [0, 0, 0.05 + 0.25 * 0.125]);
    // "Wave" turns everything above (0, 0.25) by 45° about it
    expectNear(await at('Wave', 0, 0.25), [0, 0, 0.05]);
    expectNear(await at('Wave', 3, 0.25), [(0.1 - 0.65) * HALF, 0.25 + (0.1 + 0.65) * HALF, 0.05]);
    const [x, z] = [0.25 * 0.125, 0.05 + 0.75 * 0.125];
    expectNear(await at('Wave', 8, 0.25), [x, 0, z]);
    // 0.4 of the cloak's and the ears' first vertex stays behind
    expectNear(await at('Wave', 4, 0.25), [0.6 * 0.25 * HALF, 0.6 * (0.25 - 0.25 * HALF), 0.05]);
    expectNear(await at('Wave', 11, 0.25), [0.4 * x + 0.6 * (x + 0.25) * HALF, 0.6 * (0.25 + (x - 0.25) * HALF), z]);
  });

  it('plays', async () => {
    expect(await playAll(character)).toBe(true);
  });
});

describe('a character baked with format version 2', () => {
  const character = readBaked(fixture(2), 'character-v2.maniple');

  it('has its meshes in their layouts', () => {
    expect(character.batchRuns).toEqual(
      // ears: packed; cloak: packed, through provider 0; face: general
      [0, 0x403, 0x405, 0x802].map((variant, index) => ({ variant, firstBatch: index, batchCount: 1 })),
    );
    const places = character.primitives.map(({ name, firstVertex, vertexCount }) => [name, firstVertex, vertexCount]);
    expect(places).toEqual([
      ['body', 0, 4],
      ['cloak', 7, 4],
      ['face', 11, 3],
      ['ears', 4, 3],
    ]);
  });

  it('has its channels: what the file gave, and the defaults', () => {
    const load = (vertex: number) => openVertices(character.geometry, 0, vertex);
    // body, standard; cloak, packed; face, as 16-bit shares of its own box
    expectNear(load(3).loadPosition(3, 0), [0.1, 0.9, 0.05], 1e-6);
    expectNear(load(10).loadPosition(10, 0), [0.1, 0.9, 0.05], 1e-6);
    expectNear(load(13).loadPosition(13, 0), [0, 0.6, 0.05], 1e-5);
    expectNear(load(10).loadNormal(10, 0), [0.004, 0.004, 1], 1e-4);
    expectNear(load(10).loadTangent(10, 0), [1, 0.004, 0.004, -1], 1e-4);
    expectNear(load(12).loadTangent(12, 0), [1, 0, 0, -1], 1e-6);
    expect([3, 5, 9, 12].map((vertex) => load(vertex).loadWind(vertex, 0))).toEqual(
      [0, 64, 128, 64].map((code) => Math.fround(code * Math.fround(1 / 255))),
    );
    expect(load(9).loadColor(9, 0)[0]).toBeCloseTo(128 / 255, 6);
    expect(load(12).loadColor(12, 0)).toEqual([1, 1, 1, 1]);
    expect(load(2).loadTexcoord(2, 0)).toEqual([0, 1]);
    expect(load(12).loadTexcoord(12, 0)).toEqual([0, 0]);
    // "smile" moves along X and bends normals along Y, "blink" moves along Z and bends tangents
    for (const vertex of [5, 12]) {
      expect([1, 2, 3].map((set) => load(vertex).loadPosition(vertex, set))).toEqual([
        [0.125, 0, 0],
        [0, 0, 0.125],
        [0, 0, 0],
      ]);
      expect(load(vertex).loadNormal(vertex, 1)).toEqual([0, 0.125, 0]);
      expect(load(vertex).loadTangent(vertex, 2)).toEqual([0, 0.125, 0, 0]);
    }
  });

  it('moves its vertices as version 1 does', async () => {
    const old = readBaked(fixture(1));
    const [before, after] = await Promise.all([old, character].map((each) => poseVertices(each, 'Wave', 0.25)));
    old.primitives.forEach(({ firstVertex, vertexCount }, index) => {
      const first = character.primitives[index]!.firstVertex;
      const run = (values: Float32Array, from: number) => [...values.subarray(3 * from, 3 * (from + vertexCount))];
      expectNear(run(after!, first), run(before!, firstVertex));
    });
  });

  it('plays', async () => {
    expect(await playAll(character)).toBe(true);
  });
});

describe('a character baked with format version 3', () => {
  const character = readBaked(fixture(3), 'character-v3.maniple');

  it('has its named channels, in whatever layout their mesh is, wind among them', () => {
    expect(character.channels).toEqual(['TEXCOORD_1', '_HEAT', '_WIND']);
    const load = (vertex: number) => openVertices(character.geometry, 0, vertex);
    const firsts = new Map(character.primitives.map(({ name, firstVertex }) => [name, firstVertex]));
    const steps = (...codes: number[]) => codes.map((code) => Math.fround(code * Math.fround(1 / 65535)));
    // body, standard; cloak, packed; face, general: its second vertex
    for (const name of ['body', 'cloak', 'face']) {
      const vertex = firsts.get(name)! + 1;
      // in the face as 16-bit shares
      expectNear(load(vertex).loadSecondTexcoord(vertex), [2 / 16, 3 / 16], name === 'face' ? 1e-5 : 1e-9);
      expect(load(vertex).loadChannel('_heat', vertex), name).toEqual([...steps(12288, 16384, 20480), 0]);
      const wind = name === 'body' ? 0.25 : Math.fround(64 * Math.fround(1 / 255));
      expect(load(vertex).loadWind(vertex, 0), name).toBe(wind);
      expect(load(vertex).loadChannel('_WIND', vertex), name).toEqual([wind, 0, 0, 0]);
    }
    const ears = firsts.get('ears')! + 1;
    expect(load(ears).loadChannel('_HEAT', ears)).toEqual([0, 0, 0, 0]);
    expect(load(1).loadChannel('_NONE', 1)).toEqual([0, 0, 0, 0]);
  });

  it('has a texture that takes the second texture coordinates', () => {
    const [skin] = character.materials;
    expect(skin).toMatchObject({ emissiveTexture: { texcoordSet: 1 } });
    expect(skin!.baseColorTexture!.texcoordSet).toBeUndefined();
  });

  it('plays', async () => {
    expect(await playAll(character)).toBe(true);
  });
});

describe('a character baked with format version 4', () => {
  const character = readBaked(fixture(4), 'character-v4.maniple');

  it('has its recorded clip, sample by sample', () => {
    expect(character.clips.at(-1)).toMatchObject({ name: 'Shiver', form: 'sampled', knots: SHIVER.keys });
    const { length } = character.joints;
    for (let key = 0; key < SHIVER.keys; key++) {
      for (let bone = 1; bone < length; bone++) {
        const half = SHIVER.angle(bone, key) / 2;
        const [, rotation] = sampled(character, 'Shiver', bone, Math.min(key / (SHIVER.keys - 1), 0.9999999));
        expectNear(rotation, [0, 0, Math.sin(half), Math.cos(half)], 2e-4);
      }
    }
  });

  it('turns at constant speed between samples', () => {
    const [from, to] = [SHIVER.angle(1, 10), SHIVER.angle(1, 11)];
    for (const f of [0.25, 0.5, 0.75]) {
      const half = (from + (to - from) * f) / 2;
      const [, rotation] = sampled(character, 'Shiver', 1, (10 + f) / (SHIVER.keys - 1));
      expectNear(rotation, [0, 0, Math.sin(half), Math.cos(half)], 2e-4);
    }
  });

  it('plays', async () => {
    expect(await playAll(character)).toBe(true);
  });
});

describe('a character baked with format version 5', () => {
  const character = readBaked(fixture(5), 'character-v5.maniple');

  it('has the clips of version 4, in sections of their own', async () => {
    const kinds = sectionPlaces(fixture(5)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'CLIP')).toHaveLength(character.clips.length - 1);
    const old = readBaked(fixture(4));
    expect(character.clips.map(({ name }) => name)).toEqual(old.clips.map(({ name }) => name));
    for (const { name } of old.clips.filter((clip) => clip.name !== 'Far')) {
      const moved = await poseVertices(character, name, 0.3);
      expectNear(moved, [...(await poseVertices(old, name, 0.3))], 2e-4);
    }
  });

  it('plays', async () => {
    expect(await playAll(character)).toBe(true);
  });
});

describe('materials', () => {
  const [old, later] = [fixture(2), fixture('2-textures')].map((file) => readBaked(file).materials[0]!);

  it('of files with only base colours have nothing else', () => {
    expect(old).toMatchObject({ baseColorTexture: { imageIndex: 0 }, normalScale: 1, occlusionStrength: 1 });
    expect([old!.normalTexture, old!.metallicRoughnessTexture, old!.occlusionTexture, old!.emissiveTexture]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('have all textures of metallic-roughness, and their factors', () => {
    const looked = { imageIndex: 0, scale: [2, 3], wrapS: 'CLAMP', wrapT: 'MIRROR' };
    expect(later).toMatchObject({
      metallicRoughnessTexture: looked,
      normalTexture: looked,
      normalScale: 0.75,
      occlusionTexture: looked,
      occlusionStrength: 0.5,
      emissiveTexture: looked,
    });
  });
});

describe('versions', () => {
  const withVersion = (version: number) => {
    const file = fixture(1);
    viewOf(file).setUint32(8, version, true);
    return file;
  };

  it.each([6, 7, 0xffffffff])('%i is refused with what to do', (version) => {
    // a newer header may be checked in another way: its version is all that is looked at
    for (const file of [withVersion(version), reseal(withVersion(version)), withVersion(version).subarray(0, 12)]) {
      expect(refusalOf(file).issues).toEqual([
        {
          code: 'BAKED_VERSION',
          severity: 'error',
          path: 'file:header+8',
          message: `the file has format version ${version}; this Maniple reads versions 1 to 5.`,
          suggestion: 'Update Maniple, or bake the character again with this version.',
        },
      ]);
    }
  });

  it('0 never was', () => {
    expect(refusalOf(reseal(withVersion(0))).message).toContain('there never was such a version');
  });
});
