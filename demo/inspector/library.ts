import { signal, type Signal } from '@preact/signals';
import { issuesOf } from '../../src/errors.ts';
import { loadDropped, type Dropped } from '../files/load-dropped.ts';

/** Characters and controllers that can be shown. */
export type Item = Exclude<Dropped, { kind: 'failed' }>;
type Failure = Extract<Dropped, { kind: 'failed' }>;

/** Everything opened on this page, the newest last. */
export const items: Signal<readonly Item[]> = signal<readonly Item[]>([]);
/** Index of the item that is shown. */
export const chosen: Signal<number> = signal(0);
export const failures: Signal<readonly Failure[]> = signal<readonly Failure[]>([]);
/** The current step; undefined when idle. */
export const progress: Signal<string | undefined> = signal<string | undefined>(undefined);

const replacesItem = (item: Item): boolean => item.kind === 'character' && item.replaces !== undefined;

/** A character with more clips, and the origins of those that it got before. */
function withEarlierClips(now: Item, before: Item): Item {
  if (now.kind !== 'character' || before.kind !== 'character' || !now.added || !before.added) return now;
  const { reports, origins, sources } = before.added;
  const later = now.added.origins.map(({ source, clip }) => ({ source: source + sources.length, clip }));
  const added = {
    reports: [...reports, ...now.added.reports],
    origins: [...origins, ...later],
    sources: [...sources, ...now.added.sources],
  };
  return { ...now, added };
}

let opening: Promise<void> = Promise.resolve();

/** Opens files, one drop after the other, and shows the first thing in them. */
export function open(files: readonly File[]): Promise<void> {
  opening = opening.then(async () => {
    progress.value = 'Opening';
    const key = chosen.value;
    const item = items.value[key];
    // clips are bound to the character that is shown
    const shown = item?.kind === 'character' ? [{ key, name: item.name, model: item.model }] : [];
    const opened = await loadDropped(files, (told) => (progress.value = told), shown);
    progress.value = undefined;
    const found = opened.filter((each) => each.kind !== 'failed');
    failures.value = opened.filter((each) => each.kind === 'failed');
    const replaced = found.find((each) => replacesItem(each));
    if (replaced) items.value = items.value.map((each, i) => (i === key ? withEarlierClips(replaced, each) : each));
    const added = found.filter((each) => !replacesItem(each));
    if (added.length === 0) return;
    chosen.value = items.value.length;
    items.value = [...items.value, ...added];
  });
  return opening;
}

/** Opens a file that is part of the page. */
export async function openAddress(address: string, name: string): Promise<void> {
  progress.value = `Downloading ${name}`;
  try {
    const answer = await fetch(address);
    if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
    await open([new File([await answer.blob()], name)]);
  } catch (thrown) {
    progress.value = undefined;
    failures.value = [{ kind: 'failed', name, issues: issuesOf(thrown) }];
  }
}
