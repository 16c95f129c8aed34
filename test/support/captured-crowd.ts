import { addSockets, createCrowd, type Crowd, type CrowdOptions, type CrowdView } from '../../src/index.ts';
import { clipFromWorld } from '../../src/render/camera.ts';
import { marcher, recruit, soldier } from './soldiers.ts';

/** Sees most of them, and not all. */
export const VIEWS: readonly CrowdView[] = [
  { clipFromWorld: clipFromWorld({ eye: [2, 3, 9], target: [1, 0, 2], fovY: 0.6 }, 1), height: 500 },
];

/** Soldiers, marchers and recruits in the middle of what they do, with something in their hands and ground below. */
export async function capturedCrowd(
  device: GPUDevice | undefined,
  options: Partial<CrowdOptions> = {},
): Promise<Crowd> {
  const [fighter, walker, player] = [addSockets(soldier(), ['head']), marcher(), recruit()];
  const characters = [fighter, walker, player];
  const crowd = createCrowd(device, { characters, capacity: 40, modifiers: 2, motions: 8, ...options });
  const fighters = crowd.spawn(fighter, { count: 6, place: (i, at) => at.position.set(i, 0, 0) });
  crowd.spawn(walker, { count: 5, place: (i, at) => at.position.set(i, 0, 2) });
  const players = crowd.spawn(player, { count: 4, place: (i, at) => at.position.set(i, 0, 4) });
  players.play('walk');
  fighters.attach('head');
  crowd.setGround({ heights: new Float32Array([0, 1, 2, 0, 1, 2]), columns: 3, rows: 2, spacing: 5, lean: 1 });
  await crowd.update({ dt: 0.2 });
  fighters.parameter('speed').fill(2);
  fighters.trigger('attack', [0]);
  await crowd.update({ dt: 0.3, views: VIEWS });
  players.place((i, at) => at.position.set(i + 0.5, 3, 4));
  return crowd;
}
