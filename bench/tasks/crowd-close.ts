import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fight, stageBattle } from '../../src/battle/battle.ts';
import { PROPS, sceneryOf } from '../../src/battle/scenery.ts';
import { LEGIONARY, RAIDER, soldierController } from '../../src/battle/soldier.ts';
import { packScenery } from '../../src/character/pack-scenery.ts';
import { packCharacter } from '../../src/character/pack/index.ts';
import { createCrowd } from '../../src/crowd/create-crowd.ts';
import { importGltf } from '../../src/import/index.ts';
import { createScenery, type Scenery } from '../../src/render/scenery/scenery.ts';
import { createReadableTarget } from '../../src/render/target.ts';
import { RASTER_DEFAULTS } from '../../src/render/visibility/sizes.ts';
import { createVisibilityRenderer, type VisibilityRenderer } from '../../src/render/visibility/visibility.ts';
import { median } from '../../src/bench/statistics.ts';
import type { CrowdBench } from './crowd-measures.ts';
import { PICTURE } from './crowd-scenes.ts';
import { createHeater } from '../../src/bench/gpu/gpu-heater.ts';

/** Pixels across, from which on the hardware draws a triangle. */
const TRIANGLE_SIZES = [RASTER_DEFAULTS.hardware.triangleSize, 126];

/**
 * A battle seen from its edge, with its camp, trees and rocks, and three shadow maps: triangles of all sizes, many of them
 * large. By `triangleSize` of the renderer.
 */
export async function measureClose(
  { device, models, props, count = 500, isHardware, warmUp, frames }: CrowdBench,
  print: (line: string) => void,
): Promise<unknown> {
  const characters = models.map((model, index) =>
    packCharacter(model, { controller: soldierController(index === 0 ? LEGIONARY : RAIDER) }),
  );
  const size = isHardware ? PICTURE : { width: 320, height: 180 };
  const crowd = await createCrowd(device, { characters, capacity: count });
  const battle = stageBattle(crowd, characters[0]!, characters[1]!, { count });
  await fight(crowd, battle, 6);
  const { scenery, bounds } = await campOf(device, props, count, battle.camera.eye);
  const picture = createReadableTarget(device, size.width, size.height);
  const view = { camera: battle.camera, bounds, lighting: battle.lighting ?? {}, target: picture.view, ...size };
  const heat = isHardware ? createHeater(device) : undefined;
  const frame = async (renderer: VisibilityRenderer): Promise<void> => {
    battle.director?.advance(1 / 60);
    const encoder = device.createCommandEncoder();
    heat?.(encoder);
    const encoded = crowd.encode(encoder, { dt: 1 / 60, views: [...renderer.crowdViews(view)] });
    const drawn = renderer.render(encoder, view);
    device.queue.submit([encoder.finish()]);
    await Promise.all([encoded.submitted(), drawn.submitted()]);
  };
  const results: unknown[] = [];
  for (const triangleSize of TRIANGLE_SIZES) {
    const renderer = await createVisibilityRenderer(device, crowd, {
      scenery,
      cascadeCount: 3,
      shadowResolution: isHardware ? 2048 : 256,
      hardwareRaster: { triangleSize },
    });
    const times = new Map<string, number[]>();
    const start = performance.now();
    for (let measured = 0; measured < frames;) {
      await frame(renderer);
      if (performance.now() - start < warmUp) continue;
      measured++;
      for (const [name, time] of renderer.timings) times.set(name, [...(times.get(name) ?? []), time]);
    }
    const stages = Object.fromEntries(Array.from(times, ([name, all]) => [name, median(all)]));
    const { kept } = (await renderer.readStats())!;
    print(`${count} soldiers and scenery, 3 cascades, hardware from ${triangleSize} px on: ${JSON.stringify(kept)}`);
    for (const [name, time] of Object.entries(stages)) print(`  ${name.padEnd(18)} ${time.toFixed(3)} ms`);
    results.push({ triangleSize, stages, kept });
    renderer.destroy();
  }
  for (const owned of [scenery, picture, crowd]) owned.destroy();
  return results;
}

async function campOf(
  device: GPUDevice,
  folder: string,
  count: number,
  eye: readonly [number, number, number],
): Promise<{ readonly scenery: Scenery; readonly bounds: ReturnType<typeof sceneryOf>['bounds'] }> {
  const { places, bounds } = sceneryOf({ count, eye });
  const pieces = PROPS.filter((prop) => places[prop].length > 0).map(async (prop) => {
    const model = await importGltf({ name: prop, bytes: readFileSync(path.join(folder, `${prop}.glb`)) });
    return { character: packScenery(model), places: places[prop] };
  });
  return { scenery: createScenery(device, await Promise.all(pieces)), bounds };
}
