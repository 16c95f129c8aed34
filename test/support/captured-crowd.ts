import { packCharacter } from '../../src/character/index.ts';
import {
  addSockets,
  type Character,
  type Crowd,
  type CrowdOptions,
  type CrowdView,
  type VertexProvider,
} from '../../src/index.ts';
import { createCrowd } from './create-crowd.ts';
import { STAGES, type StageName } from '../../src/frame/stages.ts';
import { clipFromWorld } from '../../src/render/camera.ts';
import { companions } from './companions.ts';
import { marcher, recruit, soldier, soldierModel } from './soldiers.ts';
import { updateAndWait } from './update-and-wait.ts';
import { internalsOf } from '../../src/crowd/internals.ts';

/** Sees most of them, and not all. */
export const VIEWS: readonly CrowdView[] = [
  { clipFromWorld: clipFromWorld({ eye: [2, 3, 9], target: [1, 0, 2], fovY: 0.6 }, 1), height: 500 },
];

/** Soldiers, marchers (skinned by draws) and recruits in the middle of what they do, with something in their hands and ground below. */
export async function capturedCrowd(
  device: GPUDevice | undefined,
  options: Partial<CrowdOptions> = {},
  others: readonly Character[] = device ? companions() : [],
): Promise<Crowd> {
  const [fighter, walker, player] = [addSockets(soldier(), ['head']), marcher(), recruit()];
  const characters = [fighter, walker, player, ...others];
  const skin = (character: Character) => (character === walker ? 'vertex' : 'compute');
  const crowd = createCrowd(device, { characters, capacity: 40, maxModifiers: 2, maxClips: 8, skin, ...options });
  const fighters = crowd.spawn(fighter, { count: 6, place: (i, at) => at.position.set(i, 0, 0) });
  crowd.spawn(walker, { count: 5, place: (i, at) => at.position.set(i, 0, 2) });
  const players = crowd.spawn(player, { count: 4, place: (i, at) => at.position.set(i, 0, 4) });
  players.play('walk');
  fighters.attach('head');
  crowd.setGround({ heights: new Float32Array([0, 1, 2, 0, 1, 2]), columns: 3, rows: 2, spacing: 5, lean: 1 });
  await updateAndWait(crowd, { dt: 0.2 });
  fighters.parameter('speed').fill(2);
  fighters.trigger('attack', [0]);
  await updateAndWait(crowd, { dt: 0.3, views: VIEWS });
  players.setTransform((i, at) => at.position.set(i + 0.5, 3, 4));
  return crowd;
}

/** The same crowd, its fighters gone, two other types in their place and behind the others: one level lacks a joint. */
export async function changedCrowd(
  device: GPUDevice | undefined,
  options: Partial<CrowdOptions> = {},
  others?: readonly Character[],
): Promise<Crowd> {
  const crowd = await capturedCrowd(device, options, others);
  const fighter = internalsOf(crowd).host.tables.types[0]!.character;
  const carrier = addSockets(recruit(), ['head']);
  const { geometry, indices, vertexCount, primitives, batchRuns } = carrier;
  const coarse = { error: 0.0015, posedJoints: [0], geometry, indices, vertexCount, primitives, batchRuns };
  const late = { ...carrier, lods: [coarse] };
  crowd.addCharacter(late);
  crowd.despawn(crowd.ids.filter((id) => internalsOf(crowd).host.seenAt(id % 2 ** 24)?.character === fighter));
  crowd.removeCharacter(fighter);
  const small = recruit();
  crowd.addCharacter(small);
  const came = crowd.spawn(late, { count: 4, place: (i, at) => at.position.set(i, 0, -i) });
  came.play('walk');
  came.attach('head');
  crowd.spawn(small, { count: 2, place: (i, at) => at.position.set(i, 0, 3) }).play('attack');
  await updateAndWait(crowd, { dt: 0.2, views: VIEWS });
  return crowd;
}

/** When far characters of `capturedCrowd` share poses: all that may. */
export const SHARING = { belowPx: 1e9, phases: 4, minWeight: 0.51 } as const;

/** What crowds without updates of providers run. */
export const PLAIN_STAGES: readonly StageName[] = STAGES.filter((stage) => stage !== 'update-characters');

/** Moves vertices by the clock, the character's number, a row, and a level that rises with each frame. */
export const TIDE: VertexProvider = {
  name: 'tide',
  space: 'model',
  rowCount: 1,
  characterRowCount: 1,
  stateRowCount: 1,
  update: {
    code: `
fn tideUpdate(site: CharacterSite, state: array<vec4f, 1>) -> array<vec4f, 1> {
  return array(state[0] + vec4f(tideCharacterRow(0u).x, site.elapsed, 1.0, site.position.x));
}`,
    twin: ({ characterRow, elapsed, position }, state) => {
      const [x, y, z, w] = state[0]!;
      return [[x + characterRow(0)[0]!, y + elapsed, z + 1, w + position[0]!]];
    },
  },
  code: `
fn tide(site: VertexSite, surface: Surface) -> Surface {
  let by = fract(site.time) + f32(site.character) + tideState(0u).x;
  return Surface(surface.position + tideRow(0u).xyz * by, surface.normal, surface.tangent);
}`,
  twin: ({ character, time, row, state }, { position, normal, tangent }) => {
    const by = time - Math.floor(time) + character + state(0)[0]!;
    return { position: position.map((c, axis) => c + row(0)[axis]! * by), normal, tangent };
  },
};

/** Three recruits in the tide, and two whom draws skin. */
export async function tidalCrowd(device: GPUDevice | undefined): Promise<Crowd> {
  const swimmer = packCharacter(soldierModel(), { errorBudget: 0, providers: () => 0b1 });
  const diver = packCharacter(soldierModel(), { errorBudget: 0, providers: () => 0b1 });
  const backend = device ? 'gpu' : 'cpu';
  const skin = (character: Character) => (character === diver ? 'vertex' : 'compute');
  const options = { characters: [swimmer, diver], capacity: 8, providers: [TIDE], backend, skin } as const;
  const crowd = createCrowd(device, options);
  crowd.spawn(swimmer, { count: 3 });
  const divers = crowd.spawn(diver, { count: 2, place: (i, at) => at.position.set(i, 0, 0) });
  crowd.setProviderRows('tide', new Float32Array([0.5, 0, 0.25, 0]));
  divers.setProviderRows('tide', 1, (i, rows) => rows.set([0.1 + i, 0, 0, 0]));
  await updateAndWait(crowd, { dt: 0.2 });
  return crowd;
}
