import { describe, expect, test } from 'vitest';
import { CullScene, type CullSceneOptions } from '../../../test/support/cull-scene.ts';
import { groupThreadsFor, noGpu, readBuffer, testDevice, uploadBuffer } from '../../../test/support/gpu.ts';
import { Random } from '../../../test/support/random.ts';
import { full, someSeeds } from '../../../test/support/setup.ts';
import { View } from '../../layout/index.ts';
import { encodeDispatch, type Dispatch } from '../kernel.ts';
import { HELD_CLASS, Resident } from '../layout.ts';
import { decideCharacters } from './decide-reference.ts';
import { BinRecord, Decision, EXTRA_BINS } from './layout.ts';
import { listCharacters } from './list-reference.ts';
import { grantSlots, takeSlots } from './slots-reference.ts';
import { rebalanceSlots } from './rebalance-reference.ts';
import { createShareCharacters, createTightenCharacters } from './played-stage.ts';
import { createCullCharacters, tallyWords } from './stage.ts';

/** Decisions nearer than this, over the numbers that went in, may fall either way. */
const MARGIN = 1e-5;
/** Barriers are slow on software adapters. */
const FRAMES = { serial: full ? 8 : 5, few: full ? 12 : 3, many: full ? 12 : 2 };

/** Kernels that make the same lists. */
const KERNELS = {
  serial: { serialLists: true },
  few: { serialLists: false, fewCharacters: Infinity },
  many: { serialLists: false, fewCharacters: 0 },
} as const;

const copyOf = (words: Uint32Array<ArrayBuffer>) => new Uint32Array(words);

/** The kernels on buffers of their own, beside a scene that the twin works on. */
class OnGpu {
  readonly #device: GPUDevice;
  readonly #scene: CullScene;
  readonly #buffers;
  readonly #dispatches;
  readonly #share;
  readonly #played;
  readonly #tighten;

  constructor(device: GPUDevice, scene: CullScene, kernels: Parameters<typeof createCullCharacters>[1]) {
    this.#device = device;
    this.#scene = scene;
    const { params, residents, transforms, kinds, grants, classes, rings, slots, decisions, visible } = scene.views;
    const { extents, moves } = scene.views;
    const storage = (words: Uint32Array<ArrayBuffer>, usage = 0) =>
      uploadBuffer(device, copyOf(words), GPUBufferUsage.STORAGE | usage);
    const [binCount, classCount] = [params.get(0, 'binCount'), params.get(0, 'classCount')];
    const tally = tallyWords(residents.count, { binCount, classCount }, kernels.groupThreads);
    this.#buffers = {
      params: uploadBuffer(device, copyOf(params.words), GPUBufferUsage.UNIFORM),
      residents: storage(residents.words),
      transforms: storage(transforms.words),
      kinds: storage(kinds.words),
      grants: storage(grants as Uint32Array<ArrayBuffer>),
      classes: storage(classes.words),
      rings: storage(rings as Uint32Array<ArrayBuffer>),
      extents: storage(extents.words),
      moves: storage(moves.words),
      slots: storage(slots.words),
      decisions: storage(decisions.words),
      tally: storage(new Uint32Array(tally)),
      visible: storage(visible.words),
    };
    const size = { capacity: residents.count, binCount, classCount, roundCount: scene.roundCount };
    this.#dispatches = createCullCharacters(device, kernels).bind(this.#buffers, size);
    const { played } = scene;
    const traits = { controllers: false, root: false, trees: false };
    const common = {
      players: storage(played.players.words),
      modifiers: storage(played.modifiers.words),
      rig: storage(new Uint32Array(4)),
      regions: uploadBuffer(device, copyOf(played.regions.words), GPUBufferUsage.UNIFORM),
      animators: storage(new Uint32Array(4)),
    };
    const clock = uploadBuffer(device, copyOf(played.clock.words), GPUBufferUsage.UNIFORM);
    this.#played = { ...common, clock };
    const { groupThreads } = kernels;
    this.#tighten = createTightenCharacters(device, { ...traits, groupThreads }).bind({
      ...this.#buffers,
      ...this.#played,
    });
    const { share } = scene.views;
    if (!share) return;
    const buffers = {
      params: uploadBuffer(device, copyOf(share.params.words), GPUBufferUsage.UNIFORM),
      sharers: storage(share.sharers as Uint32Array<ArrayBuffer>),
    };
    const { residents: leaders, slots: held, decisions: decided } = this.#buffers;
    const bound = { ...common, ...buffers, residents: leaders, slots: held, decisions: decided };
    this.#share = {
      views: share,
      buffers,
      dispatch: createShareCharacters(device, { ...traits, groupThreads }).bind(bound),
    };
  }

  /** Runs the first dispatches of a frame, up to the decisions, or those behind. */
  run(part: 'decide' | 'rest', hasFollowers: boolean): void {
    const { params, residents, transforms, grants } = this.#scene.views;
    if (part === 'decide') {
      const write = (buffer: GPUBuffer, words: Uint32Array<ArrayBuffer>) =>
        this.#device.queue.writeBuffer(buffer, 0, words);
      write(this.#buffers.params, params.words);
      write(this.#buffers.residents, residents.words);
      write(this.#buffers.transforms, transforms.words);
      write(this.#buffers.grants, grants as Uint32Array<ArrayBuffer>);
      for (const part of ['clock', 'players', 'modifiers'] as const)
        write(this.#played[part], this.#scene.played[part].words);
      if (this.#share) {
        write(this.#share.buffers.params, this.#share.views.params.words);
        write(this.#share.buffers.sharers, this.#share.views.sharers as Uint32Array<ArrayBuffer>);
      }
    }
    const [characterCount, grantCount] = [params.get(0, 'characterCount'), params.get(0, 'grantCount')];
    const share = this.#share?.dispatch(this.#share.views.params.get(0, 'characterCount'));
    const all = this.#dispatches({
      characterCount,
      hasGrants: grantCount > 0,
      hasMoves: this.#scene.moves,
      hasFollowers,
      tighten: this.#tighten(characterCount),
      share,
    });
    const first =
      2 + Number(this.#scene.moves) + Number(grantCount > 0) + Number(hasFollowers) + Number(share !== undefined);
    this.#submit(part === 'decide' ? all.slice(0, first) : all.slice(first));
  }

  async read(
    name: 'classes' | 'rings' | 'extents' | 'moves' | 'slots' | 'decisions' | 'tally' | 'visible' | 'residents',
  ): Promise<Uint32Array<ArrayBuffer>> {
    return new Uint32Array(await readBuffer(this.#device, this.#buffers[name]));
  }

  #submit(dispatches: readonly Dispatch[]): void {
    const encoder = this.#device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    // so few in a row that scenes of more than 512 rows take two
    for (const dispatch of dispatches) encodeDispatch(pass, dispatch, 2);
    pass.end();
    this.#device.queue.submit([encoder.finish()]);
  }
}

/** Memory that moves: no slot reaches into another one, of whatever class, and none is lost but what is left over of extents. */
function expectApart({ views }: CullScene, label: string): void {
  const { slots, classes, rings, kinds, params, moves } = views;
  const taken: [first: number, end: number][] = [];
  const take = (slot: number, slotClass: number) => {
    taken.push([slot, slot + (params.get(0, 'rowsPerPair') * kinds.classes.get(slotClass, 'vertexCapacity')) / 16]);
  };
  for (let i = 0; i < slots.count; i++) {
    if (slots.get(i, 'slot') !== 0) take(slots.get(i, 'slot'), slots.get(i, 'held') & HELD_CLASS);
  }
  for (let c = 0; c < kinds.classes.count; c++) {
    const [first, capacity] = [kinds.classes.get(c, 'ringFirst'), kinds.classes.get(c, 'ringCapacity')];
    const count = classes.get(c, 'count');
    expect(count, label).toBeLessThanOrEqual(capacity);
    for (let k = 0; k < count; k++) take(rings[first + ((classes.get(c, 'head') + k) % capacity)]!, c);
  }
  for (let k = 0; k < moves.get(0, 'parkedCount'); k++) {
    take(rings[params.get(0, 'parkFirst') + k]!, moves.get(0, 'fromClass'));
  }
  taken.sort(([a], [b]) => a - b);
  taken.slice(1).forEach(([first], k) => expect(first, label).toBeGreaterThanOrEqual(taken[k]![1]));
  const units = taken.reduce((sum, [first, end]) => sum + end - first, 0);
  const all = Array.from({ length: views.extents.count }, (_, e) => views.extents.get(e, 'unitCount'));
  if (params.get(0, 'extentCount') > 0) {
    // three of the largest slots make an extent, so less than half of one can be left over
    expect(units, label).toBeGreaterThan(all.reduce((sum, count) => sum + count, 0) / 2);
  }
}

/** Every slot is somebody's, or free, exactly once. */
function expectKept({ views, slotCount }: CullScene, granted: number, label: string): void {
  const { slots, classes, rings, kinds } = views;
  const seen = new Set<number>();
  let count = 0;
  for (let i = 0; i < slots.count; i++) {
    const slot = slots.get(i, 'slot');
    if (slot === 0) continue;
    seen.add(slot);
    count++;
  }
  for (let c = 0; c < kinds.classes.count; c++) {
    const [first, capacity] = [kinds.classes.get(c, 'ringFirst'), kinds.classes.get(c, 'ringCapacity')];
    for (let k = 0; k < classes.get(c, 'count'); k++, count++)
      seen.add(rings[first + ((classes.get(c, 'head') + k) % capacity)]!);
  }
  expect(count, label).toBe(granted);
  expect(seen.size, label).toBe(granted);
  expect(granted).toBeLessThanOrEqual(slotCount);
}

const SCENES: Record<string, CullSceneOptions> = {
  'one type, one level, room for all': { characters: 300, levels: [1], pages: 1, slotsPerClass: 300 },
  'levels, few slots': { characters: 700, levels: [4, 2, 3], pages: 2, slotsPerClass: 30 },
  'many of them, some slots': { characters: 2600, levels: [3, 1, 5, 2], pages: 3, slotsPerClass: 300 },
  'slots of other sizes for all': { characters: 60, levels: [5, 4], pages: 1, slotsPerClass: 25 },
  'no slots at all': { characters: 257, levels: [2], pages: 1, slotsPerClass: 0 },
  followers: { characters: 600, levels: [3, 2], pages: 2, slotsPerClass: 80, followers: true },
  'room for few poses': {
    characters: 500,
    levels: [2, 2],
    pages: 1,
    slotsPerClass: 200,
    poseCapacity: 60,
    followers: true,
  },
  'shared poses': { characters: 600, levels: [3, 2], pages: 2, slotsPerClass: 120, sharing: 200, followers: true },
  'shared poses, few slots': { characters: 400, levels: [2], pages: 1, slotsPerClass: 12, sharing: 500 },
  'memory that moves': { characters: 500, levels: [3, 2, 2], pages: 2, slotsPerClass: 24, moves: true },
  'memory that moves, held by some': {
    characters: 420,
    levels: [1, 1, 1, 1, 1, 1, 1, 1],
    pages: 1,
    slotsPerClass: 30,
    moves: true,
  },
  'few palette rows': { characters: 500, levels: [2, 2], pages: 2, slotsPerClass: 200, paletteCapacity: 333 },
  'invalid transforms': { characters: 400, levels: [3, 2, 1], pages: 1, slotsPerClass: 60, lost: true },
  nobody: { characters: 0, levels: [1], pages: 1, slotsPerClass: 4 },
};

describe.skipIf(noGpu())('cull-characters against its twin', () => {
  const met = { tightened: 0, sharing: 0, posed: 0, kept: 0, undrawn: 0, evicted: 0, moved: 0, moving: 0 };
  // software adapters are slow at barriers, and at the zeros of many workgroups' memory
  const withBarriers = full ? Object.keys(SCENES) : ['shared poses', 'memory that moves, held by some'];
  const cases = [
    ...Object.keys(SCENES).flatMap((name) => someSeeds(1, 8).map((seed) => [name, seed, 'serial'] as const)),
    ...Object.keys(SCENES).flatMap((name) => someSeeds(1, 4, 51).map((seed) => [name, seed, 'few'] as const)),
    ...withBarriers.flatMap((name) => someSeeds(1, 2, 101).map((seed) => [name, seed, 'many'] as const)),
  ];
  test.each(cases)('%s: seed %i, %s', async (name, seed, kernels) => {
    const { device } = await testDevice();
    const options = SCENES[name]!;
    const scene = new CullScene(new Random(seed), options);
    const gpu = new OnGpu(device, scene, { ...KERNELS[kernels], groupThreads: groupThreadsFor(seed) });
    const { views } = scene;
    const frames = FRAMES[kernels] + (options.moves ? 6 : 0);
    let posed = 0;
    let [ties, granted] = [0, 0];
    for (let frame = 1; frame <= frames; frame++) {
      const label = `${name}, seed ${seed}, frame ${frame}`;
      scene.nextFrame(frame);
      granted += views.params.get(0, 'grantCount');
      const hasFollowers = options.followers === true || options.sharing !== undefined;
      gpu.run('decide', hasFollowers);
      grantSlots(views);
      if (scene.moves) rebalanceSlots(views);
      const unclear = new Set<number>();
      // what spheres alone would say is known from the same decisions without what plays
      decideCharacters({ ...views, share: undefined });
      const bySphere = Array.from({ length: views.residents.count }, (_, i) => views.decisions.get(i, 'views'));
      decideCharacters(views, (i, margin) => Math.abs(margin) < MARGIN && unclear.add(i), scene.played);
      met.tightened += bySphere.filter((seen, i) => seen !== views.decisions.get(i, 'views')).length;
      const decided = new View(Decision, (await gpu.read('decisions')).buffer);
      ties += unclear.size;
      // calls of expect for each character would take half of the time
      const wrong: string[] = [];
      const tied = (i: number) => unclear.has(i) || (hasFollowers && unclear.size > 0);
      if (options.sharing) {
        const residents = new View(Resident, (await gpu.read('residents')).buffer);
        for (let i = 0; i < options.characters; i++) {
          const leader = views.residents.get(i, 'leader');
          const found = residents.get(i, 'leader');
          if (found !== leader && !tied(i)) wrong.push(`character ${i}, leader: ${found}, not ${leader}`);
          if (leader >= options.characters) met.sharing++;
        }
        views.residents.words.set(residents.words);
      }
      for (let i = 0; i < views.residents.count; i++) {
        if (tied(i)) continue;
        for (const key of ['views', 'word', 'asked', 'size'] as const) {
          const [found, expected] = [decided.get(i, key), views.decisions.get(i, key)];
          const tolerance = key === 'size' ? 1e-4 * Math.max(1, expected) : 0;
          if (Math.abs(found - expected) <= tolerance) continue;
          wrong.push(`character ${i}, ${key}: ${found}, not ${expected}`);
        }
      }
      expect(wrong.slice(0, 5), label).toEqual([]);
      // slots and lists of what the GPU decided, exactly
      views.decisions.words.set(decided.words);
      gpu.run('rest', hasFollowers);
      takeSlots(views);
      listCharacters(views);
      if (scene.moves) expectApart(scene, label);
      else expectKept(scene, granted, label);
      const bins = (await gpu.read('tally')).subarray(0, views.bins.words.length);
      expect(new View(BinRecord, bins.slice().buffer).words, label).toEqual(views.bins.words);
      for (const part of ['slots', 'classes', 'visible', 'decisions', 'extents', 'moves'] as const) {
        expect((await gpu.read(part)).subarray(0, views[part].words.length), `${label}, ${part}`).toEqual(
          views[part].words,
        );
      }
      const { extents } = views;
      for (let e = 0; e < extents.count; e++)
        met.moved += Number(extents.get(e, 'slotClass') !== extents.get(e, 'homeClass'));
      met.moving += Number(views.moves.get(0, 'parkedCount') > 0);
      expect(await gpu.read('rings'), label).toEqual(views.rings);
      const undrawn = views.bins.count - EXTRA_BINS;
      for (let c = 0; c < views.classes.count; c++) met.evicted += views.classes.get(c, 'evictCount');
      posed += views.bins.get(undrawn + 1, 'firstPosed');
      met.posed += views.bins.get(undrawn + 1, 'firstPosed');
      met.kept += views.bins.get(undrawn + 1, 'count') - views.bins.get(undrawn + 1, 'firstPosed');
      met.undrawn += views.bins.get(undrawn, 'count');
    }
    expect(ties).toBeLessThanOrEqual(2 + (frames * options.characters) / 100);
    if (name === 'room for few poses') expect(posed).toBeLessThanOrEqual(frames * 60);
  });

  test('met everything that can become of a character', () => {
    console.log('characters by what became of them:', met);
    // one seed may find no move half done
    const { moving, ...others } = met;
    expect(Math.min(...Object.values(others), ...(full ? [moving] : []))).toBeGreaterThan(2);
  });
});
