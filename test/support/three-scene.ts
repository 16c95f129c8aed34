import { type AnimationClip, AnimationMixer, LoopOnce, type Mesh, type Object3D, Vector3 } from 'three';
import type { Character } from '../../src/character/character.ts';
import { createCrowd } from './create-crowd.ts';
import type { CharacterId } from '../../src/crowd/rows/ids.ts';
import type { Crowd } from '../../src/crowd/crowd.ts';
import type { ThreeScene } from '../../src/three/from-three/model-from-three.ts';
import { sourceGeometries } from '../../src/three/sources.ts';
import { updateAndWait } from './update-and-wait.ts';

/** A clip at a time in seconds; no clip: the rest pose. */
export interface Moment {
  readonly clip: number | undefined;
  readonly time: number;
}

/**
 * Plays a character in a crowd on the CPU and what it was made of in three.js, and measures how far vertices are apart.
 *
 * @returns The largest distance of any vertex at any moment, in metres.
 */
export async function worstDistance(
  source: ThreeScene,
  character: Character,
  moments: readonly Moment[],
  from?: Object3D,
): Promise<number> {
  const crowd = createCrowd(undefined, {
    characters: [character],
    capacity: moments.length,
    maxClips: 1,
    skinned: 'exact',
    backend: 'cpu',
  });
  const group = crowd.spawn(character, { count: moments.length });
  group.setClips((i) => {
    const { clip, time } = moments[i]!;
    return clip === undefined ? [] : [{ clip, time, speed: 0, loops: false }];
  });
  await updateAndWait(crowd, { dt: 0 });
  const stage = new Stage(source);
  let worst = 0;
  for (const [i, { clip, time }] of moments.entries()) {
    stage.show(clip === undefined ? undefined : source.animations![clip], time);
    const distance = await distanceFromThree(crowd, group.id(i), character, from);
    worst = Math.max(worst, distance);
  }
  crowd.destroy();
  return worst;
}

/** How far a character's vertices are, in metres at most, from where three has the meshes that it was made of. */
export async function distanceFromThree(
  crowd: Crowd,
  id: CharacterId,
  character: Character,
  from?: Object3D,
  meshOf: (mesh: Mesh) => Mesh = (mesh) => mesh,
): Promise<number> {
  const vertices = await crowd.readVertices(id);
  const point = new Vector3();
  let worst = 0;
  for (const primitive of character.primitives) {
    const { mesh: made, sourceOfVertex } = sourceGeometries.get(primitive)!;
    const mesh = meshOf(made);
    sourceOfVertex.forEach((element, vertex) => {
      mesh.getVertexPosition(element, point).applyMatrix4(mesh.matrixWorld);
      if (from) from.worldToLocal(point);
      const at = 3 * (primitive.firstVertex + vertex);
      const distance = Math.hypot(vertices[at]! - point.x, vertices[at + 1]! - point.y, vertices[at + 2]! - point.z);
      if (!(distance <= worst)) worst = distance;
    });
  }
  return worst;
}

/** Shows what three has loaded at any moment of any of its clips. */
class Stage {
  readonly #scene: Object3D;
  readonly #mixer: AnimationMixer;

  constructor({ scene }: ThreeScene) {
    this.#scene = scene;
    this.#mixer = new AnimationMixer(scene);
  }

  show(clip: AnimationClip | undefined, time: number): void {
    this.#mixer.stopAllAction();
    if (clip) {
      // LoopOnce and clamped: a clip that loops shows its start at its end
      const action = this.#mixer.clipAction(clip).reset().setLoop(LoopOnce, 1);
      action.clampWhenFinished = true;
      action.play();
    }
    this.#mixer.setTime(time);
    let top = this.#scene;
    while (top.parent) top = top.parent;
    top.updateMatrixWorld(true);
  }
}
