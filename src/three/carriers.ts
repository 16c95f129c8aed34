import type { Character } from '../character/character.ts';
import { Attachment, type AttachOptions } from '../crowd/attachments.ts';
import type { Crowd } from '../crowd/crowd.ts';
import { CharacterGroup } from '../crowd/group.ts';
import type { CharacterId } from '../crowd/rows/ids.ts';
import { NOT_ATTACHED } from '../crowd/not-attached.ts';
import { fail, quoted } from '../errors.ts';
import { internalsOf } from '../crowd/internals.ts';

/**
 * The characters that carry an attachment: a list of ids, a group, or a predicate. The predicate is called once per character, in
 * the first `update` after its spawn.
 */
export type CarriedBy = readonly CharacterId[] | CharacterGroup | ((id: CharacterId, character: Character) => boolean);

/** Attachments at one joint. Follows spawns and despawns. */
export class Carriers {
  readonly #crowd: Crowd;
  readonly #by: CarriedBy;
  readonly #socket: string | number;
  readonly #options: AttachOptions;
  readonly #held = new Map<CharacterId, Attachment>();
  /** Row → the character that was checked last in this row. */
  readonly #asked = new Map<number, CharacterId>();
  #changes = -1;
  #releases = -1;

  /** @throws ManipleError CROWD_BAD_ID, CROWD_BAD_ARGUMENT, SOCKET_NOT_FOUND, CROWD_LIMIT */
  constructor(crowd: Crowd, by: CarriedBy, socket: string | number, options: AttachOptions) {
    this.#crowd = crowd;
    this.#by = by;
    this.#socket = socket;
    this.#options = options;
    if (by instanceof CharacterGroup && by.crowd !== crowd) {
      fail('CROWD_BAD_ARGUMENT', 'attachMesh', 'The group belongs to another crowd.', 'Spawn it from this one.');
    }
    if (typeof by !== 'function' && !(by instanceof CharacterGroup)) {
      if (!Array.isArray(by)) {
        const message = `Got ${quoted(by)}; expected a list of ids, a group, or a function.`;
        fail('CROWD_BAD_ARGUMENT', 'attachMesh', message, 'Pass group.ids, group, or (id, character) => boolean.');
      }
      this.#attach([...new Set(by)]);
    }
    this.follow();
  }

  /** Living carriers, and their attachments. */
  get held(): ReadonlyMap<CharacterId, Attachment> {
    return this.#held;
  }

  /** True if the carriers are a list of ids, and all of them are gone. */
  get isOver(): boolean {
    return Array.isArray(this.#by) && this.#held.size === 0;
  }

  /**
   * Applies spawns, despawns and detachments since the last call. Costs nothing if there were none.
   * @returns Whether there were any.
   * @throws ManipleError SOCKET_NOT_FOUND, CROWD_LIMIT, once for the same characters
   */
  follow(): boolean {
    const { ids, sockets } = internalsOf(this.#crowd).host;
    if (this.#changes === ids.changes && this.#releases === sockets.releases) return false;
    const newcomers = this.#changes === ids.changes ? [] : this.#newcomers();
    this.#changes = ids.changes;
    this.#attach(newcomers);
    this.#releases = sockets.releases;
    for (const [id, attachment] of this.#held) if (!attachment.isAttached) this.#held.delete(id);
    return true;
  }

  detach(): void {
    for (const attachment of this.#held.values()) attachment.detach();
  }

  #attach(ids: readonly CharacterId[]): void {
    const { indices } = this.#crowd.attach(ids, this.#socket, this.#options);
    ids.forEach((id, i) => {
      const index = indices[i]!;
      if (index !== NOT_ATTACHED) this.#held.set(id, new Attachment(internalsOf(this.#crowd).host, index, id));
    });
  }

  /** Characters that were not checked before and must carry the attachment. */
  #newcomers(): CharacterId[] {
    const by = this.#by;
    if (by instanceof CharacterGroup) return by.ids.filter((id) => this.#isNew(id));
    if (typeof by !== 'function') return [];
    const { ids } = internalsOf(this.#crowd).host;
    const found: CharacterId[] = [];
    for (let row = 0; row < ids.used; row++) {
      const id = ids.idOf(row);
      if (!ids.lives(row) || !this.#isNew(id)) continue;
      if (by(id, internalsOf(this.#crowd).host.typeAt(row)!.character)) found.push(id);
    }
    return found;
  }

  #isNew(id: CharacterId): boolean {
    const row = internalsOf(this.#crowd).host.ids.index(id);
    if (this.#asked.get(row) === id) return false;
    this.#asked.set(row, id);
    return true;
  }
}
