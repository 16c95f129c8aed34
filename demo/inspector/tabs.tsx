import type { Signal } from '@preact/signals';
import type { ComponentChildren, JSX, TargetedKeyboardEvent } from 'preact';
import { useId, useRef } from 'preact/hooks';
import './panels.css';

export type TabName = 'skeleton' | 'bones' | 'clips' | 'facts' | 'issues';

interface Panel {
  readonly title: string;
  /** A number next to the title; 0 is not shown. */
  readonly badge?: number;
  readonly content: () => ComponentChildren;
}

/** Panels with one open at a time. Arrow keys move between tabs. */
export function Tabs({
  chosen,
  panels,
}: {
  readonly chosen: Signal<TabName>;
  readonly panels: Readonly<Record<TabName, Panel>>;
}): JSX.Element {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const names = Object.keys(panels) as TabName[];
  const onKey = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    const at = names.indexOf(chosen.value);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: names.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    chosen.value = names[(to + names.length) % names.length]!;
    list.current?.querySelector<HTMLElement>(`[data-tab="${chosen.value}"]`)?.focus();
  };
  return (
    <section class="tabs">
      <div role="tablist" aria-label="Details of the character" ref={list} onKeyDown={onKey}>
        {names.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${name}`}
            data-tab={name}
            aria-selected={chosen.value === name}
            aria-controls={`${id}-panel`}
            tabIndex={chosen.value === name ? 0 : -1}
            onClick={() => (chosen.value = name)}
          >
            {panels[name].title}
            {(panels[name].badge ?? 0) > 0 && <span class="badge">{panels[name].badge}</span>}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen.value}`} tabIndex={0}>
        {panels[chosen.value].content()}
      </div>
    </section>
  );
}
