// Characters at the edges of views, on both backends.
import { describe, expect, test } from 'vitest';
import { packCharacter } from '../../src/character/index.ts';
import { blend1d, defineController, param } from '../../src/controller/index.ts';
import {
  addSockets,
  type Character,
  type CharacterId,
  type Crowd,
  type CrowdOptions,
  type CrowdView,
} from '../../src/index.ts';
import { clipFromWorld, multiply, orthographic, viewFromWorld } from '../../src/render/camera.ts';
import { placedPoint, rotated } from '../support/placed-point.ts';
import { viewPlanes } from '../../src/stages/cull-characters/frustum-planes.ts';
import { saveSnapshot } from '../../src/state/index.ts';
import { describeBackends } from '../support/backends.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { AHEAD } from '../support/cull-hand.ts';
import { shownBy } from '../support/flight.ts';
import { full } from '../support/setup.ts';
import { recruit } from '../support/soldiers.ts';
import { Random } from '../support/random.ts';
import { CAST, doSomething, stateCrowd } from '../support/state-scene.ts';
import { randomPose } from '../support/symmetric-model.ts';
import { bindingOf, jointAt, meshOf, smallModel } from '../support/small-model.ts';
import { updateAndWait } from '../support/update-and-wait.ts';
import { internalsOf } from '../../src/crowd/internals.ts';

const STATES = ['Plain', 'Mirrored', 'Mixed', 'Still'];

/** Two arms, a tip at each of their joints, which each clip holds elsewhere: whatever is not one clip alone leaves its box. */
const lopsided = (() => {
  const places = new Map<string, readonly [parent: number, x: number, y: number, z: number]>([
    ['spine', [-1, 0, 1, 0]],
    ['arm L', [0, 0.5, 1.5, 0]],
    ['arm R', [0, -0.5, 1.5, 0]],
    ['hand L', [1, 1.5, 1.5, 0]],
    ['hand R', [2, -1.5, 1.5, 0]],
  ]);
  const all = [...places];
  const joints = all.map(([name, [parentIndex, ...place]]) => {
    const above = all[parentIndex]?.[1].slice(1) ?? [0, 0, 0];
    return {
      ...jointAt(place.map((value, c) => value - above[c]!) as [number, number, number], { parentIndex }),
      name,
    };
  });
  const bindings = all.map(([, [, ...place]], joint) => bindingOf(joint, place));
  const tips = all.flatMap(([, [, x, y, z]]) => [[x, y, z], [x, y + 0.01, z], [x, y, z + 0.01]]); // prettier-ignore
  const model = smallModel({ joints, bindings, meshes: [meshOf(tips, (v) => [[Math.floor(v / 3), 1]])] });
  const random = new Random(31);
  return { ...model, clips: ['one', 'two', 'three'].map((name) => ({ ...randomPose(random, model), name })) };
})();

const swinger = packCharacter(
  { ...lopsided, name: 'swinger' },
  {
    errorBudget: 0,
    controller: defineController({
      name: 'swinger',
      parameters: { share: param.float() },
      layers: [
        {
          name: 'base',
          machine: {
            default: 'Plain',
            states: {
              Plain: { motion: 'one' },
              Mirrored: { motion: 'one', mirror: true },
              Mixed: { motion: blend1d('share', [0, 'one'], [1, 'two']) },
              Still: {},
            },
          },
        },
      ],
    }),
  },
);
const actor = packCharacter({ ...lopsided, name: 'actor' }, { errorBudget: 0 });

const AXES = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

interface Shown {
  readonly id: CharacterId;
  readonly row: number;
  /** World space. */
  readonly vertices: readonly (readonly number[])[];
  readonly center: readonly number[];
  readonly radius: number;
  /** Of its model space. */
  readonly axes: readonly (readonly number[])[];
  readonly character: Character;
}

/** Everybody as a crowd that all see has posed them: shown parts alone, and nobody who is hidden. */
async function everybody(crowd: Crowd): Promise<Shown[]> {
  const { host } = internalsOf(crowd);
  const { backend } = host;
  const shown: Shown[] = [];
  for (const id of crowd.ids.filter((each) => !crowd.isHidden(each))) {
    const row = host.ids.index(id);
    const { value: transforms } = await backend.readTransforms([row]);
    const type = host.typeAt(row)!.character;
    const placed = (point: readonly number[]) => placedPoint(transforms, 0, point);
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
    const axes = AXES.map((axis) => rotated(axis, transforms.get(0, 'rotation')));
    shown.push({ id, row, vertices, center: placed(type.reach!.center), radius, axes, character: type });
  }
  return shown;
}

/** Boxes with nothing of somebody in them but its outermost vertex to some side, and cameras that some stand at the edges of. */
function edgeViews(random: Random, all: readonly Shown[]): CrowdView[] {
  const own = all.filter(({ character }) => character === actor || character === swinger);
  return Array.from({ length: random.integer(2, 8) }, (): CrowdView => {
    const { center, radius, vertices, axes } = random.pick(random.chance(0.8) ? own : all);
    if (random.chance(0.8) && vertices.length > 0) {
      // to the sides of its box: there whatever leaves it does so first
      const axis = random.pick(axes);
      const sign = random.pick([-1, 1]);
      const side = axis.map((value) => sign * value);
      const along = (point: readonly number[]) => point.reduce((sum, value, c) => sum + value * side[c]!, 0);
      const tip = vertices.reduce((most, vertex) => (along(vertex) > along(most) ? vertex : most));
      const length = Math.hypot(...side);
      const eye = tip.map((value, c) => value - (0.002 * radius * side[c]!) / length) as [number, number, number];
      const target = eye.map((value, c) => value + side[c]!) as [number, number, number];
      const box = { left: -radius, right: radius, bottom: -radius, top: radius, near: 0, far: radius };
      return { clipFromWorld: multiply(orthographic(box), viewFromWorld({ eye, target })), height: 500 };
    }
    const beside = (reach: number) => random.vector(reach).map((d, c) => d + center[c]!) as [number, number, number];
    const [eye, target] = [beside(random.range(2, 8) * radius), beside(2 * radius)];
    return {
      clipFromWorld: clipFromWorld({ eye, target, fovY: random.range(0.2, 1.5) }, random.range(0.5, 2)),
      height: 500,
    };
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
interface Edges {
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
async function lookFromNearby(
  devices: readonly (GPUDevice | undefined)[],
  seed: number,
  frames: number,
  options: Partial<CrowdOptions> = {},
): Promise<Edges> {
  const characters = [...CAST, actor, swinger];
  const crowds = devices.map((device) =>
    stateCrowd(device, { characters, updateRates: false, capacity: 60, ...options }),
  );
  const whole = stateCrowd(undefined, { characters, capacity: 60 });
  const all = [...crowds, whole];
  const met = { outside: 0, kept: 0, lost: 0, unseen: 0 };
  for (const crowd of all) {
    const random = new Random(seed);
    crowd.spawn(actor, {
      count: 8,
      place: (_, at) => at.position.set(random.range(-3, 9), 0, random.range(-9, 9)),
    });
    crowd.spawn(swinger, { count: 8, place: (_, at) => at.position.set(random.range(-3, 9), 0, random.range(-9, 9)) });
  }
  for (let frame = 0; frame < frames; frame++) {
    for (const crowd of all) act(crowd, new Random(1000 * seed + frame));
    const random = new Random(1000 * seed + frame + 500_000);
    const dt = random.pick([1 / 60, 0.1, random.range(0, 0.4)]);
    await updateAndWait(whole, { dt });
    const people = await everybody(whole);
    const views = edgeViews(random, people);
    const hidden = whole.ids.filter((id) => whole.isHidden(id)).map((id) => internalsOf(whole).host.ids.index(id));
    const seen: ReadonlyMap<number, { readonly views: number }>[] = [];
    for (const [c, crowd] of crowds.entries()) {
      await updateAndWait(crowd, { dt, views });
      expect((await crowd.readStats()).undrawn).toBe(0);
      seen.push(await shownBy(devices[c]!, crowd, [...people.map(({ row }) => row), ...hidden]));
      for (const row of hidden) expect(seen[c]!.has(row), `seed ${seed}, frame ${frame}, character ${row}`).toBe(false);
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
    crowd.ids.filter(
      (id) => internalsOf(crowd).host.typeAt(internalsOf(crowd).host.ids.index(id))!.character === character,
    );
  const [players, swingers] = [of(actor), of(swinger)];
  for (let deeds = 0; deeds < 4; deeds++) {
    const [player, other] = [random.pick(players), random.pick(swingers)];
    const deed = random.integer(0, 9);
    if (deed <= 2) crowd.play(player, random.integer(0, 2), { fade: random.pick([0, 0, 0.5]), phase: random.next() });
    else if (deed === 3)
      crowd.setClips(player, [{ clip: 0, weight: 0.5 }, { clip: 1, weight: random.next() }]); // prettier-ignore
    else if (deed === 4) crowd.setTransform(player, (at) => (at.scale = random.range(0.3, 3)));
    // turned, its joints stay as far from each other
    else if (deed === 5) crowd.modifyJoint(player, random.integer(0, 2), { rotation: random.quaternion(2) });
    else if (deed === 6) crowd.clearModifiers(player);
    else if (deed === 7) crowd.setPoseSource(player, random.chance(0.5) ? random.pick(players) : undefined);
    else if (deed === 8) crowd.crossFade(other, random.pick(STATES), { duration: 0.3 });
    else crowd.playState(other, random.pick(STATES), { phase: random.next() });
    crowd.setParameter(other, 'share', random.pick([0, 1, random.next()]));
  }
}

const SHARED = { poseSharing: { belowPx: 1e9, phases: 2, minWeight: 0.51 } };

describeBackends('edges of views', (backend) => {
  const onGpu = backend.name === 'gpu';
  const [frames, least] = onGpu ? [full ? 150 : 25, 50] : [full ? 60 : 24, full ? 100 : 40];
  const cases: readonly (readonly [number, Partial<CrowdOptions>])[] = onGpu
    ? [[5, {}], [6, SHARED]] // prettier-ignore
    : [[1, {}], [2, {}], [3, SHARED]]; // prettier-ignore

  // on the GPU, kernels and twins agree
  test.each(cases)(
    'a character that boxes of clips take out of a view has no vertex in it: seed %i, %o',
    async (seed, options) => {
      const devices = onGpu ? [backend.device, undefined] : [undefined];
      const met = await lookFromNearby(devices, seed, frames, options);
      console.log(`seed ${seed}: characters in views`, met);
      expect(met.lost).toBeGreaterThan(least);
      if (onGpu) return;
      expect(Math.min(met.unseen, met.outside)).toBeGreaterThan(least);
      expect(met.kept).toBeGreaterThan(full ? 1000 : 400);
    },
  );

  test.runIf(!onGpu)(
    'spheres decide for characters with update rates: they show a pose other than the one that plays',
    async () => {
      const met = await lookFromNearby([undefined], 4, 20, {
        updateRates: { halfBelowPx: 1e30, quarterBelowPx: 0, eighthBelowPx: 0 },
      });
      expect(met.lost).toBe(0);
      expect(met.unseen).toBeGreaterThan(100);
    },
  );

  describe.runIf(!onGpu)('outside a view, and in it by its sphere only', () => {
    const walker = addSockets(recruit(), ['head']);

    /** How many are listed of one that plays its first clip; what a host does with it before. */
    async function listed(
      options: Partial<CrowdOptions>,
      deed: (crowd: Crowd, id: CharacterId) => void = () => undefined,
    ) {
      const crowd = createCrowd(undefined, {
        characters: [walker],
        capacity: 8,
        backend: 'cpu',
        updateRates: false,
        ...options,
      });
      const id = crowd.spawn(walker, { place: (_, at) => at.position.set(6, 0, -4) }).id(0);
      crowd.play(id, 0);
      deed(crowd, id);
      await updateAndWait(crowd, { dt: 0.1, views: [AHEAD] });
      const before = (await crowd.readStats()).listed;
      const again = createCrowd(undefined, { ...options, characters: [walker], backend: 'cpu', capacity: 8, updateRates: false, from: await saveSnapshot(crowd) }); // prettier-ignore
      await updateAndWait(again, { dt: 0.1, views: [AHEAD] });
      expect((await again.readStats()).listed).toBe(before);
      crowd.destroy();
      again.destroy();
      return before;
    }

    test('is a character that plays one clip, where all can be posed', async () => {
      expect(await listed({})).toBe(0);
      expect(await listed({ maxPoses: 7 })).toBe(1);
      expect(await listed({ maxPoses: 8 })).toBe(0);
    });

    test('is a character that carries nothing', async () => {
      expect(await listed({}, (crowd, id) => crowd.attach(id, 'head'))).toBe(1);
      expect(await listed({}, (crowd, id) => crowd.attach(id, 'head').detach())).toBe(0);
      const both = (crowd: Crowd, id: CharacterId) => [crowd.attach(id, 'head'), crowd.attach(id, 'head')] as const;
      expect(await listed({}, (crowd, id) => both(crowd, id)[0].detach())).toBe(1);
      expect(await listed({}, (crowd, id) => both(crowd, id).forEach((one) => one.detach()))).toBe(0);
    });
  });
});
