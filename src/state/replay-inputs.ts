import type { Character } from '../character/character.ts';
import type { Column } from '../frame/tables/column.ts';
import type { CrowdType } from '../frame/tables/crowd-types.ts';
import type { Fields } from '../layout/index.ts';
import { COMMAND_STOP } from '../stages/step-controllers/layout.ts';
import type { CommandWords } from '../crowd/rows/commands.ts';
import { expectTimeScale } from '../crowd/frame-options.ts';
import { socketAt } from '../crowd/rows/find-socket.ts';
import type { ChangeFields } from '../crowd/changes.ts';
import type { CrowdState } from '../crowd/crowd-state.ts';
import type { ByteReader } from './byte-stream.ts';
import { readChangedRows } from './changed-rows.ts';
import { wrongCommand, wrongModifiers, wrongPlayers, wrongTransform } from './check-rows.ts';
import { readChange } from './read-change.ts';
import { type OpenLog, orRefuse, refuseLog, refuseReplay, replayColumn } from './read-log.ts';
import { startOf } from './restore.ts';

/** A crowd with a capacity and character types that can change. */
export interface Resizer {
  grow(capacity: number): void;
  addCharacter(character: Character): void;
  removeCharacter(character: Character): void;
}

/** Characters that a log may add, and the capacity that it may reach. */
export interface Cast {
  readonly characters: readonly Character[];
  readonly maxCapacity: number;
}

/** Replays records of inputs. */
export class InputsReplay {
  readonly #host: CrowdState;
  readonly #log: OpenLog;
  readonly #input: ByteReader;
  readonly #resizer: Resizer;
  readonly #cast: Cast;
  /** Rows that are new or written. */
  #touched = new Set<number>();

  constructor(host: CrowdState, log: OpenLog, resizer: Resizer, cast: Cast) {
    this.#host = host;
    this.#log = log;
    this.#input = log.input;
    this.#resizer = resizer;
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
    const host = this.#host;
    const { kind, fields } = readChange(this.#input, { host, characters: this.#cast.characters });
    switch (kind) {
      case 'spawn':
        return this.#spawn(fields);
      case 'despawn':
        return host.vacate(fields.row);
      case 'hideParts':
      case 'showParts':
        return host.setParts(fields.row, fields.parts, kind === 'showParts');
      case 'timeScale':
        return orRefuse(() => {
          expectTimeScale(fields.scale);
          host.timeScale = fields.scale;
        });
      case 'grow':
        return this.#grow(fields.capacity);
      case 'addCharacter':
        this.#log.types.push(fields.character);
        return orRefuse(() => this.#resizer.addCharacter(fields.character));
      case 'removeCharacter': {
        const [character] = this.#log.types.splice(fields.type, 1);
        if (!character) refuseLog('it removes a character type that the crowd does not have');
        return orRefuse(() => this.#resizer.removeCharacter(character));
      }
      case 'poseSource': {
        const { row, source } = fields;
        if (host.typeAt(row) !== host.typeAt(source)) refuseLog(`row ${row} shows the pose of another type`);
        return host.setPoseSource(row, source);
      }
      case 'resetHistory':
        return host.resetHistory(fields.row);
      case 'tint':
        return host.setTint(fields.row, fields.tint);
      case 'hidden':
        return host.setHidden(fields.row, fields.hidden);
      case 'ground':
        return host.setGround(fields.ground);
      case 'followGround':
        return host.followGround(fields.row, fields.follows);
      case 'origin':
        orRefuse(() => host.moveOrigin(fields.to), 'CROWD_LIMIT');
        return undefined;
      case 'attach':
        return this.#attach(fields);
      case 'attachmentOffset':
        return host.setOffset(fields.index, fields.jointFromLocal);
      case 'detach':
        return host.detach(fields.index);
      case 'addColumn':
        this.#log.columns.push(replayColumn(host, fields.plan));
        return undefined;
    }
  }

  #spawn({ type: index, row }: ChangeFields['spawn']): void {
    const host = this.#host;
    const character = this.#log.types[index];
    const type = host.shape.tables.types.find((known) => known.character === character);
    if (!type) refuseLog(`row ${row} has the unknown character type ${index}`);
    if (host.ids.free === 0) refuseReplay(`row ${row} is beyond the capacity`);
    host.expectFit(type);
    host.reserve(type, 1); // as its spawn did: characters that leave before the frame get slots, too
    const taken = host.ids.index(host.ids.take());
    if (taken !== row) refuseReplay(`row ${row} is taken when ${taken} is next`);
    this.#touched.add(row);
    host.settle(row, type);
  }

  #grow(capacity: number): void {
    if (capacity <= this.#host.ids.capacity) return; // the crowd was created larger
    if (capacity > this.#cast.maxCapacity) refuseReplay(`it grows to ${capacity}, beyond maxCapacity`);
    orRefuse(() => this.#resizer.grow(capacity));
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
