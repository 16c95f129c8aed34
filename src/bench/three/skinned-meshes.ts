import { AnimationMixer, Group } from 'three/webgpu';
import { copyOf } from './copy-of.ts';
import type { Subject, SubjectContext } from './subject.ts';

/** three.js as its manual has it: a clone, a skeleton and a mixer for each character. */
export function skinnedMeshes({ soldier, plan }: SubjectContext): Subject {
  const object = new Group();
  const mixers = plan.characters.map(({ x, z, yaw, clip, time }) => {
    const { scene: one, mesh } = copyOf(soldier.scene);
    one.position.set(x, 0, z);
    one.rotation.y = yaw;
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.frustumCulled = false;
    object.add(one);
    const mixer = new AnimationMixer(one);
    const action = mixer.clipAction(soldier.animations[clip]!);
    action.time = time;
    action.play();
    return mixer;
  });
  return {
    object,
    step: (dt) => mixers.forEach((mixer) => mixer.update(dt)),
    dispose: () => soldier.mesh.geometry.dispose(),
  };
}
