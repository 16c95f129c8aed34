import type { Character } from '../character/character.ts';
import type { Crowd } from '../crowd/crowd.ts';
import { checkViews, type CrowdView } from '../frame/tables/crowd-view.ts';
import { expectFunction, expectList, expectObject, expectPlace, refuseArgument } from '../crowd/arguments.ts';
import { frameSeconds } from '../crowd/frame-options.ts';
import { expectCrowd, internalsOf } from '../crowd/internals.ts';
import type { ByteReader } from './byte-stream.ts';
import {
  FRAME_BITS,
  FRAME_NEW_VIEWS,
  FRAME_SECONDS,
  FRAME_SEEN,
  FRAME_VIEWS,
  RECORD_FRAME,
  RECORD_INPUTS,
} from './log-format.ts';
import { readViews } from './log-views.ts';
import { openLog, orRefuse, refuseLog } from './read-log.ts';
import { InputsReplay } from './replay-inputs.ts';

/** How a log is replayed. */
export interface ReplayOptions {
  /** Characters that were added to the crowd while the log ran. */
  readonly characters?: readonly Character[];
  /** How far the log may grow the crowd; default 2²⁰, or its capacity if that is more. */
  readonly maxCapacity?: number;
  /**
   * Frames that make poses and skins: all that did, or the last nine of them. After those nine the crowd looks the same
   * if all characters fit into `maxVertexBytes` and `maxPoses`. Attachments of characters that these frames do not show
   * keep older poses. Default 'all'.
   */
  readonly shows?: 'all' | 'last';
  /** Called after every frame. The next frame waits for it. */
  readonly onFrame?: (frame: number) => void | Promise<void>;
}

/** Frames in flight at once: as many as events can be read back for. */
const IN_FLIGHT = 3;

/**
 * Applies an input log to a crowd, frame by frame. The crowd must be in the state in which the log began: new, with the
 * same characters, `maxClips` and `maxModifiers`, or restored from the snapshot of that moment. Ids, states, palettes and
 * vertices are those of the recorded run, bit by bit on the same device. Events are delivered as in any frame.
 *
 * The bytes are untrusted and checked. If they are refused midway, the crowd keeps the state that it has reached.
 *
 * @returns How many frames it had.
 * @throws ManipleError LOG_INVALID, LOG_VERSION, LOG_MISMATCH, CROWD_DESTROYED, CROWD_FULL, CROWD_LIMIT and
 *   DEVICE_LIMIT (attachments or ground exceed this device's limits), DEVICE_LOST
 */
export async function replayInputs(crowd: Crowd, log: Uint8Array, options: ReplayOptions = {}): Promise<number> {
  expectCrowd(crowd);
  expectObject('options', options);
  const { characters = [], shows = 'all', onFrame } = options;
  expectList('characters', characters);
  if (shows !== 'all' && shows !== 'last') refuseArgument('shows', shows, "'all' or 'last'");
  if (options.maxCapacity !== undefined) expectPlace('maxCapacity', options.maxCapacity);
  if (onFrame !== undefined) expectFunction('onFrame', onFrame);
  if (!(log instanceof Uint8Array)) refuseArgument('log', log, 'a Uint8Array');
  const { host } = internalsOf(crowd);
  host.checkAlive();
  const open = openLog(host, log);
  const { input, shownFrom } = open;
  const { maxCapacity = Math.max(2 ** 20, crowd.capacity) } = options;
  const inputs = new InputsReplay(host, open, crowd, { characters, maxCapacity });
  const frame = new FrameRecords(input);
  let frames = 0;
  try {
    while (input.left > 0) {
      const at = input.at;
      const kind = input.byte();
      if (kind === RECORD_INPUTS) inputs.record();
      else if (kind === RECORD_FRAME) {
        const { dt, seen, views } = frame.read();
        // before the frame: listeners that it calls may fail for reasons of their own
        orRefuse(() => frameSeconds(dt, crowd.timeScale));
        const isShown = seen && (shows === 'all' || at >= shownFrom);
        crowd.update({ dt, ...(isShown ? views && { views } : { views: [] }) });
        frames++;
        if (onFrame || frames % IN_FLIGHT === 0) await crowd.workDone(); // else no pause: it throws what frames throw
        if (onFrame) await onFrame(crowd.frame);
      } else refuseLog(`a record is of kind ${kind}`);
    }
  } catch (thrown) {
    await crowd.workDone().catch(() => undefined);
    throw thrown;
  }
  await crowd.workDone();
  return frames;
}

/** Reads frames. Values that are left out are those of earlier frames. */
class FrameRecords {
  readonly #input: ByteReader;
  #dt = 0;
  #views: readonly CrowdView[] = [];

  constructor(input: ByteReader) {
    this.#input = input;
  }

  read(): { dt: number; seen: boolean; views: readonly CrowdView[] | undefined } {
    const flags = this.#input.byte();
    const hasViews = (flags & FRAME_VIEWS) !== 0;
    const hasNewViews = (flags & FRAME_NEW_VIEWS) !== 0;
    const seen = (flags & FRAME_SEEN) !== 0;
    if (flags > FRAME_BITS || (hasViews && !seen) || (hasNewViews && !hasViews))
      refuseLog(`a frame has flags ${flags}`);
    if (flags & FRAME_SECONDS) this.#dt = this.#input.float();
    if (hasNewViews) {
      this.#views = readViews(this.#input, refuseLog);
      orRefuse(() => checkViews(this.#views));
    }
    if (hasViews && this.#views.length === 0) refuseLog('a frame has views that the log lacks');
    return { dt: this.#dt, seen, views: hasViews ? this.#views : undefined };
  }
}
