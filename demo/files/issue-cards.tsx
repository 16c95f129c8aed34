import { useState } from 'preact/hooks';
import type { JSX, TargetedToggleEvent } from 'preact';
import type { Issue } from '../../src/errors.ts';
import { explain, type Explanation } from './explain.ts';
import './issue-cards.css';

/** Where the built documentation has its page of errors, seen from a page of the demo. */
const REFERENCE = '../docs/errors.html';
/** Cards at first; the rest is asked for. */
const SHOWN = 12;

const SEVERITIES = { error: 'Error', warning: 'Warning', info: 'Note' } as const;
const ORDER: readonly Issue['severity'][] = ['error', 'warning', 'info'];

export interface IssueCardsProps {
  readonly title: string;
  readonly issues: readonly Issue[];
  /** Without it the cards stay. */
  readonly onClose?: () => void;
}

/** Everything that was found about one thing, the gravest first. */
export function IssueCards({ title, issues, onClose }: IssueCardsProps): JSX.Element {
  const [isWhole, setWhole] = useState(false);
  const sorted = [...issues].sort((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity));
  const shown = isWhole ? sorted : sorted.slice(0, SHOWN);
  const rest = sorted.length - shown.length;
  const isGrave = sorted[0]?.severity === 'error';
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
        {shown.map((issue, index) => (
          <IssueCard key={index} issue={issue} />
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

function IssueCard({ issue: { code, severity, path, message, suggestion } }: { readonly issue: Issue }): JSX.Element {
  const [explanation, setExplanation] = useState<Explanation>();
  const onToggle = (event: TargetedToggleEvent<HTMLDetailsElement>): void => {
    if (event.currentTarget.open) void explain(code).then(setExplanation);
  };
  return (
    <li class={`issue-card is-${severity}`}>
      <p class="kind">
        <span class="severity">{SEVERITIES[severity]}</span>
        <code>{code}</code>
      </p>
      <p class="message">{sentence(message)}</p>
      {suggestion !== undefined && <p class="suggestion">{suggestion}</p>}
      {path !== '' && (
        <p class="place">
          at <code>{path}</code>
        </p>
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

/** Messages go on where a place is named; without one they begin. */
function sentence(message: string): string {
  const text = message.trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
}
