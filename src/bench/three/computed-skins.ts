import { AnimationMixer, type Node, StorageBufferAttribute } from 'three/webgpu';
import { attributeArray, Fn, instanceIndex, normalLocal, storage, uint, vec3, vec4, vertexIndex } from 'three/tsl';
import { copyOf } from './copy-of.ts';
import { instancedSoldier, placed, placeOf, turned } from './placed.ts';
import { checkStorage, type Subject, type SubjectContext } from './subject.ts';

/**
 * The approach of three's example `webgpu_skinning_instancing_individual`, in words of our own. Skeletons are posed on the CPU
 * one after the other, and all bones uploaded. One compute pass skins all vertices into a buffer of 32 bytes each, and they
 * are drawn as instances. The example plays one clip; here there is one mixer for each clip.
 */
export function computedSkins({ renderer, device, soldier, plan }: SubjectContext): Subject {
  const { count } = plan;
  const { vertexCount } = soldier;
  const boneCount = soldier.mesh.skeleton.bones.length;
  checkStorage(device, 'bones', count * boneCount * 64);
  checkStorage(device, 'skinned vertices', count * vertexCount * 32);

  const bones = new StorageBufferAttribute(new Float32Array(16 * count * boneCount), 16);
  const boneMatrices = storage(bones, 'mat4', count * boneCount).toReadOnly();
  const skins = attributeArray(2 * count * vertexCount, 'vec4');
  const places = readOnly(Float32Array.from(plan.characters.flatMap(placeOf)), 'vec4');
  const { position, normal, skinIndex, skinWeight } = soldier.mesh.geometry.attributes;
  const [positions, normals] = [padded(position!.array!), padded(normal!.array!)];
  const weights = readOnly(Float32Array.from(skinWeight!.array), 'vec4');
  const influences = readOnly(Uint32Array.from(skinIndex!.array), 'uvec4');

  const skin = Fn(() => {
    const character = instanceIndex.div(uint(vertexCount)).toVar();
    const vertex = instanceIndex.mod(uint(vertexCount)).toVar();
    const [index, weight] = [influences.element(vertex).toVar(), weights.element(vertex).toVar()];
    const [rest, facing] = [positions.element(vertex).xyz.toVar(), normals.element(vertex).xyz.toVar()];
    const [skinned, direction] = [vec3(0).toVar(), vec3(0).toVar()];
    for (const lane of ['x', 'y', 'z', 'w'] as const) {
      const bone = boneMatrices.element(character.mul(uint(boneCount)).add(index[lane])).toVar();
      skinned.addAssign(bone.mul(vec4(rest, 1)).xyz.mul(weight[lane]));
      direction.addAssign(bone.mul(vec4(facing, 0)).xyz.mul(weight[lane]));
    }
    const place = places.element(character).toVar();
    const turn = { cos: place.z, sin: place.w };
    const row = instanceIndex.mul(uint(2)).toVar();
    skins.element(row).assign(vec4(placed(turned(skinned, turn), place), 1));
    skins.element(row.add(uint(1))).assign(vec4(turned(direction, turn), 0));
  })().compute(count * vertexCount);

  const drawnPosition = Fn(() => {
    const row = instanceIndex.mul(uint(vertexCount)).add(vertexIndex).mul(uint(2)).toVar();
    normalLocal.assign(skins.element(row.add(uint(1))).xyz);
    return skins.element(row).xyz;
  })();
  const object = instancedSoldier(soldier, count, drawnPosition as Node<'vec3'>);

  const actors = soldier.animations.map((clip) => {
    const { scene, mesh } = copyOf(soldier.scene);
    const mixer = new AnimationMixer(scene);
    mixer.clipAction(clip).play();
    return { scene, mixer, skeleton: mesh.skeleton };
  });
  let elapsed = 0;
  return {
    object,
    step(dt) {
      elapsed += dt;
      plan.characters.forEach(({ clip, time }, i) => {
        const { scene, mixer, skeleton } = actors[clip]!;
        mixer.setTime(elapsed + time);
        scene.updateMatrixWorld(true);
        skeleton.update();
        bones.array.set(skeleton.boneMatrices!, 16 * boneCount * i);
      });
      bones.needsUpdate = true;
      void renderer.compute(skin);
    },
    dispose() {
      skin.dispose();
      object.geometry.dispose();
    },
  };
}

function readOnly<const T extends 'vec4' | 'uvec4'>(array: Float32Array | Uint32Array, type: T) {
  return storage(new StorageBufferAttribute(array, 4), type, array.length / 4).toReadOnly();
}

/** Rows of three as rows of four, as shaders read them. */
function padded(rows: ArrayLike<number>) {
  const values = new Float32Array((rows.length / 3) * 4);
  for (let i = 0; i < rows.length; i++) values[Math.floor(i / 3) * 4 + (i % 3)] = rows[i]!;
  return readOnly(values, 'vec4');
}
