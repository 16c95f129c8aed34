import { fail } from '../errors.ts';
import { expectList } from './arguments.ts';
import type { Backend } from '../frame/backend.ts';
import type { CrowdTables, CrowdType } from '../frame/types.ts';
import type { Living, Section } from './conductor.ts';
import type { Host } from './host.ts';
import type { CharacterId } from './ids.ts';

/** A crowd as its host knows it: characters are found by their ids. */
export abstract class Hosted {
  /** @internal What the host knows, and where the frame runs. */
  abstract readonly host: Host;
  #destroyed = false;

  /** @internal What renderers draw from: tables of all types, where the frame runs, memory in use. */
  get tables(): CrowdTables {
    return this.host.shape.tables;
  }

  /** @internal */
  get backend(): Backend {
    return this.host.backend;
  }

  /** Frames that have been encoded. */
  get frame(): number {
    return this.host.frame;
  }

  /** Whether the id is of a character that lives: spawned and not despawned. */
  isAlive(id: CharacterId): boolean {
    return this.host.ids.isAlive(id);
  }

  /** Frees all GPU memory; the crowd cannot be used afterwards. The device lives on. */
  destroy(): void {
    this.#destroyed = true;
    this.backend.destroy();
  }

  /** @internal @throws ManipleError CROWD_DESTROYED */
  checkAlive(): void {
    if (this.#destroyed) fail('CROWD_DESTROYED', 'crowd', 'was destroyed.');
  }

  /** Rows of characters, each once: whoever asks may go on knowing that all of them live. @throws ManipleError CROWD_BAD_ID */
  protected rows(ids: CharacterId | readonly CharacterId[]): number[] {
    this.checkAlive();
    return this.host.ids.indices(ids);
  }

  /** Rows of characters, as often as they are named. @throws ManipleError CROWD_BAD_ID */
  protected rowsOf(ids: CharacterId | readonly CharacterId[]): number[] {
    this.checkAlive();
    const list = typeof ids === 'number' ? [ids] : ids;
    expectList('ids', list);
    return list.map((id) => {
      const row = this.rowOf(id);
      return row >= 0 ? row : this.rows(id)[0]!;
    });
  }

  /** Row of one character. @throws ManipleError CROWD_BAD_ID */
  protected oneRow(id: CharacterId): number {
    this.checkAlive();
    return this.host.ids.index(id);
  }

  /** Row of a character; −1 when it does not live. */
  protected rowOf(id: CharacterId): number {
    const { ids } = this.host;
    return ids.isAlive(id) ? ids.index(id) : -1;
  }

  /** Type of who lives in a row. */
  protected typeAt(row: number): CrowdType {
    return this.host.typeAt(row)!;
  }

  /** Characters, each once, in the order of the ids. @throws ManipleError CROWD_BAD_ID */
  protected living(ids: CharacterId | readonly CharacterId[]): Living[] {
    return this.rows(ids).map((row) => ({ id: this.host.ids.idOf(row), row, type: this.typeAt(row) }));
  }

  /** The same, type by type. */
  protected sections(ids: CharacterId | readonly CharacterId[]): Section[] {
    const sections = new Map<CrowdType, number[]>();
    for (const row of this.rows(ids)) {
      const type = this.typeAt(row);
      const rows = sections.get(type);
      if (rows) rows.push(row);
      else sections.set(type, [row]);
    }
    return Array.from(sections, ([type, rows]) => ({ type, rows }));
  }
}
