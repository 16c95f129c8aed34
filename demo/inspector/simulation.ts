import { type Character, packCharacter } from '../../src/character/index.ts';
import { clipsByFacts, standIn, TOLERANT, withoutMasks } from '../../src/cli/stand-in.ts';
import type { Issue } from '../../src/errors.ts';
import { findHumanoid } from '../../src/humanoid/index.ts';
import { bindUnityClip } from '../../src/import/unity/bind-unity-clip.ts';
import {
  type ControllerState,
  type CharacterEvent,
  createCrowd,
  type Crowd,
  type CharacterGroup,
  withController,
} from '../../src/index.ts';
import type { Subject } from './character-state.ts';
import type { Item } from './library.ts';
import { type PackedPose, posableOf, readPackedPose } from './packed-pose.ts';

/** A controller that was dropped. */
export type ControllerItem = Extract<Item, { kind: 'controller' }>;

/** Returns the character that runs the controller: an opened one with Unity clips bound to it, or an invisible substitute. */
export function actorOf(
  { controller, clips }: ControllerItem,
  subject: Subject | undefined,
): { readonly character: Character; readonly issues: readonly Issue[] } {
  if (!subject) {
    const character = packCharacter(standIn(clipsByFacts(controller, [])), {
      controller: withoutMasks(controller),
      ...TOLERANT,
    });
    return { character, issues: character.issues };
  }
  const { model } = subject;
  if (!model) {
    const character = withController(subject.character, controller, TOLERANT);
    return { character, issues: character.issues.slice(subject.character.issues.length) };
  }
  const bound = clips.map((clip) => bindUnityClip(clip, model));
  const known = [...bound.map(({ clip }) => clip), ...model.clips];
  // masks may name parts of a body
  const { map, confidence } = findHumanoid(model);
  const humanoid = confidence > 0 ? { humanoid: map } : {};
  const character = packCharacter({ ...model, ...humanoid, clips: known }, { controller, ...TOLERANT });
  const own = character.issues.slice(model.issues.length);
  return { character, issues: [...bound.flatMap(({ issues }) => issues), ...own] };
}

/** Simulates one character with a controller. */
export class Simulation {
  readonly #crowd: Crowd;
  readonly #group: CharacterGroup;
  /** Events of the current step. */
  #events: CharacterEvent[] = [];

  private constructor(crowd: Crowd, character: Character) {
    this.#crowd = crowd;
    this.#group = crowd.spawn(character);
    this.#crowd.on('event', (event) => this.#events.push(event));
  }

  /** @throws ManipleError as `createCrowd` */
  static async open(character: Character, device: GPUDevice | undefined): Promise<Simulation> {
    const posable = posableOf(character);
    const backend = device ? 'gpu' : 'cpu';
    const options = { characters: [posable], capacity: 1, backend, rootMotion: 'report' } as const;
    return new Simulation(await createCrowd(device, options), posable);
  }

  /** Advances by `dt` seconds. Call it again only after it resolves. @throws ManipleError DEVICE_LOST */
  async step(dt: number): Promise<{ state: ControllerState; pose: PackedPose; events: readonly CharacterEvent[] }> {
    this.#events = [];
    this.#crowd.update({ dt });
    await this.#crowd.workDone();
    const [state] = await this.#crowd.readControllers(this.#group.id(0));
    return { state: state!, pose: await readPackedPose(this.#group), events: this.#events };
  }

  set(name: string, value: number): void {
    this.#crowd.setParameter(this.#group.id(0), name, value);
  }

  trigger(name: string): void {
    this.#crowd.trigger(this.#group.id(0), name);
  }

  destroy(): void {
    this.#crowd.destroy();
  }
}
