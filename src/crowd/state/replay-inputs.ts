import type { Character } from '../../asset/character.ts';
import type { Column } from '../../frame/column.ts';
import type { CrowdType } from '../../frame/types.ts';
import type { Fields } from '../../layout/index.ts';
import { COMMAND_STOP } from '../../stages/step-controllers/layout.ts';
import type { CommandWords } from '../controller-inputs.ts';
import type { Host } from '../host.ts';
import type { ByteReader } from './byte-stream.ts';
import { readChangedRows } from './changed-rows.ts';
import { wrongCommand, wrongModifiers, wrongPlayers, wrongTransform } from './check-rows.ts';
import {
  DEED_ADDED,
  DEED_COLUMN,
  DEED_FOLLOWED,
  DEED_FORGOT_PAST,
  DEED_GROWN,
  DEED_HID,
  DEED_LEFT,
  DEED_REMOVED,
  DEED_SETTLED,
  DEED_SHOWED,
  DEED_SHOWED_FRESH,
  DEED_TIME_SCALE,
  DEED_TINTED,
} from './log-format.ts';
import { type OpenLog, orRefuse, readCharacter, readColumn, refuseLog, refuseReplay } from './read-log.ts';
import { livingRow, readFlag, replayWorldDeed } from './replay-world.ts';
import { startOf } from './restore.ts';

/** What changes the shape of a crowd. */
export interface Reshaper {
  grow(capacity: number): void;
  addCharacter(character: Character): void;
  removeCharacter(character: Character): void;
}

/** Who may be added to a crowd, and how many it may come to hold. */
export interface Cast {
  readonly characters: readonly Character[];
  readonly maxCapacity: number;
}

/** Does what one record of inputs tells of, on a host in the state of then. */
export class InputsReplay {
  readonly #host: Host;
  readonly #log: OpenLog;
  readonly #input: ByteReader;
  readonly #reshaper: Reshaper;
  readonly #cast: Cast;
  /** Rows that have come, or have been written. */
  #touched = new Set<number>();

  constructor(host: Host, log: OpenLog, reshaper: Reshaper, cast: Cast) {
    this.#host = host;
    this.#log = log;
    this.#input = log.input;
    this.#reshaper = reshaper;
    this.#cast = cast;
  }

  /** @throws ManipleError LOG_INVALID, LOG_MISMATCH, CROWD_FULL */
  record(): void {
    this.#touched = new Set();
    for (let deeds = this.#input.length(); deeds > 0; deeds--) this.#deed();
    for (let columns = this.#input.length(); columns > 0; columns--) this.#column();
    this.#checkTouched();
    this.#commands();
  }

  #deed(): void {
    const [host, input] = [this.#host, this.#input];
    const kind = input.byte();
    switch (kind) {
      case DEED_SETTLED:
        return this.#settle();
      case DEED_LEFT:
        return host.vacate(livingRow(host, input.count()));
      case DEED_SHOWED:
      case DEED_SHOWED_FRESH: {
        const row = livingRow(host, input.count());
        return host.show(row, [input.word(), input.word()], kind === DEED_SHOWED_FRESH);
      }
      case DEED_FOLLOWED: {
        const [row, leader] = [livingRow(host, input.count()), livingRow(host, input.count())];
        if (host.typeAt(row) !== host.typeAt(leader)) refuseLog(`row ${row} shows the pose of another type`);
        return host.follow(row, leader);
      }
      case DEED_TINTED:
        return host.tint(livingRow(host, input.count()), input.word());
      case DEED_HID:
        return host.setHidden(livingRow(host, input.count()), readFlag(input));
      case DEED_FORGOT_PAST:
        return host.resetHistory(livingRow(host, input.count()));
      case DEED_TIME_SCALE: {
        const scale = input.float();
        if (!(scale >= 0 && scale <= 1e6)) refuseLog(`timeScale is ${scale}`);
        host.timeScale = scale;
        return;
      }
      case DEED_GROWN: {
        const capacity = input.count();
        if (capacity <= host.ids.capacity) return undefined; // the crowd was created larger
        if (capacity > this.#cast.maxCapacity) refuseReplay(`it grows to ${capacity}, beyond maxCapacity`);
        return orRefuse(() => this.#reshaper.grow(capacity));
      }
      case DEED_ADDED: {
        const character = readCharacter(input, this.#cast.characters);
        this.#log.types.push(character);
        return orRefuse(() => this.#reshaper.addCharacter(character));
      }
      case DEED_REMOVED: {
        const [character] = this.#log.types.splice(input.count(), 1);
        if (!character) refuseLog('removes a character that is not there');
        return orRefuse(() => this.#reshaper.removeCharacter(character));
      }
      case DEED_COLUMN:
        this.#log.columns.push(readColumn(host, input));
        return;
      default:
        if (!replayWorldDeed(kind, host, input)) refuseLog(`tells of a deed ${kind}`);
    }
  }

  #settle(): void {
    const host = this.#host;
    const character = this.#log.types[this.#input.count()];
    const type = host.shape.tables.types.find((known) => known.character === character);
    const row = this.#input.count();
    if (!type) refuseLog('somebody of an unknown type comes');
    if (host.ids.free === 0) refuseReplay(`row ${row} has no room`);
    host.expectFit(type);
    host.reserve(type, 1); // as its spawn did: somebody may leave before the frame, and slots are cut for both
    const taken = host.ids.index(host.ids.take());
    if (taken !== row) refuseReplay(`row ${row} is taken when ${taken} is next`);
    this.#touched.add(row);
    host.settle(row, type);
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
      // parameters and rows of providers are as good as any
      if (index <= 2) this.#touched.add(Math.floor(row / places));
    };
    // behind those of characters stand rows of shared poses, which the host writes itself and no check looks at
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
      if (row >= this.#host.ids.used || commands.has(row)) refuseLog(`row ${row} is told twice, or is none`);
      const list = Array.from({ length: input.length() }, (): CommandWords => {
        const [kind, target] = [input.count(), input.count()];
        if (Math.max(kind, target) > 0xffffffff) refuseLog(`a command is ${kind}, ${target}`);
        return [kind, target, input.word(), input.word()];
      });
      commands.set(row, this.#checked(row, list));
    }
    this.#host.inputs.commands = commands;
  }

  /** Who has left is told to stop, and nothing else; who lives is told what its controller knows. */
  #checked(row: number, list: readonly CommandWords[]): CommandWords[] {
    const type: CrowdType | undefined = this.#host.typeAt(row);
    if (!type?.character.controller) {
      return list.map((command) =>
        command[0] === COMMAND_STOP ? command : refuseLog(`row ${row} is told ${command[0]}`),
      );
    }
    return list.map((command) => {
      const wrong = wrongCommand(command, type);
      if (wrong) refuseLog(`row ${row} ${wrong}`);
      return startOf(command, type);
    });
  }
}
