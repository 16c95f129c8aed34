import type { Character } from '../asset/character.ts';
import { error, fail, type Issue } from '../errors.ts';
import { createProviderRows, type ProviderRows } from '../frame/provider-memory.ts';
import { listIssues } from '../stages/skin-vertices/list-issues.ts';
import { providerRows, providersOf, type VertexProvider } from '../stages/skin-vertices/providers.ts';

/** What is wrong with a crowd's providers, as far as can be told at once; `checkProviders` asks the compiler, too. */
export function providerListIssues(
  providers: readonly VertexProvider[],
  characters: readonly Character[],
  backend: 'gpu' | 'cpu',
): Issue[] {
  const issues = listIssues(providers);
  if (backend === 'gpu') return issues;
  const runs = characters.flatMap(({ batchRuns }) => batchRuns);
  const named = runs.reduce((mask, { variant }) => mask | providersOf(variant, providers.length), 0);
  const mute = providers.filter(({ twin }, index) => !twin && (named >>> index) & 1);
  return [
    ...issues,
    ...mute.map(({ name }) => error('PROVIDER_MISSING', `provider ${name}`, 'it has no twin, which the CPU takes.')),
  ];
}

/** The host's side of a crowd's providers. */
export class Providers {
  readonly rows: ProviderRows;
  readonly #list: readonly VertexProvider[];

  constructor(list: readonly VertexProvider[]) {
    this.#list = list;
    this.rows = createProviderRows(list);
  }

  /** Writes rows of one provider. @throws ManipleError CROWD_BAD_ARGUMENT */
  write(name: string, rows: Float32Array, firstRow: number): void {
    const index = this.#list.findIndex((provider) => provider.name === name);
    if (index < 0) {
      const known = this.#list.map((provider) => provider.name).join(', ') || 'none';
      fail('CROWD_BAD_ARGUMENT', 'setProviderRows', `the crowd has no provider "${name}".`, `It has: ${known}.`);
    }
    const [start, end] = providerRows(this.#list).slice(index, index + 2) as [number, number];
    const count = rows.length / 4;
    if (!Number.isInteger(count)) {
      fail('CROWD_BAD_ARGUMENT', 'setProviderRows', `${rows.length} floats are no rows.`, 'Give four floats per row.');
    }
    if (!Number.isInteger(firstRow) || firstRow < 0 || firstRow + count > end - start) {
      const message = `${count} rows from ${firstRow} on are not in ${name}, which has ${end - start}.`;
      fail('CROWD_BAD_ARGUMENT', 'setProviderRows', message, 'Give the provider a larger rowCount.');
    }
    const first = start + firstRow;
    this.rows.view.floats.set(rows, 4 * first);
    this.rows.changed(first, first + count);
  }
}
