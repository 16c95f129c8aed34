import type { CharacterModel, Vec3 } from '../../src/character/index.ts';
import type { CharacterTransform } from '../../src/index.ts';

const GRAVITY = 9.81;

/** A flying thing: metres, metres per second. */
export interface Flight {
  readonly position: [number, number, number];
  readonly velocity: [number, number, number];
}

/** Makes a separate character of a thing that a character holds: one joint, and nothing that moves it. */
export function thingOf(model: CharacterModel, nodeName: string): CharacterModel {
  const joint = model.joints.find(({ name }) => name === nodeName)!;
  return {
    ...model,
    name: nodeName,
    joints: [{ ...joint, parentIndex: -1, translation: [0, 0, 0], rotation: [0, 0, 0, 1], scale: [1, 1, 1] }],
    bindings: [{ jointIndex: 0, jointFromMesh: Float32Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0) }],
    meshes: model.meshes
      .filter((mesh) => mesh.nodeName === nodeName)
      .map((mesh) => ({
        ...mesh,
        // vertices that nothing moves
        influences: {
          offsets: new Uint32Array(mesh.vertexCount + 1),
          bindings: new Uint16Array(),
          weights: new Float32Array(),
        },
      })),
    clips: [],
  };
}

/** Gives a model's `walk` root motion: straight forward, `metres` per cycle. See examples/root-motion. */
export function walkingAhead(model: CharacterModel, metres: number): CharacterModel {
  const clips = model.clips.map((clip) => {
    if (clip.name !== 'walk') return clip;
    const times = Float32Array.of(0, clip.duration);
    const rotations = Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1);
    return { ...clip, root: { times, positions: Float32Array.of(0, 0, 0, 0, 0, metres), rotations } };
  });
  return { ...model, clips };
}

/** Computes a throw that reaches `to` after `seconds`. */
export function throwTo(from: Vec3, to: Vec3, seconds: number): Flight {
  const velocity = from.map((c, i) => (to[i]! - c) / seconds) as [number, number, number];
  velocity[1] += (GRAVITY * seconds) / 2;
  return { position: [...from], velocity };
}

export function fly({ position, velocity }: Flight, dt: number): void {
  for (let i = 0; i < 3; i++) position[i]! += velocity[i]! * dt;
  velocity[1] -= GRAVITY * dt;
}

/** Places a spear in flight: its point, along the Y axis, turns into the direction of flight. */
export function pointAlong(at: CharacterTransform, { position, velocity: [x, y, z] }: Flight): void {
  at.position.set(...position);
  at.rotation.set(z, 0, -x, Math.hypot(x, y, z) + y);
}
