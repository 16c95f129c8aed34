// A channel of a file (`_WIND`) through the skinning kernel to later passes: as it is stored, and as a provider leaves it.
import { describe, expect, test } from 'vitest';
import { packCharacter } from '../../src/character/index.ts';
import { captureFrame } from '../../src/capture/index.ts';
import { readRanges } from '../../src/device/read-back.ts';
import {
  checkProviders,
  type Character,
  type CrowdOptions,
  type SkinnedChannel,
  type VertexProvider,
} from '../../src/index.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { View } from '../../src/layout/index.ts';
import { packHalf, packUnorm8, unpackPosition } from '../../src/math/packing.ts';
import { VISIBLE_WORDS, VISIBLE_WORDS_SHIFT, VisibleCharacter } from '../../src/stages/layout.ts';
import { GltfBuilder, importBuilt } from '../import/build-gltf.ts';
import { coded } from '../support/crowd-truth.ts';
import { noGpu, testDevice } from '../support/gpu.ts';
import { some } from '../support/setup.ts';
import { updateAndWait } from '../support/update-and-wait.ts';
import { internalsOf } from '../../src/crowd/internals.ts';

/** Moves up by the wind of the file, and tells later passes of it: by name, and of what is stored. */
const gust: VertexProvider = {
  name: 'gust',
  space: 'model',
  channels: ['_WIND'],
  code: `
fn gust(site: VertexSite, surface: Surface) -> Surface {
  let wind = loadChannel(openVertices(site.geometryRow, site.vertex), channel_WIND, site.vertex).x;
  skinnedChannel = vec4f(0.5 * wind + 0.25 * f32(site.character), skinnedChannel.x, 1.0, 0.0);
  return Surface(surface.position + vec3f(0.0, wind, 0.0), surface.normal, surface.tangent);
}`,
  twin: ({ character, channel }, { position: [x, y, z], normal, tangent, skinnedChannel }) => {
    const wind = channel('_WIND')[0]!;
    return {
      position: [x!, y! + wind, z!],
      normal,
      tangent,
      skinnedChannel: [0.5 * wind + 0.25 * character, skinnedChannel![0]!, 1, 0],
    };
  },
};

const WIND = [0.25, 0.5, 1];

/** A triangle with tangents and wind; its wind in 8 bits in the packed layout. */
async function flag(vertexFormat: 'standard' | 'packed', provided: boolean): Promise<Character> {
  const gltf = new GltfBuilder();
  const TANGENT = gltf.accessor([1, 0, 0, 1, 0, 1, 0, -1, 1, 0, 0, 1], 'VEC4');
  gltf.meshNode([gltf.triangle({ TANGENT, _WIND: gltf.accessor(WIND, 'SCALAR') })]);
  return packCharacter(await importBuilt(gltf), { vertexFormat, providers: () => Number(provided) });
}

const COUNT = 5;

/** Skins characters that stand still; words of the channel and of tangents, and heights, by character and source vertex. */
async function skinned(device: GPUDevice, character: Character, options: Partial<CrowdOptions>) {
  const crowd = createCrowd(device, { characters: [character], capacity: COUNT, ...options });
  crowd.spawn(character, { count: COUNT });
  await updateAndWait(crowd, { dt: 0 });
  const { crowd: columns, page } = internalsOf(crowd).host.backend.memory!;
  const { vertices } = page(0);
  const [bytesOfPage] = await readRanges(device, [[vertices, 0, vertices.size]]);
  const words = new Uint32Array(bytesOfPage!);
  const [list] = await readRanges(device, [[columns.visible, 0, COUNT * VisibleCharacter.size]]);
  const visible = new View(VisibleCharacter, list!);
  const found = Array.from({ length: COUNT }, (_, i) => ({
    character: visible.get(i, 'character'),
    vertices: Array.from(character.primitives[0]!.vertexOfSource, (vertex) => {
      const row = visible.get(i, 'currentVertexOffset') + vertex;
      const stride = (visible.get(i, 'detail') >>> VISIBLE_WORDS_SHIFT) & VISIBLE_WORDS;
      const word = visible.get(i, 'attributeWord') + stride * vertex;
      const position = [0, 0, 0];
      unpackPosition(words[2 * row]!, words[2 * row + 1]!, position);
      return { channel: stride === 3 ? words[word + 2] : undefined, tangent: words[word + 1], height: position[1]! };
    }),
  }));
  const bytes = vertices.size;
  crowd.destroy();
  return { found: found.sort((a, b) => a.character - b.character), bytes };
}

const exactly = (values: readonly number[], format: SkinnedChannel['format']) => {
  if (format === 'float32') return new Uint32Array(Float32Array.of(values[0]!).buffer)[0]!;
  if (format === 'float16') return packHalf(values[0]!) | (packHalf(values[1] ?? 0) << 16);
  return packUnorm8([values[0]!, values[1] ?? 0, values[2] ?? 0, values[3] ?? 0]);
};

/** Bytes of two words differ by one at most: products round in both, but need not be the same ones. */
function expectNear(actual: number, expected: number, label: string): void {
  for (let byte = 0; byte < 32; byte += 8) {
    expect(Math.abs(((actual >>> byte) & 255) - ((expected >>> byte) & 255)), label).toBeLessThanOrEqual(1);
  }
}

describe.skipIf(noGpu())('a skinned channel', () => {
  test.each(some(['standard', 'packed'] as const, 1))(
    'is what a provider made of the wind of a file, %s',
    async (layout) => {
      const { device } = await testDevice();
      await checkProviders(device, [gust]);
      const character = await flag(layout, true);
      const options = { providers: [gust], skinnedChannel: '_wind' };
      const gpu = await skinned(device, character, options);
      const cpu = await skinned(device, character, { ...options, backend: 'cpu' });
      const plain = await skinned(device, character, { providers: [gust] });
      for (const [i, { vertices }] of gpu.found.entries()) {
        vertices.forEach(({ channel, height, tangent }, v) => {
          const label = `character ${i}, vertex ${v}`;
          const wind = layout === 'packed' ? Math.round(WIND[v]! * 255) / 255 : WIND[v]!;
          expectNear(channel!, exactly([0.5 * wind + 0.25 * i, wind, 1, 0], 'unorm8'), label);
          expectNear(channel!, cpu.found[i]!.vertices[v]!.channel!, label);
          expect(height, label).toBeCloseTo((v === 2 ? 1 : 0) + wind, 5);
          expect(cpu.found[i]!.vertices[v]!.height, label).toBeCloseTo(height, 5);
          // words of tangents stay where they are without it
          expect(tangent, label).toBe(plain.found[i]!.vertices[v]!.tangent);
          expect(plain.found[i]!.vertices[v]!.channel).toBeUndefined();
        });
      }
      expect(gpu.bytes).toBeGreaterThan(plain.bytes);
    },
  );

  test.each(some(['unorm8', 'float16', 'float32'] as const, 1))(
    'is what meshes store, where no provider runs, in %s',
    async (format) => {
      const { device } = await testDevice();
      const character = await flag('standard', false);
      for (const backend of ['gpu', 'cpu'] as const) {
        const { found } = await skinned(device, character, { skinnedChannel: { name: '_WIND', format }, backend });
        for (const { vertices } of found) {
          expect(vertices.map(({ channel }) => channel)).toEqual(WIND.map((wind) => exactly([wind], format)));
        }
      }
    },
  );

  test('is 0 where no mesh has it and no provider computes it; bad ones are refused', async () => {
    const { device } = await testDevice();
    const character = await flag('standard', false);
    const { found } = await skinned(device, character, { skinnedChannel: '_HEAT' });
    for (const { vertices } of found) expect(vertices.map(({ channel }) => channel)).toEqual([0, 0, 0]);
    const bad = coded('CROWD_BAD_ARGUMENT') as Error;
    for (const skinnedChannel of ['', 'x'.repeat(65), { name: '_A', format: 'snorm8' as never }]) {
      expect(() => createCrowd(device, { characters: [character], capacity: 1, skinnedChannel })).toThrow(bad);
    }
    const crowd = createCrowd(device, { characters: [character], capacity: 1, skinnedChannel: '_WIND' });
    crowd.spawn(character);
    await expect(captureFrame(crowd, { dt: 0 })).rejects.toThrow(coded('CAPTURE_UNSUPPORTED') as Error);
    expect((await captureFrame(crowd, { dt: 0, stages: ['pose-joints'] })).stages.map(({ stage }) => stage)).toEqual([
      'pose-joints',
    ]);
    crowd.destroy();
  });
});
