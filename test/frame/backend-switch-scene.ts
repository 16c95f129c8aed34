import { readFile } from 'node:fs/promises';
import type { Character } from '../../src/character/character.ts';
import { packCharacter } from '../../src/character/pack/index.ts';
import type { ControllerState } from '../../src/crowd/readings.ts';
import type { Crowd } from '../../src/crowd/crowd.ts';
import { createCrowd } from '../support/create-crowd.ts';
import type { CharacterEvent } from '../../src/crowd/rows/events.ts';
import { importGltf } from '../../src/import/index.ts';
import { type Battle, stageBattle } from '../../src/battle/battle.ts';
import { createForwardRenderer } from '../../src/render/forward/forward.ts';
import type { RgbaImage } from '../../src/render/images/index.ts';
import { createReadableTarget } from '../../src/render/target.ts';
import { LEGIONARY, RAIDER, soldierController } from '../../src/battle/soldier.ts';
import { updateAndWait } from '../support/update-and-wait.ts';
import { internalsOf } from '../../src/crowd/internals.ts';

/** Both characters of the package with their controllers; loosely packed, which takes less time. */
export function packSoldiers(): Promise<[legionary: Character, raider: Character]> {
  return (packed ??= pack());
}

/** Packing takes seconds: once for all tests of a process. */
let packed: ReturnType<typeof packSoldiers> | undefined;

async function pack(): ReturnType<typeof packSoldiers> {
  const packOne = async (facts: typeof LEGIONARY) => {
    const bytes = new Uint8Array(await readFile(`characters/${facts.name}.glb`));
    const model = await importGltf({ name: facts.name, bytes });
    return packCharacter(model, { controller: soldierController(facts), errorBudget: 0.002 });
  };
  return [await packOne(LEGIONARY), await packOne(RAIDER)];
}

/** A battle, and what its crowd told. */
export interface Fought {
  readonly crowd: Crowd;
  readonly battle: Battle;
  readonly ids: readonly number[];
  readonly events: CharacterEvent[];
  /** How close the closest decision of each row was in the last frame; on the CPU alone. */
  readonly margins: Float64Array;
}

export function openBattle(
  device: GPUDevice | undefined,
  characters: readonly [Character, Character],
  backend: 'cpu' | 'gpu',
  { count, seed }: { readonly count: number; readonly seed: number },
): Fought {
  const crowd = createCrowd(device, { characters, capacity: count, backend, maxEvents: 65536 });
  const battle = stageBattle(crowd, ...characters, { count, seed });
  const events: CharacterEvent[] = [];
  crowd.on('event', (event) => events.push(event));
  const margins = new Float64Array(count).fill(Infinity);
  internalsOf(crowd).host.backend.onMargin = (row, margin) => (margins[row] = Math.min(margins[row]!, margin));
  return { crowd, battle, ids: battle.groups.flatMap(({ ids }) => ids), events, margins };
}

export async function stepBattle({ crowd, battle, margins }: Fought, dt: number, seen: boolean): Promise<void> {
  margins.fill(Infinity);
  battle.director!.advance(dt);
  await updateAndWait(crowd, { dt, ...(seen ? {} : { views: [] }) });
}

/** Where a character is in its machines: alike for two that have decided alike. */
export function placeOf({ layers }: ControllerState): string {
  return layers.map(({ state, next, frozen }) => `${state}>${next}${frozen ? ' frozen' : ''}`).join(' | ');
}

/** The farthest that clocks and transitions of two characters in the same states are apart, in cycles. */
export function clockDifference(a: ControllerState, b: ControllerState): number {
  const clocks = ({ layers }: ControllerState) =>
    layers.flatMap(({ cycles, phase, nextCycles, nextPhase, progress }) => [
      cycles + phase,
      nextCycles + nextPhase,
      progress,
    ]);
  const expected = clocks(b);
  return clocks(a).reduce((most, value, i) => Math.max(most, Math.abs(value - expected[i]!)), 0);
}

export async function takePicture(
  device: GPUDevice,
  { crowd, battle: { camera, bounds } }: Fought,
  width: number,
  height: number,
): Promise<RgbaImage> {
  const renderer = await createForwardRenderer(device, crowd);
  const picture = createReadableTarget(device, width, height);
  const encoder = device.createCommandEncoder();
  const submitted = renderer.render(encoder, { camera, bounds, target: picture.view, width, height });
  device.queue.submit([encoder.finish()]);
  await submitted.submitted();
  const image = await picture.read();
  picture.destroy();
  renderer.destroy();
  return image;
}
