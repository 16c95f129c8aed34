import { type IssueList, quote } from '../model-builder/issue-list.ts';

/** Gives every name once: `Idle`, `Idle 2` …; names are keys in a controller. */
export interface UniqueNames {
  add(name: string, path: string): string;
}

/**
 * @param kind What is named, for warnings.
 * @param inPaths Whether names are joined by dots: then a dot inside one becomes `_`.
 */
export function uniqueNames(kind: string, inPaths: boolean, issues: IssueList): UniqueNames {
  const taken = new Set<string>();
  // where to go on counting: a thousand equal names would otherwise be half a million look-ups
  const next = new Map<string, number>();
  return {
    add(name, path) {
      let plain = name;
      if (inPaths && (name === '' || name.includes('.'))) {
        plain = name === '' ? '_' : name.replaceAll('.', '_');
        issues.info('UNITY_UNSUPPORTED', path, `${kind} ${quote(name)} is called ${quote(plain)}: dots separate names`);
      }
      let unique = plain;
      for (let i = next.get(plain) ?? 2; taken.has(unique); i++) {
        unique = `${plain} ${i}`;
        next.set(plain, i + 1);
      }
      if (unique !== plain) {
        issues.info('UNITY_UNSUPPORTED', path, `a second ${kind} ${quote(plain)} is called ${quote(unique)}`);
      }
      taken.add(unique);
      return unique;
    },
  };
}
