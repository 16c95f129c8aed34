import { HUMAN_BONES, type HumanoidMap } from '../../src/character/humanoid.ts';
import type { CharacterModel, ClipModel, JointModel, TrackModel } from '../../src/character/model.ts';
import { defaultBody } from '../../src/import/unity/humanoid/default-body.ts';
import { SeededRandom } from '../../src/math/seeded-random.ts';

type Joint = { -readonly [K in keyof JointModel]: JointModel[K] };

/** Names that readers of bones react to. */
const NAMES = ['Hips', 'mixamorig:Hips', 'pelvis', 'Spine', 'spine.001', 'Head', 'LeftUpLeg', 'thigh_l', 'LeftLeg',
  'RightLeg', 'LeftFoot', 'RightFoot', 'LeftArm', 'RightArm', 'LeftForeArm', 'LeftHand', 'hand_r', 'front_leg_l', 'tail', '', 'root', 'x']; // prettier-ignore

/** Makes skeletons, maps and clips that no tool writes, the same for the same seed. */
export class Hostile {
  readonly random: SeededRandom;

  constructor(seed: number) {
    this.random = new SeededRandom(seed);
  }

  index(count: number): number {
    return Math.floor(this.random.next() * count);
  }

  pick<T>(list: readonly T[]): T {
    return list[this.index(list.length)]!;
  }

  rotation(): [number, number, number, number] {
    const q = [0, 1, 2, 3].map(() => this.random.range(-1, 1));
    const length = Math.hypot(...q) || 1;
    return q.map((value) => value / length) as [number, number, number, number];
  }

  /** Joints of a person, or of nothing. */
  joints(): Joint[] {
    const kind = this.random.next();
    if (kind < 0.75) return this.damaged(defaultBody().joints.map((joint) => ({ ...joint })));
    const count = this.pick([0, 1, 2, 17, 60]);
    return Array.from({ length: count }, (_, nodeIndex) => ({
      name: this.pick(NAMES),
      parentIndex: nodeIndex === 0 ? -1 : this.index(nodeIndex + 1) - 1,
      nodeIndex,
      translation: [this.random.range(-1, 1), this.random.range(-1, 1), this.random.range(-1, 1)],
      rotation: this.rotation(),
      scale: [1, 1, 1],
    }));
  }

  damaged(joints: Joint[]): Joint[] {
    const scale = this.pick([1, 1, 1, 1e-9, 1e-3, 1e3, 1e9]);
    for (const joint of joints) joint.translation = joint.translation.map((v) => v * scale) as unknown as Joint['translation'];
    const times = this.index(6);
    for (let i = 0; i < times; i++) {
      const joint = this.pick(joints);
      const kind = this.index(7);
      if (kind === 0) joint.translation = [0, 0, 0];
      if (kind === 1) joint.rotation = this.rotation();
      if (kind === 2) joint.scale = this.pick([[0, 0, 0], [-1, 1, 1], [1e6, 1e6, 1e6], [1, 0, 1], [1e-12, 1, 1]] as const);
      if (kind === 3) joint.name = this.pick(NAMES);
      if (kind === 4) for (const each of joints) each.translation = [0, 0, 0];
      if (kind === 5) for (const each of joints) each.rotation = this.rotation();
      if (kind === 6) joint.translation = [1e15, -1e15, 1e15];
    }
    return joints;
  } // prettier-ignore

  /** A map as code may pass it: joints that are missing, shared, or above each other the wrong way round. */
  map(count: number): HumanoidMap | undefined {
    const kind = this.random.next();
    if (kind < 0.5) return undefined;
    const own = defaultBody().humanoid;
    if (kind < 0.8) return own;
    const odd = [() => this.index(count + 1), () => -1, () => 0.5, () => Number.NaN, () => count + 7, () => 0];
    const share = this.random.next();
    const map = Object.fromEntries(
      HUMAN_BONES.map((bone) => [bone, this.random.next() < share ? this.pick(odd)() : own[bone]]),
    );
    return JSON.parse(JSON.stringify(map), (_, value: unknown) => value ?? undefined) as HumanoidMap;
  }

  track(joints: number, times: Float32Array): TrackModel {
    const path = this.pick(['translation', 'rotation', 'rotation', 'scale'] as const);
    const targetIndex = this.index(joints);
    const size = this.pick([1, 1, 1e-6, 1e9]);
    const values = Array.from(times).flatMap(() =>
      path === 'rotation' ? this.rotation() : [0, 1, 2].map(() => size * this.random.range(-1, 1)),
    );
    return {
      path,
      targetIndex,
      interpolation: this.pick(['STEP', 'LINEAR']),
      times,
      values: Float32Array.from(values),
    };
  }

  clip(joints: number): ClipModel {
    const duration = this.pick([0, 1e-6, 0.4, 3]);
    const count = duration === 0 ? 1 : this.pick([1, 2, 9]);
    const times = Float32Array.from({ length: count }, (_, i) => (count === 1 ? 0 : (duration * i) / (count - 1)));
    const tracks = joints === 0 ? [] : Array.from({ length: this.index(20) }, () => this.track(joints, times));
    return { name: 'wild', duration: Math.fround(duration), tracks };
  }

  model(name: string): CharacterModel {
    const joints = this.joints();
    const humanoid = this.map(joints.length);
    const plain = { bindings: [], meshes: [], morphSets: [], materials: [], images: [], issues: [] };
    return { name, joints, ...plain, clips: [this.clip(joints.length)], ...(humanoid ? { humanoid } : {}) };
  }
}
