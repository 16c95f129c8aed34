import { type Issue, warning } from '../../errors.ts';
import { sentence } from '../model-builder/issue-list.ts';

/** How many places are named per kind of difference; the rest is counted. */
const KEPT_PER_TOPIC = 20;

/** Differences between an imported graph and PlayCanvas, by topic and place. */
export class Differences {
  readonly #issues: Issue[] = [];
  readonly #counts = new Map<string, number>();

  add(topic: string, path: string, message: string): void {
    this.#keep(topic, warning('PLAYCANVAS_DIFFERS', path, sentence(message)));
  }

  /** Something that was changed and makes no difference. */
  note(path: string, message: string): void {
    this.#keep('note', { ...warning('PLAYCANVAS_DIFFERS', path, sentence(message)), severity: 'info' });
  }

  #keep(topic: string, issue: Issue): void {
    const count = (this.#counts.get(topic) ?? 0) + 1;
    this.#counts.set(topic, count);
    if (count <= KEPT_PER_TOPIC) this.#issues.push(issue);
  }

  /** Returns true if further places of a topic would not be named. */
  isFull(topic: string): boolean {
    return (this.#counts.get(topic) ?? 0) > KEPT_PER_TOPIC;
  }

  list(): Issue[] {
    const rest = Array.from(this.#counts.values()).reduce((sum, n) => sum + Math.max(n - KEPT_PER_TOPIC, 0), 0);
    if (rest === 0) return this.#issues;
    const more = warning('PLAYCANVAS_DIFFERS', '', `At least ${rest} more like these.`);
    return [...this.#issues, { ...more, severity: 'info' }];
  }
}
