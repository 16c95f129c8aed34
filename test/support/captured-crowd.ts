import { packCharacter } from '../../src/asset/index.ts';
import {
  addSockets,
  createCrowd,
  type Character,
  type Crowd,
  type CrowdOptions,
  type CrowdView,
  type VertexProvider,
} from '../../src/index.ts';
import { clipFromWorld } from '../../src/render/camera.ts';
import { marcher, recruit, soldier, soldierModel } from './soldiers.ts';

/** Sees most of them, and not all. */
export const VIEWS: readonly CrowdView[] = [
  { clipFromWorld: clipFromWorld({ eye: [2, 3, 9], target: [1, 0, 2], fovY: 0.6 }, 1), height: 500 },
];

/** Soldiers, marchers (skinned by draws) and recruits in the middle of what they do, with something in their hands and ground below. */
export async function capturedCrowd(
  device: GPUDevice | undefined,
  options: Partial<CrowdOptions> = {},
): Promise<Crowd> {
  const [fighter, walker, player] = [addSockets(soldier(), ['head']), marcher(), recruit()];
  const characters = [fighter, walker, player];
  const skin = (character: Character) => (character === walker ? 'vertex' : 'compute');
  const crowd = createCrowd(device, { characters, capacity: 40, modifiers: 2, motions: 8, skin, ...options });
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

/** The same crowd, its fighters gone, two other types in their place and behind the others: one level lacks a joint. */
export async function changedCrowd(device: GPUDevice | undefined, options: Partial<CrowdOptions> = {}): Promise<Crowd> {
  const crowd = await capturedCrowd(device, options);
  const fighter = crowd.tables.types[0]!.character;
  const carrier = addSockets(recruit(), ['head']);
  const { geometry, indices, vertexCount, primitives, batchRuns } = carrier;
  const coarse = { error: 0.0015, posedJoints: [0], geometry, indices, vertexCount, primitives, batchRuns };
  const late = { ...carrier, lods: [coarse] };
  crowd.addCharacter(late);
  crowd.despawn(crowd.ids.filter((id) => crowd.seenAt(id % 2 ** 24)?.character === fighter));
  crowd.removeCharacter(fighter);
  const small = recruit();
  crowd.addCharacter(small);
  const came = crowd.spawn(late, { count: 4, place: (i, at) => at.position.set(i, 0, -i) });
  came.play('walk');
  came.attach('head');
  crowd.spawn(small, { count: 2, place: (i, at) => at.position.set(i, 0, 3) }).play('attack');
  await crowd.update({ dt: 0.2, views: VIEWS });
  return crowd;
}

/** When far characters of `capturedCrowd` share poses: all that may. */
export const SHARING = { below: 1e9, phases: 4, weight: 0.51 } as const;

/** Moves vertices by the clock, the character's number and a row. */
export const TIDE: VertexProvider = {
  name: 'tide',
  space: 'model',
  rowCount: 1,
  code: `
fn tide(site: VertexSite, surface: Surface) -> Surface {
  let by = fract(site.time) + f32(site.character);
  return Surface(surface.position + tideRow(0u).xyz * by, surface.normal, surface.tangent);
}`,
  twin: ({ character, time, row }, { position, normal, tangent }) => {
    const by = time - Math.floor(time) + character;
    return { position: position.map((c, axis) => c + row(0)[axis]! * by), normal, tangent };
  },
};

/** Three recruits in the tide. */
export async function tidalCrowd(device: GPUDevice | undefined): Promise<Crowd> {
  const swimmer = packCharacter(soldierModel(), { errorBudget: 0, providers: () => 0b1 });
  const backend = device ? 'gpu' : 'cpu';
  const crowd = createCrowd(device, { characters: [swimmer], capacity: 8, providers: [TIDE], backend });
  crowd.spawn(swimmer, { count: 3 });
  crowd.setProviderRows('tide', new Float32Array([0.5, 0, 0.25, 0]));
  await crowd.update({ dt: 0.2 });
  return crowd;
}
