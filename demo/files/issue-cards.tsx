import { useState } from 'preact/hooks';
import type { JSX, TargetedToggleEvent } from 'preact';
import type { Issue } from '../../src/errors.ts';
import { explain, type Explanation } from './explain.ts';
import './issue-cards.css';

/** Where the built documentation has its page of errors, seen from a page of the demo. */
const REFERENCE = '../docs/errors.html';
/** Cards at first; the rest is asked for. */
const SHOWN = 12;
/** Others of one kind that a card lists. */
const LISTED = 100;

const SEVERITIES = { error: 'Error', warning: 'Warning', info: 'Note' } as const;
const ORDER: readonly Issue['severity'][] = ['error', 'warning', 'info'];

export interface IssueCardsProps {
  readonly title: string;
  readonly issues: readonly Issue[];
  /** Without it the cards stay. */
  readonly onClose?: () => void;
}

/** Everything that was found about one thing, the gravest first; what is of one kind stands on one card. */
export function IssueCards({ title, issues, onClose }: IssueCardsProps): JSX.Element {
  const [isWhole, setWhole] = useState(false);
  const groups = groupIssues(issues);
  const shown = isWhole ? groups : groups.slice(0, SHOWN);
  const rest = groups.length - shown.length;
  const isGrave = groups[0]?.[0]?.severity === 'error';
  return (
    <section class="issue-cards" role={isGrave ? 'alert' : undefined} aria-label={title}>
      <header>
        <h2>{title}</h2>
        {onClose && (
          <button type="button" class="close" aria-label={`Close: ${title}`} onClick={onClose}>
            <svg viewBox="0 0 16 16" aria-hidden="true">
              <path d="M3 3l10 10M13 3L3 13" />
            </svg>
          </button>
        )}
      </header>
      <ul>
        {shown.map((group, index) => (
          <IssueCard key={index} issues={group} />
        ))}
      </ul>
      {rest > 0 && (
        <button type="button" class="more" onClick={() => setWhole(true)}>
          Show {rest} more
        </button>
      )}
    </section>
  );
}

/** Issues of one code, severity and advice together, in the order of the first of each. */
export function groupIssues(issues: readonly Issue[]): (readonly Issue[])[] {
  const groups = new Map<string, Issue[]>();
  for (const issue of issues) {
    const key = `${issue.severity} ${issue.code} ${issue.suggestion}`;
    groups.set(key, [...(groups.get(key) ?? []), issue]);
  }
  return [...groups.values()].sort((a, b) => ORDER.indexOf(a[0]!.severity) - ORDER.indexOf(b[0]!.severity));
}

function IssueCard({ issues }: { readonly issues: readonly Issue[] }): JSX.Element {
  const [explanation, setExplanation] = useState<Explanation>();
  const { code, severity, path, message, suggestion } = issues[0]!;
  const onToggle = (event: TargetedToggleEvent<HTMLDetailsElement>): void => {
    if (event.currentTarget.open) void explain(code).then(setExplanation);
  };
  const more = issues.slice(1, 1 + LISTED);
  const unlisted = issues.length - 1 - more.length;
  return (
    <li class={`issue-card is-${severity}`}>
      <p class="kind">
        <span class="severity">{SEVERITIES[severity]}</span>
        <code>{code}</code>
      </p>
      <p class="message">{sentence(message)}</p>
      {path !== '' && <Place path={path} />}
      {suggestion !== undefined && <p class="suggestion">{suggestion}</p>}
      {more.length > 0 && (
        <details>
          <summary>{issues.length - 1} more of this kind</summary>
          <ul>
            {more.map((issue, index) => (
              <li key={index}>
                {sentence(issue.message)} {issue.path !== '' && <Place path={issue.path} />}
              </li>
            ))}
          </ul>
          {unlisted > 0 && <p>… and {unlisted} more</p>}
        </details>
      )}
      <details onToggle={onToggle}>
        <summary>What is {code}?</summary>
        {explanation && (
          <p>
            {explanation.when}. <em>{explanation.what}.</em>
          </p>
        )}
        <a href={`${REFERENCE}#:~:text=${code}`}>All errors</a>
      </details>
    </li>
  );
}

function Place({ path }: { readonly path: string }): JSX.Element {
  return (
    <p class="place">
      at <code>{path}</code>
    </p>
  );
}

/** Messages go on where a place is named; without one they begin. */
function sentence(message: string): string {
  const text = message.trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
}
