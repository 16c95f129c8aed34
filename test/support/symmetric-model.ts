import type { BindingModel, CharacterModel, ClipModel, JointModel, TrackModel } from '../../src/character/model.ts';
import { multiplyQuaternion } from '../../src/math/quaternion.ts';
import type { Random } from './random.ts';
import { bindingOf, heldAt, meshOf, smallModel } from './small-model.ts';

type Four = [number, number, number, number];

const inverseOf = ([x, y, z, w]: Four): Four => [-x, -y, -z, w];

const product = (a: Four, b: Four): Four => {
  const out: number[] = [];
  multiplyQuaternion(a, b, out);
  return out as Four;
};

const rotated = (v: readonly number[], q: Four): [number, number, number] => {
  const [x, y, z] = product(product(q, [v[0]!, v[1]!, v[2]!, 0]), inverseOf(q));
  return [x, y, z];
};

/** A point in the YZ plane's mirror. */
export const reflectedPoint = ([x, y, z]: readonly number[]): number[] => [-x!, y!, z!];

/**
 * A character that is its own mirror image: a chain of joints in the middle, with a left and a right limb at each. Only
 * the joints' places are symmetric: the frame of every joint, left ones and right ones too, is turned at random.
 * Vertices come in pairs 2 i and 2 i + 1 that mirror each other.
 */
export function symmetricModel(random: Random, middle: number, limb: number): CharacterModel {
  const joints: JointModel[] = [];
  const places: { point: readonly number[]; frame: Four }[] = [];
  const add = (name: string, parentIndex: number, point: readonly number[]): number => {
    const frame = random.quaternion(Math.PI);
    const parent = places[parentIndex] ?? { point: [0, 0, 0], frame: [0, 0, 0, 1] as Four };
    const offset = point.map((value, c) => value - parent.point[c]!);
    joints.push({
      name,
      parentIndex,
      nodeIndex: joints.length,
      translation: rotated(offset, inverseOf(parent.frame)),
      rotation: product(inverseOf(parent.frame), frame),
      scale: [1, 1, 1],
    });
    return places.push({ point, frame }) - 1;
  };
  const stepped = (from: readonly number[]) => random.vector(0.4).map((d, c) => d + from[c]!);
  let spine = -1;
  for (let m = 0; m < middle; m++) {
    const [, y, z] = stepped(places[spine]?.point ?? [0, 0, 0]);
    spine = add(`spine ${m}`, spine, [0, y!, z!]);
    let [left, right] = [spine, spine];
    for (let l = 0; l < limb; l++) {
      const point = stepped(places[left]!.point);
      left = add(`limb ${m} ${l} L`, left, point);
      right = add(`limb ${m} ${l} R`, right, reflectedPoint(point));
    }
  }
  // bound unturned where it stands; then the frame is taken out as well
  const bindings = places.map(({ point, frame }, joint): BindingModel => {
    const columns = [0, 1, 2].map((c) =>
      rotated(
        [0, 1, 2].map((r) => Number(r === c)),
        inverseOf(frame),
      ),
    );
    const shift = rotated(
      point.map((value) => -value),
      inverseOf(frame),
    );
    const rows = [0, 1, 2].map((r) => [...columns.map((column) => column[r]!), shift[r]!]);
    return { ...bindingOf(joint, [0, 0, 0]), jointFromMesh: Float32Array.from(rows.flat()) };
  });
  const pairOf = (joint: number) => {
    const other = joints[joint]!.name.replace(/[LR]$/, (side) => (side === 'L' ? 'R' : 'L'));
    return joints.findIndex(({ name }) => name === other);
  };
  const sides = Array.from({ length: 30 }, () => {
    const [a, b] = [0, 1].map(() => random.integer(0, joints.length - 1)) as [number, number];
    const share = random.range(0.5, 1);
    return { point: random.vector(1), joints: [a, b], share };
  });
  const mesh = meshOf(
    sides.flatMap(({ point }) => [point, reflectedPoint(point)]),
    (v) => {
      const { joints: bound, share } = sides[v >> 1]!;
      const [a, b] = v % 2 === 0 ? bound : bound.map(pairOf);
      return [
        [a!, share],
        [b!, 1 - share],
      ];
    },
  );
  return smallModel({ joints, bindings, meshes: [mesh] });
}

/** Every joint held in some pose: turned, and some of them moved. */
export function randomPose(random: Random, { joints }: CharacterModel): ClipModel {
  const tracks = joints.flatMap((joint, j): TrackModel[] => [
    heldAt('rotation', j, random.quaternion(2)),
    ...(random.chance(0.4)
      ? [
          heldAt(
            'translation',
            j,
            random.vector(0.2).map((d, c) => d + joint.translation[c]!),
          ),
        ]
      : []),
  ]);
  return { name: 'pose', duration: 0, tracks };
}
