import type { CharacterId, CharacterTransform } from '../../src/index.ts';
import type { Watched, WatchedParameter } from '../protocol.ts';
import type { Army } from './army.ts';
import type { Focus } from './rig.ts';

/** Tint of the selected character, and of all others. */
const [CHOSEN, PLAIN] = [
  [1, 0.78, 0.32, 1],
  [1, 1, 1, 1],
] as const;

/** Holds the selected character, and the character that the near camera looks at. */
export class Watch {
  readonly #army: Army;
  #chosen: CharacterId | undefined;
  /** Character that the near camera looks at, selected or not, and its face. */
  #near: CharacterId | undefined;
  #focus: Focus | undefined;
  #isReading = false;

  constructor(army: Army) {
    this.#army = army;
  }

  get chosen(): CharacterId | undefined {
    return this.#chosen !== undefined && this.#army.crowd.isAlive(this.#chosen) ? this.#chosen : undefined;
  }

  get focus(): Focus | undefined {
    return this.#focus;
  }

  choose(id: CharacterId | undefined): void {
    if (this.#chosen !== undefined) this.#army.tint(this.#chosen, PLAIN);
    this.#chosen = id;
    if (id !== undefined) {
      this.#army.tint(id, CHOSEN);
      this.look(id);
    }
  }

  /** Sets the character that the near camera looks at. */
  look(id: CharacterId | undefined): void {
    if (id !== this.#near) this.#focus = undefined;
    this.#near = id;
  }

  get near(): CharacterId | undefined {
    return this.#near;
  }

  /** Finds the character nearest to a place on the ground. @throws ManipleError DEVICE_LOST */
  nearestTo({ x, z }: { readonly x: number; readonly z: number }): Promise<CharacterId | undefined> {
    return this.nearest(({ position }) => Math.hypot(position.x - x, position.z - z));
  }

  /** Finds the character with the smallest distance by `away`, below `most`. @throws ManipleError DEVICE_LOST */
  async nearest(away: (at: CharacterTransform) => number, most = Infinity): Promise<CharacterId | undefined> {
    const ids = this.#army.troops.flatMap(({ group }) => group.ids);
    const places = await this.#army.crowd.readTransforms(ids);
    let [best, least]: [CharacterId | undefined, number] = [undefined, most];
    places.forEach((at, i) => {
      const distance = away(at);
      if (distance < least) [best, least] = [ids[i], distance];
    });
    return best;
  }

  /** Starts a readback of the near character's face. Does not wait for it. */
  refresh(): void {
    const found = this.#near === undefined ? undefined : this.#army.find(this.#near);
    if (!found || this.#isReading) return;
    const { crowd } = this.#army;
    const id = this.#near!;
    const { character } = found.group;
    this.#isReading = true;
    const poses = character.sockets.length > 0 ? crowd.readPose([id]) : Promise.resolve([undefined]);
    void Promise.all([poses, crowd.readTransforms(id)])
      .then(([[pose], [at]]) => {
        if (id !== this.#near || !at) return;
        const head = pose?.modelFromJoint[0];
        const { bounds } = character;
        const above = bounds.max[1]! - 0.08 * (bounds.max[1]! - bounds.min[1]!);
        // slightly above the joint, which is where the head turns
        const local = head ? [head[3]!, head[7]! + 0.09, head[11]!] : this.#focus ? undefined : [0, above, 0];
        if (local) this.#focus = { face: inWorld(at, local), yaw: yawOf(at) };
      })
      // fails if the crowd was destroyed meanwhile
      .catch(() => undefined)
      .finally(() => (this.#isReading = false));
  }

  /** Reads the report on the selected character. @throws ManipleError DEVICE_LOST */
  async report(): Promise<Watched | undefined> {
    const id = this.chosen;
    const found = id === undefined ? undefined : this.#army.find(id);
    if (id === undefined || !found) return undefined;
    const { crowd } = this.#army;
    const { character } = found.group;
    const { controller } = character;
    const [states, [at]] = await Promise.all([controller ? crowd.readControllers(id) : [], crowd.readTransforms(id)]);
    const triggers = states[0]?.triggers ?? [];
    const parameters = controller?.parameters.map(({ name, type }): WatchedParameter => ({
      name,
      type,
      value: type === 'trigger' ? Number(triggers.includes(name)) : crowd.getParameter(id, name),
    }));
    const { x, y, z } = at!.position;
    return {
      id,
      troop: found.troop,
      name: character.name,
      state: states[0],
      parameters: parameters ?? [],
      clips: controller ? [] : character.clips.map(({ name }) => name),
      held: this.#army.isHeld(found),
      position: [x, y, z],
    };
  }
}

function yawOf({ rotation: { x, y, z, w } }: CharacterTransform): number {
  return Math.atan2(2 * (x * z + w * y), 1 - 2 * (x * x + y * y));
}

function inWorld(
  { position, scale, rotation }: CharacterTransform,
  [x, y, z]: readonly number[],
): [number, number, number] {
  const { x: qx, y: qy, z: qz, w } = rotation;
  // t = 2 q × v; v + w t + q × t
  const [tx, ty, tz] = [2 * (qy * z! - qz * y!), 2 * (qz * x! - qx * z!), 2 * (qx * y! - qy * x!)];
  return [
    position.x + scale * (x! + w * tx + qy * tz - qz * ty),
    position.y + scale * (y! + w * ty + qz * tx - qx * tz),
    position.z + scale * (z! + w * tz + qx * ty - qy * tx),
  ];
}
