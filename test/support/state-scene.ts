import { addSockets } from '../../src/character/sockets.ts';
import { packCharacter } from '../../src/character/index.ts';
import type { Character, CharacterId, Crowd, CrowdView, VertexProvider } from '../../src/index.ts';
import type { CrowdSnapshot } from '../../src/state/index.ts';
import { createCrowd, type TestCrowdOptions } from './create-crowd.ts';
import { sectionsOf } from '../../src/state/snapshot.ts';
import { COLUMNS_HEAD, floatsBefore } from '../../src/frame/tables/named-columns.ts';
import { clipFromWorld } from '../../src/render/camera.ts';
import { moteModel } from '../format/mote.ts';
import { readBuffer } from './gpu.ts';
import { Random } from './random.ts';
import { walker } from './companions.ts';
import { marcher, soldier } from './soldiers.ts';
import { updateAndWait } from './update-and-wait.ts';
import { internalsOf } from '../../src/crowd/internals.ts';

/** Two with controllers, one that root motion moves, one that the host plays, with parts and morph targets. */
export const [fighter, follower, rover, mote]: [Character, Character, Character, Character] = [
  soldier(),
  marcher(),
  walker(),
  addSockets(packCharacter(moteModel()), 'all'),
];

export const CAST: readonly Character[] = [fighter, follower, rover, mote];

/** No mesh names it: it has rows. */
const PROVIDER: VertexProvider = {
  name: 'breeze',
  code: 'fn breeze(site: VertexSite, surface: Surface) -> Surface { return surface; }',
  space: 'mesh',
  rowCount: 3,
  twin: (_, surface) => surface,
};

/** Characters at most, whatever a crowd has room for. */
const CAPACITY = 40;

const STATES = new Map([
  [fighter, ['Idle', 'Walk', 'Attack']],
  [follower, ['March', 'Halt']],
  [rover, ['Walk', 'Stand']],
]);

export function stateCrowd(device: GPUDevice | undefined, options: Partial<TestCrowdOptions> = {}): Crowd {
  const backend = device ? 'gpu' : 'cpu';
  const common = { characters: CAST, capacity: CAPACITY, maxModifiers: 3, maxClips: 3, providers: [PROVIDER] };
  return createCrowd(device, { ...common, backend, ...options });
}

export function idsOf(crowd: Crowd, character: Character): CharacterId[] {
  return crowd.ids.filter(
    (id) => internalsOf(crowd).host.typeAt(internalsOf(crowd).host.ids.index(id))!.character === character,
  );
}

/** Does one thing of all that a host can do, by chance. */
export function doSomething(crowd: Crowd, random: Random, cast: readonly Character[] = CAST): void {
  const character = random.pick(cast);
  const share = random.pick([0.2, 0.6, 1]);
  const ids = idsOf(crowd, character).filter(() => random.chance(share));
  const value = random.range(-2, 4);
  const deed = random.integer(0, 18);
  const place = (i: number, at: { position: { set(x: number, y: number, z: number): void }; scale: number }) => {
    at.position.set(i, value, random.range(-9, 9));
    at.scale = random.range(0.5, 2);
  };
  if (deed <= 1) crowd.spawn(character, { count: Math.min(random.integer(1, 5), CAPACITY - crowd.count), place });
  else if (deed === 2) crowd.despawn(ids.slice(0, 3));
  else if (deed === 3) for (const id of ids) crowd.setTransform(id, (at) => place(id % 7, at));
  else if (deed === 4) crowd.timeScale = random.pick([0, 0.5, 1, 1, 1, 2]);
  else if (deed === 5) crowd.lookAt(ids, 0, { target: [value, 2, 5], weight: random.next() });
  else if (deed === 6) {
    const translation = random.vector(1);
    crowd.modifyJoint(ids, 1, random.chance(0.3) ? { weight: 0 } : { translation, rotation: random.quaternion(2) });
  } else if (deed === 7) crowd.clearModifiers(ids);
  else if (deed === 13) crowd.setPoseSource(ids, random.chance(0.7) ? idsOf(crowd, character)[0] : undefined);
  else if (deed === 14) for (const id of ids.slice(0, 2)) crowd.teleport(id, (at) => place(id % 5, at));
  else if (deed === 15) changeLooks(crowd, random, ids);
  else if (deed === 16) changeWorld(crowd, random, ids);
  else if (deed >= 17) carry(crowd, random);
  else if (character === mote) {
    if (deed === 8) crowd[random.chance(0.5) ? 'showParts' : 'hideParts'](ids, random.pick([...new Set(mote.parts)]));
    else if (deed === 9) crowd.setMorph(ids, random.pick(mote.morphNames), random.next());
    else if (deed === 10) {
      const clips = Array.from({ length: random.integer(0, 3) }, () => ({
        clip: 0,
        phase: random.next(),
        weight: 0.5,
      }));
      crowd.setClips(ids, clips);
    } else {
      const clip = random.integer(0, mote.clips.length - 1);
      crowd.play(ids, clip, { fade: random.pick([0, 0.3]), speed: random.range(-2, 2) });
    }
  } else {
    const state = random.pick(STATES.get(character)!);
    if (deed === 8) crowd.setSpeed(ids, Math.max(0, value));
    else if (deed === 9) crowd.playState(ids, state, random.chance(0.5) ? { phase: random.next() } : {});
    else if (deed === 10)
      crowd.crossFade(ids, state, {
        duration: random.range(0, 1),
        durationUnit: random.chance(0.5) ? 'seconds' : 'cycles',
      });
    else if (character === fighter) {
      if (deed === 11) crowd.trigger(ids, random.pick(['attack', 'wave']));
      else {
        crowd.setParameter(ids, 'speed', value);
        crowd.setParameters(
          ids,
          'level',
          Int32Array.from(ids, () => random.integer(0, 9)),
        );
        crowd.setParameter(ids, 'armed', random.chance(0.5));
        if (random.chance(0.3)) crowd.resetTrigger(ids, 'attack');
      }
    }
  }
}

/** Who is hidden, and tints. */
function changeLooks(crowd: Crowd, random: Random, ids: readonly CharacterId[]): void {
  const tint = [random.next(), random.next(), random.next(), 1] as const;
  if (tint[0] < 0.4) crowd.hide(ids.slice(0, 3));
  else if (tint[0] < 0.7) crowd.show(crowd.ids);
  else crowd.setTint(ids, tint);
}

/** Ground, origin, rows of providers, named columns. */
function changeWorld(crowd: Crowd, random: Random, ids: readonly CharacterId[]): void {
  const what = random.integer(0, 6);
  if (what === 5) crowd.column('heat', { size: 3, default: [1, 0, -1] }).set(ids, random.vector(2));
  else if (what === 6) crowd.column('age', { size: 1 }).fill(random.range(0, 99));
  else if (what === 0) crowd.moveOrigin([random.range(-50, 50), 0, random.range(-1e6, 1e6)]);
  else if (what === 1) crowd.setProviderRows('breeze', Float32Array.from(random.quaternion(4)), random.integer(0, 2));
  else if (what === 2) crowd.followGround(ids, random.pick(['follow', 'ignore']));
  else if (what === 3) crowd.setGround(undefined);
  else {
    const heights = Float32Array.from({ length: 12 }, () => random.range(-1, 1));
    const lean = random.pick([0, 0.5, 1]);
    crowd.setGround({ heights, columns: 3, rows: 4, origin: [-1, random.next(), -9], spacing: [4, 6], lean });
  }
}

/** Things that motes carry. */
function carry(crowd: Crowd, random: Random): void {
  for (const id of idsOf(crowd, mote)) {
    const carried = crowd.attachmentsOf(id);
    const offset = { position: random.vector(1), scale: random.range(0.5, 2) };
    if (random.chance(0.3))
      crowd.attach(id, random.integer(0, 5), { offset, whenCulled: random.pick(['keep', 'hide']) });
    else if (carried.length > 0 && random.chance(0.5)) random.pick(carried).setOffset(offset);
    else if (carried.length > 0) random.pick(carried).detach();
  }
}

async function carried(crowd: Crowd): Promise<(number[] | undefined)[]> {
  const matrices = await crowd.readSockets(crowd.ids.flatMap((id) => crowd.attachmentsOf(id)));
  return Array.from(matrices, (matrix) => matrix && [...matrix]);
}

/** Cameras that see some of those whom random deeds place. */
export function someViews(random: Random): CrowdView[] {
  return Array.from({ length: random.integer(0, 3) }, () => {
    const eye = [random.range(-9, 9), random.range(0, 4), random.range(-20, 20)] as const;
    const matrix = clipFromWorld({ eye, target: [random.range(0, 6), 0, 0] }, random.range(0.5, 2));
    return { clipFromWorld: Float32Array.from(matrix), height: random.integer(20, 300) };
  });
}

/**
 * What a frame of a random run does: some deeds, some time. Two crowds in the same state do the same by the same seed.
 * @param seen True: by all; undefined: by cameras, by all or by nobody.
 */
export async function randomFrame(
  crowd: Crowd,
  seed: number,
  seen?: boolean,
  cast: readonly Character[] = CAST,
): Promise<void> {
  const random = new Random(seed);
  for (let deeds = random.integer(0, 5); deeds > 0; deeds--) doSomething(crowd, random, cast);
  const dt = random.pick([1 / 60, 1 / 60, 0.1, 0, random.range(0, 0.4)]);
  const views = random.chance(0.3) ? someViews(random) : undefined;
  const isSeen = seen ?? random.chance(0.8);
  await updateAndWait(crowd, { dt, ...(isSeen ? views && !seen && { views } : { views: [] }) });
}

/** What is seen of a crowd: its skins, where all that is carried is, and the named columns that shaders read. */
export async function shown(crowd: Crowd): Promise<object> {
  return { skins: await skins(crowd), carried: await carried(crowd), named: await namedRows(crowd) };
}

/** Floats that shaders find in named columns, by column and character. */
export async function namedRows(crowd: Crowd): Promise<Record<string, readonly number[]>> {
  const { host } = internalsOf(crowd);
  const { backend } = host;
  const { ids } = crowd;
  const { buffer, floats } = backend.columns;
  const all = floats ?? (buffer && new Float32Array(await readBuffer(backend.memory!.crowd.device, buffer)));
  const rows = host.named.list.flatMap(({ name, size }, index) => {
    const first = COLUMNS_HEAD + all![0]! * floatsBefore(host.named.list, index);
    return ids.map((id) => {
      const at = first + host.ids.index(id) * size;
      return [`${name} ${id}`, [...all!.subarray(at, at + size)]] as const;
    });
  });
  return Object.fromEntries(rows);
}

/** Words of palettes and vertices of all characters that a frame has shown; hidden parts are whatever they were. */
export async function skins(
  crowd: Crowd,
  copy: 'vertices' | 'previousVertices' = 'vertices',
): Promise<Map<CharacterId, readonly [number[], number[]]>> {
  const { host } = internalsOf(crowd);
  const all = new Map<CharacterId, readonly [number[], number[]]>();
  for (const id of crowd.ids) {
    const row = host.ids.index(id);
    if (!host.firstFrames.isSeen(row)) continue;
    const read = await host.backend.read(row);
    if (!read) continue; // nobody saw it
    const { palette = new Float32Array(), [copy]: vertices } = read;
    // what its leader hides is not skinned, either
    const masks = [row, host.residents.leader(row)].map((each) => host.residents.parts(each));
    const [low, high] = masks.reduce(([a, b], [c, d]) => [a & c, b & d]);
    for (const { part, firstVertex, vertexCount } of host.typeAt(row)!.character.primitives) {
      const isHidden = (((part < 32 ? low : high) >>> (part & 31)) & 1) === 0;
      if (isHidden) vertices.fill(0, 4 * firstVertex, 4 * (firstVertex + vertexCount));
    }
    all.set(id, [[...new Uint32Array(palette.buffer, palette.byteOffset, palette.length)], [...vertices]]);
  }
  return all;
}

/** Words of a snapshot, section by section: where two differ is told by the names. */
export function contents({ bytes, header }: CrowdSnapshot): Record<string, readonly number[]> {
  const sections = Object.entries(sectionsOf(bytes)).map(([name, words]) => [name, [...words]] as const);
  return { header: [...header.words].map((word, i) => (i === 3 ? 0 : word)), ...Object.fromEntries(sections) };
}
