const paths = new WeakMap<File, string>();

/** Stores a file's path in a dropped folder. Browsers provide it only for files of an input element. */
export function setPath(file: File, path: string): void {
  paths.set(file, path);
}

/** The file's path in the dropped folder, with `/`; its name if it was dropped without a folder. */
export function pathOf(file: File): string {
  return paths.get(file) ?? (file.webkitRelativePath || file.name);
}

/** The last part of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The last part of a path, without its extension. */
export function stemOf(path: string): string {
  return nameOf(path).replace(/\.[^.]*$/, '');
}
