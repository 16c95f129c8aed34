import { socketAt } from '../find-socket.ts';
import { checkGround } from '../ground.ts';
import type { Host } from '../host.ts';
import type { Origin } from '../placement.ts';
import type { ByteReader } from './byte-stream.ts';
import { wrongOffset } from './check-rows.ts';
import { DEED_ATTACHED, DEED_DETACHED, DEED_GROUND, DEED_GROUNDED, DEED_OFFSET, DEED_ORIGIN } from './log-format.ts';
import { orRefuse, refuseLog } from './read-log.ts';

/** Does again what a log tells of ground, origin and attachments; false when a deed is none of these. */
export function replayWorldDeed(kind: number, host: Host, input: ByteReader): boolean {
  switch (kind) {
    case DEED_GROUND:
      replayGround(host, input);
      return true;
    case DEED_GROUNDED: {
      const row = livingRow(host, input.count());
      host.followGround(row, readFlag(input));
      return true;
    }
    case DEED_ORIGIN: {
      const to: Origin = [input.float(), input.float(), input.float()];
      orRefuse(() => host.moveOrigin(to), 'CROWD_LIMIT');
      return true;
    }
    case DEED_ATTACHED:
      replayAttach(host, input);
      return true;
    case DEED_OFFSET:
      host.setOffset(attachedIndex(host, input), readOffset(input));
      return true;
    case DEED_DETACHED:
      host.detach(attachedIndex(host, input));
      return true;
    default:
      return false;
  }
}

export function livingRow(host: Host, row: number): number {
  return host.typeAt(row) ? row : refuseLog(`nobody lives in row ${row}`);
}

function replayGround(host: Host, input: ByteReader): void {
  const [columns, rows] = [input.count(), input.count()];
  if (columns === 0 && rows === 0) {
    host.setGround(undefined);
    return;
  }
  const [x, y, z, along, across, lean] = Array.from({ length: 6 }, () => input.float()) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (4 * columns * rows > input.left) refuseLog(`ground of ${columns} × ${rows} heights has less`);
  const heights = floatsOf(input, columns * rows);
  const ground = { heights, columns, rows, origin: [x, y, z], spacing: [along, across], lean } as const;
  host.setGround(orRefuse(() => checkGround(ground, host.backend.bindingBytes)));
}

function replayAttach(host: Host, input: ByteReader): void {
  const row = livingRow(host, input.count());
  const jointRow = input.count();
  const socket = socketAt(host.shape.tables, host.typeAt(row)!, jointRow);
  if (!socket) refuseLog(`row ${row} has no socket ${jointRow}`);
  const hides = readFlag(input);
  const jointFromLocal = readOffset(input);
  host.sockets.reserve(1);
  host.attach({ row, socket, jointFromLocal, hides });
}

function attachedIndex({ sockets }: Host, input: ByteReader): number {
  const index = input.count();
  return sockets.isAttached(index) ? index : refuseLog(`nothing is attached at ${index}`);
}

function readOffset(input: ByteReader): Float32Array {
  const offset = floatsOf(input, 12);
  const wrong = wrongOffset(offset);
  if (wrong) refuseLog(`an attachment ${wrong}`);
  return offset;
}

export function readFlag(input: ByteReader): boolean {
  const flag = input.byte();
  if (flag > 1) refuseLog(`a flag is ${flag}`);
  return flag === 1;
}

function floatsOf(input: ByteReader, count: number): Float32Array<ArrayBuffer> {
  return new Float32Array(Uint32Array.from({ length: count }, () => input.word()).buffer);
}
