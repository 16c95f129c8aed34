import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { IssueCards } from '../files/issue-cards.tsx';
import { BattleSection } from './battle-section.tsx';
import { Battlefield } from './canvas.tsx';
import { useDrops, FilesSection } from './files-section.tsx';
import { FrameSection } from './frame-section.tsx';
import { HelpSection } from './help-section.tsx';
import { Missing } from './missing.tsx';
import { SoldierSection } from './soldier-section.tsx';
import { busy, dismiss, failed, figures, isTouched, isWaiting, notices, settings, watched } from './state.ts';
import { ViewSection } from './view-section.tsx';

const TABS = [
  { id: 'battle', title: 'Battle', Content: BattleSection },
  { id: 'view', title: 'View', Content: ViewSection },
  { id: 'frame', title: 'Frame', Content: FrameSection },
  { id: 'soldier', title: 'Soldier', Content: SoldierSection },
  { id: 'files', title: 'Files', Content: FilesSection },
  { id: 'help', title: 'Help', Content: HelpSection },
] as const;
type Tab = (typeof TABS)[number]['id'];

/** The battlefield, and over it what is known of it and can be done to it. */
export function App() {
  const ref = useDrops();
  /** On phones one section is open at a time, or none; elsewhere all are in the panel. */
  const tab = useSignal<Tab | undefined>(undefined);
  const soldier = watched.value?.id;
  useEffect(() => {
    if (soldier !== undefined) tab.value = 'soldier';
    else if (tab.value === 'soldier') tab.value = undefined;
  }, [soldier]);
  if (failed.value) return <Missing issues={failed.value} />;
  return (
    <div class="app" ref={ref} aria-busy={busy.value !== undefined || isWaiting.value}>
      <Battlefield />
      <TopBar />
      <aside class="panel" aria-label="Controls" data-tab={tab.value}>
        <div class="tabs" role="group" aria-label="Sections">
          {TABS.map(({ id, title }) => (
            <button
              type="button"
              key={id}
              aria-expanded={tab.value === id}
              aria-controls={`section-${id}`}
              onClick={() => (tab.value = tab.value === id ? undefined : id)}
            >
              {title}
            </button>
          ))}
        </div>
        <div class="sections">
          {TABS.map(({ id, title, Content }) => (
            <Section key={id} id={id} title={title} isOpen={tab.value === id}>
              <Content />
            </Section>
          ))}
        </div>
      </aside>
      <Notices />
      <p id="field-help" class={`tip${isTouched.value || tab.value !== undefined ? ' gone' : ''}`}>
        Drag to look around, scroll or pinch to come closer, click or tap a soldier to see it think.
      </p>
      <div class="drop-mark" aria-hidden="true">
        Drop it: it joins the field
      </div>
    </div>
  );
}

function Section({
  id,
  title,
  isOpen,
  children,
}: {
  readonly id: Tab;
  readonly title: string;
  readonly isOpen: boolean;
  readonly children: ComponentChildren;
}) {
  return (
    <section id={`section-${id}`} class={`section ${id}${isOpen ? ' open' : ''}`} aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function TopBar() {
  const now = figures.value;
  return (
    <header class="top">
      <h1>Maniple</h1>
      <dl class="now">
        <div>
          <dt>soldiers</dt>
          <dd data-figure="characters">{(now?.characters ?? settings.value?.count ?? 0).toLocaleString('en')}</dd>
        </div>
        <div>
          <dt>frames a second</dt>
          <dd data-figure="frame-rate">{now ? rate(now.frameRate) : '–'}</dd>
        </div>
        <div>
          <dt>ms on the CPU</dt>
          <dd data-figure="host-time">{now ? now.hostTime.toFixed(1) : '–'}</dd>
        </div>
      </dl>
      {busy.value !== undefined && (
        <p class="busy" role="status">
          <i aria-hidden="true" />
          {busy.value} …
        </p>
      )}
    </header>
  );
}

/** Software adapters draw less than one a second. */
function rate(perSecond: number): string {
  return perSecond >= 10 ? perSecond.toFixed(0) : perSecond.toFixed(1);
}

function Notices() {
  return (
    <div class="notices">
      {notices.value.map((notice) => (
        <div class="notice" key={notice.key}>
          <IssueCards title={notice.title} issues={notice.issues} onClose={() => dismiss(notice)} />
        </div>
      ))}
    </div>
  );
}
