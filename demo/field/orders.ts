import type { ControllerModel } from '../../src/controller/index.ts';
import type { Character, CharacterId, CharacterTransform } from '../../src/index.ts';
import type { Vector } from '../../src/render/index.ts';
import type { Command, Told } from '../protocol.ts';
import type { Army } from './army.ts';
import type { Cast } from './cast.ts';
import { controlled } from './control.ts';
import { CHEST, CLOSE_UP, type Rig } from './rig.ts';
import type { Recruits } from './troops.ts';
import type { Watch } from './watch.ts';

/** Distance in metres from which the camera looks at a troop of people. */
const TROOP_VIEW = 14;

/** Targets of orders. */
export interface Orderly {
  readonly army: Army;
  readonly watch: Watch;
  readonly rig: Rig;
  readonly cast: Cast;
  /** Controllers of characters that received one on this page. */
  readonly controllers: Map<Character, ControllerModel>;
  readonly tell: (told: Told) => void;
  /** Returns the character at a place in the picture, in layout pixels. */
  pick(x: number, y: number): Promise<CharacterId | undefined>;
  /** Projects a point of the world into the picture, in layout pixels. Undefined where the camera cannot see it. */
  project(point: Vector): readonly [x: number, y: number] | undefined;
  /** Runs a change of the crowd's characters. */
  changeCast(change: () => void): Promise<void>;
  /** Notes that something other than a person's hand has moved the camera. */
  moved(): void;
}

type Order = Exclude<Command, { kind: 'set' | 'resize' }>;
type Of<K extends Order['kind']> = Extract<Order, { kind: K }>;

/** @throws ManipleError of the functions that the order calls */
export async function obey(order: Order, orderly: Orderly): Promise<void> {
  const { army, watch, rig } = orderly;
  switch (order.kind) {
    case 'orbit':
      return rig.orbit(order.yaw, order.pitch);
    case 'pan':
      rig.pan(order.right, order.up);
      if (watch.chosen === undefined) watch.look(undefined);
      return;
    case 'pick':
      return pick(order, orderly);
    case 'pickNearest':
      return watch.choose(await watch.nearestTo(rig.place));
    case 'release':
      return release(orderly);
    case 'join':
      return join(order, orderly);
    case 'control':
      return control(order, orderly);
    default:
      return direct(order, army, watch);
  }
}

async function pick({ x, y, reach, go }: Of<'pick'>, orderly: Orderly): Promise<void> {
  const { army, watch, rig } = orderly;
  const away = ({ position, scale }: CharacterTransform) => {
    const at = orderly.project([position.x, position.y + CHEST * scale, position.z]);
    return at ? Math.hypot(at[0] - x, at[1] - y) : Infinity;
  };
  const id = (await orderly.pick(x, y)) ?? (await watch.nearest(away, reach));
  if (id === undefined) return release(orderly);
  watch.choose(id);
  const [at] = await army.crowd.readTransforms(id);
  if (!go || !at) return;
  rig.goTo(at.position.x, at.position.z);
  rig.zoom = Math.max(rig.zoom, rig.zoomAt(CLOSE_UP));
  orderly.moved();
}

function release({ watch, tell }: Orderly): void {
  watch.choose(undefined);
  tell({ kind: 'watched', watched: undefined });
}

async function join(recruits: Recruits, orderly: Orderly): Promise<void> {
  const { army, watch, rig } = orderly;
  await orderly.changeCast(() => {
    const troop = army.join(recruits);
    const { middle, step } = troop;
    rig.setMiddle(...middle);
    rig.zoom = rig.zoomAt(TROOP_VIEW * Math.max(0.5, Math.min(1.5, step)));
    watch.choose(army.idsOf(troop)[0]);
  });
  orderly.moved();
}

async function control({ name, controller }: Of<'control'>, orderly: Orderly): Promise<void> {
  const { army, cast, controllers, tell } = orderly;
  const last = army.joined.at(-1)?.character;
  const candidates = [...(last ? [last] : []), cast.legionary, cast.raider];
  const { character, boundClips, clips, issues } = controlled(controller, candidates);
  controllers.set(character, controller);
  await join({ name: `${character.name}, run by ${name}`, character }, orderly);
  const rests = boundClips === 0 ? ': its machine runs, and moves nothing' : '';
  const title = `${name}: ${boundClips} of its ${clips} clips are among those of ${character.name}${rests}.`;
  tell({ kind: 'notice', about: 'file', title, issues });
}

/** Applies a person's order to the selected soldier. */
function direct(order: Of<'parameter' | 'trigger' | 'hold' | 'play'>, army: Army, watch: Watch): void {
  const id = watch.chosen;
  const found = id === undefined ? undefined : army.find(id);
  if (id === undefined || !found) return;
  if (order.kind === 'parameter') army.setParameter(id, order.name, order.value);
  else if (order.kind === 'trigger') army.trigger(id, order.name);
  else if (order.kind === 'play') army.play(id, order.clip);
  else army.setHeld(found, order.held);
}
