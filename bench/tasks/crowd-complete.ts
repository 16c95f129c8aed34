import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Character } from '../../src/character/character.ts';
import { createCrowd } from '../../src/crowd/create-crowd.ts';
import type { Crowd } from '../../src/crowd/crowd.ts';
import { nodeDevice } from '../../src/node/node-gpu.ts';
import type { Camera, Vector } from '../../src/render/camera.ts';
import { createForwardRenderer } from '../../src/render/forward/forward.ts';
import { encodePng } from '../../src/render/images/index.ts';
import { createReadableTarget, createIdTarget } from '../../src/render/target.ts';
import { createVisibilityRenderer, type VisibilityRenderer } from '../../src/render/visibility/visibility.ts';
import type { CrowdBench } from './crowd-measures.ts';
import { pictureViews } from './crowd-scenes.ts';
import { updateAndWait } from '../../test/support/update-and-wait.ts';

interface Found {
  readonly missing: number;
  readonly isNearestThere: boolean;
  /** Metres from the camera's plane. */
  readonly nearestMissing: number;
  readonly farthestThere: number;
  readonly dropped: { readonly characters: number };
}

const CASCADES = 3;
/** Metres from soldier to soldier. */
const SPACING = 1.1;
/** Metres: far enough for all of them to be seen. */
const SCENE = { fadeDistance: 3000 };

/**
 * A camera and three cascades see all soldiers, on a device with WebGPU's default limits. The last soldier of the lists is the
 * nearest, 6 m before the camera. The visibility renderer has to show every soldier that the forward renderer shows. With a
 * tenth of the lists' memory it has to keep the largest, and count the others.
 */
export async function measureComplete(
  { characters: load, count: asked, isHardware }: CrowdBench,
  print: (line: string) => void,
): Promise<unknown> {
  const count = asked ?? (isHardware ? 100_000 : 3400);
  const [legionary] = await load();
  const { device } = await nodeDevice({ limits: 'default' });
  device.addEventListener('uncapturederror', (event) => console.error(event.error.message));
  const size = isHardware ? { width: 1920, height: 1080 } : { width: 480, height: 270 };
  const field = await placeSoldiers(device, legionary!, count);
  const { crowd, depths, camera, bounds } = field;
  const views = pictureViews(field, CASCADES);
  // palettes at default limits do not hold all first poses at once
  for (let frame = 0; frame < 16; frame++) await updateAndWait(crowd, { dt: 1 / 60, views: [...views.crowd] });

  const color = createReadableTarget(device, size.width, size.height);
  const ids = createIdTarget(device, size.width, size.height);
  const draw = async (renderer: Pick<VisibilityRenderer, 'render'>) => {
    const encoder = device.createCommandEncoder();
    const targets = { target: color.view, ids: ids.view };
    const drawn = renderer.render(encoder, {
      ...size,
      ...targets,
      camera,
      bounds,
      views: views.drawn,
      lighting: SCENE,
    });
    device.queue.submit([encoder.finish()]);
    await drawn.submitted();
    return pixelsOf(await ids.read());
  };
  const forward = await createForwardRenderer(device, crowd, { cascadeCount: CASCADES, sampleCount: 1 });
  const expected = await draw(forward);
  forward.destroy();

  const results: Found[] = [];
  let listMemory: number | undefined;
  for (const part of ['all', 'tenth']) {
    const options = { cascadeCount: CASCADES, ...(listMemory && { listMemory }) };
    const renderer = await createVisibilityRenderer(device, crowd, options);
    const found = await draw(renderer);
    await save(color, `complete-${part}`);
    const { kept, dropped } = (await renderer.readStats())!;
    const missing = [...expected.keys()].filter((id) => !found.has(id));
    const result = {
      listMemory,
      shown: expected.size,
      missing: missing.length,
      mostPixels: Math.max(0, ...missing.map((id) => expected.get(id)!)),
      gained: [...found.keys()].filter((id) => !expected.has(id)).length,
      isNearestThere: found.has(count),
      nearestMissing: Math.min(...missing.map((id) => depths[id]!)),
      farthestThere: [...found.keys()].reduce((most, id) => Math.max(most, depths[id]!), 0),
      dropped,
      crowd: await crowd.readStats(),
      bytes: crowd.byteLength,
      kept,
    };
    print(`${count} soldiers, ${CASCADES + 1} views, default limits, ${part}: ${JSON.stringify(result)}`);
    results.push(result);
    renderer.destroy();
    listMemory = Math.ceil((4 * (CASCADES + 1) * Math.max(...kept.map(({ wanted }) => wanted))) / 10) + 256;
  }
  for (const owned of [color, ids, crowd]) owned.destroy();
  const [all, tenth] = results as [Found, Found];
  if (all.missing > 0) throw new Error(`${all.missing} soldiers are missing.`);
  // an eighth of an octave is one size
  const isLargest = tenth.isNearestThere && tenth.farthestThere < 1.13 * tenth.nearestMissing;
  if (!isLargest) throw new Error('With a tenth of the memory, smaller soldiers are kept than some that are missing.');
  if (tenth.dropped.characters < tenth.missing) throw new Error('Soldiers are missing that are not counted.');
  return results;
}

/** The camera looks from above, so that no soldier hides another. */
async function placeSoldiers(device: GPUDevice, legionary: Character, count: number) {
  const crowd: Crowd = await createCrowd(device, { characters: [legionary], capacity: count, maxVertexBytes: 2 ** 33 });
  const abreast = Math.ceil(Math.sqrt(1.9 * count));
  const [across, deep] = [(SPACING * abreast) / 2, (SPACING * count) / abreast / 2];
  const height = 2 * across;
  const camera: Camera = { eye: [0, height, 0.3 * height], target: [0, 0, 0], fovY: 0.6 };
  const [down, ahead] = [-1, -0.3].map((part) => part / Math.hypot(1, 0.3)) as [number, number];
  const nearest: Vector = [-1.8, height + 6 * down + 1.35 * ahead, 0.3 * height + 6 * ahead - 1.35 * down];
  /** By row + 1: metres from the camera's plane. */
  const depths = new Float64Array(count + 1);
  crowd.spawn(legionary, {
    count,
    place: (i, at) => {
      const inField: Vector = [SPACING * (i % abreast) - across, 0, SPACING * Math.floor(i / abreast) - deep];
      const [x, y, z] = i === count - 1 ? nearest : inField;
      at.position.set(x, y, z);
      depths[i + 1] = down * (y + 0.9 - height) + ahead * (z - 0.3 * height);
    },
  });
  const bounds = { min: [-across, 0, -deep], max: [across, height, 0.3 * height] } as const;
  return { crowd, camera, bounds, depths };
}

/** Counts the pixels of each id, which is a soldier's row + 1. */
function pixelsOf(ids: Uint32Array): Map<number, number> {
  const pixels = new Map<number, number>();
  for (let word = 0; word < ids.length; word += 2) {
    const id = ids[word]!;
    if (id !== 0) pixels.set(id, (pixels.get(id) ?? 0) + 1);
  }
  return pixels;
}

async function save(picture: ReturnType<typeof createReadableTarget>, name: string): Promise<void> {
  await mkdir('out', { recursive: true });
  await writeFile(path.join('out', `${name}.png`), await encodePng(await picture.read()));
}
