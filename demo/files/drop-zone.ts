import { setPath } from './paths.ts';

/** Most files read from dropped folders, which may have any number. Loading has a lower limit. */
const FILE_LIMIT = 5_000;

/**
 * Accepts files that are dropped on an element, including whole folders, or pasted anywhere in its document. Also accepts files
 * from a file input inside the element, for touch and keyboard. While files hover over it, the element has the class
 * `is-dropping`.
 *
 * @returns Ends this when called.
 */
export function acceptDrops(element: HTMLElement, onFiles: (files: File[]) => void): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  const pass = (files: File[]): void => {
    if (files.length > 0) onFiles(files);
  };
  const mark = (isOver: boolean): void => void element.classList.toggle('is-dropping', isOver);
  const holdsFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true;

  element.addEventListener(
    'dragover',
    (event) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      event.dataTransfer!.dropEffect = 'copy';
      mark(true);
    },
    { signal },
  );
  element.addEventListener(
    'dragleave',
    (event) => {
      if (!element.contains(event.relatedTarget as Node | null)) mark(false);
    },
    { signal },
  );
  element.addEventListener(
    'drop',
    (event) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      mark(false);
      void filesOf(event.dataTransfer!).then(pass);
    },
    { signal },
  );
  element.ownerDocument.addEventListener('paste', (event) => pass([...(event.clipboardData?.files ?? [])]), { signal });
  element.addEventListener(
    'change',
    ({ target }) => {
      if (!(target instanceof HTMLInputElement) || target.type !== 'file') return;
      const files = [...(target.files ?? [])];
      // the same file can be chosen again
      target.value = '';
      pass(files);
    },
    { signal },
  );
  return () => {
    controller.abort();
    mark(false);
  };
}

/** Reads the dropped entries. Browsers provide them only during the event. */
async function filesOf({ items, files }: DataTransfer): Promise<File[]> {
  const entries = [...items].map((item) => (item.kind === 'file' ? item.webkitGetAsEntry() : null));
  if (entries.every((entry) => entry === null || entry.isFile)) return [...files];
  const found: File[] = [];
  for (const entry of entries) if (entry) await collect(entry, found);
  return found;
}

async function collect(entry: FileSystemEntry, found: File[]): Promise<void> {
  if (found.length >= FILE_LIMIT) return;
  if (entry.isFile) {
    const file = await new Promise<File | undefined>((resolve) =>
      (entry as FileSystemFileEntry).file(resolve, () => resolve(undefined)),
    );
    if (!file) return;
    setPath(file, entry.fullPath.replace(/^\//, ''));
    found.push(file);
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  // a reader returns some at a time, and none at the end
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve) => reader.readEntries(resolve, () => resolve([])));
    if (some.length === 0) return;
    for (const each of some) await collect(each, found);
  }
}
