import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { issuesOf } from '../../src/errors.ts';
import { IssueCards } from '../files/issue-cards.tsx';
import { CharacterState, type Subject } from './character-state.ts';
import { ClipTable } from './clip-table.tsx';
import { Facts } from './facts.tsx';
import { Legend } from './legend.tsx';
import { ModeChoice } from './mode-choice.tsx';
import { SkeletonTree } from './skeleton-tree.tsx';
import { type TabName, Tabs } from './tabs.tsx';
import { Timeline } from './timeline.tsx';
import './character-view.css';

const HINT = 'Drag to turn, scroll or pinch to zoom. Keys: arrows turn, plus and minus zoom, 0 fits the model.';

/** A character: a picture that can be turned, its legend, a timeline of its clips, and panels with details. */
export function CharacterView({ subject }: { readonly subject: Subject }): JSX.Element {
  const state = useMemo(() => new CharacterState(subject), [subject]);
  const canvas = useRef<HTMLCanvasElement>(null);
  const tab = useSignal<TabName>('skeleton');
  useEffect(() => stageOn(canvas.current!, state), [state]);
  const told = [...state.issues.value, ...subject.issues];
  return (
    <div class="character">
      <section class="picture" aria-label="The model">
        <canvas ref={canvas} tabIndex={0} role="img" aria-label={`${subject.name}. ${HINT}`} title={HINT} />
        <ModeChoice state={state} />
        <Legend state={state} />
      </section>
      <Timeline state={state} />
      <Tabs
        chosen={tab}
        panels={{
          skeleton: { title: 'Skeleton', content: () => <SkeletonTree state={state} /> },
          clips: { title: 'Clips', content: () => <ClipTable state={state} /> },
          facts: { title: 'Facts', content: () => <Facts subject={subject} /> },
          issues: {
            title: 'Repairs',
            badge: told.length,
            content: () =>
              told.length > 0 ? (
                <IssueCards title={`Repairs and warnings of ${subject.name}`} issues={told} />
              ) : (
                <p class="empty">No problems were found in this file, and nothing was changed.</p>
              ),
          },
        }}
      />
    </div>
  );
}

/** Loads the code that draws, then draws on the canvas. Returns a function that stops it. */
function stageOn(canvas: HTMLCanvasElement, state: CharacterState): () => void {
  let isOver = false;
  let end: (() => void) | undefined;
  import('./stage.ts')
    .then(({ openStage }) => openStage(canvas, state))
    .then((close) => (isOver ? close() : (end = close)))
    .catch((thrown: unknown) => (state.issues.value = issuesOf(thrown)));
  return () => {
    isOver = true;
    end?.();
  };
}
