import { fail, quoted } from '../errors.ts';
import { expectList, expectObject, refuseArgument } from './arguments.ts';
import type { CrowdType } from '../frame/types.ts';
import { Attachment, Attachments, offsetMatrix, type AttachOptions } from './attachments.ts';
import { findSocket, type Socket } from './find-socket.ts';
import type { CharacterId } from './ids.ts';
import { NOT_ATTACHED } from './not-attached.ts';
import { Observed } from './observed.ts';
import type { Origin } from './placement.ts';
import { reading, type Reading } from './read.ts';

/** Matrices of attachments, and what they are relative to: metres in the world. */
export type SocketReading = Reading<Float32Array | undefined> & { readonly origin: Origin };

/** Things that characters carry: in their hands, on their backs. */
export abstract class Carrying extends Observed {
  readonly #found = new WeakMap<CrowdType, Map<string | number, Socket>>();

  /**
   * `worldFromLocal` of everything that is attached, 64 bytes each, column after column: an instance's matrix. Written by
   * every frame. May be bound as storage, as a vertex buffer, or copied. Rows that nobody has are of zero scale.
   *
   * The buffer stays until more is attached than it has room for; then the next frame that is recorded brings another one
   * (`on('sockets', …)` tells), and the old one is destroyed when `submitted()` of that frame is called. Undefined on the
   * CPU backend without a device.
   */
  get socketMatrices(): GPUBuffer | undefined {
    return this.backend.socketMatrices;
  }

  /**
   * The same of the last frame with views, relative to the origin of this frame: for motion vectors. What has just been attached,
   * appears again, or teleported with its character has not moved. Replaced whenever `socketMatrices` is.
   */
  get previousSocketMatrices(): GPUBuffer | undefined {
    return this.backend.previousSocketMatrices;
  }

  /** Attachments that have not ended. */
  get attachmentCount(): number {
    return this.host.sockets.count;
  }

  /**
   * Attaches something to a joint of a character: from the next frame on, a row of `socketMatrices` says where it is.
   * Costs 288 bytes of GPU memory, and one pose of the character, which is due at once.
   *
   * `offset` is in metres, along the joint's axes at rest: see `SocketOffset`.
   *
   * @param socket Name or index of a joint that `addSockets` has made a socket.
   * @throws ManipleError CROWD_BAD_ID, SOCKET_NOT_FOUND, CROWD_BAD_ARGUMENT (offset), CROWD_LIMIT (no buffer holds more)
   */
  attach(id: CharacterId, socket: string | number, options: AttachOptions = {}): Attachment {
    const { indices } = this.#attach([this.oneRow(id)], socket, options);
    return new Attachment(this.host, indices[0]!, id);
  }

  /** The same for many characters, one thing each; all or none. Errors as `attach`. */
  attachAll(ids: readonly CharacterId[], socket: string | number, options: AttachOptions = {}): Attachments {
    return this.#attach(this.rowsOf(ids), socket, options);
  }

  /** The same for those that still live. @internal */
  attachLiving(ids: readonly CharacterId[], socket: string | number, options: AttachOptions): Attachments {
    return this.#attach(
      ids.map((id) => this.rowOf(id)),
      socket,
      options,
    );
  }

  /** What a character carries, what was attached last first: to go on with in a crowd that was restored. @throws ManipleError CROWD_BAD_ID */
  attachmentsOf(id: CharacterId): Attachment[] {
    const row = this.oneRow(id);
    return this.host.sockets.carriedBy(row).map((index) => new Attachment(this.host, index, id));
  }

  /**
   * Where attachments were in the last frame that was submitted: 16 numbers each, column after column; undefined for those
   * that had ended when asked, and those that no frame has placed yet. They are relative to `origin` as that frame had it.
   * One round trip for all.
   * @throws ManipleError CROWD_LIMIT, CROWD_DESTROYED, DEVICE_LOST
   */
  async readSockets(attachments: Attachments | readonly Attachment[]): Promise<SocketReading> {
    this.checkAlive();
    if (!(attachments instanceof Attachments)) {
      expectList('attachments', attachments);
      const stranger = attachments.find((attachment) => !(attachment instanceof Attachment));
      if (stranger !== undefined || attachments.includes(undefined!)) {
        refuseArgument('attachments', stranger, 'what attach() returned');
      }
    }
    const indices =
      attachments instanceof Attachments
        ? Array.from(attachments.indices, (index, i) => (attachments.isAttached(i) ? index : NOT_ATTACHED))
        : attachments.map((attachment) => (attachment.isAttached ? attachment.index : NOT_ATTACHED));
    // the buffer may still have to grow for what has only been attached
    const placed = indices.map((index) => index !== NOT_ATTACHED && this.host.sockets.firstFrame(index) <= this.frame);
    const firstFrames = indices.map((index, i) => (placed[i] ? this.host.sockets.firstFrame(index) : 0));
    const { frame, origin, value } = await this.backend.readSockets(indices.filter((_, i) => placed[i]));
    let place = 0;
    const matrices = placed.map((isPlaced, i) => {
      if (!isPlaced) return undefined;
      const matrix = value.subarray(16 * place, 16 * ++place);
      return firstFrames[i]! <= frame ? matrix : undefined;
    });
    return Object.assign(reading(matrices, frame), { origin });
  }

  /** @param rows Below 0: nobody. */
  #attach(rows: readonly number[], socket: string | number, options: AttachOptions): Attachments {
    this.checkAlive();
    expectObject('options', options);
    const { offset, unseen = 'keep' } = options;
    if (unseen !== 'keep' && unseen !== 'hide') {
      fail('CROWD_BAD_ARGUMENT', 'unseen', `is ${quoted(unseen)}.`, "Use 'keep' or 'hide'.");
    }
    offsetMatrix(offset); // checked even where nothing is attached
    const sockets = rows.map((row) => (row < 0 ? undefined : this.#socketOf(row, socket)));
    this.host.sockets.reserve(sockets.reduce((sum, found) => (found ? sum + 1 : sum), 0));
    const held = new Map([...new Set(sockets)].map((found) => [found, offsetMatrix(offset, found?.scale)]));
    const hides = unseen === 'hide';
    const indices = Uint32Array.from(rows, (row, i) => {
      const socket = sockets[i];
      return socket ? this.host.attach({ row, socket, jointFromLocal: held.get(socket)!, hides }) : NOT_ATTACHED;
    });
    return new Attachments(this.host, indices);
  }

  #socketOf(row: number, joint: string | number): Socket {
    const type = this.typeAt(row);
    const known = this.#found.get(type) ?? new Map<string | number, Socket>();
    this.#found.set(type, known);
    const found = known.get(joint) ?? findSocket(this.tables, type, joint);
    known.set(joint, found);
    return found;
  }
}
