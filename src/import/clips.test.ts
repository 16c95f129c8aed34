import { describe, expect, it } from 'vitest';
import { codesOf, type Entry, GltfBuilder, importBuilt, refusalOf } from '../../test/import/build-gltf.ts';
import { evaluatePose } from '../character/evaluate.ts';
import type { CharacterModel, ClipModel } from '../character/model.ts';
import { cleanKeys } from './model-builder/keys.ts';

type Channel = Parameters<GltfBuilder['clip']>[0][number];

/** One node with a triangle, and one clip with these channels. */
function animated(channels: Channel[], node: Entry = {}): GltfBuilder {
  const gltf = new GltfBuilder();
  gltf.meshNode([gltf.triangle()], node);
  gltf.clip(channels);
  return gltf;
}

const move = (times: number[], xs: number[], more: Partial<Channel> = {}): Channel => ({
  node: 0,
  path: 'translation',
  times,
  values: xs.flatMap((x) => [x, 0, 0]),
  type: 'VEC3',
  ...more,
});

async function only(gltf: GltfBuilder): Promise<{ model: CharacterModel; clip: ClipModel }> {
  const model = await importBuilt(gltf);
  expect(model.clips).toHaveLength(1);
  return { model, clip: model.clips[0]! };
}

describe('clips', () => {
  it('run from 0 to the last key of any channel', async () => {
    const { clip } = await only(animated([move([0.5, 1], [0, 1]), { ...move([0.25, 2], [1, 2]), path: 'scale' }]));
    expect(clip.duration).toBe(2);
    expect(clip.tracks.map(({ path }) => path)).toEqual(['translation', 'scale']);
    expect([...clip.tracks[0]!.times]).toEqual([0.5, 1]);
  });

  it.each([
    [{ loop: false }, false],
    [{ loop: true }, undefined],
    [{ loop: 0 }, undefined],
    [{}, undefined],
    [[false], undefined],
    ['loop', undefined],
    [undefined, undefined],
  ])('loop unless their extras say that they do not: %j', async (extras, loops) => {
    const gltf = animated([move([0, 1], [0, 1])]);
    gltf.animations[0]!.extras = extras;
    expect((await only(gltf)).clip.loops).toBe(loops);
  });

  it('may be a pose at time 0', async () => {
    const { model, clip } = await only(animated([move([0], [3])]));
    expect(clip.duration).toBe(0);
    expect(evaluatePose(model, clip, 5)[0]).toBe(3);
  });

  it('keep index and name, also with nothing left in them', async () => {
    const gltf = animated([move([0, 1], [0, 1], { path: 'colour' })]);
    gltf.clip([move([0, 1], [0, 1])], 'second');
    gltf.animations.push({ name: 7, samplers: gltf.animations[0]!.samplers, channels: [] });
    const model = await importBuilt(gltf);
    expect(model.clips.map(({ name, tracks }) => [name, tracks.length])).toEqual([
      ['clip', 0],
      ['second', 1],
      ['', 0],
    ]);
  });

  it('count channels of nodes that move nothing only for their length', async () => {
    const gltf = animated([move([0, 1], [0, 1]), move([0, 3], [0, 1], { node: 1 })]);
    gltf.nodes.push({ name: 'light' });
    const { model, clip } = await only(gltf);
    expect(clip.duration).toBe(3);
    expect(clip.tracks).toHaveLength(1);
    expect(codesOf(model)).toEqual([]);
  });

  it.each<[string, Channel, number]>([
    ['STEP', move([0, 1], [0, 4], { interpolation: 'STEP' }), 0],
    ['LINEAR', move([0, 1], [0, 4]), 2],
    // in-tangent, value, out-tangent: 0 → 4 with tangents 0 and 8 at the ends
    ['CUBICSPLINE', move([0, 1], [0, 0, 0, 8, 4, 0], { interpolation: 'CUBICSPLINE' }), 1],
  ])('interpolate %s', async (interpolation, channel, middle) => {
    const { model, clip } = await only(animated([channel]));
    expect(clip.tracks[0]!.interpolation).toBe(interpolation);
    expect(evaluatePose(model, clip, 0.5)[0]).toBeCloseTo(middle);
  });

  it('take rotations as normalised integers', async () => {
    const gltf = animated([]);
    const input = gltf.accessor([0, 1], 'SCALAR');
    const output = gltf.accessor([0, 0, 0, 127, 0, 0, 90, 90], 'VEC4', { componentType: 5120, normalized: true });
    gltf.animations[0] = {
      samplers: [{ input, output }],
      channels: [{ sampler: 0, target: { node: 0, path: 'rotation' } }],
    };
    const { clip } = await only(gltf);
    expect(clip.tracks[0]!.values.slice(4)).toEqual(new Float32Array([0, 0, Math.SQRT1_2, Math.SQRT1_2]));
  });

  it('let the first of two channels at one target win', async () => {
    const { model, clip } = await only(animated([move([0], [1]), move([0], [2])]));
    expect(clip.tracks).toHaveLength(1);
    expect(evaluatePose(model, clip, 0)[0]).toBe(1);
    expect(model.issues).toMatchObject([{ code: 'GLTF_CHANNEL_IGNORED', path: '/animations/0/channels/1' }]);
  });

  it('share keys between channels of one sampler', async () => {
    const gltf = animated([move([0, 1], [0, 1])]);
    gltf.meshNode([gltf.triangle()]);
    (gltf.animations[0]!.channels as Entry[]).push({ sampler: 0, target: { node: 1, path: 'translation' } });
    const { clip } = await only(gltf);
    expect(clip.tracks[0]!.values).toBe(clip.tracks[1]!.values);
  });

  it('read a sampler in full that a node outside the character uses first', async () => {
    const gltf = animated([move([0, 1], [0, 1], { node: 1 })]);
    gltf.nodes.push({ name: 'light' });
    (gltf.animations[0]!.channels as Entry[]).push({ sampler: 0, target: { node: 0, path: 'translation' } });
    const { clip } = await only(gltf);
    expect([...clip.tracks[0]!.times]).toEqual([0, 1]);
    expect(clip.tracks[0]!.values).toHaveLength(6);
  });

  it.each<[string, Channel | Entry]>([
    ['an unknown path', move([0], [0], { path: 'colour' })],
    ['an unknown interpolation', move([0], [0], { interpolation: 'SMOOTH' })],
    ['values of a wrong type', move([0], [0], { path: 'rotation' })],
    ['no usable key', move([Number.NaN], [0])],
    ['a pointer', move([0], [0], { path: 'pointer' })],
  ])('ignore a channel with %s, and say so', async (_, channel) => {
    const { model, clip } = await only(animated([channel as Channel]));
    expect(clip.tracks).toEqual([]);
    expect(model.issues).toMatchObject([
      { code: 'GLTF_CHANNEL_IGNORED', path: '/animations/0/channels/0', severity: 'warning' },
    ]);
  });

  it('name what a pointer would have moved', async () => {
    const { node: _, ...channel } = move([0, 1], [0, 1], { path: 'pointer' });
    const pointer = '/materials/0/emissiveFactor';
    const gltf = animated([channel]);
    const [{ target }] = gltf.animations[0]!.channels as [{ target: Entry }];
    target.extensions = { KHR_animation_pointer: { pointer } };
    const { model } = await only(gltf);
    expect(model.issues[0]!.message).toBe(
      `A channel moves "${pointer}" by KHR_animation_pointer, which is not played.`,
    );
  });

  it('ignore a channel without a node, as glTF says', async () => {
    const { node: _, ...channel } = move([0, 1], [0, 1]);
    const { model, clip } = await only(animated([channel]));
    expect(clip).toMatchObject({ duration: 0, tracks: [] });
    expect(model.issues).toMatchObject([{ code: 'GLTF_CHANNEL_IGNORED', severity: 'info', path: '/animations/0' }]);
  });

  it('move a node with a matrix that does not shear', async () => {
    const matrix = [2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 5, 0, 0, 1];
    const { model, clip } = await only(animated([move([0, 1], [0, 1])], { matrix }));
    expect(evaluatePose(model, clip, 1).slice(0, 3)).toEqual(new Float64Array([1, 0, 0]));
    expect(evaluatePose(model, clip, 1).slice(7)).toEqual(new Float64Array([2, 2, 2]));
  });

  it('refer to samplers that exist', async () => {
    const gltf = animated([move([0], [0])]);
    (gltf.animations[0]!.channels as Entry[])[0]!.sampler = 1;
    const error = await refusalOf(gltf);
    expect(error.issues[0]).toMatchObject({ code: 'GLTF_INVALID', path: '/animations/0/channels/0/sampler' });
  });

  it('report repaired keys at the sampler', async () => {
    const { model, clip } = await only(animated([move([0, 1, 0.5], [0, 2, 1])]));
    expect([...clip.tracks[0]!.times]).toEqual([0, 1]);
    expect(model.issues).toMatchObject([{ code: 'GLTF_KEYS_REPAIRED', path: '/animations/0/samplers/0' }]);
  });
});

describe('keys', () => {
  const clean = (times: number[], xs: number[]): { times: number[]; values: number[]; repairs: number } | undefined => {
    const keys = cleanKeys(new Float32Array(times), new Float32Array(xs), {
      width: 1,
      interpolation: 'LINEAR',
      isRotation: false,
    });
    return keys && { times: [...keys.times], values: [...keys.values], repairs: keys.repairs.length };
  };

  it.each<[string, number[], number[], ReturnType<typeof clean>]>([
    ['in order', [0, 1, 2], [5, 6, 7], { times: [0, 1, 2], values: [5, 6, 7], repairs: 0 }],
    ['out of order', [0, 2, 1], [5, 6, 7], { times: [0, 2], values: [5, 6], repairs: 1 }],
    ['doubled', [0, 1, 1, 2], [5, 6, 7, 8], { times: [0, 1, 2], values: [5, 6, 8], repairs: 1 }],
    ['with NaN times', [0, Number.NaN, 2], [5, 6, 7], { times: [0, 2], values: [5, 7], repairs: 1 }],
    ['with NaN values', [0, 1, 2], [5, Number.NaN, 7], { times: [0, 2], values: [5, 7], repairs: 1 }],
    ['with infinite values', [0, 1, 2], [5, Infinity, 7], { times: [0, 2], values: [5, 7], repairs: 1 }],
    ['before zero', [-2, -1, 1], [5, 6, 7], { times: [0, 1], values: [6, 7], repairs: 1 }],
    ['before and at zero', [-1, 0, 1], [5, 6, 7], { times: [0, 1], values: [6, 7], repairs: 1 }],
    ['all before zero', [-2, -1], [5, 6], { times: [0], values: [6], repairs: 1 }],
    ['with too few values', [0, 1, 2], [5, 6], { times: [0, 1], values: [5, 6], repairs: 1 }],
    ['with too many values', [0, 1], [5, 6, 7], { times: [0, 1], values: [5, 6], repairs: 1 }],
    ['of which none is left', [Number.NaN], [5], undefined],
  ])('%s', (_, times, xs, expected) => expect(clean(times, xs)).toEqual(expected));

  it('of rotations have unit length, cubic tangents with them; those without direction are dropped', () => {
    const values = [0, 0, 0, 0, 0, 0, 0, 2, 4, 0, 0, 0].concat([1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1]);
    const keys = cleanKeys(new Float32Array([0, 1]), new Float32Array(values), {
      width: 4,
      interpolation: 'CUBICSPLINE',
      isRotation: true,
    })!;
    expect([...keys.times]).toEqual([0]);
    expect([...keys.values]).toEqual([0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0]);
    expect(keys.repairs).toContain('1 rotations were not of unit length, and are now');
    const rounded = { width: 4, interpolation: 'LINEAR', isRotation: true } as const;
    expect(cleanKeys(new Float32Array([0]), new Float32Array([0, 0, 0, 1.009]), rounded)!.repairs).toEqual([]);
  });
});
