import { fail } from '../../errors.ts';
import type { View } from '../../layout/index.ts';
import { VISIBLE_NEW, type Transform } from '../layout.ts';
import type { ProviderMemoryView } from '../provider-twins.ts';
import type { CharacterSite, StateRow } from '../providers.ts';
import type { VisibleList } from '../visible-row.ts';

export interface UpdateCharactersViews extends VisibleList {
  readonly transforms: View<(typeof Transform)['fields']>;
  readonly previousTransforms: View<(typeof Transform)['fields']>;
  /** Written: the state of active providers. */
  readonly providers: ProviderMemoryView;
}

/**
 * Twin of update-characters: runs the updates of all active providers, character after character.
 * @throws ManipleError PROVIDER_MISSING: an update has no twin
 */
export function updateCharacters(views: UpdateCharactersViews): void {
  const { visible, visibleCount, transforms, previousTransforms, providers: memory } = views;
  const { list, time, frame, dt } = memory.views;
  for (let i = 0; i < visibleCount; i++) {
    const character = visible.get(i, 'character');
    const { active, views: seenBy } = memory.activity(character, visible.get(i, 'views'));
    const isFresh = (visible.get(i, 'detail') & VISIBLE_NEW) !== 0;
    const last = isFresh ? transforms : previousTransforms;
    list.forEach(({ name, update }, index) => {
      if (!update || ((active >>> index) & 1) === 0) return;
      const twin = update.twin ?? fail('PROVIDER_MISSING', `provider ${name}`, 'Its update has no twin for the CPU.');
      const { isNew, elapsed } = memory.sinceUpdate(character, index);
      const { row, characterRow } = memory.rowsOf(character, index);
      const site: CharacterSite = {
        character,
        views: seenBy,
        frame,
        time,
        dt,
        elapsed,
        isNew,
        scale: transforms.get(character, 'scale'),
        position: transforms.get(character, 'position'),
        rotation: transforms.get(character, 'rotation'),
        previousPosition: last.get(character, 'position'),
        previousRotation: last.get(character, 'rotation'),
        row,
        characterRow,
      };
      const state = memory.stateRows(character, index, isNew);
      const next = twin(site, state) ?? state;
      if (next.length !== state.length) {
        const message = `The update returned ${next.length} state rows; expected ${state.length}.`;
        fail('PROVIDER_INVALID', `provider ${name}`, message, 'Return as many rows as stateRowCount says.');
      }
      memory.writeState(character, index, next as readonly StateRow[]);
    });
  }
}
