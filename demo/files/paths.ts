const paths = new WeakMap<File, string>();

/** Remembers where in a dropped folder a file stands: browsers say so only for files of an input element. */
export function setPath(file: File, path: string): void {
  paths.set(file, path);
}

/** The file's path below what was dropped, with `/`; its name where it was dropped by itself. */
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
