import { findJoint, listedByNearness, nameIndex } from '../../character/names.ts';
import { fail, quoted } from '../../errors.ts';
import type { CrowdTables, CrowdType } from '../../frame/tables/crowd-types.ts';
import { RestLane } from '../../character/format/rig-layout.ts';
import { affineFromPose, multiplyAffine } from '../../math/affine.ts';
import { multiplyQuaternion } from '../../math/quaternion.ts';

/** A joint that things can be attached to. */
export interface Socket {
  /** Row of a palette where its transform begins. */
  readonly jointRow: number;
  /** Three rows, at rest. */
  readonly modelFromJoint: ArrayLike<number>;
  /** Lengths that the joint's axes have in model space, at rest. */
  readonly scale: readonly [x: number, y: number, z: number];
}

/** The socket with its transform at a row of the palette, or undefined. */
export function socketAt(tables: CrowdTables, type: CrowdType, jointRow: number): Socket | undefined {
  const place = type.character.sockets.find(({ entry }) => 3 * entry === jointRow);
  return place && socketOf(tables, type, place);
}

function socketOf(tables: CrowdTables, type: CrowdType, place: CrowdType['character']['sockets'][number]): Socket {
  const { modelFromJoint: m } = restJoint(tables, type, place.jointIndex);
  const length = (axis: number) => Math.hypot(m[axis]!, m[4 + axis]!, m[8 + axis]!);
  return { jointRow: 3 * place.entry, modelFromJoint: m, scale: [length(0), length(1), length(2)] };
}

const byJoint = new WeakMap<CrowdType, Map<string | number, Socket>>();

/**
 * The socket of a joint, searched once.
 * @param joint Its name, as the file or three.js writes it, or its index.
 * @throws ManipleError SOCKET_NOT_FOUND
 */
export function socketOfJoint(tables: CrowdTables, type: CrowdType, joint: string | number): Socket {
  const known = byJoint.get(type) ?? new Map<string | number, Socket>();
  byJoint.set(type, known);
  const socket = known.get(joint) ?? findSocket(tables, type, joint);
  known.set(joint, socket);
  return socket;
}

function findSocket(tables: CrowdTables, type: CrowdType, joint: string | number): Socket {
  const { name, joints, sockets } = type.character;
  const names = sockets.map(({ jointIndex }) => joints[jointIndex]!.name);
  const named =
    typeof joint === 'number'
      ? sockets.find(({ jointIndex }) => jointIndex === joint)
      : sockets[nameIndex(names, joint)];
  if (named) return socketOf(tables, type, named);
  const message = `There is no socket ${quoted(joint)}.`;
  const index = findJoint(type.character, joint, 'SOCKET_NOT_FOUND');
  const suggestion = `Call addSockets(character, [${quoted(typeof joint === 'number' ? joint : joints[index]!.name)}]) before the crowd is created.`;
  const others = names.length > 0 ? ` Its sockets: ${listedByNearness(names, joint)}.` : '';
  return fail('SOCKET_NOT_FOUND', name, message, suggestion + others);
}

/** Rest pose of a joint, in model space. */
export interface RestJoint {
  readonly position: readonly number[];
  readonly rotation: readonly number[];
  /** Three rows of four numbers, scales and all. */
  readonly modelFromJoint: ArrayLike<number>;
}

const restOf = new WeakMap<CrowdType, Map<number, RestJoint>>();

/** The rest pose of a joint, computed once. Scales affect position and matrix, not the rotation. */
export function restJoint(tables: CrowdTables, type: CrowdType, joint: number): RestJoint {
  const known = restOf.get(type) ?? new Map<number, RestJoint>();
  restOf.set(type, known);
  const rest = known.get(joint) ?? computeRest(tables, type, joint);
  known.set(joint, rest);
  return rest;
}

function computeRest(tables: CrowdTables, { typeRow, character }: CrowdType, joint: number): RestJoint {
  const rest = typeRow + tables.rig.type(typeRow).restRow;
  const chain: number[] = [];
  for (let at = joint; at >= 0; at = character.joints[at]!.parentIndex) chain.unshift(at);
  const rotation = [0, 0, 0, 1];
  const modelFromParent = Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0);
  const parentFromJoint = new Float64Array(12);
  for (const lane of chain) {
    const word = 4 * rest + (lane * RestLane.size) / 4;
    const float = (offset: number, count: number) =>
      Array.from(tables.rig.floats.subarray(word + offset / 4, word + offset / 4 + count));
    const turn = float(RestLane.offsets.rotation, 4);
    const pose = [...float(RestLane.offsets.translation, 3), ...turn, ...float(RestLane.offsets.scale, 3)];
    affineFromPose(Float64Array.from(pose), 0, parentFromJoint, 0);
    multiplyAffine(modelFromParent, 0, parentFromJoint, 0, parentFromJoint, 0);
    modelFromParent.set(parentFromJoint);
    multiplyQuaternion(rotation, turn, rotation);
  }
  const position = [modelFromParent[3]!, modelFromParent[7]!, modelFromParent[11]!];
  return { position, rotation, modelFromJoint: modelFromParent };
}
