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

let opening: Promise<void> = Promise.resolve();

/** Opens files, one drop after the other, and shows the first thing in them. */
export function open(files: readonly File[]): Promise<void> {
  opening = opening.then(async () => {
    progress.value = 'Opening';
    const opened = await loadDropped(files, (told) => (progress.value = told));
    progress.value = undefined;
    const found = opened.filter((each) => each.kind !== 'failed');
    failures.value = opened.filter((each) => each.kind === 'failed');
    if (found.length === 0) return;
    chosen.value = items.value.length;
    items.value = [...items.value, ...found];
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
