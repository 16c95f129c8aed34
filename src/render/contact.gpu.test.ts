// The soft shade of a body is where the body is: below what a clip has carried away, and gone below what it has lifted. The
// reference leaves the same.
import { beforeAll, describe, expect, test } from 'vitest';
import { noCore, noGpu, testDevice } from '../../test/support/gpu.ts';
import { testInTurn } from '../../test/support/setup.ts';
import { compareWithReference } from '../../test/support/compare-with-reference.ts';
import { clipOf, heldAt, jointAt, meshOf, smallModel } from '../../test/support/small-model.ts';
import { gridOf } from '../../test/support/random-triangles.ts';
import type { Character } from '../character/character.ts';
import { packCharacter } from '../character/pack/index.ts';
import { createCrowd } from '../../test/support/create-crowd.ts';
import { clipFromWorld, transform, type Camera, type Vector } from './camera.ts';
import { createForwardRenderer } from './forward/forward.ts';
import { createReadableTarget, createIdTarget } from './target.ts';
import { createVisibilityRenderer } from './visibility/visibility.ts';
import { updateAndWait } from '../../test/support/update-and-wait.ts';

const SIZE = 80;
/** Straight down. */
const CAMERA: Camera = { eye: [0, 9, 0.02], target: [0, 0, 0] };
/** Above the body, and beside it, above its shade. */
const NEAR: Camera = { eye: [-1, 3, 0.82], target: [-1, 0, 0.8] };
const LOW: Camera = { eye: [-0.9, 0.3, 1.3], target: [-0.3, 0, 1.3] };
const STANDS: Vector = [-1, 0, 0.8];
/** Where clips put the body, in the character's axes. */
const AWAY: Vector = [2.2, 0, -1.5];
const UP: Vector = [0, 1.5, 0];
/** An eighth of a turn about x: where it is lowest is between the first points. */
const LEAN = [Math.sin(Math.PI / 8), 0, 0, Math.cos(Math.PI / 8)] as const;
/** All that is seen, and nothing but the sky's light: no shadows of the sun. */
const LOOK = {
  camera: CAMERA,
  bounds: { min: [-4, 0, -4], max: [4, 2, 4] },
  lighting: { sunColor: [0, 0, 0], fadeDistance: 1e6 },
  width: SIZE,
  height: SIZE,
} as const;

/** A column of 0.6 m, and another one high above it that can be hidden. */
function body(): Character {
  const [positions, indices]: [number[][], number[]] = [[], []];
  for (let ring = 0; ring <= 8; ring++) {
    for (let side = 0; side < 8; side++) {
      const angle = (Math.PI * side) / 4;
      positions.push([0.3 * Math.cos(angle), 0.075 * ring, 0.3 * Math.sin(angle)]);
      const [at, next] = [8 * ring + side, 8 * ring + ((side + 1) % 8)];
      if (ring < 8) indices.push(at, at + 8, next, next, at + 8, next + 8);
    }
  }
  const shape = { indices: Uint32Array.from(indices) };
  const own = meshOf(positions, () => [[0, 1]], { ...shape, nodeName: 'body' });
  const high = positions.map(([x, y, z]) => [x! + 0.2, y! + 9, z!]);
  const far = meshOf(high, () => [[0, 1]], { ...shape, nodeName: 'far', nodeIndex: 1 });
  const clip = (name: string, at: Vector) => ({ ...clipOf(1, heldAt('translation', 0, at)), name });
  const lean = { ...clipOf(1, heldAt('rotation', 0, LEAN)), name: 'lean' };
  const clips = [clip('away', AWAY), clip('up', UP), lean];
  return packCharacter(smallModel({ joints: [jointAt([0, 0, 0])], meshes: [own, far], clips }));
}

interface Shade {
  /** Middle of what is darker than bare ground, in pixels, and how much darker all of it is. */
  readonly at: readonly [number, number];
  readonly sum: number;
}

describe.skipIf(noGpu())('the shade below a body', () => {
  let device: GPUDevice;
  let gridSteps: number;
  beforeAll(async () => {
    const opened = await testDevice();
    ({ device } = opened);
    gridSteps = gridOf(opened.kind);
  });

  async function shadesOf(clip: string | undefined, skin: 'compute' | 'vertex'): Promise<readonly Shade[]> {
    const character = body();
    const crowd = createCrowd(device, { characters: [character], capacity: 1, skin });
    const renderers = [
      await createForwardRenderer(device, crowd, { sampleCount: 1, shadowResolution: 16, cascadeCount: 1 }),
      ...(skin === 'vertex' || noCore() ? [] : [await createVisibilityRenderer(device, crowd, { cascadeCount: 0 })]),
    ];
    const [picture, ids] = [createReadableTarget(device, SIZE, SIZE), createIdTarget(device, SIZE, SIZE)];
    const draw = async (renderer: (typeof renderers)[number]) => {
      const encoder = device.createCommandEncoder();
      const drawn = renderer.render(encoder, { ...LOOK, target: picture.view, ids: ids.view });
      device.queue.submit([encoder.finish()]);
      await drawn.submitted();
      return { color: (await picture.read()).data, ids: await ids.read() };
    };
    const group = crowd.spawn(character, { place: (_, at) => at.position.set(...STANDS) });
    group.hideParts('far');
    group.hideParts('body');
    await updateAndWait(crowd, { dt: 0 });
    const bare = [];
    for (const renderer of renderers) bare.push(await draw(renderer));
    group.showParts('body');
    if (clip) group.play(clip);
    await updateAndWait(crowd, { dt: 0 });
    const shades: Shade[] = [];
    for (const [i, renderer] of renderers.entries()) {
      const { color, ids: shown } = await draw(renderer);
      expect(shown.some((word) => word !== 0)).toBe(true);
      let [x, y, sum] = [0, 0, 0];
      for (let pixel = 0; pixel < SIZE * SIZE; pixel++) {
        const darker = bare[i]!.color[4 * pixel + 1]! - color[4 * pixel + 1]!;
        if (shown[2 * pixel] !== 0 || darker <= 1) continue;
        x += darker * ((pixel % SIZE) + 0.5);
        y += darker * (Math.floor(pixel / SIZE) + 0.5);
        sum += darker;
      }
      shades.push({ at: [x / sum, y / sum], sum });
    }
    for (const owned of [...renderers, picture, ids, crowd]) owned.destroy();
    return shades;
  }

  function pixelOf(offset: Vector): readonly [number, number] {
    const world: Vector = [STANDS[0] + offset[0], 0, STANDS[2] + offset[2]];
    const [x, y, , w] = transform(clipFromWorld(CAMERA, 1), world);
    return [(0.5 + x / w / 2) * SIZE, (0.5 - y / w / 2) * SIZE];
  }

  testInTurn(0).each(['compute', 'vertex'] as const)('goes where the body goes: skinned by %s', async (skin) => {
    const resting = await shadesOf(undefined, skin);
    const away = await shadesOf('away', skin);
    const lifted = await shadesOf('up', skin);
    for (const [i, { at, sum }] of resting.entries()) {
      const [there, gone] = [away[i]!, lifted[i]!];
      for (const [found, wanted] of [
        [at, pixelOf([0, 0, 0])],
        [there.at, pixelOf(AWAY)],
      ] as const) {
        expect(Math.hypot(found[0] - wanted[0], found[1] - wanted[1])).toBeLessThan(2); // 20 cm
      }
      expect(sum).toBeGreaterThan(500);
      expect(there.sum / sum).toBeGreaterThan(0.8);
      expect(there.sum / sum).toBeLessThan(1.25);
      expect(gone.sum).toBe(0);
    }
    expect(resting).toHaveLength(skin === 'compute' ? 2 : 1);
  });

  test.each([
    ['rests', undefined, []],
    ['has been carried away', 'away', []],
    ['has been lifted', 'up', []],
    ['has been carried away, in part', 'away', ['far']],
    ['leans, and is large', 'lean', ['far'], 80],
    ['leans, and is small', 'lean', ['far'], 40],
    ['leans, and is tiny', 'lean', ['far'], 16],
    ['leans, and workgroups share its shade', 'lean', ['far'], 160, NEAR],
    ['rests, and its shade reaches beyond the eye', undefined, ['far'], SIZE, LOW],
  ] as const)('is the same in the reference: the body %s', async (name, clip, hidden, size = SIZE, camera = CAMERA) => {
    const character = body();
    const crowdOn = async (backend: 'gpu' | 'cpu') => {
      const crowd = createCrowd(device, { characters: [character], capacity: 1, backend });
      const group = crowd.spawn(character, {
        place: (_, at) => {
          at.position.set(...STANDS);
          at.scale = 1.3;
        },
      });
      for (const part of hidden) group.hideParts(part);
      if (clip) group.play(clip);
      await updateAndWait(crowd, { dt: 0 });
      return crowd;
    };
    const crowds = { gpu: await crowdOn('gpu'), cpu: await crowdOn('cpu') };
    const found = await compareWithReference(
      device,
      crowds,
      { ...LOOK, camera, width: size, height: size },
      { name: `contact ${name}`, gridSteps },
    );
    // beside the body, the camera looks away from it
    expect(found.shown > 0).toBe(camera !== LOW);
    expect(found.mean).toBeLessThan(0.05);
    expect(found.far).toBeLessThan(0.001);
    for (const crowd of Object.values(crowds)) crowd.destroy();
  });
});
