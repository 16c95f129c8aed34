// Who is in the pictures that motion vectors are judged by, and what becomes of each.
import type { Crowd } from '../../src/crowd/crowd.ts';
import type { CharacterTransform } from '../../src/crowd/placement.ts';
import type { Camera } from '../../src/render/camera.ts';
import type { Place } from './motion-truth.ts';
import { internalsOf } from '../../src/crowd/internals.ts';

export interface Actor {
  readonly name: string;
  readonly place: (frame: number) => Place;
  /** None: it keeps its rest pose. */
  readonly clip?: string;
  /** The first frame that it is there; default 1. */
  readonly from?: number;
}

export const FRAMES = 12;
/** Frames in which something happens. */
export const [TELEPORTS, SHEATHES, DRAWS, AWAY, UNSEEN] = [4, 4, 6, 7, 9] as const;
/** From the first of these to before the second one is so far off that a coarser level will do. */
export const FAR_FRAMES = [5, 11] as const;
/** From the first of these to before the second no view may see one of them. */
export const HIDDEN_FRAMES = [3, 5] as const;

const yaw = (angle: number): Place['rotation'] => [0, Math.sin(angle / 2), 0, Math.cos(angle / 2)];
const standing = (x: number, z: number, angle = 0.3): Place => ({
  position: [x, 0, z],
  rotation: yaw(angle),
  scale: 1,
});

/** Some are farther away, and are posed more seldom. */
export const ACTORS: readonly Actor[] = [
  { name: 'skinned', place: () => standing(-1.6, 0), clip: 'run' },
  {
    name: 'rigid',
    place: (f) => ({ position: [-0.4 + 0.05 * f, 0.02 * f, 0], rotation: yaw(0.1 * f), scale: 1 + 0.02 * f }),
  },
  { name: 'skinned and rigid', place: (f) => standing(0.8, 0.3 - 0.06 * f, 0.15 * f), clip: 'attack_1' },
  { name: 'posed every 2nd frame', place: (f) => standing(-3 + 0.02 * f, -5), clip: 'run' },
  { name: 'posed every 4th frame', place: (f) => standing(-3.4, -12 + 0.05 * f, 0.1 * f), clip: 'run' },
  { name: 'posed every 8th frame', place: (f) => standing(0.1 * f, -24), clip: 'run' },
  { name: 'shared', place: (f) => standing(-2.9 + 0.03 * f, 0.4, 1 + 0.1 * f) },
  { name: 'appeared', place: (f) => standing(2.2 + 0.03 * f, 0), clip: 'cheer', from: 3 },
  { name: 'appeared unseen', place: (f) => standing(1.7 + 0.03 * f, -2.5), clip: 'cheer', from: UNSEEN },
  { name: 'teleported', place: (f) => standing(f < TELEPORTS ? 1.5 : 3.3, -2 - 0.04 * f), clip: 'run' },
  { name: 'hidden and shown again', place: (f) => standing(2.7, 1 - 0.02 * f, 0.1 * f), clip: 'run' },
  { name: 'hid its shield', place: (f) => standing(3.9, -0.5, -0.1 * f), clip: 'attack_2' },
  {
    name: 'changed level',
    place: (f) => standing(1.1 + 0.02 * f, f >= FAR_FRAMES[0] && f < FAR_FRAMES[1] ? -6 : -2.4, 0.5),
    clip: 'run',
  },
  { name: 'in the place of another', place: (f) => standing(-0.5, -3 + 0.02 * f), clip: 'run' },
];

export const actorOf = (name: string): number => ACTORS.findIndex((actor) => actor.name === name);

export const FOV = 0.9;
export const cameraAt = (frame: number): Camera => ({
  eye: [0.3 + 0.02 * frame, 1.7, 6 - 0.03 * frame],
  target: frame === AWAY ? [0.4, 0.9, 40] : [0.4, 0.9, 0],
  fovY: FOV,
});

export function put(at: CharacterTransform, { position, rotation, scale }: Place): void {
  at.position.set(...position);
  at.rotation.set(...rotation);
  at.scale = scale;
}

/**
 * One shows the pose of another, one may be seen by no view for a while. There is no other way to say so yet than in the
 * crowd's own column.
 */
export function writeResidents(crowd: Crowd, rowOf: (actor: number) => number): void {
  const { backend } = internalsOf(crowd).host;
  const encode = backend.encode.bind(backend);
  backend.encode = (encoder, inputs) => {
    const { residents, frame, seen } = inputs;
    const [leader, follower] = [rowOf(actorOf('skinned')), rowOf(actorOf('shared'))];
    residents.view.set(follower, 'leader', leader);
    const hidden = rowOf(actorOf('hidden and shown again'));
    residents.view.set(hidden, 'views', frame >= HIDDEN_FRAMES[0] && frame < HIDDEN_FRAMES[1] ? 0 : 1);
    for (const row of [follower, hidden]) residents.changed(row);
    return encode(encoder, { ...inputs, seen: seen && { ...seen, hasFollowers: true } });
  };
}
