import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useErrorBoundary } from 'preact/hooks';
import { issuesOf } from '../../src/errors.ts';
import { BattleSection } from './battle-section.tsx';
import { Battlefield } from './canvas.tsx';
import { FileOffer, FilesSection, useDrops } from './files-section.tsx';
import { FrameSection } from './frame-section.tsx';
import { HelpSection } from './help-section.tsx';
import { Missing } from './missing.tsx';
import { Notices } from './notices.tsx';
import { SoldierSection } from './soldier-section.tsx';
import { busy, fail, failed, isDrawn, isTouched, isWaiting, settings, watched } from './state.ts';
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

/** The battlefield with its controls, or a card that explains why it is missing. */
export function App() {
  useErrorBoundary((thrown) => fail(issuesOf(thrown)));
  return failed.value ? <Missing issues={failed.value} /> : <Page />;
}

function Page() {
  const ref = useDrops();
  /** On phones one section is open at a time, or none; elsewhere all are in the panel. */
  const tab = useSignal<Tab | undefined>(undefined);
  const soldier = watched.value?.id;
  useEffect(() => {
    if (soldier !== undefined) tab.value = 'soldier';
    else if (tab.value === 'soldier') tab.value = undefined;
  }, [soldier]);
  return (
    <div class="app" ref={ref} aria-busy={busy.value !== undefined || isWaiting.value}>
      <Battlefield />
      <div class={`foot${tab.value === undefined ? '' : ' gone'}`}>
        <FileOffer />
        <p id="field-help" class={`tip${isDrawn.value && !isTouched.value ? '' : ' gone'}`}>
          Drag to orbit, scroll or pinch to zoom, click or tap a soldier to see its state machine.
        </p>
      </div>
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
      <div class="drop-mark" aria-hidden="true">
        Drop your files: the character joins the field
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
    <section
      id={`section-${id}`}
      class={`section ${id}${isOpen ? ' open' : ''}`}
      aria-label={title}
      // nothing can be set before the field has opened
      inert={settings.value === undefined && (id === 'battle' || id === 'view')}
    >
      <h2>{title}</h2>
      {children}
    </section>
  );
}
