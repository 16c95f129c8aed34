import { type Character, isCharacter } from '../character/character.ts';
import { deviceTier } from '../device/tier.ts';
import { fail, quoted } from '../errors.ts';
import { refuseArgument } from './arguments.ts';
import { type BudgetDecision, budgetedOptions } from './budget.ts';
import type { ChangeFields } from './changes.ts';
import { crowdLayout } from './crowd-layout.ts';
import type { CrowdState } from './crowd-state.ts';
import { checkOptions, checkShape, type CrowdOptions, tierOptions } from './options.ts';
import type { BoundResources } from './rows/provider-rows.ts';

/** Parts of a crowd that its shape depends on. */
interface ShapeParts {
  readonly host: CrowdState;
  readonly device: GPUDevice | undefined;
  readonly resources: BoundResources;
  /** Choices of the budget, made when the crowd was created. */
  readonly decided: BudgetDecision;
}

/** Changes of a crowd's capacity, types and backend. Keeps the options that would create the crowd as it is now. */
export class CrowdShape {
  readonly #parts: ShapeParts;
  #options: CrowdOptions;

  constructor(options: CrowdOptions, parts: ShapeParts) {
    this.#options = options;
    this.#parts = parts;
  }

  get options(): CrowdOptions {
    const { ids, tables } = this.#parts.host;
    return { ...this.#options, characters: tables.types.map(({ character }) => character), capacity: ids.capacity };
  }

  /** @throws ManipleError as `Crowd.grow` */
  grow(capacity: number): void {
    const known = this.#parts.host.ids.capacity;
    if (capacity === known) return;
    if (!(typeof capacity === 'number' && capacity > known)) {
      const message = `Got ${quoted(capacity)}; the crowd has ${known}.`;
      fail('CROWD_BAD_ARGUMENT', 'capacity', message, 'A crowd cannot shrink.');
    }
    this.#resize({ capacity }, 'grow', { capacity });
  }

  /** Changes the copies of slots. A crowd that is replayed from a log has its own: for a log this is a `grow` that changes nothing. */
  setCopies(copies: 1 | 2 | 3): void {
    this.#resize({ copies }, 'grow', { capacity: this.#parts.host.ids.capacity });
  }

  /** @throws ManipleError as `Crowd.addCharacter` */
  addCharacter(character: Character): void {
    const { characters } = this.options;
    if (!isCharacter(character)) refuseArgument('character', character, 'a character, as loadCharacter loads them');
    if (characters.includes(character))
      fail('CROWD_BAD_ARGUMENT', character.name, 'The crowd already has this character.');
    this.#resize({ characters: [...characters, character] }, 'addCharacter', { character });
  }

  /** @throws ManipleError as `Crowd.removeCharacter` */
  removeCharacter(character: Character): void {
    const { host } = this.#parts;
    const { tables } = host;
    if (!isCharacter(character)) refuseArgument('character', character, 'a character of the crowd');
    const refuse = (why: string) => fail('CROWD_BAD_ARGUMENT', character.name, why);
    const type = tables.types.find((known) => known.character === character);
    if (!type) return refuse('The crowd does not have this character.');
    if (tables.types.length === 1) refuse('Cannot remove the last character. A crowd needs at least one.');
    const count = host.living().filter((id) => host.typeAt(host.ids.index(id)) === type).length;
    if (count > 0) refuse(`Cannot remove the character: ${count} of it are alive.`);
    const characters = this.options.characters.filter((known) => known !== character);
    this.#resize({ characters }, 'removeCharacter', { type: type.index });
  }

  /** @param ready Compiles what the new backend needs. @throws ManipleError as `Crowd.setBackend` */
  async setBackend(kind: 'gpu' | 'cpu', ready: () => Promise<void>): Promise<void> {
    const { host, device, resources } = this.#parts;
    host.checkAlive();
    host.expectClosed();
    if (kind === host.backend.kind) return;
    checkOptions(device, { ...this.options, backend: kind });
    if (kind === 'gpu') resources.expectAll();
    host.isSwitching = true;
    try {
      const { otherBackend } = await import('../frame/other-backend.ts');
      const backend = await otherBackend(host.backend, device, host.shape);
      host.checkAlive();
      host.move(backend());
      if (kind === 'gpu') await ready();
    } finally {
      host.isSwitching = false;
    }
    this.#options = { ...this.#options, backend: kind };
  }

  #resize<K extends 'grow' | 'addCharacter' | 'removeCharacter'>(
    changed: Partial<CrowdOptions>,
    kind: K,
    fields: ChangeFields[K],
  ): void {
    const { host, device, decided } = this.#parts;
    host.checkAlive();
    host.expectClosed();
    const options = { ...this.options, ...changed };
    checkShape(options);
    const { kernels, tables, resources } = host.shape;
    const layoutOf = (each: CrowdOptions) => crowdLayout(each, kernels, tables, resources);
    const tiered = tierOptions(options, device && deviceTier(device));
    host.resize(layoutOf(budgetedOptions(tiered, layoutOf, decided)), kind, fields);
  }
}
