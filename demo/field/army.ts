import type { CharacterId, Crowd, CharacterGroup } from '../../src/index.ts';
import { type Battle, stageBattle } from '../../src/battle/battle.ts';
import type { Bounds } from '../../src/render/index.ts';
import { Director } from '../../src/battle/director.ts';
import { sceneryOf, type BattleScenery } from '../../src/battle/scenery.ts';
import type { BackendName } from '../protocol.ts';
import type { Cast } from './cast.ts';
import { createFieldCrowd } from './create-crowd.ts';
import { LedSide, ledBy } from './led-side.ts';
import { joinCrowd, type JoinedTroop, mustered, type Recruits, ROOM } from './troops.ts';

export interface ArmyOptions {
  readonly count: number;
  readonly seed: number;
  readonly backend: BackendName;
  /** Steps per second of the battle before the first frame. */
  readonly unseenRate: number;
  /** Most bytes of skinned vertices. */
  readonly vertexMemory: number;
}

/** Seconds of battle before the first frame. Battles over LARGE soldiers take the short warm-up, because their steps cost more. */
const [WARM_UP, SHORT_WARM_UP, LARGE] = [6, 3.5, 20_000];

/** The two peoples and all troops that have joined: one crowd, or the same crowd on kernels and on twins. */
export class Army {
  #crowds: readonly Crowd[];
  readonly #device: GPUDevice | undefined;
  readonly #options: ArmyOptions;
  readonly #sides: readonly [LedSide, LedSide];
  readonly #director: Director;
  readonly #troops: JoinedTroop[] = [];
  readonly #joined: CharacterGroup[] = [];
  readonly battle: Battle;
  readonly scenery: BattleScenery;

  private constructor(device: GPUDevice | undefined, crowd: Crowd, cast: Cast, options: ArmyOptions) {
    this.#device = device;
    this.#crowds = [crowd];
    this.#options = options;
    const { count, seed } = options;
    this.battle = stageBattle(crowd, cast.legionary, cast.raider, { count, seed });
    const [legion, raiders] = this.battle.sides!;
    this.#sides = this.battle.groups.map((group) => new LedSide([group])) as [LedSide, LedSide];
    this.#director = new Director([ledBy(legion, this.#sides[0]), ledBy(raiders, this.#sides[1])], { seed });
    this.scenery = sceneryOf({ count, seed, eye: this.battle.camera.eye });
  }

  /**
   * Creates a battle and runs it for some seconds.
   * @param device Undefined with WebGL 2: then the backend is 'cpu'.
   * @throws ManipleError as `createCrowd` and `stageBattle`
   */
  static async muster(
    device: GPUDevice | undefined,
    cast: Cast,
    options: ArmyOptions,
    onProgress: (share: number) => void,
  ): Promise<Army> {
    const { count, unseenRate, vertexMemory } = options;
    const onKernels = options.backend !== 'cpu';
    const crowd = await createFieldCrowd(device, {
      characters: [cast.legionary, cast.raider],
      capacity: count + ROOM,
      maxVertexBytes: vertexMemory,
      backend: onKernels ? 'gpu' : 'cpu',
    });
    const army = new Army(device, crowd, cast, options);
    try {
      const steps = Math.round((count > LARGE ? SHORT_WARM_UP : WARM_UP) * unseenRate);
      for (let step = 0; step < steps; step++) {
        army.advance(1 / unseenRate);
        crowd.update({ dt: 1 / unseenRate, views: [] });
        await crowd.workDone();
        if (step % unseenRate === 0) onProgress(step / steps);
      }
      if (options.backend === 'difference') await army.moveTo('difference');
    } catch (thrown) {
      army.destroy();
      throw thrown;
    }
    return army;
  }

  /** One or two crowds. Questions go to the first. */
  get crowds(): readonly Crowd[] {
    return this.#crowds;
  }

  get crowd(): Crowd {
    return this.#crowds[0]!;
  }

  get troops(): readonly { readonly name: string; readonly group: CharacterGroup }[] {
    return [
      { name: 'Legion', group: this.#sides[0].group },
      { name: 'Raiders', group: this.#sides[1].group },
      ...this.#troops.map(({ name }, i) => ({ name, group: this.#joined[i]! })),
    ];
  }

  /** Bounds of all shadow casters: soldiers, scenery, and troops that have joined. */
  get bounds(): Bounds {
    return this.#reaching(this.scenery.bounds);
  }

  /** Bounds of all soldiers and of troops that have joined. */
  get ground(): Bounds {
    return this.#reaching(this.battle.bounds);
  }

  #reaching({ min, max }: Bounds): Bounds {
    const left = Math.min(min[0], ...this.#troops.map(({ middle: [x], step }) => x - 4 * step));
    return { min: [left, min[1], min[2]], max };
  }

  /** Advances the director by `dt` seconds. */
  advance(dt: number): void {
    this.#director.advance(dt);
  }

  /** Moves the same soldiers in the same state to another backend. @throws ManipleError DEVICE_LOST */
  async moveTo(backend: BackendName): Promise<void> {
    const { restoreCrowd, saveSnapshot } = await import('../../src/state/index.ts');
    const snapshot = await saveSnapshot(this.crowd);
    const { capacity } = this.crowd;
    const { vertexMemory } = this.#options;
    const characters = [...new Set(this.troops.map(({ group }) => group.character))];
    const options = { characters, capacity, maxVertexBytes: vertexMemory };
    const on = async (kind: 'gpu' | 'cpu') => {
      const crowd = await restoreCrowd(this.#device, { ...options, backend: kind }, snapshot);
      await crowd.ready();
      return crowd;
    };
    const crowds = await Promise.all(backend === 'difference' ? [on('gpu'), on('cpu')] : [on(backend)]);
    const old = this.#crowds;
    for (const side of this.#sides) side.moveTo(crowds.map((crowd) => crowd.group(side.group.ids)));
    this.#joined.forEach(({ ids }, i) => (this.#joined[i] = crowds[0]!.group(ids)));
    this.#crowds = crowds;
    for (const crowd of old) crowd.destroy();
  }

  /**
   * Spawns a troop of another character next to the battle, or in place of the troop with its key.
   * @throws ManipleError as `addCharacter` and `spawn`
   */
  join(recruits: Recruits): JoinedTroop {
    const { key } = recruits;
    const at = key === undefined ? -1 : this.#troops.findIndex((troop) => troop.key === key);
    const old = this.#troops[at];
    const troop = old ? { ...old, ...recruits } : mustered(recruits, this.battle.bounds, this.#troops);
    const replaced = old && { ids: this.#joined[at]!.ids, character: old.character };
    const groups = this.#crowds.map((crowd) => joinCrowd(crowd, troop, replaced));
    const place = old ? at : this.#troops.length;
    this.#troops[place] = troop;
    this.#joined[place] = groups[0]!;
    return troop;
  }

  /** Ids of a troop that has joined. */
  idsOf(troop: JoinedTroop): readonly CharacterId[] {
    return this.#joined[this.#troops.indexOf(troop)]?.ids ?? [];
  }

  /** Troops that have joined, for the next army. */
  get joined(): readonly JoinedTroop[] {
    return this.#troops;
  }

  /** Finds the troop of a character and its index in the troop; undefined when it no longer exists. */
  find(
    id: CharacterId,
  ): { readonly troop: number; readonly index: number; readonly group: CharacterGroup } | undefined {
    for (const [troop, { group }] of this.troops.entries()) {
      const index = group.indexOf(id);
      if (index >= 0) return { troop, index, group };
    }
    return undefined;
  }

  /** Returns true if a person directs the soldier. This is always so for troops that joined. */
  isHeld({ troop, index }: { readonly troop: number; readonly index: number }): boolean {
    return this.#sides[troop]?.isHeld(index) ?? true;
  }

  setHeld({ troop, index }: { readonly troop: number; readonly index: number }, held: boolean): void {
    const side = this.#sides[troop];
    if (held) side?.hold(index);
    else side?.release(index);
  }

  setParameter(id: CharacterId, name: string, value: number): void {
    const found = this.find(id);
    if (!found) return;
    const side = this.#sides[found.troop];
    if (side) side.set(found.index, name, value);
    else for (const crowd of this.#crowds) crowd.setParameter(id, name, value);
  }

  trigger(id: CharacterId, name: string): void {
    const found = this.find(id);
    if (!found) return;
    this.setHeld(found, true);
    for (const crowd of this.#crowds) crowd.trigger(id, name);
  }

  play(id: CharacterId, clip: string): void {
    for (const crowd of this.#crowds) crowd.play(id, clip, { fade: 0.25 });
  }

  tint(id: CharacterId, color: readonly [number, number, number, number]): void {
    for (const crowd of this.#crowds) if (crowd.isAlive(id)) crowd.setTint(id, color);
  }

  destroy(): void {
    for (const crowd of this.#crowds) crowd.destroy();
  }
}
