import type { Character, CharacterMesh } from '../../src/character/character.ts';
import type { Crowd } from '../../src/crowd/crowd.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { updateAndWait } from '../support/update-and-wait.ts';
import { internalsOf } from '../../src/crowd/internals.ts';

/** Phases at which every clip is looked at: both ends, and between. */
const PHASES = [0, 0.37, 0.999999];

/** A coarser LOD of a character as a character of its own. */
export function asFinest(character: Character, lod: CharacterMesh): Character {
  return { ...character, ...lod, lods: [] };
}

/**
 * Runs a character, and each of its coarser LODs, through the frame's twins: at rest, then each of its clips (or the first few) at some phases.
 * Throws where a twin does, and where it reads a table outside its end. Returns whether all that came out is finite.
 */
export async function playAll(character: Character, clipLimit = Infinity): Promise<boolean> {
  const coarser = character.lods.map((lod) => playAll(asFinest(character, lod), 1));
  if ((await Promise.all(coarser)).includes(false)) return false;
  const crowd = createCrowd(undefined, { backend: 'cpu', characters: [character], capacity: 1 });
  guardTables(crowd);
  const { ids } = crowd.spawn(character);
  let finite = await isFinitePose(crowd, ids[0]!);
  for (let clip = 0; clip < Math.min(clipLimit, character.clips.length); clip++) {
    for (const phase of PHASES) {
      crowd.play(ids, clip, { phase, speed: 0 });
      finite = (await isFinitePose(crowd, ids[0]!)) && finite;
    }
  }
  crowd.destroy();
  return finite;
}

async function isFinitePose(crowd: Crowd, id: number): Promise<boolean> {
  await updateAndWait(crowd, { dt: 0.01 });
  const vertices = await crowd.readVertices(id);
  const hasSockets = internalsOf(crowd).host.tables.types[0]!.character.sockets.length > 0;
  const modelFromJoint = hasSockets ? (await crowd.readPose(id)).modelFromJoint : [];
  return [vertices, ...modelFromJoint].every((numbers) => numbers.every(Number.isFinite));
}

/** The vertices of a character that holds a clip at a phase: model space, in packed order. */
export async function poseVertices(character: Character, clip: string | undefined, phase = 0): Promise<Float32Array> {
  const crowd = createCrowd(undefined, { backend: 'cpu', characters: [character], capacity: 1 });
  const { ids } = crowd.spawn(character);
  if (clip !== undefined) crowd.play(ids, clip, { phase, speed: 0 });
  await updateAndWait(crowd, { dt: 0 });
  const vertices = await crowd.readVertices(ids[0]!);
  crowd.destroy();
  return vertices;
}

/** JavaScript reads `undefined` past the end of a typed array, which integer operations take for 0: throw instead. */
function guardTables(crowd: Crowd): void {
  const { tables } = internalsOf(crowd).host;
  const { words, floats } = tables.rig;
  Object.assign(tables.rig, { words: guarded(words), floats: guarded(floats) });
  Object.assign(tables, { geometry: guarded(tables.geometry) });
}

function guarded<T extends Uint32Array | Float32Array>(array: T): T {
  return new Proxy(array, {
    get(target, key) {
      if (typeof key === 'string' && /^-?\d/.test(key)) {
        const value = target[Number(key)];
        if (value === undefined) throw new RangeError(`a table of ${target.length} was read at ${key}`);
        return value;
      }
      if (key === 'subarray') return (begin: number, end: number) => inside(target, begin, end);
      return Reflect.get(target, key, target) as unknown;
    },
  });
}

/** A part of a table, all of which is there. */
function inside<T extends Uint32Array | Float32Array>(table: T, begin: number, end: number): T {
  if (begin < 0 || end > table.length)
    throw new RangeError(`a table of ${table.length} was read at ${begin} to ${end}`);
  return table.subarray(begin, end) as T;
}
