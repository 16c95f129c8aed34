import { describe, expect, test } from 'vitest';
import { maskedModel } from '../../../test/support/masked-model.ts';
import { meshOf, smallModel } from '../../../test/support/small-model.ts';
import { packCharacter, type Character } from '../../character/index.ts';
import { packScenery } from '../../character/pack-scenery.ts';
import type { Crowd } from '../../crowd/crowd.ts';
import { createCrowd } from '../../../test/support/create-crowd.ts';
import { ManipleError } from '../../errors.ts';
import { DEFAULT_MATERIAL } from '../materials/material-table.ts';
import { createReferenceRenderer } from './reference.ts';
import type { ReferenceView } from './view.ts';
import { updateAndWait } from '../../../test/support/update-and-wait.ts';

/** Two metres before the origin, whose picture shows 2 × 2 metres there. */
const VIEW: ReferenceView = {
  camera: { eye: [0, 1, 2], target: [0, 1, 0], fovY: 2 * Math.atan(0.5) },
  bounds: { min: [-1, 0, -1], max: [1, 2, 1] },
  width: 16,
  height: 16,
  lighting: { toneMap: 'none', fadeDistance: 1e9 },
};

/** A square metre about a point, facing z, of a colour of its own light. */
function square(emissive: readonly [number, number, number], center: readonly [number, number] = [0, 1]) {
  const [x, y] = center;
  const corners = [[x - 0.5, y - 0.5, 0], [x + 0.5, y - 0.5, 0], [x + 0.5, y + 0.5, 0], [x - 0.5, y + 0.5, 0]]; // prettier-ignore
  const mesh = meshOf(corners, () => [[0, 1]], { materialIndex: 0, indices: Uint32Array.of(0, 1, 2, 0, 2, 3) });
  const look = { ...DEFAULT_MATERIAL, baseColor: [...emissive, 1], unlit: true } as const;
  return { ...smallModel({ meshes: [mesh] }), materials: [look] };
}

async function crowdOf(character: Character, count = 1): Promise<Crowd> {
  const crowd = createCrowd(undefined, { characters: [character], capacity: count, backend: 'cpu' });
  crowd.spawn(character, { count });
  await updateAndWait(crowd, { dt: 0 });
  return crowd;
}

const failure = async (run: () => Promise<unknown>) => {
  const thrown = await run().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(thrown).toBeInstanceOf(ManipleError);
  return (thrown as ManipleError).issues[0]!;
};

describe('a picture on twins, without a device', () => {
  test('shows the characters of its own view, where the frame has one', async () => {
    const crowd = await crowdOf(packCharacter(square([1, 0, 0])));
    for (const cascadeCount of [0, 2]) {
      const renderer = await createReferenceRenderer(crowd, { cascadeCount, shadowResolution: 16 });
      const [whole] = renderer.crowdViews(VIEW);
      const away = renderer.crowdViews({ ...VIEW, camera: { eye: [0, 1, 2], target: [0, 1, 9] } });
      expect(away).toHaveLength(1 + cascadeCount);
      const shown = async (view: Partial<ReferenceView> = {}) => {
        const { ids } = await renderer.render({ ...VIEW, ...view });
        return ids.includes(1);
      };
      await updateAndWait(crowd, { dt: 0, views: renderer.crowdViews(VIEW) });
      expect(await shown()).toBe(true);
      // a view of the application's shows the square, the renderer's own do not
      await updateAndWait(crowd, { dt: 0, views: [{ ...whole! }, ...away] });
      expect(await shown()).toBe(false);
      expect(await shown({ views: { picture: 1, shadow: 0 } })).toBe(true);
      await updateAndWait(crowd, { dt: 0, views: [] }); // still the frame with views
      expect(await shown()).toBe(false);
      await updateAndWait(crowd, { dt: 0, views: [{ ...whole! }] });
      expect(await shown()).toBe(true);
      await updateAndWait(crowd, { dt: 0 });
      expect(await shown()).toBe(true);
    }
  });

  test('shows a square where it is, with its ids, depth, normal and motion', async () => {
    const crowd = await crowdOf(packCharacter(square([1, 0, 0])));
    const renderer = await createReferenceRenderer(crowd, { cascadeCount: 0 });
    const { color, ids, depth, normals, velocity } = await renderer.render(VIEW);
    // half of the picture each way: columns and rows 4 to 11
    const inside = Array.from({ length: 256 }, (_, at) => at).filter((at) => ids[2 * at] === 1);
    expect(inside).toHaveLength(64);
    expect(inside.every((at) => at % 16 >= 4 && at % 16 < 12 && at >= 4 * 16 && at < 12 * 16)).toBe(true);
    const at = 7 * 16 + 7;
    expect([...color.data.subarray(4 * at, 4 * at + 4)]).toEqual([255, 0, 0, 255]);
    expect(depth[at]).toBeCloseTo(0.1 / 2, 6);
    expect([...normals.subarray(4 * at, 4 * at + 4)].map((value) => Math.round(value * 1e3) / 1e3)).toEqual([
      0, 0, 1, 1,
    ]);
    expect(Math.hypot(velocity[2 * at]!, velocity[2 * at + 1]!)).toBe(0);
    expect([...renderer.timings.keys()]).toEqual(['filter-triangles', 'raster-triangles', 'shade-pixels']);
    expect(renderer.kept).toEqual([2]);
    // the next one from a metre farther left: what was in the middle was 8 pixels to the right
    const camera = { ...VIEW.camera, eye: [1, 1, 2], target: [1, 1, 0] } as const;
    const next = await renderer.render({ ...VIEW, camera });
    expect(next.velocity[2 * (7 * 16)]).toBeCloseTo(-8, 4);
  });

  test('cuts what crosses the near plane, and draws what is wider than compute takes', async () => {
    const crowd = await crowdOf(packCharacter(square([0, 1, 0])));
    const renderer = await createReferenceRenderer(crowd, { cascadeCount: 0 });
    // 0.2 m before the square, turned by 45°: a point at x is at (x + 0.2) / (0.2 − x) times the distance, and behind from 0.2 on
    const camera = { eye: [0, 1, 0.2], target: [-1, 1, -0.8], fovY: 2 * Math.atan(0.5), near: 0.05 } as const;
    const { ids } = await renderer.render({ ...VIEW, camera, width: 200, height: 100 });
    const columns = Array.from({ length: 200 }, (_, x) =>
      Array.from({ length: 100 }, (_, y) => ids[2 * (200 * y + x)]!).reduce((sum, id) => sum + id, 0),
    );
    // the left edge at x = −0.5 is at −3/7 of ±1, higher than the picture: column 57.14
    expect(columns).toEqual(columns.map((_, x) => (x < 57 ? 0 : 100)));
  });

  test('samples soften edges; shadows darken the ground; masked materials have holes', async () => {
    const crowd = await crowdOf(packCharacter(square([1, 1, 1], [0, 0.8])));
    const camera = { eye: [0, 4, 0.01], target: [0, 0, 0] } as const;
    const view = { ...VIEW, camera, width: 48, height: 48, lighting: { sunDirection: [0, 1, 1] } } as const;
    const brightness = ({ color }: { color: { data: Uint8Array } }) => color.data.reduce((sum, code) => sum + code, 0);
    const [plain, shaded] = await Promise.all(
      [0, 1].map(async (cascadeCount) =>
        (await createReferenceRenderer(crowd, { cascadeCount, shadowResolution: 64 })).render(view),
      ),
    );
    expect(brightness(shaded!)).toBeLessThan(0.99 * brightness(plain!));
    // red alone has no green but at edges, where a part of each pixel shows what is behind
    const red = await crowdOf(packCharacter(square([1, 0, 0])));
    const mixtures = async (samples: number) => {
      const { color } = await (
        await createReferenceRenderer(red, { cascadeCount: 0, sampleCount: samples })
      ).render({ ...VIEW, width: 15 });
      const row = Array.from({ length: 15 }, (_, x) => color.data[4 * (15 * 8 + x) + 1]!);
      // the ground behind differs from side to side
      return row.filter((green, x) => green > 0 && green < row[x < 8 ? 0 : 14]! - 20).length;
    };
    expect([await mixtures(1), await mixtures(8)]).toEqual([0, 2]);

    const fields = await crowdOf(packCharacter(await maskedModel()));
    const { ids } = await (
      await createReferenceRenderer(fields, { cascadeCount: 0 })
    ).render({
      ...VIEW,
      camera: { ...VIEW.camera, eye: [0, 0, 2], target: [0, 0, 0] },
      lighting: { groundHeight: -10 },
      width: 64,
      height: 64,
    });
    // 1.6 m of 2 m each way, half of it
    const share = ids.filter((id, i) => i % 2 === 0 && id === 1).length / (64 * 64);
    expect(share).toBeGreaterThan(0.28);
    expect(share).toBeLessThan(0.36);
  });

  test('a hidden character is nowhere, and neither is its shadow', async () => {
    const camera = { eye: [0, 3, 3], target: [0, 0, 0] } as const;
    const view = { ...VIEW, camera, width: 32, height: 32, lighting: { sunDirection: [0, 1, 1] } } as const;
    const crowd = await crowdOf(packCharacter(square([1, 1, 1], [0, 0.8])));
    const draw = async (of: Crowd) => {
      await updateAndWait(of, { dt: 0 });
      const renderer = await createReferenceRenderer(of, { cascadeCount: 1, shadowResolution: 32 });
      const { color, ids } = await renderer.render(view);
      return { color: [...color.data], seen: ids.some((id) => id !== 0) };
    };
    const shown = await draw(crowd);
    crowd.hide(crowd.ids);
    const hidden = await draw(crowd);
    crowd.despawn(crowd.ids);
    const empty = await draw(crowd);
    expect([shown.seen, hidden.seen]).toEqual([true, false]);
    expect(hidden).toEqual(empty);
    expect(hidden.color).not.toEqual(shown.color);
  });

  test('scenery is drawn, and is not a character', async () => {
    const crowd = await crowdOf(packCharacter(square([1, 0, 0])));
    const character = packScenery(square([0, 0, 1]));
    const place = { position: [0, 0, 0.5], rotation: [0, 0, 0, 1], scale: 1 } as const;
    const scenery = [{ character, places: [place] }];
    const renderer = await createReferenceRenderer(crowd, { cascadeCount: 0, scenery });
    const { color, ids } = await renderer.render(VIEW);
    const at = 8 * 16 + 8;
    expect([...color.data.subarray(4 * at, 4 * at + 3)]).toEqual([0, 0, 255]);
    expect(ids[2 * at]).toBe(0);
  });

  test('reports its progress, and refuses a crowd that has run a frame meanwhile', async () => {
    const crowd = await crowdOf(packCharacter(square([1, 0, 0])));
    const renderer = await createReferenceRenderer(crowd, { cascadeCount: 0 });
    const large = { ...VIEW, width: 256, height: 256 };
    const shares: number[] = [];
    await renderer.render({ ...large, onProgress: (share) => shares.push(share) });
    expect(shares.length).toBeGreaterThan(0);
    expect(shares.every((share) => share >= 0 && share <= 1)).toBe(true);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    const issue = await failure(() =>
      renderer.render({ ...large, onProgress: () => void updateAndWait(crowd, { dt: 1 }) }),
    );
    expect(issue).toMatchObject({ code: 'RENDER_FAILED', path: 'crowd' });
  });

  test('refuses pictures that are too large, and invalid options, with a code', async () => {
    const crowd = await crowdOf(packCharacter(square([1, 0, 0])));
    const renderer = await createReferenceRenderer(crowd, { sampleCount: 8 });
    const issue = await failure(() => renderer.render({ ...VIEW, width: 1280, height: 720 }));
    expect(issue).toMatchObject({ code: 'RENDER_TOO_LARGE', path: 'size' });
    expect(issue.message).toContain('4194304');
    expect(await failure(() => renderer.render({ ...VIEW, width: 0 }))).toMatchObject({ code: 'RENDER_FAILED' });
    for (const [key, value] of Object.entries({
      sampleCount: 65,
      cascadeCount: 5,
      shadowResolution: 0,
      gridSteps: 0.5,
    })) {
      const bad = await failure(() => createReferenceRenderer(crowd, { [key]: value }));
      expect(bad).toMatchObject({ code: 'RENDER_FAILED', path: key });
    }
    const many = await crowdOf(packCharacter(manyTriangles()), 200);
    const all = await createReferenceRenderer(many, { cascadeCount: 4 });
    expect(await failure(() => all.render(VIEW))).toMatchObject({ code: 'RENDER_TOO_LARGE', path: 'crowd' });
  });
});

/** One triangle, again and again. */
function manyTriangles() {
  const { meshes, ...rest } = square([1, 1, 1]);
  const indices = Uint32Array.from({ length: 3 * 17_000 }, (_, i) => i % 3);
  return { ...rest, meshes: [{ ...meshes[0]!, indices }] };
}
