import type { Character } from '../character/character.ts';
import type { Crowd } from '../crowd/crowd.ts';
import { checkViews, type CrowdView } from '../frame/tables/crowd-view.ts';
import { expectFunction, expectList, expectObject, expectPlace, refuseArgument } from '../crowd/arguments.ts';
import { frameSeconds, expectTimeScale } from '../crowd/frame-options.ts';
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
  readViews,
} from './log-format.ts';
import { openLog, orRefuse, refuseLog, type OpenLog, refuseReplay, replayColumn } from './read-log.ts';
import type { Column } from '../frame/tables/column.ts';
import type { CrowdType } from '../frame/tables/crowd-types.ts';
import type { Fields } from '../layout/index.ts';
import { COMMAND_STOP } from '../stages/step-controllers/layout.ts';
import type { CommandWords } from '../crowd/rows/controller-inputs.ts';
import { socketAt } from '../crowd/rows/joints.ts';
import type { ChangeFields, ChangeKind } from '../crowd/changes.ts';
import type { CrowdState } from '../crowd/crowd-state.ts';
import { readChangedRows } from './changed-rows.ts';
import { wrongCommand, wrongModifiers, wrongPlayers, wrongTransform } from './check-rows.ts';
import { readChange } from './change-codec.ts';
import { startOf } from './restore.ts';

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
  const inputs = new InputsReplay(crowd, open, { characters, maxCapacity });
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

/** Characters that a log may add, and the capacity that it may reach. */
type Cast = Required<Pick<ReplayOptions, 'characters' | 'maxCapacity'>>;

class InputsReplay {
  readonly #crowd: Crowd;
  readonly #host: CrowdState;
  readonly #log: OpenLog;
  readonly #input: ByteReader;
  readonly #cast: Cast;
  /** Rows that are new or written. */
  #touched = new Set<number>();

  constructor(crowd: Crowd, log: OpenLog, cast: Cast) {
    this.#crowd = crowd;
    this.#host = internalsOf(crowd).host;
    this.#log = log;
    this.#input = log.input;
    this.#cast = cast;
  }

  /** @throws ManipleError LOG_INVALID, LOG_MISMATCH, CROWD_FULL */
  record(): void {
    this.#touched = new Set();
    for (let changes = this.#input.length(); changes > 0; changes--) this.#change();
    for (let columns = this.#input.length(); columns > 0; columns--) this.#column();
    this.#checkTouched();
    this.#commands();
  }

  #change(): void {
    const { kind, fields } = readChange(this.#input, { host: this.#host, characters: this.#cast.characters });
    this.#apply(kind, fields);
  }

  #apply<K extends ChangeKind>(kind: K, fields: ChangeFields[K]): void {
    this.#repeat[kind](fields);
  }

  readonly #repeat: { readonly [K in ChangeKind]: (fields: ChangeFields[K]) => void } = {
    spawn: (fields) => this.#spawn(fields),
    despawn: ({ row }) => this.#host.vacate(row),
    hideParts: ({ row, parts }) => this.#host.setParts(row, parts, false),
    showParts: ({ row, parts }) => this.#host.setParts(row, parts, true),
    timeScale: ({ scale }) => {
      orRefuse(() => expectTimeScale(scale));
      this.#host.timeScale = scale;
    },
    grow: ({ capacity }) => this.#grow(capacity),
    addCharacter: ({ character }) => {
      this.#log.types.push(character);
      orRefuse(() => this.#crowd.addCharacter(character));
    },
    removeCharacter: ({ type }) => {
      const [character] = this.#log.types.splice(type, 1);
      if (!character) refuseLog('it removes a character type that the crowd does not have');
      orRefuse(() => this.#crowd.removeCharacter(character));
    },
    poseSource: ({ row, source }) => {
      const isSame = this.#host.typeAt(row) === this.#host.typeAt(source);
      if (!isSame) refuseLog(`row ${row} shows the pose of another type`);
      this.#host.setPoseSource(row, source);
    },
    resetHistory: ({ row }) => this.#host.resetHistory(row),
    tint: ({ row, tint }) => this.#host.setTint(row, tint),
    hidden: ({ row, hidden }) => this.#host.setHidden(row, hidden),
    ground: ({ ground }) => this.#host.setGround(ground),
    followGround: ({ row, follows }) => this.#host.followGround(row, follows),
    origin: ({ to }) => void orRefuse(() => this.#host.moveOrigin(to), 'CROWD_LIMIT'),
    attach: (fields) => this.#attach(fields),
    attachmentOffset: ({ index, jointFromLocal }) => this.#host.setOffset(index, jointFromLocal),
    detach: ({ index }) => this.#host.detach(index),
    addColumn: ({ plan }) => void this.#log.columns.push(replayColumn(this.#host, plan)),
  };

  #spawn({ type: index, row }: ChangeFields['spawn']): void {
    const host = this.#host;
    const character = this.#log.types[index];
    const type = host.shape.tables.types.find((known) => known.character === character);
    if (!type) refuseLog(`row ${row} has the unknown character type ${index}`);
    if (host.ids.free === 0) refuseReplay(`row ${row} is beyond the capacity`);
    host.pages.expectFit(type);
    host.reserve(type, 1); // as its spawn did: characters that leave before the frame get slots, too
    const taken = host.ids.index(host.ids.take());
    if (taken !== row) refuseReplay(`row ${row} is taken when ${taken} is next`);
    this.#touched.add(row);
    host.settle(row, type);
  }

  #grow(capacity: number): void {
    if (capacity <= this.#host.ids.capacity) return; // the crowd was created larger
    if (capacity > this.#cast.maxCapacity) refuseReplay(`it grows to ${capacity}, beyond maxCapacity`);
    orRefuse(() => this.#crowd.grow(capacity));
  }

  #attach({ row, jointRow, hides, jointFromLocal }: ChangeFields['attach']): void {
    const host = this.#host;
    const socket = socketAt(host.shape.tables, host.typeAt(row)!, jointRow);
    if (!socket) refuseLog(`row ${row} has no socket ${jointRow}`);
    host.sockets.reserve(1);
    host.attach({ row, socket, jointFromLocal, hides });
  }

  #column(): void {
    const { columns, ids, firstNamed } = this.#host;
    const index = this.#input.count();
    const named = this.#log.columns[index - firstNamed]?.words as Column<Fields> | undefined;
    const column = named ?? columns.slice(0, firstNamed)[index];
    if (!column) refuseLog(`writes column ${index} of ${firstNamed + this.#log.columns.length}`);
    const places = this.#host.rowsPerCharacter(index);
    const changed = (row: number) => {
      column.changed(row);
      // any words are valid parameters and provider rows
      if (index <= 2) this.#touched.add(Math.floor(row / places));
    };
    // rows of shared poses follow those of characters; the CPU writes them itself and no check reads them
    const rowCount = index <= 2 ? ids.capacity * places : column.view.count;
    readChangedRows(this.#input, column.view, { rowCount, refuse: refuseLog, changed });
  }

  #checkTouched(): void {
    const { transforms, playback, modifiers, shape } = this.#host;
    const rowOf = (words: Uint32Array<ArrayBuffer>, row: number, perRow: number) =>
      words.subarray(perRow * row, perRow * (row + 1));
    for (const row of this.#touched) {
      const type = this.#host.typeAt(row);
      if (!type) continue;
      const wrong =
        wrongTransform(rowOf(transforms.view.words, row, 8)) ??
        wrongPlayers(rowOf(playback.column.view.words, row, 8 * shape.playerCapacity), type) ??
        wrongModifiers(rowOf(modifiers.column.view.words, row, 8 * shape.modifierCapacity), type);
      if (wrong) refuseLog(`row ${row} ${wrong}`);
    }
  }

  #commands(): void {
    const input = this.#input;
    const commands = new Map<number, CommandWords[]>();
    for (let runs = input.length(); runs > 0; runs--) {
      const row = input.count();
      if (row >= this.#host.ids.used || commands.has(row))
        refuseLog(`row ${row} is out of range or has two lists of commands`);
      const list = Array.from({ length: input.length() }, (): CommandWords => {
        const [kind, target] = [input.count(), input.count()];
        if (Math.max(kind, target) > 0xffffffff) refuseLog(`a command is ${kind}, ${target}`);
        return [kind, target, input.word(), input.word()];
      });
      commands.set(row, this.#checked(row, list));
    }
    this.#host.inputs.commands = commands;
  }

  /** Checks commands. Despawned rows accept only STOP. Live rows accept commands valid for their controller. */
  #checked(row: number, list: readonly CommandWords[]): CommandWords[] {
    const type: CrowdType | undefined = this.#host.typeAt(row);
    if (!type?.character.controller) {
      return list.map((command) =>
        command[0] === COMMAND_STOP ? command : refuseLog(`row ${row} gets command ${command[0]}`),
      );
    }
    return list.map((command) => {
      const wrong = wrongCommand(command, type);
      if (wrong) refuseLog(`row ${row} ${wrong}`);
      return startOf(command, type);
    });
  }
}
