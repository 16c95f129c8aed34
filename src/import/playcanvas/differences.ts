import { type Issue, warning } from '../../errors.ts';
import { sentence } from '../model-builder/issue-list.ts';

/** How many places are named per kind of difference; the rest is counted. */
const KEPT_PER_TOPIC = 20;

/** Differences between an imported graph and PlayCanvas, by topic and place. */
export interface Differences {
  readonly add: (topic: string, path: string, message: string) => void;
  /** Something that was changed and makes no difference. */
  readonly note: (path: string, message: string) => void;
  /** Returns true if further places of a topic would not be named. */
  readonly isFull: (topic: string) => boolean;
  readonly list: () => Issue[];
}

export function collectDifferences(): Differences {
  const issues: Issue[] = [];
  const counts = new Map<string, number>();
  const keep = (topic: string, issue: Issue): void => {
    const count = (counts.get(topic) ?? 0) + 1;
    counts.set(topic, count);
    if (count <= KEPT_PER_TOPIC) issues.push(issue);
  };
  return {
    add: (topic, path, message) => keep(topic, warning('PLAYCANVAS_DIFFERS', path, sentence(message))),
    note: (path, message) =>
      keep('note', { ...warning('PLAYCANVAS_DIFFERS', path, sentence(message)), severity: 'info' }),
    isFull: (topic) => (counts.get(topic) ?? 0) > KEPT_PER_TOPIC,
    list: () => {
      const rest = Array.from(counts).reduce((sum, [, count]) => sum + Math.max(count - KEPT_PER_TOPIC, 0), 0);
      if (rest === 0) return issues;
      const more = {
        ...warning('PLAYCANVAS_DIFFERS', '', `At least ${rest} more like these.`),
        severity: 'info' as const,
      };
      return [...issues, more];
    },
  };
}
