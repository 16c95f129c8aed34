// The camera of `maniple render` when none is asked for: what it shows is computed again from every posed vertex.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { issuesOf } from '../../src/errors.ts';
import { orbitsOf, type RenderOptions, scheduleOf } from '../../src/cli/actions/render/options.ts';
import { castOf, loadCast, stageCast } from '../../src/cli/actions/render/stage.ts';
import { Progress } from '../../src/cli/output.ts';
import { clipFromWorld, transform } from '../../src/render/camera.ts';
import { orbited } from '../../src/battle/framing.ts';
import { noShared, shared, some, testInTurn } from '../support/setup.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { updateAndWait } from '../support/update-and-wait.ts';

const OPTIONS = {
  frames: 1,
  fps: 30,
  size: { width: 640, height: 360 },
  output: 'color',
  renderer: 'forward',
  backend: 'cpu',
  seed: 7,
} satisfies RenderOptions;

const CASES: readonly (readonly [string, number, Partial<RenderOptions>])[] = [
  ['characters/robot-expressive.glb', 1, {}],
  ['characters/robot-expressive.glb', 5, { size: { width: 300, height: 600 } }],
  ['creatures/khronos-fox.glb', 200, {}],
  ['creatures/khronos-fox.glb', 5, { size: { width: 1200, height: 300 } }],
  ['creatures/spider.glb', 200, { size: { width: 400, height: 400 } }],
  ['characters/kenney-platformer-character.glb', 1, {}],
  ['basics/SimpleSkin.gltf', 1, {}],
  ['basics/BoxAnimated.glb', 5, {}],
  ['basics/MorphStressTest.glb', 5, {}],
  ['characters/cesium-man.glb', 1, { output: 'velocity' }],
];

interface Seen {
  /** Of all vertices in all frames: the farthest from the middle of the picture, 1 at its edge. */
  readonly x: number;
  readonly y: number;
  /** The share of the picture that they take over all frames: the larger of width and height. */
  readonly filled: number;
  /** Least distance before the near plane, by that of the eye from its target. */
  readonly depth: number;
  /** Pairs of characters whose boxes overlap, over all frames. */
  readonly overlaps: number;
  readonly playing: readonly (readonly string[])[];
  /** The farthest that a character has gone from where it stood first. */
  readonly moved: number;
}

/** Stages files as the command does and lets the twins pose what it would draw. @param looked Frames, of all. */
async function look(
  files: readonly string[],
  count: number,
  changes: Partial<RenderOptions> = {},
  looked = changes.frames ?? 1,
): Promise<Seen> {
  const size = changes.size ?? OPTIONS.size;
  const options = { ...OPTIONS, count, ...changes, size };
  const progress = new Progress();
  const cast = castOf(
    files.map((file) => path.join(shared, 'assets', file)),
    options,
  );
  const actors = await loadCast(cast, options, progress);
  const { crowd, stage, playing } = await stageCast(undefined, cast, actors, options, progress);
  const { dt, early } = scheduleOf(options);
  const angles = orbitsOf(options);
  const starts = await crowd.readTransforms(stage.groups.flatMap(({ ids }) => ids));
  let moved = 0;
  const boxes = new Map<number, [number, number, number, number]>();
  let [x, y, depth] = [0, 0, Infinity];
  const [low, high] = [
    [Infinity, Infinity],
    [-Infinity, -Infinity],
  ];
  for (let i = 0; i < early; i++) await updateAndWait(crowd, { dt });
  for (let frame = 0; frame < looked; frame++) {
    await updateAndWait(crowd, { dt });
    const camera = orbited(stage.camera, angles[frame] ?? 0);
    const matrix = clipFromWorld(camera, options.size.width / options.size.height);
    for (const [index, id] of stage.groups.flatMap(({ ids }) => ids).entries()) {
      const [at] = await crowd.readTransforms(id);
      const vertices = await crowd.readVertices(id);
      const start = starts[index]!.position;
      moved = Math.max(moved, Math.hypot(at!.position.x - start.x, at!.position.z - start.z));
      const box = boxes.get(index) ?? [Infinity, Infinity, -Infinity, -Infinity];
      boxes.set(index, box);
      const { x: qx, y: qy, z: qz, w: qw } = at!.rotation;
      const [sine, cosine] = [2 * (qw * qy + qx * qz), 1 - 2 * (qx * qx + qy * qy)];
      expect(Math.hypot(qx, qz)).toBeLessThan(1e-6); // upright: the yaw is all of it
      for (let v = 0; v < vertices.length; v += 3) {
        const [mx, mz] = [vertices[v]!, vertices[v + 2]!];
        const wx = at!.position.x + at!.scale * (cosine * mx + sine * mz);
        const wz = at!.position.z + at!.scale * (cosine * mz - sine * mx);
        const [cx, cy, , cw] = transform(matrix, [wx, at!.position.y + at!.scale * vertices[v + 1]!, wz]);
        const [px, py] = [cx / cw, cy / cw];
        [x, y] = [Math.max(x, Math.abs(px)), Math.max(y, Math.abs(py))];
        [low[0], low[1]] = [Math.min(low[0]!, px), Math.min(low[1]!, py)];
        [high[0], high[1]] = [Math.max(high[0]!, px), Math.max(high[1]!, py)];
        depth = Math.min(depth, cw - stage.camera.near!);
        box[0] = Math.min(box[0], wx);
        box[1] = Math.min(box[1], wz);
        box[2] = Math.max(box[2], wx);
        box[3] = Math.max(box[3], wz);
      }
    }
  }
  crowd.destroy();
  const all = [...boxes.values()];
  let overlaps = 0;
  all.forEach((a, i) => {
    for (const b of all.slice(i + 1)) {
      if (a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]) overlaps++;
    }
  });
  const filled = Math.max(high[0]! - low[0]!, high[1]! - low[1]!) / 2;
  return { x, y, filled, depth, overlaps, playing, moved };
}

/** All of it in the picture, a margin left; not tiny; nobody in another. */
function expectFramed({ x, y, filled, depth, overlaps }: Seen): void {
  expect(x).toBeLessThan(0.97);
  expect(y).toBeLessThan(0.97);
  expect(depth).toBeGreaterThan(0);
  expect(filled).toBeGreaterThan(0.7);
  expect(overlaps).toBe(0);
}

describe.skipIf(noShared())('the camera of render', () => {
  test.each(some(CASES, 1))('shows all of %s × %i', async (file, count, changes) => {
    expectFramed(await look([file], count, changes));
  });

  testInTurn(0)('shows characters of several files', async () => {
    expectFramed(await look(['creatures/spider.glb', 'creatures/khronos-fox.glb', 'creatures/bee.glb'], 8));
  });

  testInTurn(0)('shows all frames of a sequence, from a camera that turns', async () => {
    const frames = { frames: 12, fps: 10, orbit: 360 } as const;
    expectFramed(await look(['creatures/khronos-fox.glb'], 5, { ...frames, clip: ['Run'] }));
    expectFramed(await look(['basics/BoxAnimated.glb'], 1, { ...frames, orbit: 40 }));
  });

  testInTurn(0)('goes by the bounds of clips where measuring takes too long', async () => {
    // 20 × 924 vertices × 240 frames are more than 4,000,000
    expectFramed(await look(['creatures/spider.glb'], 20, { frames: 240, clip: ['Jump'] }, 12));
  });

  const folder = temporaryFolder();
  const file = (name: string, value: object) => {
    const written = path.join(folder, name);
    writeFileSync(written, JSON.stringify(value));
    return written;
  };

  testInTurn(0)('follows what a controller plays, and where root motion leads', async () => {
    const length = 300; // the fox is in centimetres
    const clip = { format: 'maniple-clip', version: 1, name: 'leap', duration: 0.5, loops: true };
    const root = { times: [0, 0.5], positions: [0, 0, 0, 0, 0, length], rotations: [0, 0, 0, 1, 0, 0, 0, 1] };
    const leap = file('leap.json', { ...clip, facts: { length: 0.5, loops: true }, tracks: [], root });
    const states = {
      Run: { motion: 'Run', transitions: [{ to: 'Leap', exitTime: 1, duration: 0.1 }] },
      Leap: { motion: 'leap' },
    };
    const controller = file('controller.json', {
      format: 'maniple-controller',
      version: 1,
      name: 'fox',
      parameters: {},
      layers: [{ name: 'Base', machine: { default: 'Run', states } }],
    });
    const options = { controller, clips: file('clips.json', { leap }), frames: 20, fps: 10 };
    const seen = await look(['creatures/khronos-fox.glb'], 5, options);
    expectFramed(seen);
    expect(seen.moved).toBeGreaterThan(length);
  });

  test('plays the clips that are named, and only those', async () => {
    const { playing, ...seen } = await look(['creatures/khronos-fox.glb'], 5, { clip: ['Walk', '0'] });
    expect(playing.map((names) => [...names].sort())).toEqual([['Survey', 'Walk']]);
    expectFramed({ playing, ...seen });
  });

  test('lists the clips, also without any', async () => {
    const load = async (name: string, clip?: readonly string[]) => {
      const options = { ...OPTIONS, ...(clip && { clip }) };
      return loadCast(castOf([name], options), options, new Progress());
    };
    const fox = path.join(shared, 'assets/creatures/khronos-fox.glb');
    const [first] = issuesOf(await load(fox, ['Fly']).catch((thrown: unknown) => thrown));
    expect(first).toMatchObject({
      code: 'CLIP_NOT_FOUND',
      path: 'Fly',
      suggestion: expect.stringContaining('1 "Walk"'),
    });
    expect((await load(fox))[0]!.issues.filter(({ code }) => code === 'CLIP_NONE')).toEqual([]);
    const [boulder] = await load('props/boulder.glb');
    expect(boulder!.issues).toContainEqual(expect.objectContaining({ code: 'CLIP_NONE', path: 'props/boulder.glb' }));
  });
});
