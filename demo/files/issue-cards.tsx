import { useState } from 'preact/hooks';
import type { JSX, TargetedToggleEvent } from 'preact';
import type { Issue } from '../../src/errors.ts';
import { groupIssues, type IssueGroup, type IssuePlace } from '../../src/cli/issue-groups.ts';
import { explain, type Explanation } from './explain.ts';
import './issue-cards.css';

/** Path of the errors page in the built documentation, relative to a demo page. */
const REFERENCE = '../docs/errors.html';
/** Cards shown at first; a button shows the rest. */
const SHOWN = 12;
/** Most places that a card names, and that it lists when opened. */
const NAMED = 3;
const LISTED = 100;

const SEVERITIES = { error: 'Error', warning: 'Warning', info: 'Note' } as const;

export interface IssueCardsProps {
  readonly title: string;
  readonly issues: readonly Issue[];
  /** Without it the cards cannot be closed. */
  readonly onClose?: () => void;
}

/** All issues of one file, one card per kind. Issues that change the result come before notes. */
export function IssueCards({ title, issues, onClose }: IssueCardsProps): JSX.Element {
  const [isWhole, setWhole] = useState(false);
  const groups = groupIssues(issues);
  const shown = isWhole ? groups : groups.slice(0, SHOWN);
  const rest = groups.length - shown.length;
  const isGrave = groups[0]?.severity === 'error';
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
          <IssueCard key={index} group={group} />
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

function IssueCard({ group }: { readonly group: IssueGroup }): JSX.Element {
  const [explanation, setExplanation] = useState<Explanation>();
  const { code, severity, message, suggestion, places } = group;
  const onToggle = (event: TargetedToggleEvent<HTMLDetailsElement>): void => {
    if (event.currentTarget.open) void explain(code).then(setExplanation);
  };
  const more = places.slice(NAMED, NAMED + LISTED);
  const unlisted = places.length - NAMED - more.length;
  return (
    <li class={`issue-card is-${severity}`}>
      <p class="kind">
        <span class="severity">{SEVERITIES[severity]}</span>
        <code>{code}</code>
        {places.length > 1 && <span>{places.length} times</span>}
      </p>
      <p class="message">{sentence(message)}</p>
      <Places places={places.slice(0, NAMED)} />
      {suggestion !== undefined && <p class="suggestion">{suggestion}</p>}
      {more.length > 0 && (
        <details>
          <summary>{places.length - NAMED} more places</summary>
          <Places places={more} />
          {unlisted > 0 && <p>… and {unlisted} more</p>}
        </details>
      )}
      <details onToggle={onToggle}>
        <summary>About {code}</summary>
        {explanation && (
          <p>
            {explanation.when}. <em>{explanation.what}.</em>
          </p>
        )}
        <a href={`${REFERENCE}#:~:text=${code}`}>All error codes</a>
      </details>
    </li>
  );
}

/** Lists places by path, with the values that differ between places. */
function Places({ places }: { readonly places: readonly IssuePlace[] }): JSX.Element {
  return (
    <>
      {places.map(({ path, values }, index) => {
        // often the path ends with the value
        const others = values.filter((value) => !path.endsWith(value.replaceAll(/^"|"$/g, '')));
        return path === '' && others.length === 0 ? null : (
          <p key={index} class="place">
            at <code>{path || 'the file'}</code>
            {others.length > 0 && ` (${others.join(', ')})`}
          </p>
        );
      })}
    </>
  );
}

/** Capitalises a message, which otherwise continues after the name of a place. */
function sentence(message: string): string {
  const text = message.trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
}
