import type { Character } from '../../../character/character.ts';
import { createCrowd } from '../../../crowd/create-crowd.ts';
import type { Crowd } from '../../../crowd/crowd.ts';
import type { CharacterGroup } from '../../../crowd/group.ts';
import type { CharacterId } from '../../../crowd/rows/ids.ts';
import { MeasuredBody, type Body } from '../../../battle/bodies.ts';
import {
  planParade,
  reachingBodies,
  spawnPerformers,
  type Parade,
  type ParadeOptions,
  type Performer,
} from '../../../battle/parade.ts';
import { scheduleOf, type SequenceOptions } from './options.ts';

/** Vertices that are posed and looked at, of all characters in all frames: some seconds on a CPU. */
const VERTEX_BUDGET = 4_000_000;
/** Differing characters: at most, and at least where their poses cannot be derived from clips. */
const [VARIANT_LIMIT, VARIANT_FLOOR] = [256, 8];

/**
 * Plans a parade and finds the extent of its characters in the frames to be drawn. It poses them on twins if that takes
 * only seconds; else it uses the bounds of their clips. Characters with controllers are always posed, but fewer of
 * them differ.
 */
export async function planMeasured(
  characters: readonly Character[],
  options: ParadeOptions,
  sequence: SequenceOptions,
  onProgress: (frame: number) => void,
): Promise<{ readonly parade: Parade; /** One per variant of the parade. */ readonly bodies: readonly Body[] }> {
  const vertices = Math.max(...characters.map(({ vertexCount }) => vertexCount));
  const affordable = Math.floor(VERTEX_BUDGET / (vertices * sequence.frames));
  const variants = Math.min(options.count, VARIANT_LIMIT);
  if (affordable < variants && characters.every(hasBounds)) {
    const parade = planParade(characters, options);
    return { parade, bodies: reachingBodies(characters, parade) };
  }
  const parade = planParade(characters, {
    ...options,
    variants: Math.min(variants, Math.max(VARIANT_FLOOR, affordable)),
  });
  return { parade, bodies: await measure(characters, parade, sequence, onProgress) };
}

function hasBounds({ clips, controller }: Character): boolean {
  return !controller && clips.every(({ bounds }) => bounds);
}

async function measure(
  characters: readonly Character[],
  { variants, lens }: Parade,
  sequence: SequenceOptions,
  onProgress: (frame: number) => void,
): Promise<readonly Body[]> {
  const crowd = await createCrowd(undefined, {
    characters,
    capacity: variants.length,
    backend: 'cpu',
    ...(characters.some(({ controller }) => controller) ? {} : { maxClips: 1 }),
  });
  try {
    const bodies = variants.map(() => new MeasuredBody(lens));
    const troupes = spawnPerformers(crowd, characters, variants);
    await startControllers(crowd, troupes);
    const { dt, early } = scheduleOf(sequence);
    for (let i = 0; i < early; i++) {
      crowd.update({ dt });
      await crowd.workDone();
    }
    for (let frame = 0; frame < sequence.frames; frame++) {
      onProgress(frame);
      crowd.update({ dt });
      await crowd.workDone();
      const picture = Math.min(frame, lens.directions.length - 1);
      for (const { group, indices } of troupes) {
        for (const [i, index] of indices.entries()) await addPosed(crowd, group.id(i), bodies[index]!, picture);
      }
    }
    return bodies;
  } finally {
    crowd.destroy();
  }
}

/** All vertices of a character as they are in the world. */
async function addPosed(crowd: Crowd, id: CharacterId, body: MeasuredBody, picture: number): Promise<void> {
  const [at] = await crowd.readTransforms(id);
  const vertices = await crowd.readVertices(id);
  const { position: p, rotation: q, scale } = at!;
  for (let v = 0; v < vertices.length; v += 3) {
    const [x, y, z] = [scale * vertices[v]!, scale * vertices[v + 1]!, scale * vertices[v + 2]!];
    // v + 2 q × (q × v + w v)
    const [a, b, c] = [q.y * z - q.z * y + q.w * x, q.z * x - q.x * z + q.w * y, q.x * y - q.y * x + q.w * z];
    const world = [x + 2 * (q.y * c - q.z * b), y + 2 * (q.z * a - q.x * c), z + 2 * (q.x * b - q.y * a)] as const;
    body.add(picture, p.x + world[0], p.y + world[1], p.z + world[2]);
  }
}

/**
 * Lets characters with a controller enter their first state, then starts it again at each one's own phase.
 * @param troupes Characters of one type each, in the order of their group.
 */
export async function startControllers(
  crowd: Crowd,
  troupes: readonly { readonly group: CharacterGroup; readonly performers: readonly Performer[] }[],
): Promise<void> {
  const controlled = troupes.filter(({ group }) => group.character.controller && group.count > 0);
  if (controlled.length === 0) return;
  crowd.update({ dt: 0, views: [] });
  await crowd.workDone();
  for (const { group, performers } of controlled) {
    const states = await crowd.readControllers(group.ids);
    states.forEach(({ layers: [base] }, i) => {
      if (base?.state) crowd.playState(group.id(i), base.state, { layer: 0, phase: performers[i]!.phase });
    });
  }
}
