import {
  AdditiveAnimationBlendMode,
  AnimationClip,
  AnimationMixer,
  AnimationUtils,
  Bone,
  BooleanKeyframeTrack,
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  ColorKeyframeTrack,
  DetachedBindMode,
  DoubleSide,
  Float32BufferAttribute,
  Group,
  InstancedMesh,
  InterleavedBuffer,
  InterleavedBufferAttribute,
  InterpolateBezier,
  InterpolateDiscrete,
  InterpolateSmooth,
  LoopRepeat,
  LOD,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  NumberKeyframeTrack,
  type Object3D,
  Points,
  QuaternionKeyframeTrack,
  Quaternion,
  Skeleton,
  SkinnedMesh,
  SphereGeometry,
  Vector3,
  VectorKeyframeTrack,
} from 'three';
import { describe, expect, test } from 'vitest';
import { evaluatePose, evaluateMorphWeights, composeJoints, evaluateVertices } from '../../src/character/evaluate.ts';
import { addSockets } from '../../src/character/sockets.ts';
import { defineController } from '../../src/controller/index.ts';
import { withController } from '../../src/character/bind-controller.ts';
import type { CharacterModel, MeshModel } from '../../src/character/model.ts';
import { characterFromGltf, characterFromModel } from '../../src/three/from-three/character-from-gltf.ts';
import { modelFromThree, type ThreeScene } from '../../src/three/from-three/model-from-three.ts';
import { addLods } from '../../src/import/index.ts';
import { sourceGeometries, threeMaterials } from '../../src/three/sources.ts';
import { named, plainMesh, skinByHeight } from '../support/three-objects.ts';
import { worstDistance } from '../support/three-scene.ts';
import { thrownBy } from '../support/thrown-by.ts';

/** Metres: what single precision leaves of scenes of some metres. */
const EXACT = 1e-5;

const UP = [0, 1, 0] as const;

/** A box of some size, with corners of its own. */
function box(size = 1): BufferGeometry {
  return new BoxGeometry(size, 1.3 * size, 0.7 * size);
}

/** A geometry whose vertices follow bones by their height, two each. */
function skinnedBox(bones: number): BufferGeometry {
  const geometry = new BoxGeometry(0.5, bones, 0.5, 1, 3 * bones, 1).translate(0, bones / 2, 0);
  return skinByHeight(geometry, (height) => {
    const below = Math.min(bones - 1, Math.floor(height));
    return [below, Math.min(bones - 1, below + 1), (height - below) / 2];
  });
}

/** Bones above each other, a metre apart. */
function chain(count: number, prefix = 'bone'): Bone[] {
  const bones = Array.from({ length: count }, (_, i) => named(new Bone(), `${prefix}${i}`));
  bones.forEach((bone, i) => {
    if (i > 0) bones[i - 1]!.add(bone);
    bone.position.set(0, i > 0 ? 1 : 0, 0);
  });
  return bones;
}

function turn(angle: number, x: number, y: number, z: number): number[] {
  return new Quaternion().setFromAxisAngle(new Vector3(x, y, z).normalize(), angle).toArray();
}

/** A clip that bends the second bone and moves the first one. */
function bend(prefix = 'bone'): AnimationClip {
  return new AnimationClip('bend', 2, [
    new QuaternionKeyframeTrack(
      `${prefix}1.quaternion`,
      [0, 1, 2],
      [turn(0, ...UP), turn(1.2, 1, 2, 3), turn(-1, 1, 0, 0)].flat(),
    ),
    new VectorKeyframeTrack(`${prefix}0.position`, [0, 2], [0, 0, 0, 0.4, -0.2, 1]),
  ]);
}

/** Where a scene's clips take it, at times within the clip. */
async function differs(source: ThreeScene, times = [0, 0.3, 1.1, 1.999], from?: Object3D): Promise<number> {
  source.scene.updateMatrixWorld(true);
  const character = characterFromGltf(source, { errorBudget: 0 });
  const clips = (source.animations ?? []).flatMap((_, clip) => times.map((time) => ({ clip, time })));
  return worstDistance(source, character, [{ clip: undefined, time: 0 }, ...clips], from);
}

function codes(model: Pick<CharacterModel, 'issues'>): string[] {
  return model.issues.map(({ code }) => code);
}

const refusal = (source: ThreeScene) => thrownBy(() => modelFromThree(source)).code;

/** A mesh with its bones below it. */
function boundMesh(bones: Bone[]): SkinnedMesh {
  const mesh = new SkinnedMesh(skinnedBox(bones.length), new MeshStandardMaterial());
  mesh.add(bones[0]!);
  mesh.bind(new Skeleton(bones));
  return mesh;
}

describe('skinned meshes', () => {
  function skinned(mode: 'attached' | 'detached') {
    const scene = new Group();
    const armature = new Group();
    armature.rotation.set(0.3, 0.5, -0.2);
    armature.scale.set(1.5, 0.8, 1.1);
    const bones = chain(3);
    armature.add(bones[0]!);
    const mesh = new SkinnedMesh(skinnedBox(3), new MeshStandardMaterial());
    mesh.name = 'body';
    mesh.position.set(0.4, 0.1, -2);
    mesh.scale.setScalar(0.6);
    scene.add(armature, mesh);
    scene.updateMatrixWorld(true);
    mesh.bindMode = mode === 'detached' ? DetachedBindMode : mesh.bindMode;
    mesh.bind(new Skeleton(bones), new Matrix4().makeRotationX(0.4).setPosition(0.2, 0.3, 0.1));
    const move = new VectorKeyframeTrack('body.position', [0, 2], [0.4, 0.1, -2, 3, 2, 1]);
    const clip = bend();
    clip.tracks.push(move);
    return { scene, animations: [clip] };
  }

  test('bones carry attached ones, wherever the mesh moves', async () => {
    expect(await differs(skinned('attached'))).toBeLessThan(EXACT);
  });

  test('detached ones move with the mesh, too', async () => {
    const source = skinned('detached');
    expect(await differs(source)).toBeLessThan(EXACT);
    const names = modelFromThree(source).joints.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['body', 'bone0', 'bone1', 'bone2']));
  });

  test('a bone outside the root widens the space of the character', async () => {
    const { scene, animations } = skinned('attached');
    const mesh = scene.children[1]!;
    // tracks are found by three below the root only, or among its bones
    animations[0]!.tracks.pop();
    expect(await differs({ scene: mesh, animations })).toBeLessThan(EXACT);
  });

  test('the root’s own place is left out', async () => {
    const source = skinned('attached');
    source.scene.position.set(0.5, 0.6, 0.7);
    source.scene.scale.setScalar(0.2);
    expect(await differs(source, [0, 0.7, 2], source.scene)).toBeLessThan(EXACT);
  });

  test('two skeletons, one of them of a sword in the other’s hand', async () => {
    const source = skinned('attached');
    const sword = new SkinnedMesh(skinnedBox(2), new MeshStandardMaterial());
    const bones = chain(2, 'sword');
    source.scene.getObjectByName('bone2')!.add(bones[0]!);
    source.scene.add(sword);
    source.scene.updateMatrixWorld(true);
    sword.bind(new Skeleton(bones));
    expect(await differs({ ...source, animations: [...source.animations, bend('sword')] })).toBeLessThan(EXACT);
  });
});

describe('rigid meshes', () => {
  test('move with their nodes, through uneven and negative scales', async () => {
    const scene = new Group();
    const arm = named(new Group(), 'arm');
    arm.scale.set(2, 0.5, 1);
    const hand = plainMesh(box(), 'hand');
    hand.scale.set(-1, 1, 0.4);
    hand.position.set(0, 1, 0.3);
    const ring = plainMesh(box(0.3));
    ring.rotation.set(1, 2, 3);
    hand.add(ring);
    arm.add(hand);
    scene.add(arm);
    const clip = new AnimationClip('wave', 2, [
      new QuaternionKeyframeTrack('arm.quaternion', [0, 2], [turn(0.1, ...UP), turn(1.5, 0, 1, 1)].flat()),
      new VectorKeyframeTrack('hand.scale', [0, 1, 2], [-1, 1, 0.4, -2, 1, 1, -1, 3, 0.2]),
    ]);
    const source = { scene, animations: [clip] };
    expect(await differs(source)).toBeLessThan(EXACT);
    // what three turns inside out is wound the other way: both enclose a positive volume
    const model = modelFromThree(source);
    expect(model.meshes.map((mesh) => Math.sign(volume(model, mesh)))).toEqual([1, 1]);
  });

  test('a matrix that the game writes counts as it is, sheared or not, and no track moves it', async () => {
    const scene = new Group();
    const mesh = plainMesh(box(), 'still');
    mesh.matrixAutoUpdate = false;
    mesh.matrix.set(1, 0.5, 0, 1, 0, 1, 0.2, 2, 0.3, 0, 1, 3, 0, 0, 0, 1);
    scene.add(mesh);
    const clip = new AnimationClip('move', 2, [new VectorKeyframeTrack('still.position', [0, 2], [0, 0, 0, 5, 5, 5])]);
    expect(await differs({ scene, animations: [clip] })).toBeLessThan(EXACT);
    expect(codes(modelFromThree({ scene, animations: [clip] }))).toContain('GLTF_CHANNEL_IGNORED');
  });

  test('turn about their pivots', async () => {
    const scene = new Group();
    const door = plainMesh(box(), 'door');
    door.pivot = new Vector3(0.5, 0, 0.2);
    const knob = plainMesh(box(0.1));
    knob.position.set(-0.4, 0, 0);
    door.add(knob);
    scene.add(door);
    const clip = new AnimationClip('open', 2, [
      new QuaternionKeyframeTrack('door.quaternion', [0, 2], [turn(0, ...UP), turn(1.5, ...UP)].flat()),
      new VectorKeyframeTrack('door.position', [0, 2], [0, 0, 0, 1, 2, 3]),
    ]);
    expect(await differs({ scene, animations: [clip] })).toBeLessThan(EXACT);
  });

  test('a root that clips move is part of the character, and so is its position', async () => {
    const mesh = plainMesh(box(), 'crate');
    mesh.position.set(1, 2, 3);
    const clip = new AnimationClip('slide', 2, [new VectorKeyframeTrack('.position', [0, 2], [1, 2, 3, 4, 5, 6])]);
    expect(await differs({ scene: mesh, animations: [clip] })).toBeLessThan(EXACT);
  });

  /** Six times what a mesh encloses at rest. */
  function volume(model: CharacterModel, mesh: MeshModel): number {
    const p = evaluateVertices(
      model,
      mesh,
      composeJoints(model, evaluatePose(model, undefined, 0)),
      evaluateMorphWeights(model, undefined, 0),
    );
    const at = (i: number) => new Vector3().fromArray(p, 3 * mesh.indices[i]!);
    let sum = 0;
    for (let t = 0; t < mesh.indices.length; t += 3) sum += at(t).dot(at(t + 1).cross(at(t + 2)));
    return sum;
  }
});

describe('vertices', () => {
  test('are read from interleaved and quantised attributes', async () => {
    const count = 4;
    const words = new Int16Array(count * 8);
    const corners = [-1, -1, -1, 1, -1, 0, -1, 1, 0.5, 1, 1, 0.25];
    for (let v = 0; v < count; v++) {
      for (let c = 0; c < 3; c++) words[8 * v + c] = Math.round(32767 * corners[3 * v + c]!);
      words.set([0, 0, 32767], 8 * v + 4);
    }
    const buffer = new InterleavedBuffer(words, 8);
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new InterleavedBufferAttribute(buffer, 3, 0, true));
    geometry.setAttribute('normal', new InterleavedBufferAttribute(buffer, 3, 4, true));
    geometry.setIndex([0, 1, 2, 2, 1, 3]);
    const scene = new Group();
    const mesh = plainMesh(geometry);
    mesh.scale.setScalar(2.5);
    scene.add(mesh);
    expect(await differs({ scene })).toBeLessThan(EXACT);
    const [model] = modelFromThree({ scene }).meshes;
    expect([...model!.normals.subarray(0, 3)]).toEqual([0, 0, 1]);
  });

  test('are welded where all attributes agree, and nowhere else', () => {
    const geometry = box().toNonIndexed();
    const { count } = geometry.attributes.position!;
    expect(count).toBe(36);
    const scene = new Group().add(plainMesh(geometry));
    expect(modelFromThree({ scene }).meshes[0]!.vertexCount).toBe(24);
    const second = new Float32Array(2 * count).map((_, i) => i);
    geometry.setAttribute('uv1', new BufferAttribute(second, 2));
    expect(modelFromThree({ scene }).meshes[0]!.vertexCount).toBe(36);
  });

  test('can be found in three’s geometry again', () => {
    const geometry = box().toNonIndexed();
    const uv = geometry.attributes.uv!;
    const scene = new Group().add(plainMesh(geometry));
    const [mesh] = modelFromThree({ scene }).meshes;
    const character = characterFromGltf({ scene });
    const [primitive] = character.primitives;
    const { sourceOfVertex, geometry: known } = sourceGeometries.get(primitive!)!;
    expect(known).toBe(geometry);
    expect(sourceOfVertex).toHaveLength(primitive!.vertexCount);
    sourceOfVertex.forEach((element, vertex) => {
      expect(mesh!.texcoords!.subarray(2 * vertex, 2 * vertex + 2)).toEqual(
        Float32Array.of(uv.getX(element), uv.getY(element)),
      );
      expect(primitive!.vertexOfSource[element]).toBe(vertex);
    });
  });

  test('of coarser meshes that are made before packing change nothing in that', async () => {
    const scene = new Group().add(plainMesh(new SphereGeometry(1, 24, 16)));
    const model = modelFromThree({ scene });
    const character = characterFromModel(await addLods(model));
    expect(character.lods.length).toBeGreaterThan(0);
    expect(character.primitives.map((primitive) => sourceGeometries.has(primitive))).toEqual([true]);
  });

  test('without normals get flat ones, with corners of their own', () => {
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new Float32BufferAttribute([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1], 3));
    geometry.setIndex([0, 1, 2, 0, 2, 3]);
    const scene = new Group().add(plainMesh(geometry));
    const character = characterFromGltf({ scene });
    expect(codes(character)).toContain('GLTF_NORMALS_GENERATED');
    expect(character.vertexCount).toBe(6);
    const { sourceOfVertex } = sourceGeometries.get(character.primitives[0]!)!;
    expect(Array.from(sourceOfVertex).sort((a, b) => a - b)).toEqual([0, 0, 1, 2, 2, 3]);
  });
});

describe('materials', () => {
  const red = new MeshStandardMaterial({ name: 'red', color: 0xff0000, metalness: 0.25, roughness: 0.5 });
  const glass = new MeshBasicMaterial({ name: 'glass', transparent: true, opacity: 0.5, side: DoubleSide });
  glass.alphaTest = 0.3;

  test('of a list draw their groups', async () => {
    const geometry = box();
    geometry.clearGroups();
    geometry.addGroup(0, 12, 0);
    geometry.addGroup(12, 6, 1);
    geometry.addGroup(18, 6, 0);
    geometry.addGroup(24, 12, 5);
    const scene = new Group().add(new Mesh(geometry, [red, glass]));
    const character = characterFromGltf({ scene });
    expect(character.primitives.map(({ indexCount, materialIndex }) => [indexCount, materialIndex])).toEqual([
      [18, 0],
      [6, 1],
    ]);
    expect(character.primitives.map((primitive) => sourceGeometries.get(primitive)!.material)).toEqual([red, glass]);
    const uv = geometry.attributes.uv!;
    const { sourceOfVertex } = sourceGeometries.get(character.primitives[1]!)!;
    // the groups' vertices are whole faces of the box
    expect([...sourceOfVertex]).toEqual([8, 9, 10, 11]);
    expect(uv.count).toBe(24);
    expect(await differs({ scene })).toBeLessThan(EXACT);
  });

  test('a single one draws all that the draw range leaves', () => {
    const geometry = box();
    geometry.setDrawRange(6, 12);
    const scene = new Group().add(new Mesh(geometry, red));
    expect(characterFromGltf({ scene }).primitives.map(({ indexCount }) => indexCount)).toEqual([12]);
  });

  test('are reported as far as possible, and those of three.js are kept', () => {
    const scene = new Group().add(new Mesh(box(), red), new Mesh(box(), glass), new Mesh(box(), red));
    const character = characterFromGltf({ scene });
    expect(character.materials).toMatchObject([
      { name: 'red', baseColor: [1, 0, 0, 1], metallic: 0.25, roughness: 0.5, alphaMode: 'OPAQUE', doubleSided: false },
      { name: 'glass', baseColor: [1, 1, 1, 0.5], alphaMode: 'MASK', alphaCutoff: 0.3, doubleSided: true, unlit: true },
    ]);
    const idle = defineController({
      name: 'idle',
      parameters: {},
      layers: [{ name: 'base', machine: { default: 'rest', states: { rest: {} } } }],
    });
    const all = [character, addSockets(character, 'all'), withController(addSockets(character, [0]), idle)];
    for (const { materials, primitives } of all) {
      expect(materials.map((material) => threeMaterials.get(material))).toEqual([red, glass]);
      expect(primitives.every((primitive) => sourceGeometries.has(primitive))).toBe(true);
    }
  });

  test('vertex colours count where the material asks for them', () => {
    const geometry = box();
    const colors = new Float32Array(3 * geometry.attributes.position!.count).fill(0.5);
    geometry.setAttribute('color', new BufferAttribute(colors, 3));
    const scene = new Group().add(
      new Mesh(geometry, red),
      new Mesh(geometry, new MeshBasicMaterial({ vertexColors: true })),
    );
    const [plain, coloured] = modelFromThree({ scene }).meshes;
    expect(plain!.colors).toBeUndefined();
    expect([...coloured!.colors!.subarray(0, 4)]).toEqual([0.5, 0.5, 0.5, 1]);
  });
});

describe('morph targets', () => {
  function morphed(relative: boolean): Mesh {
    const geometry = box();
    const { position } = geometry.attributes;
    geometry.morphTargetsRelative = relative;
    geometry.morphAttributes.position = ['wide', 'tall'].map((name, t) => {
      const values = Float32Array.from(position!.array as Float32Array, (value, i) =>
        i % 3 === t ? value * (relative ? 1 : 2) : relative ? 0.1 : value + 0.1,
      );
      return Object.assign(new BufferAttribute(values, 3), { name });
    });
    const mesh = plainMesh(geometry, 'face');
    mesh.updateMorphTargets();
    mesh.morphTargetInfluences = [0.25, 0];
    return mesh;
  }

  test.each([true, false])('relative %s: rest weights, and tracks of all or of one by its name', async (relative) => {
    const scene = new Group().add(morphed(relative));
    const all = new AnimationClip('all', 2, [
      new NumberKeyframeTrack('face.morphTargetInfluences', [0, 1, 2], [0, 0, 1, 0.5, 0.3, 0.9]),
    ]);
    const one = new AnimationClip('one', 2, [
      new NumberKeyframeTrack('face.morphTargetInfluences[tall]', [0, 0.5, 2], [0, 1, 0.2]),
    ]);
    const model = modelFromThree({ scene, animations: [all, one] });
    expect(model.morphSets).toMatchObject([{ names: ['wide', 'tall'], weights: [0.25, 0] }]);
    expect(await differs({ scene, animations: [all, one] })).toBeLessThan(EXACT);
  });

  test('single weights of different kinds, which merge into one track', async () => {
    const scene = new Group().add(morphed(true));
    const smooth = new NumberKeyframeTrack('face.morphTargetInfluences[0]', [0, 0.4, 1.1, 1.5, 2], [0, 1, 0.2, 0.7, 0]);
    smooth.setInterpolation(InterpolateSmooth);
    const steps = new NumberKeyframeTrack('face.morphTargetInfluences[1]', [0, 0.7, 1.3], [0, 1, 0.3]);
    steps.setInterpolation(InterpolateDiscrete);
    const clip = new AnimationClip('both', 2, [smooth, steps]);
    // the ends of smooth curves depend on whether the clip loops, which it does not where three is asked
    expect(await differs({ scene, animations: [clip] }, [0.41, 0.6, 0.69, 0.71, 1.2, 1.29, 1.31, 1.49])).toBeLessThan(
      EXACT,
    );
  });
});

describe('clips', () => {
  function moved(...tracks: ConstructorParameters<typeof AnimationClip>[2] & object) {
    const scene = new Group();
    const crate = plainMesh(box(), 'crate');
    crate.position.set(0.5, 1, 2);
    scene.add(crate);
    return { scene, crate, animations: [new AnimationClip('move', 2, tracks)] };
  }

  const keys: [number[], number[]] = [
    [0, 0.4, 1, 1.2, 2],
    [0, 0, 0, 1, 2, 0, -1, 1, 3, 2, 0, 1, 0, 0, 0],
  ];

  test('steps, and jumps between keys of one time', async () => {
    const steps = new VectorKeyframeTrack('crate.position', ...keys);
    steps.setInterpolation(InterpolateDiscrete);
    const times = [0, 0.39, 0.41, 0.99, 1.01, 1.9, 2];
    expect(await differs(moved(steps), times)).toBeLessThan(EXACT);
    const jump = new VectorKeyframeTrack('crate.position', [0, 1, 1, 2], [0, 0, 0, 1, 0, 0, 5, 0, 0, 6, 0, 0]);
    expect(await differs(moved(jump), [0, 0.5, 0.999, 1.001, 1.5, 2])).toBeLessThan(EXACT);
  });

  test('are read where they are packed', () => {
    const { scene, animations } = moved(new VectorKeyframeTrack('crate.position', ...keys));
    const wrong = new AnimationClip('wrong', 1, [new VectorKeyframeTrack('lost.position', ...keys)]);
    const source = { scene, animations: [...animations, wrong] };
    const states = { Go: { motion: 'move' } };
    const mover = defineController({
      name: 'mover',
      parameters: {},
      layers: [{ name: 'base', machine: { default: 'Go', states } }],
    });
    for (const options of [{ controller: mover }, { clips: ['move'] }, { clips: (name: string) => name === 'move' }]) {
      const character = characterFromGltf(source, options);
      expect(character.clips.map(({ name }) => name)).toEqual(['move']);
      expect(character.unpackedClips).toEqual(['wrong']);
      expect(codes(character)).toEqual([]);
    }
    expect(codes(characterFromGltf(source))).not.toEqual([]);
  });

  test('smooth curves, with ends that meet as in three.js when it loops', async () => {
    const smooth = new VectorKeyframeTrack('crate.position', ...keys);
    smooth.setInterpolation(InterpolateSmooth);
    const source = moved(smooth);
    expect(await differs(source, [0.41, 0.6, 0.9, 1.1, 1.19])).toBeLessThan(EXACT);
    const model = modelFromThree(source);
    const action = new AnimationMixer(source.scene)
      .clipAction(source.animations[0]!)
      .setLoop(LoopRepeat, Infinity)
      .play();
    action.getMixer().update(2.1); // past the first round, which begins at rest
    for (const time of [0.05, 0.2, 0.39, 1.3, 1.6, 1.95]) {
      action.time = time;
      action.getMixer().update(0);
      const [x, y, z] = evaluatePose(model, model.clips[0], time);
      expect(source.crate.position.distanceTo(new Vector3(x, y, z))).toBeLessThan(EXACT);
    }
  });

  test.each([
    ['at thirds', [1 / 3, 2 / 3]],
    ['that ease in and out', [0.42, 0.58]],
    ['that begin at once', [0.05, 0.9]],
  ])('Bézier curves with handles %s', async (_, [out, into]) => {
    const track = new VectorKeyframeTrack('crate.position', ...keys);
    track.setInterpolation(InterpolateBezier);
    const [times, values] = keys;
    const handles = (toward: 1 | -1, share: number) =>
      values.flatMap((value, i) => {
        const key = Math.floor(i / 3);
        const other = Math.min(times.length - 1, Math.max(0, key + toward));
        const from = Math.min(key, other);
        const time = times[from]! + share * (times[Math.max(key, other)]! - times[from]!);
        return [time, value + 0.3 * toward * ((i % 3) - 1)];
      });
    const settings = {
      outTangents: Float32Array.from(handles(1, out!)),
      inTangents: Float32Array.from(handles(-1, into!)),
    };
    Object.assign(track, { settings });
    expect(await differs(moved(track), [0, 0.1, 0.2, 0.35, 0.5, 0.9, 1.05, 1.4, 1.9, 2])).toBeLessThan(2 * EXACT);
  });

  test('components, angles, and objects by their uuid', async () => {
    const { scene, crate } = moved();
    const animations = [
      new AnimationClip('components', 2, [
        new NumberKeyframeTrack('crate.position[x]', [0, 2], [0, 3]),
        new NumberKeyframeTrack('crate.position[z]', [0, 0.7, 2], [0, 3, 1]),
        new NumberKeyframeTrack('crate.scale[y]', [0, 2], [1, 3]),
      ]),
      new AnimationClip('angles', 2, [
        new NumberKeyframeTrack(`${crate.uuid}.rotation[y]`, [0, 1, 2], [0, 4, -2]),
        new NumberKeyframeTrack(`${crate.uuid}.rotation[x]`, [0, 1.5, 2], [0.2, 1, 0]),
      ]),
    ];
    expect(await differs({ scene, animations }, [0, 0.3, 0.7, 1.1, 1.7, 2])).toBeLessThan(5 * EXACT);
  });

  test('bones by their skeleton’s list', async () => {
    const mesh = boundMesh(chain(3));
    const clip = new AnimationClip('bones', 2, [
      new QuaternionKeyframeTrack('.bones[bone1].quaternion', [0, 2], [turn(0, ...UP), turn(1, 1, 0, 0)].flat()),
      new VectorKeyframeTrack('.bones[2].position', [0, 2], [0, 1, 0, 0, 1.5, 0]),
    ]);
    expect(await differs({ scene: mesh, animations: [clip] })).toBeLessThan(EXACT);
  });

  test('end when they say, whatever their keys say', async () => {
    const source = moved(new VectorKeyframeTrack('crate.position', [0, 1, 5], [0, 0, 0, 1, 2, 3, 9, 9, 9]));
    expect(modelFromThree(source).clips[0]!.duration).toBe(2);
    expect(await differs(source, [0, 0.5, 1.5, 1.99, 2])).toBeLessThan(EXACT);
  });

  test('tracks that cannot be played are reported, once each', () => {
    const source = moved(
      new BooleanKeyframeTrack('crate.visible', [0, 1], [true, false]),
      new ColorKeyframeTrack('crate.material.color', [0, 1], [1, 0, 0, 0, 1, 0]),
      new VectorKeyframeTrack('nobody.position', [0, 1], [0, 0, 0, 1, 1, 1]),
      new NumberKeyframeTrack('crate.quaternion[x]', [0, 1], [0, 1]),
      new NumberKeyframeTrack('crate.position', [0, 1], [0, 1]),
    );
    const { issues, clips } = modelFromThree(source);
    expect(issues.map(({ code }) => code)).toEqual(Array.from({ length: 5 }, () => 'GLTF_CHANNEL_IGNORED'));
    expect(issues.map(({ path }) => path)).toEqual(
      ['crate.visible', 'crate.material.color', 'nobody.position', 'crate.quaternion[x]', 'crate.position'].map(
        (name) => expect.stringContaining(name) as unknown,
      ),
    );
    expect(clips[0]!.tracks).toEqual([]);
  });

  test('additive ones are added to the rest pose', async () => {
    const source = moved(
      new VectorKeyframeTrack('crate.position', [0, 1, 2], [1, 1, 1, 2, 3, 4, 0, 0, 0]),
      new QuaternionKeyframeTrack('crate.quaternion', [0, 2], [turn(0.5, 1, 0, 0), turn(1.5, 1, 1, 0)].flat()),
    );
    source.crate.quaternion.fromArray(turn(0.7, 0, 0, 1));
    AnimationUtils.makeClipAdditive(source.animations[0]!);
    expect(source.animations[0]!.blendMode).toBe(AdditiveAnimationBlendMode);
    expect(codes(modelFromThree(source))).toEqual(['THREE_SIMPLIFIED']);
    expect(await differs(source)).toBeLessThan(EXACT);
  });
});

describe('what is not right', () => {
  const mesh = () => plainMesh(box());

  test('a scene without meshes', () => {
    expect(refusal({ scene: new Group() })).toBe('GLTF_NO_MESH');
    const hidden = mesh();
    hidden.visible = false;
    expect(refusal({ scene: new Group().add(hidden) })).toBe('GLTF_NO_MESH');
  });

  test('more joints than a skeleton may have', () => {
    const bones = Array.from({ length: 4097 }, () => new Bone());
    const skinned = new SkinnedMesh(skinnedBox(2), new MeshStandardMaterial());
    const scene = new Group().add(skinned, ...bones);
    skinned.bind(new Skeleton(bones));
    expect(refusal({ scene })).toBe('CHARACTER_TOO_MANY_JOINTS');
  });

  test('weights without joints, NaN among them, joints and indices that are not there', () => {
    const make = (change: (geometry: BufferGeometry) => void) => {
      const skinned = boundMesh(chain(2));
      change(skinned.geometry);
      return { scene: new Group().add(skinned) };
    };
    const loose = make((geometry) => geometry.deleteAttribute('skinIndex'));
    expect(codes(modelFromThree(loose))).toContain('GLTF_MESH_WITHOUT_SKIN');
    const nan = make(({ attributes }) => attributes.skinWeight!.setX(3, Number.NaN));
    expect(codes(modelFromThree(nan))).toContain('GLTF_WEIGHTS_REPAIRED');
    const far = make(({ attributes }) => attributes.skinIndex!.setX(3, 7));
    expect(refusal(far)).toBe('GLTF_JOINT_OUT_OF_RANGE');
    const beyond = make((geometry) => geometry.setIndex([0, 1, 999]));
    expect(refusal(beyond)).toBe('GLTF_INDEX_OUT_OF_RANGE');
    const lost = make(() => undefined);
    (lost.scene.children[0] as SkinnedMesh).skeleton.bones.pop();
    (lost.scene.children[0] as SkinnedMesh).skeleton.bones.push(undefined as unknown as Bone);
    expect(refusal(lost)).toBe('GLTF_JOINT_OUT_OF_RANGE');
    const moved = mesh();
    moved.position.x = Number.NaN;
    expect(refusal({ scene: new Group().add(moved) })).toBe('GLTF_INVALID');
    const absurd = mesh();
    absurd.geometry.attributes.position!.setX(0, Number.NaN);
    expect(codes(modelFromThree({ scene: new Group().add(absurd) }))).toContain('GLTF_VALUES_REPAIRED');
  });

  test('what three draws and characters cannot have in them', () => {
    const scene = new Group();
    const lod = new LOD();
    lod.addLevel(mesh(), 0).addLevel(mesh(), 10);
    scene.add(mesh(), new InstancedMesh(box(), new MeshStandardMaterial(), 3), new Points(box()), lod);
    const { meshes, issues } = modelFromThree({ scene });
    expect(meshes).toHaveLength(2);
    expect(issues.map(({ code }) => code).sort()).toEqual([
      'GLTF_LOD_IGNORED',
      'GLTF_PRIMITIVE_IGNORED',
      'GLTF_PRIMITIVE_IGNORED',
    ]);
  });
});
