import { fail, listed, quoted } from '../errors.ts';
import type { CrowdTables, CrowdType } from '../frame/types.ts';
import { restJoint } from './look-at.ts';

/** A joint that things can be attached to. */
export interface Socket {
  /** Row of a palette where its transform begins. */
  readonly jointRow: number;
  /** Three rows, at rest. */
  readonly modelFromJoint: ArrayLike<number>;
}

/** By the row of a palette: what rests where is asked for every attachment of a snapshot or a log. */
const found = new WeakMap<CrowdType, Map<number, Socket>>();

/** The socket whose transform begins at a row of a palette; undefined where there is none. */
export function socketAt(tables: CrowdTables, type: CrowdType, jointRow: number): Socket | undefined {
  const known = found.get(type) ?? new Map<number, Socket>();
  found.set(type, known);
  const socket = known.get(jointRow);
  if (socket) return socket;
  const place = type.character.sockets.find(({ entry }) => 3 * entry === jointRow);
  if (!place) return undefined;
  const { modelFromJoint } = restJoint(tables, type, place.jointIndex);
  known.set(jointRow, { jointRow, modelFromJoint });
  return known.get(jointRow);
}

/**
 * The socket of a joint.
 * @param joint Its name, or its index.
 * @throws ManipleError SOCKET_NOT_FOUND
 */
export function findSocket(tables: CrowdTables, type: CrowdType, joint: string | number): Socket {
  const { name, joints, sockets } = type.character;
  const named = sockets.find(({ jointIndex }) => joint === jointIndex || joints[jointIndex]!.name === joint);
  if (named) {
    const { modelFromJoint } = restJoint(tables, type, named.jointIndex);
    return { jointRow: 3 * named.entry, modelFromJoint };
  }
  const isJoint = joints.some((known, index) => joint === index || known.name === joint);
  const jointName = quoted(joint);
  if (isJoint) {
    const suggestion = `Call addSockets(character, [${jointName}]) before the crowd is created.`;
    return fail('SOCKET_NOT_FOUND', name, `its joint ${jointName} is no socket.`, suggestion);
  }
  const names = sockets.map(({ jointIndex }) => joints[jointIndex]!.name);
  const suggestion = names.length > 0 ? `Its sockets are ${listed(names)}.` : 'Give it some with addSockets().';
  return fail('SOCKET_NOT_FOUND', name, `has no socket ${jointName}.`, suggestion);
}
