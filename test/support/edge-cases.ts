import { expect } from 'vitest';
import { packCharacter } from '../../src/asset/index.ts';
import {
  controller,
  float,
  tree1d,
  type Character,
  type CharacterId,
  type Crowd,
  type CrowdView,
} from '../../src/index.ts';
import { clipFromWorld, multiply, orthographic, viewFromWorld } from '../../src/render/camera.ts';
import { placedPoint } from '../../src/stages/cull-characters/placed.ts';
import { viewPlanes } from '../../src/stages/cull-characters/planes.ts';
import { smallActor } from './crowd-truth.ts';
import { shownBy } from './flight.ts';
import { Random } from './random.ts';
import { clipOf, trackOf } from './small-model.ts';
import { CAST, doSomething, stateCrowd } from './state-scene.ts';
import { symmetricModel } from './symmetric-model.ts';

/** States of the one whose left and right are exchanged. */
const STATES = ['Plain', 'Mirrored', 'Mixed', 'Still'];

/** Limbs that swing to one side. */
function lopsided(): Character {
  const random = new Random(31);
  const model = symmetricModel(random, 2, 2);
  const swing = (name: string) => {
    const tracks = model.joints.map((_, joint) =>
      trackOf(
        'rotation',
        joint,
        'LINEAR',
        [0, ...random.quaternion(1)],
        [0.5, ...random.quaternion(1)],
        [1, ...random.quaternion(1)],
      ),
    );
    return { ...clipOf(1, ...tracks), name };
  };
  const states = {
    Plain: { motion: 'one' },
    Mirrored: { motion: 'one', mirror: true },
    Mixed: { motion: tree1d('share', [0, 'one'], [1, 'two']) },
    Still: {},
  };
  const machine = { default: 'Plain', states };
  const layers = [{ name: 'base', machine }];
  return packCharacter(
    { ...model, name: 'lopsided', clips: [swing('one'), swing('two')] },
    { errorBudget: 0, controller: controller({ name: 'lopsided', parameters: { share: float() }, layers }) },
  );
}

const actor = smallActor().character;
const swinger = lopsided();

interface Shown {
  readonly id: CharacterId;
  readonly row: number;
  /** World space. */
  readonly vertices: readonly (readonly number[])[];
  readonly center: readonly number[];
  readonly radius: number;
}

/** Everybody as a crowd that all see has posed them: shown parts alone. */
async function everybody(crowd: Crowd): Promise<Shown[]> {
  const { host, backend } = crowd;
  const shown: Shown[] = [];
  for (const id of crowd.ids) {
    const row = host.ids.index(id);
    const { value: transforms } = await backend.readTransforms([row]);
    const type = host.typeAt(row)!.character;
    const placed = (point: readonly number[]) => placedPoint({ transforms } as never, 0, point);
    const read = (await backend.read(row))!;
    const floats = new Float32Array(read.vertices.slice().buffer);
    const masks = [row, host.residents.leader(row)].map((each) => host.residents.parts(each));
    const parts = masks.reduce(([a, b], [c, d]) => [a & c, b & d]);
    const vertices = type.primitives
      .filter(({ part }) => (parts[part >> 5]! >>> (part & 31)) & 1)
      .flatMap(({ firstVertex, vertexCount }) =>
        Array.from({ length: vertexCount }, (_, v) =>
          placed([...floats.subarray(4 * (firstVertex + v), 4 * (firstVertex + v) + 3)]),
        ),
      );
    const radius = type.reach!.radius * Math.abs(transforms.get(0, 'scale'));
    shown.push({ id, row, vertices, center: placed(type.reach!.center), radius });
  }
  return shown;
}

/** Cameras so near to some that others stand at their edges. */
function edgeViews(random: Random, all: readonly Shown[]): CrowdView[] {
  return Array.from({ length: random.integer(1, 3) }, (): CrowdView => {
    const { center, radius } = random.pick(all);
    const beside = (reach: number) => random.vector(reach).map((d, c) => d + center[c]!) as [number, number, number];
    const [eye, target] = [beside(random.range(2, 8) * radius), beside(2 * radius)];
    if (random.chance(0.6)) {
      return {
        clipFromWorld: clipFromWorld({ eye, target, fovY: random.range(0.2, 1.5) }, random.range(0.5, 2)),
        height: 500,
      };
    }
    const [width, height] = [random.range(0.5, 6), random.range(0.5, 6)];
    const box = { left: -width, right: width, bottom: -height, top: height, near: 0, far: random.range(2, 20) };
    return { clipFromWorld: multiply(orthographic(box), viewFromWorld({ eye, target })), height: 500 };
  });
}

/** How far a point is in front of the planes of a view that it is farthest behind of. */
function depthIn(planes: Float32Array, [x, y, z]: readonly number[]): number {
  return Math.min(
    ...Array.from({ length: 6 }, (_, p) => {
      const [a, b, c, d] = planes.subarray(4 * p, 4 * p + 4) as unknown as [number, number, number, number];
      return a * x! + b * y! + c * z! + d;
    }),
  );
}

/** What came of characters in views: by their sphere; by what is seen of them. */
export interface Edges {
  outside: number;
  kept: number;
  lost: number;
  /** Of those kept, whom nothing is to be seen of. */
  unseen: number;
}

/**
 * A crowd does all that a crowd can, looked at from nearby: nobody of whom a vertex is in a view is missing there, and
 * backends agree.
 *
 * @param devices A crowd each; undefined: on the CPU.
 */
export async function lookFromNearby(
  devices: readonly (GPUDevice | undefined)[],
  seed: number,
  frames: number,
): Promise<Edges> {
  const characters = [...CAST, actor, swinger];
  const crowds = devices.map((device) => stateCrowd(device, { characters, rates: false, capacity: 60 }));
  const whole = stateCrowd(undefined, { characters, capacity: 60 });
  const all = [...crowds, whole];
  const met = { outside: 0, kept: 0, lost: 0, unseen: 0 };
  for (const crowd of all) {
    const random = new Random(seed);
    crowd.spawn([actor, swinger][0]!, {
      count: 8,
      place: (_, at) => at.position.set(random.range(-3, 9), 0, random.range(-9, 9)),
    });
    crowd.spawn(swinger, { count: 8, place: (_, at) => at.position.set(random.range(-3, 9), 0, random.range(-9, 9)) });
  }
  for (let frame = 0; frame < frames; frame++) {
    for (const crowd of all) act(crowd, new Random(1000 * seed + frame));
    const random = new Random(1000 * seed + frame + 500_000);
    const dt = random.pick([1 / 60, 0.1, random.range(0, 0.4)]);
    await whole.update({ dt });
    const people = await everybody(whole);
    const views = edgeViews(random, people);
    const seen: ReadonlyMap<number, { readonly views: number }>[] = [];
    for (const [c, crowd] of crowds.entries()) {
      await crowd.update({ dt, views });
      expect((await crowd.readStats()).undrawn).toBe(0);
      seen.push(await shownBy(devices[c]!, crowd, people.map(({ row }) => row))); // prettier-ignore
    }
    for (const [v, view] of views.entries()) {
      const planes = viewPlanes(view.clipFromWorld);
      for (const { row, vertices, center, radius } of people) {
        const label = `seed ${seed}, frame ${frame}, view ${v}, character ${row}`;
        const rounding = 1e-5 * Math.max(1, radius, ...center.map(Math.abs));
        const isSeen = seen.map((by) => (((by.get(row)?.views ?? 0) >>> v) & 1) === 1);
        const reach = depthIn(planes, center) + radius;
        if (Math.abs(reach) < rounding) continue;
        const deepest = Math.max(...vertices.map((vertex) => depthIn(planes, vertex)));
        for (const one of isSeen) {
          if (one || reach < 0) continue;
          expect(deepest, label).toBeLessThan(rounding);
        }
        if (rounding < 1e-3) expect(new Set(isSeen).size, label).toBe(1);
        if (reach < 0) met.outside++;
        else if (isSeen[0]) met[deepest > 0 ? 'kept' : 'unseen']++;
        else met.lost++;
      }
    }
  }
  for (const crowd of all) crowd.destroy();
  return met;
}

function act(crowd: Crowd, random: Random): void {
  for (let deeds = random.integer(0, 2); deeds > 0; deeds--) doSomething(crowd, random);
  const of = (character: Character) =>
    crowd.ids.filter((id) => crowd.host.typeAt(crowd.host.ids.index(id))!.character === character);
  const [players, swingers] = [of(actor), of(swinger)];
  const player = random.pick(players);
  const deed = random.integer(0, 5);
  if (deed <= 1) crowd.play(player, random.integer(0, 2), { fade: random.pick([0, 0, 0.5]), phase: random.next() });
  else if (deed === 2)
    crowd.motions(player, [{ clip: 0, weight: 0.5 }, { clip: 1, weight: random.next() }]); // prettier-ignore
  else if (deed === 3) crowd.place(player, (at) => (at.scale = random.range(0.3, 3)));
  else if (deed === 4) crowd.playState(random.pick(swingers), random.pick(STATES));
  else crowd.crossFade(random.pick(swingers), random.pick(STATES), { duration: 0.3, fixed: true });
  crowd.setParameter(random.pick(swingers), 'share', random.pick([0, 1, random.next()]));
}
