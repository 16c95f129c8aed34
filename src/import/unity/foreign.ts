import { fail } from '../../errors.ts';

/** Characters at the start of a file that show whether it is binary: its header counts in zero bytes. */
const HEAD = 256;
const CONFLICT_MARKERS = ['<<<<<<<', '|||||||', '=======', '>>>>>>>'];

/** Refuses files that are often found in place of a Unity text file, each with its kind and its remedy. */
export function refuseForeign(text: string): void {
  if (/^\uFEFF?version https:\/\/git-lfs\.github\.com\/spec\//.test(text.slice(0, HEAD))) {
    const message = 'The file is a Git LFS pointer; the asset itself has not been downloaded.';
    fail('UNITY_INVALID', 'line 1', message, 'Run `git lfs pull` in the project, then try again.');
  }
  if (text.slice(0, HEAD).includes('\0')) {
    const message = 'The file is binary; only assets that Unity saved as text can be read.';
    const suggestion =
      'In Unity, choose Project Settings > Editor > Asset Serialization > Force Text and save the asset.';
    fail('UNITY_INVALID', '', message, suggestion);
  }
  const conflict = conflictAt(text);
  if (conflict >= 0) {
    const line = text.slice(0, conflict).split('\n').length;
    const message = `The file holds an unresolved merge conflict: this line begins with ${text.slice(conflict, conflict + 7)}.`;
    fail('UNITY_INVALID', `line ${line}`, message, 'Resolve the conflict, then try again.');
  }
}

/** Offset of the first line that begins with a marker; −1 without one. Unity indents all text that could look like it. */
function conflictAt(text: string): number {
  const places = CONFLICT_MARKERS.flatMap((marker) => {
    if (text.startsWith(marker)) return 0;
    const newline = text.indexOf(`\n${marker}`);
    return newline < 0 ? [] : newline + 1;
  });
  return places.length === 0 ? -1 : Math.min(...places);
}
