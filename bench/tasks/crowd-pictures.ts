import type { Camera } from '../../src/render/camera.ts';
import { createReadableTarget } from '../../src/render/target.ts';
import { createVisibilityRenderer } from '../../src/render/visibility/visibility.ts';
import { median } from '../../src/bench/statistics.ts';
import type { CrowdBench } from './crowd-measures.ts';
import { battleScene, PICTURE, pictureViews } from './crowd-scenes.ts';
import { createHeater } from '../../src/bench/gpu/gpu-heater.ts';
import { createSpan } from '../../src/bench/gpu/gpu-span.ts';

/** Small characters posed every second to eighth frame, as crowds do by default; or all of them in each frame. */
const RATES = [{}, { updateRates: false }] as const;

/**
 * Whole frames of the battle through the visibility buffer, with and without shadows, with update rates and with every
 * character posed in every frame: all stages, and the picture.
 */
export async function measurePictures(
  { device, characters: load, count, isHardware, warmUp, frames }: CrowdBench,
  print: (line: string) => void,
): Promise<unknown> {
  const counts = count ? [count] : isHardware ? [20_000, 100_000] : [100];
  const characters = await load();
  const { width, height } = isHardware ? PICTURE : { width: 320, height: 180 };
  const results: unknown[] = [];
  for (const soldiers of counts) {
    for (const [cascadeCount, rates] of [0, 3].flatMap((cascades) => RATES.map((each) => [cascades, each] as const))) {
      const { crowd, battle } = await battleScene(device, characters, soldiers, { maxVertexBytes: 2 ** 33, ...rates });
      const camera = overview(battle.bounds, width / height);
      const views = pictureViews({ ...battle, camera }, cascadeCount);
      const renderer = await createVisibilityRenderer(device, crowd, { cascadeCount });
      const picture = createReadableTarget(device, width, height);
      const [heat, span] = [isHardware ? createHeater(device) : undefined, createSpan(device)];
      const times = new Map<string, number[]>();
      const add = (name: string, time: number) => times.set(name, [...(times.get(name) ?? []), time]);
      const start = performance.now();
      // timestamps take time between passes: whole frames are measured before the first read of stages' times
      for (let measured = 0; measured < 2 * frames;) {
        const encoder = device.createCommandEncoder();
        // the host takes longer to record a frame than a large GPU to draw it: until then it has to be kept busy
        for (let n = 0; n < 4; n++) heat?.(encoder);
        span.begin(encoder);
        const before = performance.now();
        const encoded = crowd.encode(encoder, { dt: 1 / 60, views: [...views.crowd] });
        const drawn = renderer.render(encoder, {
          camera,
          bounds: battle.bounds,
          views: views.drawn,
          target: picture.view,
          width,
          height,
        });
        const host = performance.now() - before;
        span.end(encoder);
        device.queue.submit([encoder.finish()]);
        const [whole] = await Promise.all([span.read(), encoded.submitted(), drawn.submitted()]);
        if (performance.now() - start < warmUp) continue;
        if (measured++ >= frames) for (const [name, time] of [...crowd.timings, ...renderer.timings]) add(name, time);
        else {
          add('host', host);
          add('whole frame', whole);
        }
      }
      const stages = Object.fromEntries(Array.from(times, ([name, all]) => [name, median(all)]));
      const [listed, triangles] = [await crowd.readStats(), await renderer.readStats()];
      const posing = 'rates' in rates ? 'all posed' : 'posed at their rates';
      print(
        `${soldiers} soldiers, ${cascadeCount} cascades, ${posing}: ${JSON.stringify({ ...listed, ...triangles })}`,
      );
      for (const [name, time] of Object.entries(stages)) print(`  ${name.padEnd(18)} ${time.toFixed(3)} ms`);
      results.push({ soldiers, cascadeCount, posing, stages, listed, triangles });
      for (const owned of [renderer, picture, crowd]) owned.destroy();
    }
  }
  return results;
}

/** A camera that sees all of a field from its edge. */
function overview(
  { min, max }: { readonly min: readonly number[]; readonly max: readonly number[] },
  aspect: number,
): Camera {
  const [width, depth] = [max[0]! - min[0]!, max[2]! - min[2]!];
  const fovY = 0.6;
  const distance = Math.max(width / (2 * aspect * Math.tan(fovY / 2)), 0.6 * depth);
  return { eye: [0, 0.55 * distance, max[2]! + 0.85 * distance], target: [0, 0, max[2]! - 0.45 * depth], fovY };
}
