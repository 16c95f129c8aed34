import type { Character } from '../../character/character.ts';
import { error, fail, quoted, type Issue } from '../../errors.ts';
import { createProviderRows, type ProviderRows } from '../../frame/tables/provider-memory.ts';
import type { CrowdType } from '../../frame/tables/crowd-types.ts';
import { providerIssues } from '../../stages/provider-issues.ts';
import { providerLayout, type ProviderLayout } from '../../stages/provider-layout.ts';
import {
  storageCount,
  usedResources,
  wrongBinding,
  type BoundResource,
  type ProviderResources,
  type ProviderUse,
  type ResourceSource,
} from '../../stages/provider-resources.ts';
import { providersOf, type VertexProvider } from '../../stages/providers.ts';
import { expectList } from '../arguments.ts';

const ALL_VIEWS = 0xffffffff;
/** Storage buffers that skin-vertices and update-characters bind with providers, apart from the application's. */
const OWN_STORAGE: Readonly<Record<ProviderUse, number>> = { vertex: 7, update: 4 };

/** @throws ManipleError CROWD_BAD_ARGUMENT where one has no name, or no code */
export function expectProviders(providers: readonly VertexProvider[]): void {
  for (const provider of providers) {
    const { name, code } = (provider ?? {}) as Partial<VertexProvider>;
    if (typeof name === 'string' && typeof code === 'string') continue;
    const suggestion = 'Give each a name, and the code of a WGSL function of that name.';
    fail('CROWD_BAD_ARGUMENT', 'providers', `Got ${quoted(provider)}; expected a vertex provider.`, suggestion);
  }
}

/** Problems of a crowd's providers that show without a compiler: `checkProviders` asks that. */
export function providerListIssues(
  providers: readonly VertexProvider[],
  characters: readonly Character[],
  backend: 'gpu' | 'cpu',
): Issue[] {
  const issues = providerIssues(providers);
  if (backend === 'gpu') return issues;
  const runs = characters.flatMap(({ batchRuns }) => batchRuns);
  const named = runs.reduce((mask, { variant }) => mask | providersOf(variant, providers.length), 0);
  const mute = providers.filter(
    ({ twin, update }, index) => (!twin || (update && !update.twin)) && (named >>> index) & 1,
  );
  return [
    ...issues,
    ...mute.map(({ name }) => error('PROVIDER_MISSING', `provider ${name}`, 'The provider has no twin for the CPU.')),
  ];
}

/** Checks that the device binds the storage buffers of all providers of one kernel. */
export function providerLimitIssues(
  device: GPUDevice,
  providers: readonly VertexProvider[],
  characters: readonly Character[],
): Issue[] {
  const limit = device.limits.maxStorageBuffersPerShaderStage;
  const meshes = characters.flatMap((character) => [character, ...character.lods]);
  const variants = new Set(meshes.flatMap(({ batchRuns }) => batchRuns.map(({ variant }) => variant)));
  const masks = new Set(Array.from(variants, (variant) => providersOf(variant, providers.length)));
  const check = (use: ProviderUse, mask: number) => {
    const count = OWN_STORAGE[use] + storageCount(usedResources(providers, mask, use));
    if (count <= limit) return [];
    const message = `Their ${use} code takes ${count} storage buffers; this device binds ${limit} in a stage.`;
    const suggestion = 'Use textures or uniform buffers, or request the device with the limits of its adapter.';
    return [error('DEVICE_LIMIT', 'providers', message, suggestion)];
  };
  return [...Array.from(masks, (mask) => check('vertex', mask)), check('update', ALL_VIEWS)].flat();
}

/** Objects that the application has bound for the resources of providers. */
export class BoundResources implements ResourceSource {
  version = 0;
  readonly #providers: readonly VertexProvider[];
  readonly #bound = new Map<string, BoundResource>();

  /** @throws ManipleError PROVIDER_RESOURCE, CROWD_BAD_ARGUMENT */
  constructor(providers: readonly VertexProvider[], initial: ProviderResources = {}) {
    this.#providers = providers;
    for (const [name, resources] of Object.entries(initial)) this.bind(name, resources);
  }

  /** All of them or none. @throws ManipleError PROVIDER_RESOURCE, CROWD_BAD_ARGUMENT */
  bind(name: string, resources: Readonly<Record<string, BoundResource>>): void {
    const { resources: known = {} } = this.#providers[indexOf(this.#providers, name, 'setProviderResources')]!;
    for (const [key, bound] of Object.entries(resources)) {
      const path = `provider ${name}/${key}`;
      const declared = Object.hasOwn(known, key) ? known[key] : undefined;
      if (!declared)
        fail('PROVIDER_RESOURCE', path, 'The provider declares no such resource.', listed(Object.keys(known)));
      const wrong = wrongBinding(declared, bound);
      if (wrong) fail('PROVIDER_RESOURCE', path, wrong, 'Bind an object of the declared kind and size.');
    }
    for (const [key, bound] of Object.entries(resources)) this.#bound.set(`${name}/${key}`, bound);
    this.version++;
  }

  find = (provider: string, name: string): BoundResource | undefined => this.#bound.get(`${provider}/${name}`);

  get isEmpty(): boolean {
    return this.#bound.size === 0;
  }

  /** Checks that everything is bound that kernels need. @throws ManipleError PROVIDER_RESOURCE */
  expectAll(): void {
    for (const { name, resources = {} } of this.#providers) {
      for (const key of Object.keys(resources)) {
        if (this.find(name, key)) continue;
        const suggestion = `crowd.setProviderResources('${name}', { ${key}: … })`;
        fail('PROVIDER_RESOURCE', `provider ${name}/${key}`, 'Nothing is bound for the resource.', suggestion);
      }
    }
  }
}

/** The CPU side of a crowd's providers. */
export class Providers {
  /** Global rows and view masks. */
  readonly rows: ProviderRows;
  /** Rows of characters: flags, then each provider's. */
  characters: ProviderRows;
  readonly layout: ProviderLayout;
  readonly #list: readonly VertexProvider[];

  constructor(
    list: readonly VertexProvider[],
    capacity: number,
    readonly resources: ResourceSource,
  ) {
    this.#list = list;
    this.layout = providerLayout(list);
    this.rows = createProviderRows(this.layout.globalCount);
    this.characters = createProviderRows(capacity * this.layout.characterStride);
    this.#masks.set(this.#defaultMasks());
    this.rows.changed(0, this.layout.globalCount);
  }

  resize(capacity: number): void {
    this.characters = this.characters.grown(capacity * this.layout.characterStride);
  }

  /** Writes rows of one provider. @throws ManipleError CROWD_BAD_ARGUMENT */
  write(name: string, rows: Float32Array, firstRow: number): void {
    const index = indexOf(this.#list, name, 'setProviderRows');
    const { rowCount = 0 } = this.#list[index]!;
    const count = expectRows(name, { rows, firstRow, rowCount, option: 'rowCount' }, 'setProviderRows');
    const first = this.layout.globals[index]! + firstRow;
    this.rows.view.floats.set(rows, 4 * first);
    this.rows.changed(first, first + count);
  }

  /** Writes rows that a provider has of some characters. @throws ManipleError CROWD_BAD_ARGUMENT */
  writeCharacters(name: string, characters: readonly number[], rows: Float32Array, firstRow: number): void {
    const path = 'setProviderCharacterRows';
    const index = indexOf(this.#list, name, path);
    const { characterRowCount: rowCount = 0 } = this.#list[index]!;
    const count = expectRows(name, { rows, firstRow, rowCount, option: 'characterRowCount' }, path);
    for (const character of characters) {
      const first = character * this.layout.characterStride + this.layout.characters[index]! + firstRow;
      this.characters.view.floats.set(rows, 4 * first);
      this.characters.changed(first, first + count);
    }
  }

  /** Sets the views in which a provider is wanted. @throws ManipleError CROWD_BAD_ARGUMENT */
  setViews(name: string, views: number): void {
    const index = indexOf(this.#list, name, 'setProviderViews');
    if (!Number.isInteger(views) || views < -(2 ** 31) || views > ALL_VIEWS) {
      const message = `${quoted(views)} is not a mask of 32 views.`;
      fail('CROWD_BAD_ARGUMENT', 'setProviderViews', message, 'Set a bit per view.');
    }
    if (this.#masks[index] === views >>> 0) return;
    this.#masks[index] = views >>> 0;
    const row = this.layout.maskRow + (index >> 2);
    this.rows.changed(row, row + 1);
  }

  /** The views in which a provider is wanted. @throws ManipleError CROWD_BAD_ARGUMENT */
  viewsOf(name: string): number {
    return this.#masks[indexOf(this.#list, name, 'providerViews')]!;
  }

  /** Switches a provider on or off for characters. @throws ManipleError CROWD_BAD_ARGUMENT: a type has no mesh that names it */
  enable(name: string, characters: readonly { readonly row: number; readonly type: CrowdType }[], on: boolean): void {
    const index = indexOf(this.#list, name, 'setProvider');
    const stranger = characters.find(({ type }) => ((type.providers >>> index) & 1) === 0);
    if (stranger) {
      const message = `No mesh of ${quoted(stranger.type.character.name)} names the provider ${quoted(name)}.`;
      fail('CROWD_BAD_ARGUMENT', 'setProvider', message, 'Pack it with `providers`.');
    }
    for (const { row } of characters) {
      const at = row * this.layout.characterStride;
      const { words } = this.characters.view;
      words[4 * at] = on ? words[4 * at]! | (1 << index) : words[4 * at]! & ~(1 << index);
      this.characters.changed(at);
    }
  }

  /** A character begins in `frame`: with all providers that its meshes name, and no state. */
  spawned(row: number, { providers }: CrowdType, frame: number): void {
    if (this.#list.length === 0) return;
    const at = row * this.layout.characterStride;
    this.characters.view.words.set([providers, frame, 0, 0], 4 * at);
    this.characters.changed(at);
  }

  left(row: number): void {
    const { characterStride } = this.layout;
    const [first, end] = [row * characterStride, (row + 1) * characterStride];
    this.characters.clear(first, end);
    this.characters.changed(first, end);
  }

  /** True if only the list itself differs from newly registered providers. */
  isPlain(living: readonly { readonly row: number; readonly type: CrowdType }[]): boolean {
    const { maskRow, characterStride, stateStride } = this.layout;
    if (maskRow > 0 || characterStride > 1 || stateStride > 0) return false;
    if (this.#defaultMasks().some((mask, index) => mask !== this.#masks[index])) return false;
    return living.every(({ row, type }) => this.characters.view.words[4 * row * characterStride] === type.providers);
  }

  get #masks(): Uint32Array {
    return this.rows.view.words.subarray(4 * this.layout.maskRow);
  }

  #defaultMasks(): number[] {
    return this.#list.map(({ views = ALL_VIEWS }) => views >>> 0);
  }
}

interface WrittenRows {
  readonly rows: Float32Array;
  readonly firstRow: number;
  readonly rowCount: number;
  readonly option: string;
}

/** How many rows are written. @throws ManipleError CROWD_BAD_ARGUMENT */
function expectRows(name: string, { rows, firstRow, rowCount, option }: WrittenRows, path: string): number {
  expectList('rows', rows);
  const count = rows.length / 4;
  if (!Number.isInteger(count)) {
    const message = `Got ${rows.length} floats; expected a multiple of 4.`;
    fail('CROWD_BAD_ARGUMENT', path, message, 'Give four floats per row.');
  }
  if (!Number.isInteger(firstRow) || firstRow < 0 || firstRow + count > rowCount) {
    const message = `${count} rows from ${quoted(firstRow)} on are outside of ${quoted(name)}, which has ${rowCount}.`;
    fail('CROWD_BAD_ARGUMENT', path, message, `Give the provider a larger ${option}.`);
  }
  return count;
}

function indexOf(list: readonly VertexProvider[], name: string, path: string): number {
  const index = list.findIndex((provider) => provider.name === name);
  if (index >= 0) return index;
  const message = `The crowd has no provider ${quoted(name)}.`;
  return fail('CROWD_BAD_ARGUMENT', path, message, listed(list.map((provider) => provider.name)));
}

function listed(names: readonly string[]): string {
  return `It has: ${names.join(', ') || 'none'}.`;
}
