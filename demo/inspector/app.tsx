import { useEffect, useErrorBoundary, useRef } from 'preact/hooks';
import type { JSX } from 'preact';
import { issuesOf } from '../../src/errors.ts';
import { acceptDrops } from '../files/drop-zone.ts';
import { IssueCards } from '../files/issue-cards.tsx';
import { chosen, failures, type Item, items, open, progress } from './library.ts';
import { StartScreen } from './start-screen.tsx';
import { useLoaded } from '../use-loaded.ts';

// not needed by the start screen
const loadCharacterView = () => import('./character-view.tsx');
const loadControllerView = () => import('./controller-view.tsx');

/** The whole page. It takes files everywhere, and shows what is in them. */
export function App(): JSX.Element {
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => acceptDrops(root.current!, (files) => void open(files)), []);
  const item = items.value[chosen.value];
  return (
    <div class={`app ${item ? 'has-item' : ''}`} ref={root}>
      <header class="bar">
        <a class="brand" href="./index.html" aria-label="Maniple: to the battle">
          Maniple
        </a>
        <h1>Inspector</h1>
        {items.value.length > 0 && <ItemChoice />}
        {item && (
          <label class="button">
            <input type="file" multiple />
            Open files
          </label>
        )}
      </header>
      <main>{item ? <ItemView key={`${chosen.value} ${versionOf(item)}`} item={item} /> : <StartScreen />}</main>
      <div class="told" role="status">
        {progress.value !== undefined && (
          <p class="progress">
            <span class="spinner" aria-hidden="true" />
            {progress.value}
          </p>
        )}
      </div>
      {failures.value.length > 0 && (
        <div class="failures">
          {failures.value.length > 1 && (
            <button type="button" onClick={() => (failures.value = [])}>
              Close all {failures.value.length}
            </button>
          )}
          {failures.value.map((failure, index) => (
            <IssueCards
              key={index}
              title={failure.title ?? `${failure.name} cannot be shown`}
              issues={failure.issues}
              onClose={() => (failures.value = failures.value.filter((each) => each !== failure))}
            />
          ))}
        </div>
      )}
      <p class="drop-hint" aria-hidden="true">
        Drop to inspect
      </p>
    </div>
  );
}

/** Changes when an item is replaced by the same with more clips. */
function versionOf(item: Item): number {
  return item.kind === 'character' ? item.character.clips.length : 0;
}

function ItemView({ item }: { readonly item: Item }): JSX.Element | null {
  const [thrown] = useErrorBoundary();
  const character = useLoaded(item.kind === 'character' ? loadCharacterView : undefined);
  const controller = useLoaded(item.kind === 'controller' ? loadControllerView : undefined);
  if (thrown !== undefined) return <IssueCards title={`${item.name} cannot be shown`} issues={issuesOf(thrown)} />;
  if (item.kind === 'character') return character ? <character.CharacterView subject={item} /> : null;
  return controller ? <controller.ControllerView item={item} /> : null;
}

function ItemChoice(): JSX.Element {
  return (
    <select
      class="items"
      aria-label="File"
      value={chosen.value}
      onChange={(event) => (chosen.value = Number(event.currentTarget.value))}
    >
      {items.value.map((item, index) => (
        <option key={index} value={index}>
          {item.name}
        </option>
      ))}
    </select>
  );
}
