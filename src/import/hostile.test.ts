import { describe, expect, it } from 'vitest';
import { stopwatch } from '../../test/support/stopwatch.ts';
import { full, sample } from '../../test/support/setup.ts';
import { codesOf, type Entry, GltfBuilder, importBuilt, refusalOf, toGlb } from '../../test/import/build-gltf.ts';
import type { IssueCode, ManipleError } from '../errors.ts';

/** Short runs read less. */
const TIME_LIMIT_MS = full ? 5_000 : 2_500;
const NO_DATA = new Uint8Array();
/** A million; fewer in short runs, all of them beyond limits still. */
const MANY = full ? 1_000_000 : 300_000;

/** Refused in time. */
async function refusedInTime(source: GltfBuilder | Uint8Array): Promise<ManipleError> {
  const elapsed = stopwatch();
  const error = await refusalOf(source);
  expect(elapsed()).toBeLessThan(TIME_LIMIT_MS);
  expect(error.message.length).toBeLessThan(5_000);
  return error;
}

/** A file with one triangle, whose accessor, view and primitive can be made worse. */
function plain(): GltfBuilder & { primitive: Entry } {
  const gltf = new GltfBuilder();
  const primitive = gltf.triangle();
  gltf.meshNode([primitive]);
  return Object.assign(gltf, { primitive });
}

describe('files that declare more than they hold', () => {
  const empty = { asset: { version: '2.0' } };
  const cases: [string, IssueCode, () => GltfBuilder | Uint8Array][] = [
    [
      'an accessor of 4 billion zeros',
      'GLTF_LIMIT',
      () => {
        const gltf = plain();
        gltf.accessors[0] = { componentType: 5126, type: 'VEC3', count: 4e9 };
        return gltf;
      },
    ],
    [
      'a sparse accessor of 4 billion elements with one override',
      'GLTF_LIMIT',
      () => {
        const gltf = plain();
        const sparse = {
          count: 1,
          indices: { bufferView: gltf.view(new Uint32Array([0])), componentType: 5125 },
          values: { bufferView: gltf.view(new Float32Array([0, 0, 0])) },
        };
        gltf.accessors[0] = { componentType: 5126, type: 'VEC3', count: 4e9, sparse };
        return gltf;
      },
    ],
    [
      'an accessor longer than its view, by a count near 2^53',
      'GLTF_INVALID',
      () => {
        const gltf = plain();
        gltf.accessors[0]!.count = Number.MAX_SAFE_INTEGER;
        return gltf;
      },
    ],
    [
      'ten thousand accessors on one view of a megabyte',
      'GLTF_LIMIT',
      () => {
        const gltf = plain();
        const bufferView = gltf.view(new Uint8Array(2 ** 20));
        for (let i = 0; i < 10_000; i++) {
          gltf.accessors.push({ bufferView, componentType: 5121, type: 'SCALAR', count: 2 ** 20 });
        }
        return gltf;
      },
    ],
    [
      'accessors without end',
      'GLTF_LIMIT',
      () => {
        const gltf = plain();
        for (let i = 0; i < MANY / 2; i++) gltf.accessors.push({ componentType: 5121, type: 'SCALAR', count: 1 });
        return gltf;
      },
    ],
    [
      'sparse accessors that override more than they hold together',
      'GLTF_LIMIT',
      () => {
        const gltf = plain();
        const count = 2 ** 20;
        const bufferView = gltf.view(new Uint8Array(count));
        const sparse = { count, indices: { bufferView, componentType: 5121 }, values: { bufferView } };
        // 126 MB of elements, as floats; with overrides and their indices three times as much
        for (let i = 0; i < 30; i++) gltf.accessors.push({ componentType: 5121, type: 'SCALAR', count, sparse });
        return gltf;
      },
    ],
    [
      'a view that decompresses to 4 GB',
      'GLTF_LIMIT',
      () => {
        const gltf = plain();
        const packed = { buffer: 0, byteLength: 16, byteStride: 16, count: 2 ** 28, mode: 'ATTRIBUTES' };
        gltf.bufferViews.push({ buffer: 1, byteLength: 2 ** 32, extensions: { EXT_meshopt_compression: packed } });
        const fallback = { byteLength: 2 ** 32, extensions: { EXT_meshopt_compression: { fallback: true } } };
        gltf.extra.buffers = [...(gltf.json().buffers as Entry[]), fallback];
        return gltf;
      },
    ],
    [
      'a buffer of 4 GB',
      'FILE_TRUNCATED',
      () => {
        const gltf = plain();
        gltf.extra.buffers = [{ byteLength: 2 ** 32 }];
        return gltf;
      },
    ],
    [
      'one skinned mesh in ten thousand nodes',
      'GLTF_LIMIT',
      () => {
        const gltf = new GltfBuilder();
        gltf.nodes.push({ name: 'joint' });
        gltf.skins.push({ joints: [0] });
        const zeros = Array.from({ length: 12 }, () => 0);
        gltf.meshNode([gltf.triangle(gltf.influences(zeros, zeros))], { skin: 0 });
        for (let i = 0; i < 10_000; i++) gltf.nodes.push({ mesh: 0, skin: 0 });
        return gltf;
      },
    ],
    [
      'one large mesh in a hundred nodes',
      'GLTF_LIMIT',
      () => {
        const gltf = new GltfBuilder();
        const POSITION = gltf.accessor(new Float32Array(300_000), 'VEC3');
        const NORMAL = gltf.accessor(new Float32Array(300_000), 'VEC3');
        for (let i = 0; i < 100; i++) gltf.meshNode([{ attributes: { POSITION, NORMAL } }]);
        return gltf;
      },
    ],
    [
      'a million morph targets without deltas',
      'GLTF_LIMIT',
      () => {
        const gltf = plain();
        gltf.primitive.targets = Array.from({ length: 1_000_000 }, () => ({}));
        return gltf;
      },
    ],
    [
      'a thousand morph targets of one large accessor',
      'GLTF_LIMIT',
      () => {
        const gltf = new GltfBuilder();
        const POSITION = gltf.accessor(new Float32Array(300_000), 'VEC3');
        const targets = Array.from({ length: 1_000 }, () => ({ POSITION }));
        gltf.meshNode([{ attributes: { POSITION, NORMAL: POSITION }, targets }]);
        return gltf;
      },
    ],
    [
      'samplers without end of one large accessor',
      'GLTF_LIMIT',
      () => {
        const gltf = plain();
        const input = gltf.accessor(new Float32Array(100_000), 'SCALAR');
        const output = gltf.accessor(new Float32Array(300_000), 'VEC3');
        const samplers = Array.from({ length: MANY / 5 }, () => ({ input, output }));
        const channels = samplers.map((_, sampler) => ({ sampler, target: { node: 0, path: 'translation' } }));
        gltf.animations.push({ samplers, channels });
        return gltf;
      },
    ],
    [
      'a sampler of 20,000 keys for 400 channels',
      'GLTF_LIMIT',
      () => {
        const gltf = plain();
        const input = gltf.accessor(new Float32Array(20_000), 'SCALAR');
        const output = gltf.accessor(new Float32Array(60_000), 'VEC3');
        const channels = Array.from({ length: 400 }, () => {
          const node = gltf.nodes.push({ mesh: 0 }) - 1;
          return { sampler: 0, target: { node, path: 'translation' } };
        });
        gltf.animations.push({ samplers: [{ input, output }], channels });
        return gltf;
      },
    ],
    ['nodes without end', 'GLTF_LIMIT', () => toGlb({ ...empty, nodes: Array.from({ length: MANY }, () => ({})) }, NO_DATA)],
    ['ten million values', 'GLTF_LIMIT', () => toGlb(`{"asset":{"version":"2.0"},"extras":[${'0,'.repeat(10_000_000)}0]}`, NO_DATA)],
    ['a million nested arrays', 'GLTF_LIMIT', () => toGlb(`{"asset":{"version":"2.0"},"extras":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`, NO_DATA)],
    ['a million nested arrays that never end', 'GLTF_LIMIT', () => toGlb('['.repeat(1_000_000), NO_DATA)],
    ['errors without end', 'GLTF_INVALID', () => toGlb({ ...empty, nodes: Array.from({ length: MANY }, () => 0) }, NO_DATA)],
    [
      'a million children of two parents',
      'GLTF_INVALID',
      () => {
        const children = Array.from({ length: 100_000 }, (_, i) => i + 2);
        return toGlb({ ...empty, nodes: [{ children }, { children }, ...children.map(() => ({}))] }, NO_DATA);
      },
    ],
    [
      'extensions without end',
      'GLTF_INVALID',
      () => toGlb({ ...empty, extensionsUsed: Array.from({ length: MANY }, (_, i) => `X_${i}`) }, NO_DATA),
    ],
    ['two thousand buffers', 'GLTF_LIMIT', () => {
      const gltf = plain();
      const count = 2_000;
      gltf.extra.buffers = [...(gltf.json().buffers as Entry[]), ...Array.from({ length: count }, () => ({ byteLength: 1, uri: 'data:,x' }))];
      for (let i = 1; i <= count; i++) gltf.bufferViews.push({ buffer: i, byteLength: 1 });
      return gltf;
    }],
  ]; // prettier-ignore

  it.each(sample(cases, 2))('%s: %s', async (_, code, build) => {
    expect((await refusedInTime(build())).code).toBe(code);
  });
});

describe('numbers that are sound one by one', () => {
  const nested = (scales: readonly number[]): GltfBuilder => {
    const gltf = new GltfBuilder();
    scales.forEach((s, i) => gltf.nodes.push({ scale: [s, s, s], children: [i + 1] }));
    gltf.meshNode([gltf.triangle()]);
    return gltf;
  };
  const skinned = (inverse: number, scale: number): GltfBuilder => {
    const gltf = new GltfBuilder();
    gltf.nodes.push({ name: 'joint', scale: [scale, scale, scale] });
    const matrix = [inverse, 0, 0, 0, 0, inverse, 0, 0, 0, 0, inverse, 0, 0, 0, 0, 1];
    gltf.skins.push({ joints: [0], inverseBindMatrices: gltf.accessor(matrix, 'MAT4') });
    const influences = gltf.influences([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
    gltf.meshNode([gltf.triangle(influences)], { skin: 0 });
    return gltf;
  };
  const far = (x: number, weight: number): GltfBuilder => {
    const gltf = new GltfBuilder();
    const POSITION = gltf.accessor([x, 0, 0, 0, x, 0, 0, 0, x], 'VEC3');
    gltf.meshNode([gltf.triangle({}, { targets: [{ POSITION }] })], { weights: [weight], scale: [10, 10, 10] });
    return gltf;
  };

  it.each<[string, string, GltfBuilder]>([
    ['six nested scales of 1e15', '/nodes/1', nested([1e15, 1e15, 1e15, 1e15, 1e15, 1e15])],
    ['nested scales past every float', '/nodes/1', nested(Array.from({ length: 40 }, () => 1e17))],
    ['an inverse bind matrix that its joint enlarges', '/nodes/1', skinned(1e10, 1e10)],
    ['a morph target', '/nodes/0', far(1e10, 1e10)],
  ])('and beyond all measure in the rest pose: %s', async (_, path, gltf) => {
    const { issues } = await refusedInTime(gltf);
    expect(issues.filter(({ severity }) => severity === 'error')).toEqual([
      expect.objectContaining({ code: 'GLTF_INVALID', path, message: expect.stringContaining('1e+18') }),
    ]);
  });

  it.each<[string, GltfBuilder]>([
    ['nested scales that cancel', nested([1e15, 1e-15, 1e15, 1e-15])],
    ['a large inverse bind matrix of a small joint', skinned(1e10, 1e-10)],
    ['a morph target without weight', far(1e10, 0)],
  ])('and large are taken: %s', async (_, gltf) => {
    expect(codesOf(await importBuilt(gltf))).not.toContain('GLTF_INVALID');
  });
});

describe('files that are merely large', () => {
  /** A grid of n × n vertices with normals, coordinates and four influences each. */
  function grid(n: number): GltfBuilder {
    const gltf = new GltfBuilder();
    gltf.nodes.push({ name: 'joint' });
    gltf.skins.push({ joints: [0] });
    const count = n * n;
    const fill = (width: number, value: (v: number, c: number) => number): Float32Array => {
      const values = new Float32Array(width * count);
      for (let v = 0; v < count; v++) for (let c = 0; c < width; c++) values[v * width + c] = value(v, c);
      return values;
    };
    const indices = new Uint32Array(6 * (n - 1) * (n - 1));
    for (let y = 0, at = 0; y + 1 < n; y++) {
      for (let x = 0; x + 1 < n; x++) {
        const v = y * n + x;
        indices.set([v, v + 1, v + n, v + n, v + 1, v + n + 1], at);
        at += 6;
      }
    }
    const attributes = {
      POSITION: gltf.accessor(
        fill(3, (v, c) => (c === 0 ? v % n : c === 1 ? Math.floor(v / n) : 0)),
        'VEC3',
      ),
      NORMAL: gltf.accessor(
        fill(3, (_, c) => (c === 2 ? 1 : 0)),
        'VEC3',
      ),
      TEXCOORD_0: gltf.accessor(
        fill(2, (v, c) => (c === 0 ? v % n : v / n) / n),
        'VEC2',
      ),
      JOINTS_0: gltf.accessor(
        fill(4, () => 0),
        'VEC4',
        { componentType: 5121 },
      ),
      WEIGHTS_0: gltf.accessor(
        fill(4, (_, c) => (c === 0 ? 1 : 0)),
        'VEC4',
      ),
    };
    gltf.meshNode([{ attributes, indices: gltf.accessor(indices, 'SCALAR', { componentType: 5125 }) }], { skin: 0 });
    return gltf;
  }

  const side = full ? 500 : 300;
  it(`are read in time: ${side ** 2} vertices`, async () => {
    const glb = grid(side).glb();
    const elapsed = stopwatch();
    const { meshes } = await importBuilt(glb);
    expect(elapsed()).toBeLessThan(TIME_LIMIT_MS);
    expect(meshes[0]!.vertexCount).toBe(side ** 2);
  });

  const [accessors, clips] = full ? [120_000, 200] : [20_000, 30];
  it(`are read in time: ${accessors} accessors`, async () => {
    const gltf = plain();
    const bufferView = gltf.view(new Float32Array(9));
    const accessor = { bufferView, componentType: 5126, type: 'VEC3', count: 3 };
    const first = gltf.accessors.length;
    for (let i = 0; i < accessors; i++) gltf.accessors.push(accessor);
    gltf.primitive.targets = Array.from({ length: accessors }, (_, i) => ({ POSITION: first + i }));
    const glb = gltf.glb();
    const elapsed = stopwatch();
    const { meshes } = await importBuilt(glb);
    expect(elapsed()).toBeLessThan(TIME_LIMIT_MS);
    expect(meshes[0]!.targets).toHaveLength(accessors);
  });

  it(`are read in time: ${300 * clips} channels`, async () => {
    const gltf = new GltfBuilder();
    const joints = 100;
    for (let i = 0; i < joints; i++) gltf.nodes.push({ name: `j${i}` });
    gltf.meshNode([gltf.triangle()], { children: gltf.nodes.map((_, i) => i) });
    for (let clip = 0; clip < clips; clip++) {
      const samplers: Entry[] = [];
      const channels: Entry[] = [];
      const input = gltf.accessor([0, 0.5, 1], 'SCALAR');
      for (let node = 0; node < joints; node++) {
        for (const path of ['translation', 'rotation', 'scale']) {
          const width = path === 'rotation' ? 4 : 3;
          const values = Array.from({ length: 3 * width }, (_, i) => (i % width === width - 1 ? 1 : 0));
          samplers.push({ input, output: gltf.accessor(values, `VEC${width}`) });
          channels.push({ sampler: samplers.length - 1, target: { node, path } });
        }
      }
      gltf.animations.push({ samplers, channels });
    }
    const glb = gltf.glb();
    const elapsed = stopwatch();
    const model = await importBuilt(glb);
    expect(elapsed()).toBeLessThan(TIME_LIMIT_MS);
    expect(model.clips).toHaveLength(clips);
    // none of the joints moves the triangle
    expect(new Set(codesOf(model).filter((code) => code !== 'GLTF_VALIDATOR'))).toEqual(
      new Set(['GLTF_CHANNEL_IGNORED']),
    );
  });

  it('with vertices that collide in the hash are read in time', async () => {
    // bit patterns chosen so that the first words cancel: all differ, many share a slot
    const gltf = new GltfBuilder();
    const count = 60_000;
    const words = new Uint32Array(3 * count);
    for (let v = 0; v < count; v++) words[3 * v] = (v << 13) >>> 0;
    const POSITION = gltf.accessor(new Float32Array(words.buffer), 'VEC3');
    gltf.meshNode([{ attributes: { POSITION, NORMAL: POSITION } }]);
    const glb = gltf.glb();
    const elapsed = stopwatch();
    await importBuilt(glb);
    expect(elapsed()).toBeLessThan(TIME_LIMIT_MS);
  });
});
