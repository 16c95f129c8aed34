import { fail, quoted } from '../errors.ts';
import { expectFloats, expectObject, expectOptions, type Names, refuseArgument } from './arguments.ts';
import { affineFromPose } from '../math/affine.ts';
import { socketOfJoint } from './rows/joints.ts';
import type { CharacterId } from './rows/ids.ts';
import type { CrowdState } from './crowd-state.ts';
import { NOT_ATTACHED } from './not-attached.ts';
import { type EulerLike, type QuaternionLike, rotationList, vectorList, type VectorLike } from './vectors.ts';

/**
 * Where and how large something is held, in the joint's axes. The scale of the joint at rest does not count, nor that of joints above. So a metre of offset, or of geometry, is a metre of the model, even below an armature that is scaled by 0.01 or 100. Scales that clips add to that, and the character's own, do count. Axes count separately: a negative scale mirrors, and joints above with uneven scales may shear.
 */
export interface SocketOffset {
  /** Metres of the model; default 0, 0, 0. */
  readonly position?: VectorLike;
  /** A quaternion, or Euler angles as three.js has them; default no turn. */
  readonly rotation?: QuaternionLike | EulerLike;
  /** Default 1. */
  readonly scale?: number | VectorLike;
}

export interface AttachOptions {
  /** Default: exactly as the joint is. */
  readonly offset?: SocketOffset;
  /**
   * Behaviour while its character is culled, or dropped because memory is full: `'keep'` (default)
   * goes where the character goes, in the pose that it had last; `'hide'` has a matrix of zero scale.
   */
  readonly whenCulled?: 'keep' | 'hide';
}

const ATTACH_OPTIONS: Names<AttachOptions> = { offset: true, whenCulled: true };

/** Something that a character carries. It ends when it is detached, or with its character. */
export class Attachment {
  readonly #host: CrowdState;
  readonly #generation: number;

  /** @internal */
  constructor(
    host: CrowdState,
    /** Its row of the crowd's `socketMatrices`; another attachment's once this one has ended. */
    readonly index: number,
    /** Its character. */
    readonly character: CharacterId,
  ) {
    this.#host = host;
    this.#generation = host.sockets.generation(index);
  }

  /** @internal The character's row, as long as it is attached. */
  get row(): number {
    return this.#host.sockets.rowOf(this.index);
  }

  get isAttached(): boolean {
    return this.#host.sockets.generation(this.index) === this.#generation;
  }

  /** Holds it elsewhere from the next frame on. @throws ManipleError CROWD_BAD_ARGUMENT (it has ended, or numbers are not finite) */
  setOffset(offset: SocketOffset): void {
    if (!this.isAttached) fail('CROWD_BAD_ARGUMENT', 'setOffset', 'The attachment has ended.');
    this.#host.setOffset(this.index, offsetMatrix(offset, this.#host.jointScale(this.index)));
  }

  /** Ends it; its matrix has zero scale from the next frame on. Nothing happens when it has ended. */
  detach(): void {
    if (this.isAttached) this.#host.detach(this.index);
  }
}

/** Attachments of many characters, one each. */
export class Attachments {
  readonly #host: CrowdState;
  readonly #generations: Uint32Array;

  /** @internal */
  constructor(
    host: CrowdState,
    /**
     * Rows of the crowd's `socketMatrices`, in the order of the characters; `NOT_ATTACHED` for those that did not
     * live. Rows of attachments that have ended are given to others: ask `isAttached`.
     */
    readonly indices: Uint32Array<ArrayBuffer>,
  ) {
    this.#host = host;
    this.#generations = indices.map((index) => (index === NOT_ATTACHED ? 0 : host.sockets.generation(index)));
  }

  get count(): number {
    return this.indices.length;
  }

  isAttached(i: number): boolean {
    const index = this.indices[i];
    return (
      index !== undefined && index !== NOT_ATTACHED && this.#host.sockets.generation(index) === this.#generations[i]
    );
  }

  /** Holds one of them elsewhere. Errors as `Attachment.setOffset`. */
  setOffset(i: number, offset: SocketOffset): void {
    if (!this.isAttached(i))
      fail('CROWD_BAD_ARGUMENT', 'setOffset', `There is no attachment ${quoted(i)}, or it has ended.`);
    const index = this.indices[i]!;
    this.#host.setOffset(index, offsetMatrix(offset, this.#host.jointScale(index)));
  }

  /** Ends all of them, or some (by place in `indices`); those that have ended are passed by. */
  detach(places: Iterable<number> = this.indices.keys()): void {
    if (typeof places?.[Symbol.iterator] !== 'function') refuseArgument('places', places, 'a list');
    for (const i of places) if (this.isAttached(i)) this.#host.detach(this.indices[i]!);
  }
}

/**
 * Attaches one thing to each of the rows; all or none.
 * @param rows Below 0: no character.
 */
export function attachToRows(
  host: CrowdState,
  rows: readonly number[],
  joint: string | number,
  options: AttachOptions,
): Attachments {
  expectOptions('options', options, ATTACH_OPTIONS);
  const { offset, whenCulled: unseen = 'keep' } = options;
  if (unseen !== 'keep' && unseen !== 'hide') refuseArgument('whenCulled', unseen, "'keep' or 'hide'");
  offsetMatrix(offset); // checked even where nothing is attached
  const { tables } = host.shape;
  const sockets = rows.map((row) => (row < 0 ? undefined : socketOfJoint(tables, host.typeAt(row)!, joint)));
  host.sockets.reserve(sockets.reduce((sum, socket) => (socket ? sum + 1 : sum), 0));
  const matrices = new Map([...new Set(sockets)].map((socket) => [socket, offsetMatrix(offset, socket?.scale)]));
  const hides = unseen === 'hide';
  const indices = Uint32Array.from(rows, (row, i) => {
    const socket = sockets[i];
    return socket ? host.attach({ row, socket, jointFromLocal: matrices.get(socket)!, hides }) : NOT_ATTACHED;
  });
  return new Attachments(host, indices);
}

/**
 * `jointFromLocal`: three rows of four numbers.
 * @param jointScale Lengths of the joint's axes, which are taken out; an axis of no length stays as it is.
 * @throws ManipleError CROWD_BAD_ARGUMENT
 */
export function offsetMatrix(
  offset: SocketOffset = {},
  jointScale: readonly [x: number, y: number, z: number] = [1, 1, 1],
): Float32Array {
  expectObject('offset', offset);
  const { position: from = [0, 0, 0], rotation: turn = [0, 0, 0, 1], scale = 1 } = offset;
  const position = expectFloats('position', vectorList(from), 3);
  const rotation = expectFloats('rotation', rotationList(turn), 4);
  const scales = expectFloats('scale', typeof scale === 'number' ? [scale, scale, scale] : vectorList(scale), 3);
  const length = Math.hypot(...rotation);
  const numbers = [...position, ...rotation.map((c) => c / length), ...scales];
  const matrix = new Float32Array(12);
  affineFromPose(numbers, 0, matrix, 0);
  jointScale.forEach((length, row) => {
    for (let c = 4 * row; c < 4 * row + 4; c++) matrix[c]! /= length || 1;
  });
  if (!matrix.every(Number.isFinite)) {
    const message = `Position ${position.join(', ')}, rotation ${rotation.join(', ')}, scale ${scales.join(', ')}`;
    const suggestion = 'Use numbers that a 32-bit float holds, and a rotation other than 0.';
    fail('CROWD_BAD_ARGUMENT', 'offset', `${message}: not an offset.`, suggestion);
  }
  return matrix;
}
