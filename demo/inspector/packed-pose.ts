import type { Character } from '../../src/character/index.ts';
import { addSockets } from '../../src/index.ts';
import { type Crowd, createCrowd, type CharacterGroup } from '../../src/index.ts';

/** A moment of a clip; without a clip the rest pose. */
export interface Moment {
  readonly clip: number | undefined;
  /** Seconds. */
  readonly time: number;
}

/** Pose of the packed character at a moment, in model space, metres. */
export interface PackedPose {
  /** 3 per vertex. */
  readonly positions: Float32Array;
  /** Three rows of four numbers per joint: `modelFromJoint`. */
  readonly joints: Float32Array;
}

/** Poses a packed character exactly as crowds do: it is a crowd of one, on the GPU or, without a device, on the twins. */
export class Poser {
  readonly #crowd: Crowd;
  readonly #group: CharacterGroup;

  private constructor(crowd: Crowd, character: Character) {
    this.#crowd = crowd;
    this.#group = crowd.spawn(character);
  }

  /** @throws ManipleError as `createCrowd` */
  static async open(character: Character, device: GPUDevice | undefined): Promise<Poser> {
    const posable = posableOf(character);
    const backend = device ? 'gpu' : 'cpu';
    return new Poser(await createCrowd(device, { characters: [posable], capacity: 1, maxClips: 1, backend }), posable);
  }

  /** Computes a pose. Call it again only after it resolves. @throws ManipleError DEVICE_LOST */
  async pose({ clip, time }: Moment): Promise<PackedPose> {
    this.#group.setClips(() => (clip === undefined ? [] : [{ clip, time, speed: 0, loops: false }]));
    this.#crowd.update({ dt: 0 });
    await this.#crowd.workDone();
    return readPackedPose(this.#group);
  }

  destroy(): void {
    this.#crowd.destroy();
  }
}

/** Returns a character with a socket on every joint and only its finest mesh, because the other levels are not shown. */
export function posableOf(character: Character): Character {
  return addSockets({ ...character, lods: [] }, 'all');
}

/** Reads the last pose of a group's first character, which must come from {@link posableOf}. */
export async function readPackedPose({ crowd, character, ids: [id] }: CharacterGroup): Promise<PackedPose> {
  const [pose, positions] = await Promise.all([crowd.readPose(id!), crowd.readVertices(id!)]);
  const joints = new Float32Array(12 * character.joints.length);
  pose.jointIndices.forEach((joint, i) => joints.set(pose.modelFromJoint[i]!, 12 * joint));
  return { positions, joints };
}
