import { crc32 } from '../character/file/crc32.ts';
import type { Character } from '../character/character.ts';
import { fail, type IssueCode, ManipleError, reasonOf, quoted } from '../errors.ts';
import type { NamedColumn, ColumnPlan } from '../frame/tables/named-columns.ts';
import { View } from '../layout/index.ts';
import { splitSeconds } from '../math/fixed.ts';
import type { CrowdState } from '../crowd/crowd-state.ts';
import { ByteReader } from './byte-stream.ts';
import { COLUMN_RECORD_WORDS, readColumnRecord } from './column-record.ts';
import { digestOf, DIGEST_WORDS, providersDigest, sameDigest } from './digest.ts';
import {
  LOG_HEAD_BYTES,
  LOG_MAGIC,
  LOG_VERSION,
  LogHead,
  OLDEST_LOG_VERSION,
  renderLimitNumbers,
} from './log-format.ts';

export function refuseLog(message: string): never {
  fail('LOG_INVALID', 'log', `${message}.`, 'Record it again; copy all of its bytes.');
}

/**
 * Applies a part of a log. A crowd never records what it refuses, so a refusal is a fault of the log.
 * @param codes Further error codes that are such faults. Others are thrown again, such as limits of the device.
 */
export function orRefuse<T>(call: () => T, ...codes: readonly IssueCode[]): T {
  try {
    return call();
  } catch (thrown) {
    const isFault = thrown instanceof ManipleError && ['CROWD_BAD_ARGUMENT', ...codes].includes(thrown.code);
    if (!isFault) throw thrown;
    return refuseLog(reasonOf(thrown));
  }
}

export function refuseReplay(message: string): never {
  const suggestion =
    'Replay it on a crowd as it was when the log began: new, or created from the snapshot of that frame.';
  fail('LOG_MISMATCH', 'log', `${message}.`, suggestion);
}

/** A log that can be applied to a crowd. */
export type OpenLog = ReturnType<typeof openLog>;

/** Checks that these bytes are a log, and that it begins where the crowd is. @throws ManipleError LOG_INVALID, LOG_VERSION, LOG_MISMATCH */
export function openLog(host: CrowdState, stored: Uint8Array) {
  if (stored.byteLength < LOG_HEAD_BYTES) refuseLog(`${stored.byteLength} bytes are too few`);
  const bytes = new Uint8Array(stored); // the caller may overwrite the original
  const head = new View(LogHead, bytes.buffer, 0, 1);
  if (head.get(0, 'magic') !== LOG_MAGIC) refuseLog('these bytes do not begin as a log does');
  const version = head.get(0, 'version');
  if (version < OLDEST_LOG_VERSION || version > LOG_VERSION) {
    const message = `is of version ${version}; this Maniple reads ${OLDEST_LOG_VERSION} to ${LOG_VERSION}.`;
    fail('LOG_VERSION', 'log', message, 'Use the Maniple that recorded it.');
  }
  if (head.get(0, 'byteLength') !== bytes.length) {
    refuseLog(`it says ${head.get(0, 'byteLength')} bytes; there are ${bytes.length}`);
  }
  const checksum = head.get(0, 'checksum');
  head.set(0, 'checksum', 0);
  if (crc32(bytes) !== checksum) refuseLog('the checksum does not fit: some bytes have changed');
  const input = new ByteReader(bytes.subarray(LOG_HEAD_BYTES), refuseLog);
  const types = readHeader(host, input);
  const columnCount = version > 2 ? input.length() : 0;
  const columns = Array.from({ length: columnCount }, () => replayColumn(host, readColumnPlan(input)));
  return {
    input,
    /** Types and named columns of the crowd, in the log's order; changes add and remove some. */
    types,
    columns,
    /** Offset in `input` from which on frames affect the skins at the end. */
    shownFrom: input.at + head.get(0, 'shownFrom'),
  };
}

function readHeader(host: CrowdState, input: ByteReader): Character[] {
  const frame = input.count();
  if (frame !== host.frame) refuseReplay(`it begins after frame ${frame}; the crowd is at ${host.frame}`);
  const clock = [input.word(), input.word()];
  if (splitSeconds(host.time).some((word, i) => word !== clock[i])) refuseReplay('its clock is another one');
  const timeScale = input.float();
  if (!(timeScale >= 0 && timeScale <= 1e6)) refuseLog(`its timeScale is ${timeScale}`);
  host.timeScale = timeScale;
  for (const key of ['playerCapacity', 'modifierCapacity'] as const) {
    const count = input.count();
    if (count !== host.shape[key]) refuseReplay(`its ${key} is ${count}; the crowd's ${host.shape[key]}`);
  }
  if (input.word() !== providersDigest(host.shape.providers)) refuseReplay('providers of the crowd are others');
  if (renderLimitNumbers(host.looks).some((value) => !Object.is(value, input.float()))) {
    refuseReplay('maxVertexBytes, maxPoses, lodTolerancePx, updateRates or poseSharing of the crowd differ');
  }
  const characters = host.shape.tables.types.map(({ character }) => character);
  return Array.from({ length: input.length() }, () => readCharacter(input, characters));
}

/** Finds a character by the digest that follows. @throws ManipleError LOG_MISMATCH */
export function readCharacter(input: ByteReader, characters: readonly Character[]): Character {
  const digest = Array.from({ length: DIGEST_WORDS }, () => input.word());
  return (
    characters.find((character) => sameDigest(digestOf(character), digest)) ??
    refuseReplay('it was recorded with a character that is not here')
  );
}

/**
 * A named column of a log. The crowd gets it if it has none of that name.
 * @throws ManipleError LOG_MISMATCH, DEVICE_LIMIT
 */
export function replayColumn(host: CrowdState, plan: ColumnPlan): NamedColumn {
  const known = host.named.find(plan.name);
  if (!known) return orRefuse(() => host.addColumn(plan), 'CROWD_LIMIT');
  const isSame = known.size === plan.size && known.initial.every((value, i) => Object.is(value, plan.initial[i]));
  return isSame ? known : refuseReplay(`its column ${quoted(plan.name)} has another size or default than the crowd's`);
}

/** The record of a named column. @throws ManipleError LOG_INVALID */
export function readColumnPlan(input: ByteReader): ColumnPlan {
  const words = Array.from({ length: COLUMN_RECORD_WORDS }, () => input.word());
  return readColumnRecord(words, refuseLog);
}
