import type { Character } from '../../src/character/character.ts';
import type { CharacterModel } from '../../src/character/model.ts';
import { createCrowd } from '../../src/crowd/create-crowd.ts';
import type { Crowd } from '../../src/crowd/crowd.ts';
import type { FrameOptions } from '../../src/crowd/frame-options.ts';
import { measureFrames, type FrameTimes } from './crowd-frames.ts';
import { soldierOf41 } from '../../src/bench/scenes.ts';
import { battleScene } from './crowd-scenes.ts';
import { updateAndWait } from '../../test/support/update-and-wait.ts';

export interface CrowdBench {
  readonly device: GPUDevice;
  /** Legionary and raider. */
  readonly models: readonly CharacterModel[];
  /** Folder of scenery. */
  readonly props: string;
  /** The same with controllers and levels of detail; takes half a minute when it is first asked for. */
  readonly characters: () => Promise<readonly Character[]>;
  /** As asked for. */
  readonly count: number | undefined;
  readonly isHardware: boolean;
  readonly warmUp: number;
  readonly frames: number;
}

type Print = (line: string) => void;

const DT = 1 / 60;
const ms = (time: number | undefined) => (time === undefined ? '–' : `${time.toFixed(3)} ms`);

function stagesLine({ host, stages }: FrameTimes): string {
  const parts = Object.entries(stages).map(([name, time]) => `${name} ${ms(time)}`);
  return `host ${ms(host)}; ${parts.join(', ')}; together ${ms(sum(stages))}`;
}

function sum(stages: Readonly<Record<string, number>>): number {
  return Object.values(stages).reduce((total, time) => total + time, 0);
}

/** Measures the CPU work per frame: three views without any commands, then with 100 triggers in every frame. */
export async function measureHost(
  { device, characters: load, count, isHardware, warmUp, frames }: CrowdBench,
  print: Print,
): Promise<unknown> {
  const characters = await load();
  const counts = count ? [count] : isHardware ? [1000, 10_000, 20_000, 100_000] : [100, 1000, 4000];
  const results = [];
  for (const soldiers of counts) {
    const { crowd, battle, views } = await battleScene(device, characters, soldiers);
    const still = await measureFrames(device, crowd, {
      options: () => ({ dt: DT, views }),
      warmUp,
      frames,
      timed: false,
    });
    const led = await measureFrames(device, crowd, {
      options: (frame): FrameOptions => {
        const [first] = battle.groups;
        const asked = Array.from({ length: 100 }, (_, k) => first!.id((frame * 100 + k) % first!.count));
        crowd.trigger(asked, 'attack');
        return { dt: DT, views };
      },
      warmUp: 0,
      frames,
      timed: false,
    });
    const stats = await crowd.readStats();
    print(
      `${soldiers} soldiers: host ${ms(still.host)}; with 100 triggers a frame ${ms(led.host)} (${JSON.stringify(stats)})`,
    );
    results.push({ soldiers, still: still.host, triggers: led.host, ...stats });
    crowd.destroy();
  }
  return results;
}

/** Measures a crowd in which every character is visible and posed in every frame. */
export async function measureMillion(
  { device, models, count, isHardware, warmUp, frames }: CrowdBench,
  print: Print,
): Promise<unknown> {
  const soldiers = count ?? (isHardware ? 1_000_000 : 2000);
  const character = soldierOf41(models[0]!);
  const crowd = await createCrowd(device, { characters: [character], capacity: soldiers, maxVertexBytes: 2 ** 33 });
  const side = Math.ceil(Math.sqrt(soldiers));
  const army = crowd.spawn(character, {
    count: soldiers,
    place: (i, at) => at.position.set(i % side, 0, Math.floor(i / side)),
  });
  // apart from each other, as soldiers are
  for (let second = 0; second < 8; second++) {
    crowd.trigger(
      army.ids.filter((_, i) => (i + second) % 16 === 0),
      'attack',
    );
    await updateAndWait(crowd, { dt: 0.37, views: [] });
  }
  const times = await measureFrames(device, crowd, {
    options: () => ({ dt: DT }),
    warmUp,
    frames,
    heated: isHardware,
  });
  const { stages } = times;
  const upToPoses = sum({ ...stages, 'skin-vertices': 0 });
  const core = upToPoses - (stages['cull-characters'] ?? 0);
  const stats = await crowd.readStats();
  print(`${soldiers} soldiers of ${character.joints.length} joints: ${stagesLine(times)}`);
  print(`  stepped, gathered and posed ${ms(core)}, with lists ${ms(upToPoses)} (${JSON.stringify(stats)})`);
  const result = { soldiers, joints: character.joints.length, ...times, core, upToPoses, ...stats };
  crowd.destroy();
  return result;
}

/** The battle seen by its camera: what each way to do less saves. */
export async function measureSavings(
  { device, characters: load, count, isHardware, warmUp, frames }: CrowdBench,
  print: Print,
): Promise<unknown> {
  const soldiers = count ?? (isHardware ? 100_000 : 600);
  const characters = await load();
  const coarse = { lodTolerancePx: 1 };
  const ways = {
    'everyone at the finest level': { options: { updateRates: false, lodTolerancePx: 0 }, views: false, sharing: 1 },
    culling: { options: { updateRates: false, lodTolerancePx: 0 }, views: true, sharing: 1 },
    'culling, levels': { options: { updateRates: false, ...coarse }, views: true, sharing: 1 },
    'culling, levels, rates': { options: coarse, views: true, sharing: 1 },
    'culling, levels, rates, eight to a pose': { options: coarse, views: true, sharing: 8 },
    'culling, levels, rates, far ones share by motion': {
      options: { ...coarse, poseSharing: BY_MOTION },
      views: true,
      sharing: 1,
    },
  } as const;
  const results: Record<string, unknown> = {};
  for (const [name, { options, views: hasViews, sharing }] of Object.entries(ways)) {
    const { crowd, battle, views } = await battleScene(device, characters, soldiers, {
      maxVertexBytes: 2 ** 34,
      ...options,
    });
    if (sharing > 1) share(crowd, battle.groups, sharing);
    const look = (): FrameOptions => (hasViews ? { dt: DT, views: views.slice(0, 1) } : { dt: DT });
    const times = await measureFrames(device, crowd, { options: look, warmUp, frames, heated: isHardware });
    const stats = await crowd.readStats();
    print(`${soldiers} soldiers, ${name}: ${stagesLine(times)} (${JSON.stringify(stats)})`);
    results[name] = { soldiers, ...times, ...stats };
    crowd.destroy();
  }
  return results;
}

/** Soldiers sway a little on a separate layer, in addition to their other clips. */
const BY_MOTION = { belowPx: 60, phases: 16, minWeight: 0.51 };

/** Makes the first of each n characters in a group the pose source of the others. */
function share(crowd: Crowd, groups: readonly { readonly ids: readonly number[] }[], n: number): void {
  for (const { ids } of groups) ids.forEach((id, i) => i % n > 0 && crowd.setPoseSource(id, ids[i - (i % n)]));
}

/** Measures bytes per character, for invisible and for visible characters. */
export async function measureMemory(
  { device, characters: load, count, isHardware }: CrowdBench,
  print: Print,
): Promise<unknown> {
  const characters = await load();
  const soldiers = count ?? (isHardware ? 20_000 : 500);
  const bytes = async (capacity: number, living: number) => {
    const crowd = await createCrowd(device, { characters, capacity });
    crowd.spawn(characters[0]!, { count: living });
    await updateAndWait(crowd, { dt: DT });
    const { byteLength } = crowd;
    crowd.destroy();
    return byteLength;
  };
  const [empty, larger, full] = [
    await bytes(soldiers, 1),
    await bytes(2 * soldiers, 1),
    await bytes(soldiers, soldiers),
  ];
  const perPlace = (larger - empty) / soldiers;
  const perSeen = (full - empty) / (soldiers - 1);
  print(
    `${perPlace.toFixed(0)} bytes per place of capacity, ${perSeen.toFixed(0)} more per ${characters[0]!.name} that is seen`,
  );
  return { perPlace, perSeen };
}
