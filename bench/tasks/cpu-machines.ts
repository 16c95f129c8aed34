import type { Character } from '../../src/character/character.ts';
import { ANIMATOR_NONE } from '../../src/controller/eval/layout.ts';
import { AnimatorMemory } from '../../src/controller/eval/memory.ts';
import { planAnimators } from '../../src/controller/eval/regions.ts';
import { drawChange } from '../../src/bench/baselines/soldier-changes.ts';
import { View } from '../../src/layout/index.ts';
import { SeededRandom } from '../../src/math/seeded-random.ts';
import { Transform } from '../../src/stages/layout.ts';
import {
  COMMAND_START,
  COMMAND_TRIGGERS,
  EVENT_FIRST_WORD,
  EVENT_WORDS,
  StepParams,
} from '../../src/stages/step-controllers/layout.ts';
import { stepControllers } from '../../src/stages/step-controllers/reference.ts';
import type { SoldierScene } from './controllers-scene.ts';

const DT = 1 / 60;
const EVENT_CAPACITY = 65536;

/** Soldiers of the battle. The twin steps their machines. Parameters change as in `playCanvasSoldiers`. */
export class TwinSoldiers {
  readonly machines: number;
  readonly #scene: SoldierScene;
  readonly #count: number;
  readonly #character: Character;
  readonly #memory: AnimatorMemory;
  readonly #columns: ReadonlyMap<string, { readonly index: number; readonly type: string; readonly trigger: number }>;
  readonly #events = new Uint32Array(EVENT_FIRST_WORD + EVENT_WORDS * EVENT_CAPACITY);
  readonly #params = new View(StepParams, 1);
  readonly #transforms = new View(Transform, 1);
  readonly #random = new SeededRandom(5);
  #isStarted = false;

  constructor(scene: SoldierScene, count: number) {
    this.#scene = scene;
    this.#count = count;
    this.#character = scene.characters[0]!;
    const { machines, layers, parameters } = this.#character.controller!;
    this.machines = machines.length * count;
    const shape = { capacity: count, machines: machines.length, layers: layers.length, parameters: parameters.length };
    const plan = planAnimators({ ...shape, hasRoot: false });
    const words = new Uint32Array(4 * plan.rowCount).fill(ANIMATOR_NONE, 0, 4 * count);
    this.#memory = new AnimatorMemory(words, plan.regions);
    this.#columns = new Map(parameters.map(({ name, type, trigger }, index) => [name, { index, type, trigger }]));
    for (let c = 0; c < count; c++) this.#memory.floats[this.#memory.columnWord(0, c)] = 1;
  }

  /** Changes parameters, then steps all soldiers by a sixtieth of a second. Returns the milliseconds of the steps alone. */
  step(): number {
    const commands = this.#drive();
    const { words: animators, regions } = this.#memory;
    const { rig } = this.#scene.tables;
    const [stepParams, events, transforms] = [this.#params, this.#events, this.#transforms];
    const start = performance.now();
    stepControllers({ stepParams, regions, animators, rig, commands, events, transforms, movesTransforms: false });
    return performance.now() - start;
  }

  #drive(): Uint32Array<ArrayBuffer> {
    const runs: [character: number, kind: number, argument: number][] = [];
    for (let c = 0; c < this.#count; c++) {
      const { set, trigger } = drawChange(this.#random, !this.#isStarted);
      for (const [name, value] of Object.entries(set)) {
        const { index, type } = this.#columns.get(name)!;
        const numbers = type === 'float' ? this.#memory.floats : this.#memory.ints;
        numbers[this.#memory.columnWord(1 + index, c)] = Number(value);
      }
      if (!this.#isStarted) runs.push([c, COMMAND_START, this.#scene.tables.types[0]!.controllerRow]);
      else if (trigger) runs.push([c, COMMAND_TRIGGERS, 1 << this.#columns.get(trigger)!.trigger]);
    }
    this.#isStarted = true;
    const commands = new Uint32Array(8 * Math.max(1, runs.length));
    runs.forEach(([character, kind, argument], r) => {
      commands.set([character, r, 1, 0], 4 * r);
      commands.set([kind, argument, 0, 0], 4 * (runs.length + r));
    });
    const counts = { characterCount: this.#count, runCount: runs.length, eventCapacity: EVENT_CAPACITY };
    this.#params.assign(0, { dt: DT, frame: 1, ...counts });
    this.#events.fill(0, 0, EVENT_FIRST_WORD);
    return commands;
  }
}
