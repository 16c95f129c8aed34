// Motion vectors of everyone who can be in a picture, against what the host knows of two frames, in float64.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { noGpu, testDevice } from '../../../test/support/gpu.ts';
import {
  ACTORS,
  actorOf,
  AWAY,
  cameraAt,
  DRAWS,
  FAR_FRAMES,
  FOV,
  FRAMES,
  put,
  SHEATHES,
  TELEPORTS,
  UNSEEN,
  writeResidents,
} from '../../../test/support/motion-actors.ts';
import {
  groundVelocity,
  MovedPrimitive,
  projectionOf,
  SNAP,
  type Place,
  type Screen,
  type Shown,
} from '../../../test/support/motion-truth.ts';
import { full, testInTurn } from '../../../test/support/setup.ts';
import type { Character } from '../../character/character.ts';
import type { MeshModel } from '../../character/model.ts';
import { packCharacter } from '../../character/pack/index.ts';
import type { Crowd } from '../../crowd/crowd.ts';
import { createCrowd } from '../../../test/support/create-crowd.ts';
import type { CharacterId } from '../../crowd/rows/ids.ts';
import { importGltf } from '../../import/index.ts';
import { subsetMesh } from '../../import/lods/simplifier.ts';
import { clipFromWorld, type Camera } from '../camera.ts';
import { createReadableTarget, createIdTarget, createVelocityTarget } from '../target.ts';
import { createForwardRenderer, type ForwardRenderer } from './forward.ts';
import { updateAndWait } from '../../../test/support/update-and-wait.ts';
import { internalsOf } from '../../crowd/internals.ts';

const [WIDTH, HEIGHT] = [240, 135];
const DT = 1 / 30;
/** Pixels from one that is judged to the next: where they were takes the host most of the time. */
const STRIDE = full ? 1 : 4;
/** Pixels that vectors may be wrong by. */
const LIMIT = 1e-2;
/** Share of the pixels that show a triangle edge-on. */
const THIN_SHARE = 1e-3;
/** A lens through which things are so much smaller. */
const WIDE_FOV = 3;
const WIDE_SHARE = Math.tan(FOV / 2) / Math.tan(WIDE_FOV / 2);

/** One picture's targets. */
interface Pixels {
  readonly vectors: Float32Array;
  /** The same, had the last picture been taken through the wide lens. */
  readonly wide: Float32Array;
  readonly ids: Uint32Array;
}

/** What the host knows of a frame. */
interface Known {
  readonly now: ReadonlyMap<number, Shown>;
  readonly before: ReadonlyMap<number, Shown>;
  readonly screens: readonly [now: Screen, before: Screen];
}

/** Every second of a mesh's triangles, with their vertices in another order. */
const halved = (mesh: MeshModel): MeshModel =>
  subsetMesh(
    mesh,
    mesh.indices.filter((_, i) => i % 6 < 3),
  );

async function packLegionary(): Promise<Character> {
  const bytes = new Uint8Array(await readFile('characters/legionary.glb'));
  const model = await importGltf({ name: 'legionary', bytes });
  return packCharacter({ ...model, lods: [{ meshes: model.meshes.map(halved) }] }, { errorBudget: 0.002 });
}
/** Once for all. */
let packed: Promise<Character> | undefined;

/** In full runs either: software adapters skin in the vertex shader for half a minute. */
const SKINS = full ? (['compute', 'vertex'] as const) : (['compute'] as const);

describe.skipIf(noGpu()).each(SKINS)('motion vectors, skinned in %s', (skin) => {
  let device: GPUDevice;
  let legionary: Character;
  let crowd: Crowd;
  let renderer: ForwardRenderer;
  const ids: (CharacterId | undefined)[] = ACTORS.map(() => undefined);
  const rowOf = (actor: number) => ids[actor]! % 2 ** 24;
  const worst = new Map([...ACTORS, { name: 'ground' }].map(({ name }) => [name, { error: 0, pixels: 0, thin: 0 }]));
  /** Pixels that a shown point is from its pixel's middle, along one axis. */
  let farthest = 0;
  /** Who changes level, and when. */
  const otherLevels: [name: string, frame: number][] = [];
  /** Binary logarithms of frames per pose, by actor. */
  const rates = ACTORS.map(() => new Set<number>());

  beforeAll(async () => {
    ({ device } = await testDevice());
    legionary = await (packed ??= packLegionary());
    const { radius } = legionary.reach!;
    const sizeAt = (distance: number) => (radius * HEIGHT) / Math.tan(FOV / 2) / (distance - radius);
    const levelTolerance = (sizeAt(9.5) * legionary.lods[0]!.error) / (2 * radius);
    crowd = createCrowd(device, {
      characters: [legionary],
      skin,
      capacity: 16,
      lodTolerancePx: levelTolerance,
      updateRates: { halfBelowPx: sizeAt(8.5), quarterBelowPx: sizeAt(14), eighthBelowPx: sizeAt(24) },
    });
    writeResidents(crowd, rowOf);
    renderer = await createForwardRenderer(device, crowd, { sampleCount: 1, shadowResolution: 16 });
  }, 300_000);
  afterAll(() => {
    renderer?.destroy();
    crowd?.destroy();
  });

  function spawn(actor: number, frame: number): void {
    const { place, clip } = ACTORS[actor]!;
    const id = crowd.spawn(legionary, { place: (_, at) => put(at, place(frame)) }).id(0);
    if (clip !== undefined) crowd.play(id, clip, { phase: 0.07 * actor });
    ids[actor] = id;
  }

  /** What happens before a frame. Returns who has no past from now on, and who shows what was not there. */
  function direct(frame: number): { readonly begin: number[]; readonly changed: number[] } {
    const begin: number[] = [];
    const changed: number[] = [];
    for (const [actor, { name, place, from = 1 }] of ACTORS.entries()) {
      const id = ids[actor];
      if (frame < from) continue;
      if (frame === from) spawn(actor, frame);
      else if (name === 'teleported' && frame === TELEPORTS) {
        crowd.teleport(id!, (at) => put(at, place(frame)));
      } else if (name === 'in the place of another' && frame === TELEPORTS) {
        crowd.despawn(id!);
        spawn(actor, frame);
        expect(rowOf(actor)).toBe(id);
      } else {
        crowd.setTransform(id!, (at) => put(at, place(frame)));
        continue;
      }
      begin.push(actor);
    }
    const shield = actorOf('hid its shield');
    if (frame === SHEATHES) crowd.hideParts(ids[shield]!, 'Shield');
    if (frame === DRAWS) crowd.showParts(ids[shield]!, 'Shield');
    if (frame === DRAWS) changed.push(shield);
    return { begin, changed };
  }

  /** Everyone whom the last frame shows. */
  async function shownIn(frame: number): Promise<Map<number, Shown>> {
    const shown = new Map<number, Shown>();
    for (const [actor, { place }] of ACTORS.entries()) {
      const read = ids[actor] === undefined ? undefined : await internalsOf(crowd).host.backend.read(rowOf(actor));
      if (!read) continue;
      rates[actor]!.add((read.row.get(0, 'detail') >> 8) & 0xff);
      const vertices = await crowd.readVertices(ids[actor]!);
      shown.set(actor, { vertices, level: vertices.level, place: place(frame) });
    }
    return shown;
  }

  testInTurn(1)(`within ${LIMIT} pixels wherever a character is shown`, { timeout: 300_000 }, async () => {
    const picture = createReadableTarget(device, WIDTH, HEIGHT);
    const [velocity, idTarget] = [createVelocityTarget(device, WIDTH, HEIGHT), createIdTarget(device, WIDTH, HEIGHT)];
    async function draw(camera: Camera, previousCamera?: Camera): Promise<Float32Array> {
      const encoder = device.createCommandEncoder();
      const drawn = renderer.render(encoder, {
        camera,
        bounds: { min: [-5, 0, -5], max: [5, 2, 2] },
        target: picture.view,
        velocity: velocity.view,
        ids: idTarget.view,
        views: { picture: 0xffffffff, shadow: 0 }, // shadows are skinned, too, and nobody looks at them
        width: WIDTH,
        height: HEIGHT,
        ...(previousCamera && { previousCamera }),
      });
      device.queue.submit([encoder.finish()]);
      await drawn.submitted();
      return velocity.read();
    }
    let last = new Map<number, Shown>();
    let lastPlaces = new Map<number, Place>();
    let lastCamera = cameraAt(1);
    /** Who has no past in the next frame that is seen. */
    const beginners = new Set<number>();
    for (let frame = 1; frame <= FRAMES; frame++) {
      const { begin, changed } = direct(frame);
      for (const actor of begin) beginners.add(actor);
      if (frame === UNSEEN) {
        await updateAndWait(crowd, { dt: DT, views: [] });
        last.clear();
        continue;
      }
      const camera = cameraAt(frame);
      await updateAndWait(crowd, {
        dt: DT,
        views: [{ clipFromWorld: clipFromWorld(camera, WIDTH / HEIGHT), height: HEIGHT }],
      });
      const now = await shownIn(frame);
      expect(now.size > 0).toBe(frame !== AWAY);
      if (frame !== AWAY) {
        const before = new Map<number, Shown>();
        for (const [actor, shown] of now) {
          const past = beginners.has(actor) || changed.includes(actor) ? shown : (last.get(actor) ?? shown);
          if (past.level !== shown.level) otherLevels.push([ACTORS[actor]!.name, frame]);
          const { vertices, level } = past.level === shown.level ? past : shown;
          before.set(actor, { vertices, level, place: beginners.has(actor) ? shown.place : lastPlaces.get(actor)! });
        }
        const vectors = await draw(camera);
        const wide = await draw(camera, { ...lastCamera, fovY: WIDE_FOV });
        const screens = [camera, lastCamera].map((of) => projectionOf(of, WIDTH, HEIGHT)) as [Screen, Screen];
        judge({ vectors, wide, ids: await idTarget.read() }, { now, before, screens });
        lastCamera = camera;
      }
      last = now;
      lastPlaces = new Map(ACTORS.map(({ place }, actor) => [actor, place(frame)]));
      beginners.clear();
    }
    for (const target of [picture, velocity, idTarget]) target.destroy();

    const lines = Array.from(worst, ([name, { error, pixels, thin }]) => {
      return `${name}: ${error.toExponential(1)} px on ${pixels} pixels, ${thin} left out`;
    });
    console.log([...lines, `points up to ${farthest.toFixed(4)} px from the middles of their pixels`].join('\n'));
    expect(farthest).toBeLessThan(SNAP);
    const everyFew = ACTORS.filter(({ name }) => name.startsWith('posed every')).map(({ name }) => actorOf(name));
    expect(everyFew.map((actor) => [...rates[actor]!])).toEqual([[1], [2], [3]]);
    expect(otherLevels).toEqual(FAR_FRAMES.map((frame) => ['changed level', frame]));
    for (const [name, { error, pixels, thin }] of worst) {
      expect(pixels, name).toBeGreaterThan(full ? 100 : 10);
      expect(error, name).toBeLessThan(LIMIT);
      expect(thin / pixels, name).toBeLessThan(THIN_SHARE);
    }
  });

  function judge({ vectors, wide, ids: drawn }: Pixels, { now, before, screens }: Known): void {
    const primitives = new Map<string, MovedPrimitive>();
    const actors = new Map(ids.flatMap((id, actor) => (id === undefined ? [] : [[rowOf(actor), actor] as const])));
    for (let pixel = 0; pixel < WIDTH * HEIGHT; pixel += STRIDE) {
      const [place, primitive] = [drawn[2 * pixel]!, drawn[2 * pixel + 1]!];
      const vector = [vectors[2 * pixel]!, vectors[2 * pixel + 1]!] as const;
      const middle = [(pixel % WIDTH) + 0.5, Math.floor(pixel / WIDTH) + 0.5] as const;
      if (place === 0) {
        const truth = groundVelocity(screens, middle);
        if (truth) note('ground', Math.hypot(truth[0] - vector[0], truth[1] - vector[1]), false);
        continue;
      }
      const actor = actors.get(place - 1)!;
      const key = `${actor} ${primitive}`;
      let moved = primitives.get(key);
      if (!moved) {
        moved = new MovedPrimitive(legionary, primitive, screens, [now.get(actor)!, before.get(actor)!]);
        primitives.set(key, moved);
      }
      // through the wide lens it was nearer to the middle; from both vectors follows where it was, and where it is
      const point = [0, 1].map((axis) => {
        const earlier = (vector[axis]! - wide[2 * pixel + axis]!) / (WIDE_SHARE - 1);
        return vector[axis]! + earlier + [WIDTH, HEIGHT][axis]! / 2;
      }) as [number, number];
      farthest = Math.max(farthest, ...point.map((at, axis) => Math.abs(at - middle[axis]!)));
      const { error, mayBeThin } = moved.error(point, vector);
      note(ACTORS[actor]!.name, error ?? Infinity, mayBeThin);
    }
  }

  function note(name: string, error: number, mayBeThin: boolean): void {
    const known = worst.get(name)!;
    known.pixels++;
    if (!(error < LIMIT) && mayBeThin) known.thin++;
    else known.error = Math.max(known.error, error);
  }
});
