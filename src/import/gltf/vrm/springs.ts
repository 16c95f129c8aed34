import type { JointModel, Vec3 } from '../../../character/model.ts';
import type { VrmCollider, VrmModel, VrmSpring, VrmSpringJoint } from '../../../character/vrm.ts';
import { refuse } from '../../model-builder/issue-list.ts';
import { type Fields, indexOf, listOf, numberOf, objectOf, textOf, unityVectorOf, vectorOf } from './fields.ts';

type Springs = Pick<VrmModel, 'springs' | 'colliderGroups'>;
/** The joint of a node, or undefined. */
type JointOf = (node: unknown) => number | undefined;

/** Joints of all springs, and colliders of all groups, at most. */
const MOST = 100_000;
const DOWN: Vec3 = [0, -1, 0];

/** Nodes that springs and colliders name. */
export function springNodes(vrm: Fields, springBone: Fields): readonly unknown[] {
  const { boneGroups, colliderGroups } = objectOf(vrm.secondaryAnimation);
  return [
    ...listOf(boneGroups).flatMap((group) => listOf(objectOf(group).bones)),
    ...listOf(springBone.springs).flatMap((spring) =>
      listOf(objectOf(spring).joints).map((each) => objectOf(each).node),
    ),
    ...[...listOf(colliderGroups), ...listOf(springBone.colliders)].map((each) => objectOf(each).node),
  ];
}

/** Reads VRMC_springBone of VRM 1.0. @throws ManipleError GLTF_LIMIT */
export function readSprings(springBone: Fields, jointOf: JointOf): Springs {
  const colliders = listOf(springBone.colliders).map((each): VrmCollider[] => {
    const { node, shape } = objectOf(each);
    const { sphere, capsule } = objectOf(shape);
    const { offset, radius, tail } = objectOf(sphere ?? capsule);
    const jointIndex = jointOf(node);
    const end = capsule === undefined ? {} : { tail: vectorOf(tail) };
    return jointIndex === undefined ? [] : [{ jointIndex, offset: vectorOf(offset), radius: numberOf(radius), ...end }];
  });
  const count = counter();
  const colliderGroups = listOf(springBone.colliderGroups).map((group) =>
    listOf(objectOf(group).colliders).flatMap((index) =>
      count(colliders[indexOf(index, colliders.length) ?? -1] ?? []),
    ),
  );
  const springs = listOf(springBone.springs).map((each): VrmSpring => {
    const { name, joints, colliderGroups: groups, center } = objectOf(each);
    const chain = listOf(joints).flatMap((joint): VrmSpringJoint[] => {
      const { node, stiffness, gravityDir, ...rest } = objectOf(joint);
      const jointIndex = jointOf(node);
      const gravityDirection = vectorOf(gravityDir, DOWN);
      return jointIndex === undefined ? [] : [springJoint(jointIndex, rest, numberOf(stiffness, 1), gravityDirection)];
    });
    return {
      name: textOf(name),
      joints: count(chain),
      colliderGroups: indices(groups, colliderGroups.length),
      centerJointIndex: jointOf(center) ?? -1,
    };
  });
  return { springs, colliderGroups };
}

/**
 * Reads `secondaryAnimation` of VRM 0.x: a spring for each root bone, with all joints below it. Model space is that of
 * the turned model. @throws ManipleError GLTF_LIMIT
 */
export function readOldSprings(vrm: Fields, joints: readonly JointModel[], jointOf: JointOf): Springs {
  const { boneGroups, colliderGroups: groups } = objectOf(vrm.secondaryAnimation);
  const count = counter();
  const colliderGroups = listOf(groups).map((group): VrmCollider[] => {
    const jointIndex = jointOf(objectOf(group).node);
    if (jointIndex === undefined) return [];
    return count(
      listOf(objectOf(group).colliders).map((collider) => {
        const { offset, radius } = objectOf(collider);
        return { jointIndex, offset: unityVectorOf(offset), radius: numberOf(radius) };
      }),
    );
  });
  const springs = listOf(boneGroups).flatMap((each) => {
    const { comment, bones, colliderGroups: used, center, stiffiness, gravityDir, ...rest } = objectOf(each);
    const [x, y, z] = unityVectorOf(gravityDir, DOWN);
    return listOf(bones).flatMap((bone): VrmSpring[] => {
      const root = jointOf(bone);
      if (root === undefined) return [];
      const tree = count(withDescendants(joints, root));
      return [
        {
          name: textOf(comment),
          joints: tree.map((index) => springJoint(index, rest, numberOf(stiffiness, 1), [-x, y, -z])),
          colliderGroups: indices(used, colliderGroups.length),
          centerJointIndex: jointOf(center) ?? -1,
        },
      ];
    });
  });
  return { springs, colliderGroups };
}

function springJoint(jointIndex: number, fields: Fields, stiffness: number, gravityDirection: Vec3): VrmSpringJoint {
  const { hitRadius, gravityPower, dragForce } = fields;
  const drag = numberOf(dragForce, 0.5);
  return {
    jointIndex,
    hitRadius: numberOf(hitRadius),
    stiffness,
    gravityPower: numberOf(gravityPower),
    gravityDirection,
    drag,
  };
}

/** A joint and all below it, in order. */
function withDescendants(joints: readonly JointModel[], root: number): number[] {
  const isBelow = new Uint8Array(joints.length);
  isBelow[root] = 1;
  return joints.flatMap(({ parentIndex }, joint) => {
    if (parentIndex >= 0 && isBelow[parentIndex]) isBelow[joint] = 1;
    return isBelow[joint] ? [joint] : [];
  });
}

function indices(list: unknown, count: number): number[] {
  return listOf(list).flatMap((value) => indexOf(value, count) ?? []);
}

/** Returns lists as they are, and refuses them where they are too long together. */
function counter(): <T>(list: T[]) => T[] {
  let total = 0;
  return (list) => {
    total += list.length + 1;
    if (total > MOST) refuse('GLTF_LIMIT', '/extensions', `springs and colliders have more than ${MOST} entries`);
    return list;
  };
}
