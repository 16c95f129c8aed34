import { createForwardRenderer, createReadableTarget, createVelocityTarget } from '../../src/render/index.ts';
import { median } from '../../src/bench/statistics.ts';
import type { CrowdBench } from './crowd-measures.ts';
import { battleScene, PICTURE } from './crowd-scenes.ts';
import { createHeater } from '../../src/bench/gpu/gpu-heater.ts';

/** Measures pictures of the battle with skinning in compute and in draws: camera, sun's shadow map, motion vectors. */
export async function measureDraws(
  { device, characters: load, count, isHardware, warmUp, frames }: CrowdBench,
  print: (line: string) => void,
): Promise<unknown> {
  const soldiers = count ?? (isHardware ? 20_000 : 100);
  const characters = await load();
  const { width, height } = isHardware ? PICTURE : { width: 320, height: 180 };
  const results: Record<string, unknown> = {};
  for (const skin of ['compute', 'vertex'] as const) {
    const { crowd, battle, views } = await battleScene(device, characters, soldiers, { skin, maxVertexBytes: 2 ** 33 });
    const renderer = await createForwardRenderer(device, crowd);
    const [picture, velocity] = [
      createReadableTarget(device, width, height),
      createVelocityTarget(device, width, height),
    ];
    const heat = isHardware ? createHeater(device) : undefined;
    const times = new Map<string, number[]>();
    const start = performance.now();
    for (let measured = 0; measured < frames;) {
      const encoder = device.createCommandEncoder();
      heat?.(encoder);
      const encoded = crowd.encode(encoder, { dt: 1 / 60, views: [views[0]!, views[2]!] });
      const drawn = renderer.render(encoder, {
        camera: battle.camera,
        bounds: battle.bounds,
        views: { picture: 1, shadow: 2 },
        target: picture.view,
        velocity: velocity.view,
        width,
        height,
      });
      device.queue.submit([encoder.finish()]);
      await Promise.all([encoded.submitted(), drawn.submitted()]);
      if (performance.now() - start < warmUp) continue;
      measured++;
      for (const [name, time] of [...crowd.timings, ...renderer.timings]) {
        times.set(name, [...(times.get(name) ?? []), time]);
      }
    }
    const stages = Object.fromEntries(Array.from(times, ([name, all]) => [name, median(all)]));
    const line = Object.entries(stages).map(([name, time]) => `${name} ${time.toFixed(3)} ms`);
    const { byteLength } = crowd;
    print(`${soldiers} soldiers, skin: '${skin}': ${line.join(', ')}; ${(byteLength / 1e6).toFixed(0)} MB`);
    results[skin] = { soldiers, stages, byteLength };
    renderer.destroy();
    picture.destroy();
    velocity.destroy();
    crowd.destroy();
  }
  return results;
}
