import type { Issue } from '../errors.ts';

/** Issues of one kind: same code and severity, with sentences that differ only in names and numbers. */
export interface IssueGroup extends Pick<Issue, 'code' | 'severity' | 'suggestion'> {
  /** The common sentence, with `…` for names and numbers that differ. */
  readonly message: string;
  /** In the order in which they were found; at least one. */
  readonly places: readonly IssuePlace[];
}

export interface IssuePlace {
  readonly path: string;
  /** Names and numbers for each `…` of the group's sentence. */
  readonly values: readonly string[];
}

const ORDER: readonly Issue['severity'][] = ['error', 'warning', 'info'];
/** Quoted names, Unity's guids and fileIDs, numbers. */
const VARIABLE = /("[^"]*"|\b[0-9a-f]{32}(?::-?\d+)?|&?-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)/;

/**
 * Groups issues by kind, for people to read: errors first, then warnings, then notes. Kinds of one severity keep the
 * order of their first issues. Takes time in proportion to the text.
 */
export function groupIssues(issues: readonly Issue[]): IssueGroup[] {
  const kinds = new Map<string, Issue[]>();
  for (const issue of issues) {
    const texts = [issue.message, issue.suggestion ?? ''].map((text) => fixedParts(text).join('…'));
    const key = [issue.severity, issue.code, ...texts].join('\n');
    const kind = kinds.get(key);
    if (kind) kind.push(issue);
    else kinds.set(key, [issue]);
  }
  return [...kinds.values()].map(groupOf).sort((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity));
}

function groupOf(issues: readonly Issue[]): IssueGroup {
  const { code, severity, suggestion } = issues[0]!;
  const message = merge(issues.map((issue) => issue.message));
  const places = issues.map(({ path }, i) => ({ path, values: message.values[i]! }));
  const advice = suggestion === undefined ? {} : { suggestion: merge(issues.map((issue) => issue.suggestion!)).text };
  return { code, severity, message: message.text, ...advice, places };
}

/** Splits sentences of one kind into their common text and the values that differ. */
function merge(texts: readonly string[]): { readonly text: string; readonly values: readonly (readonly string[])[] } {
  const parts = texts.map((text) => text.split(VARIABLE));
  const isSame = parts[0]!.map((part, i) => parts.every((other) => other[i] === part));
  return {
    text: parts[0]!.map((part, i) => (isSame[i] ? part : '…')).join(''),
    values: parts.map((each) => each.filter((_, i) => !isSame[i])),
  };
}

function fixedParts(text: string): string[] {
  return text.split(VARIABLE).filter((_, i) => i % 2 === 0);
}
